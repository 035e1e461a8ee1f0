package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

// Page is a page to be drawn. It implements endpoint.Drawing.
type Page struct {
	Title  string
	Me     *access.Caller // nil or a visitor when nobody is signed in
	Data   any
	Wrong  *httpserver.Problem // what was wrong with a form that is shown again
	Frame  *usecase.Frame      // what stands around it
	Head   http.Header         // to be sent with it
	Gate   bool                // one card on the ground, as for whoever is not in yet
	Rail   bool                // the sidebar shows its icons only: the page needs the width
	Within *Crumb              // what the page is a part of, beside its unit; nil: it stands for itself
	Alone  bool                // nothing leads on from it but itself: there is no network where it is shown
	site   *Site
	path   string // where it stands
	kept   kept   // where they were on the other side
	name   string // of its template
	part   string // of the template, where not all of the page is asked for
	status int    // other than the one declared
}

// Word gives words of the language that the pages of this site speak.
func (s *Site) Word(key string, values ...any) string { return s.Words.Word(key, values...) }

// Page makes a page of a template, whose title is the word of its name.
func (s *Site) Page(who *access.Caller, name string, data any) *Page {
	return s.Titled(who, name, s.Word(name+".title"), data)
}

// Card makes a page that is one card: a way in, or what came of it.
func (s *Site) Card(who *access.Caller, name string, data any) *Page {
	p := s.Page(who, name, data)
	p.Gate = true
	return p
}

// Titled makes a page of a template with a title of its own.
func (s *Site) Titled(who *access.Caller, name, title string, data any) *Page {
	return &Page{Title: title, Me: who, Data: data, site: s, name: name, status: http.StatusOK}
}

// Refusal makes a page that is drawn with the status of a request that failed.
func (s *Site) Refusal(who *access.Caller, name, title string, data any) *Page {
	return &Page{Title: title, Me: who, Data: data, site: s, name: name}
}

// Fragment makes a part of a page, which a script puts into the one that is open.
func (s *Site) Fragment(who *access.Caller, name, part string, data any) *Page {
	p := s.Titled(who, name, "", data)
	p.part = part
	return p
}

// Done is a page that says that something is done, and leads on.
func (s *Site) Done(who *access.Caller, key string) *Page { return s.Card(who, "done", key) }

// Product is the name of the service.
func (p *Page) Product() string { return p.site.Usecases.Name }

// Statements are the statements of the institution that a way in leads to.
func (p *Page) Statements() (out []Section) {
	for _, m := range []usecase.Matter{usecase.OnPrivacy, usecase.OnAccessibility} {
		out = append(out, Section{Path: StatementPath(m), Words: p.site.Word("help." + string(m))})
	}
	return out
}

// SignedIn tells whether somebody is.
func (p *Page) SignedIn() bool { return p.Me != nil && p.Me.ID != 0 }

// Draw implements endpoint.Drawing.
func (p *Page) Draw(w http.ResponseWriter, r *http.Request, status int) {
	p.path = r.URL.Path
	p.keepPlace(w, r)
	b, _ := sheets.Get().(*bytes.Buffer)
	defer putBack(b)
	body, err := p.body(r.Context(), b)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	h := w.Header()
	httpserver.Guard(h, httpserver.Site)
	h.Set("Content-Type", "text/html; charset=utf-8")
	for name, values := range p.Head {
		h[name] = values
	}
	if p.status != 0 {
		status = p.status
	}
	w.WriteHeader(status)
	httpserver.Write(w, body) //nolint:errcheck // the client left
}

// sheets are what pages are drawn on. One that has to grow with each page is a third of the memory
// that a page takes. What was once very large is let go.
var sheets = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const mostSheet = 1 << 20

func putBack(b *bytes.Buffer) {
	if b.Cap() <= mostSheet {
		b.Reset()
		sheets.Put(b)
	}
}

// body is the page as it is sent, drawn on b.
func (p *Page) body(ctx context.Context, b *bytes.Buffer) ([]byte, error) {
	p.around(ctx)
	if err := p.site.drawn[p.name]().ExecuteTemplate(b, cmp.Or(p.part, "frame"), p); err != nil {
		return nil, err
	}
	body := p.told(b.Bytes())
	if v := p.View(); v != nil {
		body = p.site.throughView(v, body)
	}
	return body, nil
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

// Onward is the answer to a form that was accepted: where to go on, for a browser
// that sent the form by itself and for a script of ours.
type Onward struct {
	To string `json:"to"`
}

// Draw implements endpoint.Drawing.
func (v Onward) Draw(w http.ResponseWriter, r *http.Request, status int) {
	AnswerForm(w, r, status, v.To, v)
}

// AnswerForm leads a browser that sent a form by itself on, and tells a script of ours
// what came of it.
func AnswerForm(w http.ResponseWriter, r *http.Request, status int, to string, out any) {
	w.Header().Add("Vary", "Accept")
	if httpserver.Names(r, "text/html") {
		endpoint.Redirect{To: to}.Draw(w, r, status)
		return
	}
	httpserver.JSON(w, http.StatusOK, out)
}

// Again draws a form once more with what was wrong with it. What is nobody's
// mistake is not for the form to tell.
func (s *Site) Again(p *Page, err error) (*Page, error) {
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
		if p.Head == nil {
			p.Head = http.Header{}
		}
		p.Head.Set("Retry-After", wait)
	}
	return p, nil
}
