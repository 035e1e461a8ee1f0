package site

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

//go:embed templates
var templateFiles embed.FS

// templatesIn are the pages of a language by name, each with the frame around it and the
// parts that several pages share. One is read when it is first drawn: all of them would
// be a tenth of the memory of an idle program.
func templatesIn(l *Language) map[string]func() *template.Template {
	frame := sync.OnceValue(func() *template.Template { return frameIn(l) })
	names, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // they are inside the program
	}
	out := map[string]func() *template.Template{}
	for _, f := range names {
		if f.Name() != "frame.html" && !f.IsDir() {
			out[strings.TrimSuffix(f.Name(), ".html")] = sync.OnceValue(func() *template.Template {
				return read(template.Must(frame().Clone()), l, "templates/"+f.Name())
			})
		}
	}
	return out
}

// frameIn is what all pages have in common, in a language.
func frameIn(l *Language) *template.Template {
	parts, err := fs.Glob(templateFiles, "templates/parts/*.html")
	if err != nil {
		panic(err) // the pattern is sound
	}
	funcs := template.FuncMap{"t": l.word, "words": l.some, "asset": assetPath, "shares": l.shares, "spreads": spreads,
		"status": l.status, "grade": l.grade, "why": l.why, "age": l.age, "burndown": l.burndown,
		"day": l.day, "moment": l.moment, "date": l.date,
		"ratings": l.rating, "happened": l.happened, "leads": leads, "accepts": accepts, "megabytes": megabytes,
		"device": l.device, "htmxConfig": func() string { return htmxConfig }, "lang": func() string { return l.tag },
		"list": func(values ...any) []any { return values }}
	return read(template.New("frame").Funcs(funcs), l, append(parts, "templates/frame.html")...)
}

// fixed is what a template says the same way each time.
var fixed = regexp.MustCompile(`\{\{(t|words|asset) "([^"]+)"\}\}`)

// read adds files to a template. What they say the same way each time is put in now: to
// look for words is much of what drawing a page takes.
func read(to *template.Template, l *Language, names ...string) *template.Template {
	for _, name := range names {
		text, err := templateFiles.ReadFile(name)
		if err != nil {
			panic(err) // they are inside the program
		}
		template.Must(to.Parse(fixed.ReplaceAllStringFunc(string(text), func(action string) string {
			m := fixed.FindStringSubmatch(action)
			find := map[string]func(string) string{"t": func(key string) string { return l.word(key) }, "words": l.some,
				"asset": assetPath}
			return template.HTMLEscapeString(find[m[1]](m[2]))
		})))
	}
	return to
}

// Page is a page to be drawn. It implements endpoint.Drawing.
type Page struct {
	Title  string
	Me     *access.Caller // nil or a visitor when nobody is signed in
	Data   any
	Wrong  *httpserver.Problem // what was wrong with a form that is shown again
	Frame  *usecase.Frame      // what stands around it
	site   *Server
	path   string // where it stands
	name   string // of its template
	part   string // of the template, where not all of the page is asked for
	status int    // other than the one declared
	head   http.Header
}

// word gives words of the language that the pages of this server speak.
func (s *Server) word(key string, values ...any) string { return s.words.word(key, values...) }

// page makes a page of a template, whose title is the word of its name.
func (s *Server) page(who *access.Caller, name string, data any) *Page {
	return s.titled(who, name, s.word(name+".title"), data)
}

// titled makes a page of a template with a title of its own.
func (s *Server) titled(who *access.Caller, name, title string, data any) *Page {
	return &Page{Title: title, Me: who, Data: data, site: s, name: name, status: http.StatusOK}
}

// fragment makes a part of a page, which a script puts into the one that is open.
func (s *Server) fragment(who *access.Caller, name, part string, data any) *Page {
	p := s.titled(who, name, "", data)
	p.part = part
	return p
}

// Product is the name of the service.
func (p *Page) Product() string { return p.site.product }

// SignedIn tells whether somebody is.
func (p *Page) SignedIn() bool { return p.Me != nil && p.Me.ID != 0 }

// Draw implements endpoint.Drawing.
func (p *Page) Draw(w http.ResponseWriter, r *http.Request, status int) {
	p.path = r.URL.Path
	p.around(r.Context())
	var b bytes.Buffer
	if err := p.site.words.pages[p.name]().ExecuteTemplate(&b, cmp.Or(p.part, "frame"), p); err != nil {
		p.fail(w, r, err)
		return
	}
	body := b.Bytes()
	if v := p.View(); v != nil {
		body = throughView(p.site.words, v, body)
	}
	h := w.Header()
	httpserver.Guard(h, httpserver.Site)
	h.Set("Content-Type", "text/html; charset=utf-8")
	for name, values := range p.head {
		h[name] = values
	}
	if p.status != 0 {
		status = p.status
	}
	w.WriteHeader(status)
	httpserver.Write(w, body) //nolint:errcheck // the client left
}

// fail answers for a page that cannot be drawn, of which nothing was sent, with the page
// of errors; and where that is the one, with a line of text.
func (p *Page) fail(w http.ResponseWriter, r *http.Request, err error) {
	err = fmt.Errorf("draw the page %s: %w", p.name, err)
	if p.name != "error" {
		p.site.HTTP.Fail(w, r, err)
		return
	}
	id := httpserver.RequestID(r.Context())
	p.site.HTTP.Log.ErrorContext(r.Context(), "the page of errors cannot be drawn", "request_id", id, "err", err)
	http.Error(w, "Something went wrong on our side. Request "+id, http.StatusInternalServerError)
}

// onward is the answer to a form that was accepted: where to go on, for a browser
// that sent the form by itself and for a script of ours.
type onward struct {
	To string `json:"to"`
}

// Draw implements endpoint.Drawing.
func (v onward) Draw(w http.ResponseWriter, r *http.Request, status int) {
	answerForm(w, r, status, v.To, v)
}

// answerForm leads a browser that sent a form by itself on, and tells a script of ours
// what came of it.
func answerForm(w http.ResponseWriter, r *http.Request, status int, to string, out any) {
	w.Header().Add("Vary", "Accept")
	if httpserver.Names(r, "text/html") {
		endpoint.Redirect{To: to}.Draw(w, r, status)
		return
	}
	httpserver.JSON(w, http.StatusOK, out)
}

// again draws a form once more with what was wrong with it. What is nobody's
// mistake is not for the form to tell.
func (s *Server) again(p *Page, err error) (*Page, error) {
	if p.Me != nil && p.Me.ID != 0 && p.Me.ID == p.Me.OwnerID {
		err = fault.ToThemselves(err)
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind == fault.Internal {
		return nil, err
	}
	problem := httpserver.ProblemOf(e)
	p.Wrong, p.status = &problem, problem.Status
	if wait := httpserver.RetryAfter(e); wait != "" {
		if p.head == nil {
			p.head = http.Header{}
		}
		p.head.Set("Retry-After", wait)
	}
	return p, nil
}
