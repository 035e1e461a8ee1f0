package site_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/db"
)

// pages says of every page and form who gets what: the status for a visitor and
// for somebody signed in. One that is missing here fails the test.
var pages = map[string]struct{ visitor, signedIn int }{
	"GET /{$}":              {303, 303},
	"GET /sign-in":          {200, 200},
	"POST /sign-in":         {400, 400},
	"POST /sign-out":        {401, 303},
	"GET /password":         {200, 200},
	"POST /password":        {404, 404},
	"GET /forgot":           {200, 200},
	"POST /forgot":          {200, 200},
	"GET /confirm-address":  {200, 200},
	"POST /confirm-address": {404, 404},
	"GET /home":             {303, 200},
	"GET /help":             {200, 200},
}

func TestEveryPageHasItsRight(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	for _, i := range w.site.Routes() {
		want, ok := pages[i.Method+" "+i.Path]
		if !ok {
			t.Errorf("%s %s is not in the table of pages", i.Method, i.Path)
			continue
		}
		if i.Method == http.MethodPost && len(i.Audit) == 0 && i.Unaudited == "" {
			t.Errorf("%s %s says nothing of the audit log", i.Method, i.Path)
		}
		var form url.Values
		if i.Method == http.MethodPost {
			form = url.Values{"token": {"none"}, "password": {secret}, "again": {secret}, "x": {"y"}}
		}
		path := strings.TrimSuffix(i.Path, "{$}")
		w.do(path, form).status(want.visitor)
		w.as("ann").do(path, form).status(want.signedIn)
	}
}

// A university whose names are meant to break pages.
func (w *world) hostile() {
	const name = `<script>alert(1)</script>" onload="x" '\u202e\u2066`
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, text := range []string{
			`INSERT INTO units (code, name, description, start_date, end_date, active, created_at, updated_at)
				VALUES ('<i>X</i>', $1, '', '2026-01-01', '2027-01-01', $3, $2, $2)`,
			`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
				SELECT u.id, p.id, 2, $2, $2 FROM units u, users p WHERE p.username = 'tom' AND $1 = $1 AND $3 = $3`,
			`INSERT INTO projects (unit_id, user_id, created_at, updated_at)
				SELECT u.id, p.id, $2, $2 FROM units u, users p WHERE p.username = 'ann' AND $1 = $1 AND $3 = $3`,
		} {
			if _, err := db.Exec(ctx, q, text, name, q.Now(), true); err != nil {
				return err
			}
		}
		return nil
	})
}

// Every page is sound HTML for people who cannot see it, loads nothing from
// elsewhere, holds nothing that the policy would refuse, and links to pages that
// are there.
func TestEveryPageIsSound(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	for _, who := range []*world{w, w.as("ann"), w.as("tom")} {
		for name := range pages {
			path, found := strings.CutPrefix(name, "GET ")
			if !found || path == "/{$}" {
				continue
			}
			path += "?token=x%22%3E%3Cscript%3E"
			if a := who.do(path, nil); a.Code == http.StatusOK {
				who.sound(path, a)
			}
		}
		who.sound("an error", who.do("/nowhere", nil))
		who.sound("a form again", who.do("/sign-in", url.Values{"username": {`"><script>x`}}))
	}
}

func (w *world) sound(path string, a *answer) {
	w.Helper()
	doc, err := html.Parse(a.Body)
	if err != nil {
		w.Fatal(err)
	}
	p := look{ids: map[string]bool{}, labels: map[string]bool{}}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			p.element(n)
		}
	}
	if p.headings != 1 || p.mains != 1 || !p.lang || !p.title {
		p.faults = append(p.faults, "not one heading, main part, language and title")
	}
	for _, id := range p.inputs {
		if !p.labels[id] {
			p.faults = append(p.faults, "no label for "+id)
		}
	}
	for _, link := range p.links {
		if !strings.HasPrefix(link, "/") || strings.HasPrefix(link, "//") {
			p.faults = append(p.faults, "leads elsewhere: "+link)
		} else if b := w.do(link, nil); b.Code >= 400 {
			p.faults = append(p.faults, "leads nowhere: "+link)
		}
	}
	for _, f := range p.faults {
		w.Errorf("%s: %s", path, f)
	}
}

// look is what was seen on a page.
type look struct {
	headings, mains int
	lang, title     bool
	ids, labels     map[string]bool
	inputs, links   []string
	faults          []string
}

func (p *look) element(n *html.Node) {
	at := map[string]string{}
	for _, a := range n.Attr {
		at[a.Key] = a.Val
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
			p.faults = append(p.faults, n.Data+" has "+a.Key)
		}
	}
	if id := at["id"]; id != "" {
		if p.ids[id] {
			p.faults = append(p.faults, "two elements are "+id)
		}
		p.ids[id] = true
	}
	switch n.Data {
	case "html":
		p.lang = at["lang"] != ""
	case "title":
		p.title = n.FirstChild != nil
	case "h1":
		p.headings++
	case "main":
		p.mains++
	case "style", "iframe", "object", "embed", "base", "b", "i":
		p.faults = append(p.faults, "there is a "+n.Data)
	case "label":
		p.labels[at["for"]] = true
	}
	p.collect(n, at)
}

// collect notes what the page loads and where it leads.
func (p *look) collect(n *html.Node, at map[string]string) {
	switch {
	case n.Data == "input" && at["type"] != "hidden":
		p.inputs = append(p.inputs, at["id"])
	case n.Data == "script" && at["src"] == "":
		p.faults = append(p.faults, "a script stands in the page")
	}
	for _, key := range []string{"href", "src"} {
		if v, ok := at[key]; ok && !strings.HasPrefix(v, "#") && !slices.Contains(p.links, v) {
			p.links = append(p.links, v)
		}
	}
}
