package page

import (
	"embed"
	"html/template"
	"io/fs"
	"maps"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"lectern/internal/ground/bounds"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
)

//go:embed templates components
var files embed.FS

// own is what every page is drawn from: the frame, and the components of all rooms.
var own = &Kit{Files: files, Funcs: func(l *Language) template.FuncMap {
	return template.FuncMap{"t": l.Word, "words": l.some, "status": l.Status, "look": LookOf, "grade": l.Grade, "why": l.why,
		"date": l.Date, "limits": l.limits, "shares": l.shares, "bar": l.bar, "excerpt": excerpt, "megabytes": megabytes,
		"htmxConfig": func() string { return htmxConfig }, "lang": func() string { return l.Tag },
		"list": func(values ...any) []any { return values }, "dict": dict, "body": noBody, "initials": initials, "ground": ground,
		"dayOf": dayOf, "device": l.device, "deviceIcon": deviceIcon,
		"drawn": drawn, "add": func(a, b int) int { return a + b }, "news": func(n usecase.News) string { return l.News(&n) }}
}}

// drawn is a picture as a part of the page.
func drawn(f chart.Figure) template.HTML { return template.HTML(f.SVG) } //nolint:gosec // it escapes what is not ours

// Drawings are the pages of a language by name.
type Drawings map[string]func() *template.Template

// Drawn gives the pages of all rooms in a language. Each page has the frame around it and
// the components of its room. One is read when it is first drawn: all of them would be a
// tenth of the memory of an idle program.
func (h *House) Drawn(l *Language) Drawings {
	if d, ok := h.drawn.Load(l); ok {
		return d.(Drawings)
	}
	out := Drawings{}
	frame := sync.OnceValue(func() *template.Template {
		return h.read(h.components(template.New("frame"), l, own), l, files, "templates/frame.html")
	})
	h.pagesOf(out, l, own, frame)
	for _, r := range h.rooms {
		h.pagesOf(out, l, &r.Kit, sync.OnceValue(func() *template.Template {
			t := template.Must(frame().Clone())
			for _, k := range r.all() {
				t = h.components(t, l, k)
			}
			return t
		}))
	}
	d, _ := h.drawn.LoadOrStore(l, out)
	return d.(Drawings)
}

// pagesOf adds the pages of a kit, whose components are read by then.
func (h *House) pagesOf(out Drawings, l *Language, k *Kit, with func() *template.Template) {
	for _, file := range glob(k.Files, "templates/*.html") {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if out[name] != nil {
			panic("page: two rooms have a page " + name)
		}
		if name != "frame" {
			out[name] = sync.OnceValue(func() *template.Template {
				return withBodies(h.read(template.Must(with().Clone()), l, k.Files, file))
			})
		}
	}
}

// components adds those of a kit to a template.
func (h *House) components(to *template.Template, l *Language, k *Kit) *template.Template {
	funcs := template.FuncMap{"asset": h.asset, "icon": h.icon, "line": h.line}
	if k.Funcs != nil {
		maps.Copy(funcs, k.Funcs(l))
	}
	return h.read(to.Funcs(funcs), l, k.Files, glob(k.Files, "components/*.html")...)
}

func glob(from fs.FS, pattern string) []string {
	names, err := fs.Glob(from, pattern)
	if err != nil {
		panic(err) // the pattern is sound
	}
	return names
}

// fixed is what a template says the same way each time, and given what it gives a component so. The space around
// the first goes where its dashes say.
var (
	fixed = regexp.MustCompile(`\{\{(- )?(t|words|asset|icon) "([^"]+)"((?: "[^"]+")*)( -)?\}\}`)
	given = regexp.MustCompile(`\(t\s"([^"]+)"\)`)
)

// tag is one of a template, and indent the beginning of a line.
var (
	tag    = regexp.MustCompile(`<[a-z][^<>]*>`)
	indent = regexp.MustCompile(`\n\s+`)
)

// dense takes out of a template what is there for whoever reads it: that lines are indented,
// and that the attributes of a tag stand on several.
func dense(text string) string {
	text = tag.ReplaceAllStringFunc(text, func(one string) string { return indent.ReplaceAllString(one, " ") })
	return indent.ReplaceAllString(text, "\n")
}

// read adds files to a template. What they say the same way each time is put in now: to
// look for words is much of what drawing a page takes.
func (h *House) read(to *template.Template, l *Language, from fs.FS, names ...string) *template.Template {
	word := func(action string) string { return strconv.Quote(l.Word(given.FindStringSubmatch(action)[1])) }
	put := func(action string) string { return h.put(l, action) }
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			panic(err) // they are inside the program
		}
		template.Must(to.Parse(given.ReplaceAllStringFunc(fixed.ReplaceAllStringFunc(dense(string(text)), put), word)))
	}
	return to
}

// put is what a fixed action writes.
func (h *House) put(l *Language, action string) string {
	m := fixed.FindStringSubmatch(action)
	what, name, rest, out := m[2], m[3], m[4], ""
	switch {
	case what == "icon":
		out = string(h.icon(Icon(name), strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '"' })...))
	case rest != "":
		return action
	case what == "t":
		out = template.HTMLEscapeString(l.Word(name))
	case what == "words":
		out = template.HTMLEscapeString(l.some(name))
	default:
		out = template.HTMLEscapeString(h.asset(name))
	}
	return trimmed(m[1], "{{- /* */}}") + out + trimmed(m[5], "{{/* */ -}}")
}

// trimmed is what takes the space away on a side of a fixed action that has a dash there.
func trimmed(dash, action string) string {
	if dash == "" {
		return ""
	}
	return action
}

// share is a part of a bar that shows how far a project is.
type share struct {
	Colour status.Colour
	Words  string
	Pct    int
	From   int // where it begins in the bar
}

// shares are the parts of a project that are done, waiting, asked for again or in
// trouble, in this order; what nobody has begun is left out.
func (l *Language) shares(s progress.Stats) (out []share) {
	at := 0
	for _, part := range []struct {
		colour status.Colour
		value  float64
	}{{status.Green, s.Green}, {status.Blue, s.Blue}, {status.Orange, s.Orange}, {status.Red, s.Red}} {
		if pct := int(math.Round(part.value * 100)); pct > 0 {
			out = append(out, share{part.colour, l.Word("share."+string(part.colour), pct), pct, at})
			at += pct
		}
	}
	return out
}

// megabytes writes a number of bytes for people.
func megabytes(n int64) string {
	return strconv.FormatFloat(math.Ceil(float64(n)/float64(bounds.MB)*10)/10, 'f', -1, 64)
}

// htmxConfig lets htmx do nothing that the policy of pages would refuse, and keep
// nothing of a page in the browser. Where a request is refused, the answer is a
// whole page, which takes the place of this one: it has the form again with what was
// wrong.
const htmxConfig = `{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,` +
	`"historyCacheSize":0,"refreshOnHistoryMiss":true,"selfRequestsOnly":true,"responseHandling":[` +
	`{"code":"204","swap":false},{"code":"[23]..","swap":true},` +
	`{"code":"[45]..","swap":true,"error":true,"target":"#main","select":"#main","swapOverride":"outerHTML"}]}`
