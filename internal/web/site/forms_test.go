package site_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// reader is somebody with a browser that runs no script: they read pages, fill in the
// forms that stand there, and are led on.
type reader struct {
	*world
	mux  *http.ServeMux
	at   string          // where they are
	on   string          // the pattern of it
	doc  *html.Node      // what they see
	text string          // its source
	last *answer         // the answer it came with
	seen map[string]bool // the forms on all pages, as page and action
	done map[string]bool // those they sent
}

func (w *world) reader(name string) *reader {
	r := &reader{mux: http.NewServeMux(), seen: map[string]bool{}, done: map[string]bool{}}
	if r.world = w; name != "" {
		r.world = w.as(name)
	}
	own := *r.world // its cookie changes
	r.world = &own
	for _, i := range w.site.Routes() {
		r.mux.Handle(i.Method+" "+i.Path, http.NotFoundHandler())
	}
	return r
}

// inView is what stands in front of the paths of a project that is seen as its student does.
var inView = regexp.MustCompile(`^/views/\d+(/projects/)`)

// pattern is the route that a request goes to.
func (r *reader) pattern(method, path string) string {
	path = inView.ReplaceAllString(path, "$1")
	_, pattern := r.mux.Handler(httptest.NewRequest(method, path, nil))
	return pattern
}

// open reads a page.
func (r *reader) open(path string) *reader {
	r.Helper()
	return r.see(http.MethodGet, path, r.do(path, nil))
}

// see looks at an answer, after following where it leads.
func (r *reader) see(method, path string, a *answer) *reader {
	r.Helper()
	for hops := 0; a.Code == http.StatusSeeOther; hops++ {
		for _, c := range a.Result().Cookies() {
			r.cookie = c.Value
		}
		method, path = http.MethodGet, a.Header().Get("Location")
		if path, _, _ = strings.Cut(path, "#"); hops > 3 {
			r.Fatal("it leads on and on")
		}
		a = r.do(path, nil)
	}
	r.last = a
	if r.at, r.on, r.text = path, r.pattern(method, path), a.Body.String(); a.Code >= 300 && a.Code != 401 {
		r.Fatalf("%s %s: %d %s", method, path, a.Code, a.text())
	}
	var err error
	if r.doc, err = html.ParseWithOptions(strings.NewReader(r.text), html.ParseOptionEnableScripting(false)); err != nil {
		r.Fatal(err)
	}
	for _, f := range r.forms() {
		r.seen[f.key] = true
	}
	return r
}

// follows opens what the link with these words leads to.
func (r *reader) follows(words string) *reader {
	r.Helper()
	for n := range r.doc.Descendants() {
		if n.Data == "a" && strings.Contains(wordsIn(n), words) {
			to, err := url.Parse(attributes(n)["href"])
			if err != nil {
				r.Fatal(err)
			}
			at := &url.URL{Path: r.at}
			if path, query, _ := strings.Cut(r.at, "?"); query != "" {
				at = &url.URL{Path: path, RawQuery: query}
			}
			return r.open(at.ResolveReference(&url.URL{Path: to.Path, RawQuery: to.RawQuery}).String())
		}
	}
	r.Fatalf("%s has no link %q: %s", r.at, words, r.text)
	return r
}

// sees fails where the page does not say something.
func (r *reader) sees(text string) *reader {
	r.Helper()
	if !strings.Contains(dense(r.text), dense(text)) {
		r.Errorf("%s does not say %q: %s", r.at, text, r.text)
	}
	return r
}

// paper is a form as it stands on a page.
type paper struct {
	*html.Node
	method, action, key string
	multipart           bool
	values              url.Values // what a browser would send
	fields, needed      []string   // the names of all fields, and of those that may not be empty
	files               []string
	buttons             []button
	shut                bool // its buttons cannot be pressed
	boxes               []box
}

// button is one that sends a form.
type button struct{ name, value, words, action string }

// box is one that can be ticked, with what its label says.
type box struct{ label, name, value string }

// forms are those that somebody without script can use: what is hidden waits for one.
func (r *reader) forms() (out []*paper) {
	labels := map[string]string{}
	for n := range r.doc.Descendants() {
		if n.Data == "label" {
			labels[attributes(n)["for"]] = wordsIn(n)
		}
	}
	for n := range r.doc.Descendants() {
		at := attributes(n)
		if _, hidden := at["hidden"]; n.Type != html.ElementNode || n.Data != "form" || hidden || at["method"] == "dialog" {
			continue
		}
		here, _, _ := strings.Cut(r.at, "?")
		f := &paper{Node: n, method: cmp.Or(strings.ToUpper(at["method"]), http.MethodGet),
			action: cmp.Or(at["action"], here), values: url.Values{}, multipart: at["enctype"] == "multipart/form-data"}
		f.key = r.key(f.method, f.action)
		for c := range r.doc.Descendants() {
			if c.Type == html.ElementNode && owner(c) == n || attributes(c)["form"] != "" && attributes(c)["form"] == at["id"] {
				f.control(c, attributes(c), labels)
			}
		}
		if len(f.buttons) > 0 || !f.shut {
			out = append(out, f)
		}
	}
	return out
}

// owner is the form that an element stands in; nil: none.
func owner(n *html.Node) *html.Node {
	for p := range n.Ancestors() {
		if p.Data == "form" {
			return p
		}
	}
	return nil
}

// key names a form by the page it stands on and where it goes; that to sign out stands on
// all.
func (r *reader) key(method, action string) string {
	to := r.pattern(method, action)
	if to == "POST /sign-out" {
		return to
	}
	return r.on + " | " + to
}

func attributes(n *html.Node) map[string]string {
	at := map[string]string{}
	for _, a := range n.Attr {
		at[a.Key] = a.Val
	}
	return at
}

// wordsIn are what an element says.
func wordsIn(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// control notes what a control of the form has a browser send.
func (f *paper) control(n *html.Node, at map[string]string, labels map[string]string) {
	name, has := at["name"]
	_, off := at["disabled"]
	for p := range n.Ancestors() {
		if _, still := attributes(p)["disabled"]; still && p.Data == "fieldset" {
			off = true
		}
	}
	if f.shut = f.shut || off && n.Data == "button"; off || !has && n.Data != "button" {
		return
	}
	_, checked := at["checked"]
	if _, required := at["required"]; required {
		f.needed = append(f.needed, name)
	}
	switch {
	case n.Data == "button":
		if at["type"] != "button" { // that is a script's
			f.buttons = append(f.buttons, button{name, at["value"], wordsIn(n), at["formaction"]})
		}
		return
	case n.Data == "textarea":
		f.values.Add(name, strings.TrimPrefix(wordsIn(n), "\n"))
	case n.Data == "select":
		f.values.Add(name, chosen(n))
	case n.Data == "input" && at["type"] == "file":
		f.files = append(f.files, name)
	case n.Data == "input" && (at["type"] == "checkbox" || at["type"] == "radio"):
		f.boxes = append(f.boxes, box{labels[at["id"]], name, at["value"]})
		if checked {
			f.values.Add(name, at["value"])
		}
	case n.Data == "input":
		f.values.Add(name, at["value"])
	default:
		return
	}
	f.fields = append(f.fields, name)
}

// chosen is the option of a list that is, or the first.
func chosen(list *html.Node) (value string) {
	first := true
	for o := range list.Descendants() {
		if o.Data != "option" {
			continue
		}
		at := attributes(o)
		if _, selected := at["selected"]; selected || first {
			value, first = at["value"], false
		}
	}
	return value
}

// act is what a person does with a form.
type act struct {
	form  string            // the end of its action
	words string            // in it or in its fields, where there are several such forms
	fill  map[string]string // by the name of a field; "" empties it or takes a tick away
	tick  []string          // words in the labels of boxes
	files map[string]string // their content by the name of a field
	press string            // the value of the button or what it says, where there are several
}

// does finds a form on the page, fills it in and sends it as a browser without script
// does, which refuses to send a form with something missing.
func (r *reader) does(a act) *reader {
	r.Helper()
	at := slices.IndexFunc(r.forms(), func(f *paper) bool {
		path, _, _ := strings.Cut(f.action, "?")
		return strings.HasSuffix(path, a.form) && (strings.Contains(wordsIn(f.Node), a.words) ||
			strings.Contains(f.values.Encode(), a.words))
	})
	if at < 0 {
		r.Fatalf("%s has no form %q with %q: %s", r.at, a.form, a.words, r.text)
	}
	f := r.forms()[at]
	r.fills(f, a)
	pressed := slices.IndexFunc(f.buttons, func(b button) bool {
		return a.press == "" || b.value == a.press || strings.Contains(b.words, a.press)
	})
	if pressed < 0 {
		r.Fatalf("%s: there is no button %s", r.at, a.press)
	}
	b := f.buttons[pressed]
	if b.name != "" {
		f.values[b.name] = []string{b.value}
	}
	if b.action != "" {
		f.action, f.key = b.action, r.key(f.method, b.action)
	}
	for _, name := range f.needed {
		if f.values.Get(name) == "" && a.files[name] == "" {
			r.Fatalf("%s: a browser does not send the form without %s", r.at, name)
		}
	}
	r.done[f.key] = true
	return r.send(f, a.files)
}

// fills puts into a form what somebody writes and ticks.
func (r *reader) fills(f *paper, a act) {
	r.Helper()
	for name, value := range a.fill {
		if !slices.Contains(f.fields, name) {
			r.Fatalf("%s: the form has no field %s", r.at, name)
		}
		if f.values.Set(name, value); value == "" {
			f.values.Del(name)
		}
	}
	for _, label := range a.tick {
		i := slices.IndexFunc(f.boxes, func(b box) bool { return strings.Contains(b.label, label) })
		if i < 0 {
			r.Fatalf("%s: there is no box %s", r.at, label)
		}
		f.values.Add(f.boxes[i].name, f.boxes[i].value)
	}
}

// send gives the form to the service.
func (r *reader) send(f *paper, files map[string]string) *reader {
	r.Helper()
	if f.method == http.MethodGet {
		return r.open(f.action + "?" + f.values.Encode())
	}
	if !f.multipart {
		return r.see(http.MethodPost, f.action, r.do(f.action, f.values))
	}
	var chosen []file
	for _, name := range f.files { // a browser sends an empty one where none was chosen
		chosen = append(chosen, file{field: name, text: files[name]})
		if files[name] != "" {
			chosen[len(chosen)-1].name = "a file"
		}
	}
	return r.see(http.MethodPost, f.action, r.parts(f.action, "text/html,*/*;q=0.8", f.values, chosen...))
}
