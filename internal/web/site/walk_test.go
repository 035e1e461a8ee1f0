package site_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// pages says of every page and form who gets what: the status for a visitor, for
// the student Ann, for Tom, who teaches her, and for Eve, who has nothing to do with
// the unit. One that is missing here fails the test.
var pages = map[string][4]int{
	"GET /{$}":                                      {303, 303, 303, 303},
	"GET /sign-in":                                  {200, 200, 200, 200},
	"POST /sign-in":                                 {400, 400, 400, 400},
	"GET /password":                                 {200, 200, 200, 200},
	"POST /password":                                {404, 404, 404, 404},
	"GET /forgot":                                   {200, 200, 200, 200},
	"POST /forgot":                                  {200, 200, 200, 200},
	"GET /confirm-address":                          {200, 200, 200, 200},
	"POST /confirm-address":                         {404, 404, 404, 404},
	"GET /unsubscribe":                              {200, 200, 200, 200},
	"POST /unsubscribe":                             {404, 404, 404, 404},
	"GET /home":                                     {303, 200, 200, 200},
	"GET /help":                                     {200, 200, 200, 200},
	"GET /help/keyboard":                            {200, 200, 200, 200},
	"GET /help/receipts":                            {200, 200, 200, 200},
	"GET /help/due-dates":                           {200, 200, 200, 200},
	"GET /help/account":                             {200, 200, 200, 200},
	"GET /help/privacy":                             {200, 200, 200, 200},
	"GET /help/plagiarism":                          {200, 200, 200, 200},
	"GET /help/accessibility":                       {200, 200, 200, 200},
	"GET /offline":                                  {200, 200, 200, 200},
	"GET /live":                                     {303, 400, 400, 400}, // the number is none
	"GET /profile":                                  {303, 200, 200, 200},
	"GET /profile/email":                            {303, 200, 200, 200},
	"GET /profile/appearance":                       {303, 200, 200, 200},
	"GET /profile/security":                         {303, 200, 200, 200},
	"POST /profile/password":                        {401, 401, 401, 401}, // the old one is wrong
	"POST /profile/sessions/{id}/end":               {401, 404, 404, 404},
	"POST /profile/other-sessions":                  {401, 303, 303, 303},
	"GET /second-factor":                            {303, 200, 200, 200},
	"POST /second-factor":                           {401, 200, 401, 401}, // only Ann has a password
	"POST /second-factor/confirm":                   {401, 422, 409, 409},
	"POST /second-factor/off":                       {401, 409, 401, 401},
	"POST /sign-out":                                {401, 303, 303, 303},
	"GET /projects/{id}":                            {303, 200, 200, 403},
	"GET /projects/{id}/plan":                       {303, 200, 200, 403},
	"POST /projects/{id}/plan":                      {401, 303, 303, 403},
	"GET " + aTask:                                  {303, 200, 200, 403},
	"POST " + aTask + "/read":                       {401, 303, 303, 403},
	"POST " + aTask + "/comments":                   {401, 303, 303, 403},
	"POST " + aTask + "/hand-in":                    {401, 400, 400, 403}, // there is no file
	"POST " + aTask + "/status":                     {401, 303, 303, 403},
	"POST " + aTask + "/extension":                  {401, 303, 303, 403},
	"GET " + aTask + "/document":                    {303, 404, 404, 403}, // nothing was handed in
	"GET " + aTask + "/receipt":                     {303, 404, 404, 403},
	"GET " + aTask + "/sheet":                       {303, 404, 404, 403},
	"GET " + aTask + "/resources":                   {303, 404, 404, 403},
	"GET " + aTask + "/versions/{timestamp}":        {303, 404, 404, 403},
	"GET " + aTask + "/comments/{id}":               {303, 404, 404, 403},
	"POST " + aTask + "/rebuild":                    {401, 404, 404, 403},
	"GET " + aDiscussion:                            {303, 404, 404, 403},
	"POST " + aDiscussion + "/begin":                {401, 404, 403, 403}, // only the student answers
	"POST " + aDiscussion + "/answer":               {401, 404, 403, 403},
	"GET " + aDiscussion + "/prompts/{number}":      {303, 404, 404, 403},
	"GET " + aDiscussion + "/response":              {303, 404, 404, 403},
	"GET " + aVersion + "/receipt":                  {303, 404, 404, 403},
	"GET " + aVersion + "/receipt.json":             {303, 404, 404, 403},
	"GET " + aVersion + "/progress":                 {303, 404, 404, 403},
	"GET " + aVersion + "/document":                 {303, 404, 404, 403},
	"GET " + aVersion + "/commented":                {303, 404, 404, 403},
	"GET " + aVersion + "/tests":                    {303, 404, 404, 403},
	"POST " + aVersion + "/tests":                   {401, 404, 404, 403},
	"GET " + unitSnippets:                           {303, 403, 200, 403},
	"POST " + unitSnippets:                          {401, 404, 404, 404}, // there is no such task
	"POST " + unitSnippets + "/{snippet_id}/change": {401, 404, 404, 404}, // nor here
	"POST " + unitSnippets + "/{snippet_id}/remove": {401, 403, 404, 403},
	"GET " + notesOn:                                {303, 403, 200, 403},
	"POST " + notesOn:                               {401, 404, 404, 404}, // there is no such task
	"POST " + aNote + "/change":                     {401, 404, 404, 404}, // there is no such note
	"POST " + aNote + "/delete":                     {401, 404, 404, 404},
}

const (
	aTask       = "/projects/{project_id}/tasks/{task_definition_id}"
	aVersion    = aTask + "/versions/{timestamp}"
	aDiscussion = aTask + "/discussions/{id}"

	unitSnippets = "/units/{id}/snippets"
	notesOn      = "/units/{id}/students/{project_id}/notes"
	aNote        = "/units/{id}/notes/{note_id}"
)

func TestEveryPageHasItsRight(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		eve := w.as("eve")
		callers := [4]*world{w, nil, nil, eve}
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
				form = filled()
			}
			callers[1], callers[2] = w.as("ann"), w.as("tom")
			if i.Path == "/sign-out" {
				callers[3] = w.as("eve")
			}
			for k, who := range callers {
				if a := who.do(w.path(i.Path), form); a.Code != want[k] {
					t.Errorf("%s %s as %d: %d, want %d: %s", i.Method, i.Path, k, a.Code, want[k], a.text())
				}
			}
			callers[3] = eve
		}
	})
}

// path puts the ids of Ann's work into a pattern.
func (w *world) path(pattern string) string {
	id := w.ids()
	return strings.NewReplacer("{$}", "", "/sessions/{id}", "/sessions/0", "{file_id}", "4711", "/units/{id}",
		"/units/"+id[2], "/views/{id}", "/views/4711", "{task_id}", id[3], "{similarity_id}", "4711", "{id}", id[0],
		"{unit_id}", id[2], "{project_id}", id[0], "{teaching_period_id}", "4711", "{task_definition_id}", id[1],
		"{timestamp}", "1", "{number}", "0", "{snippet_id}", "4711", "{note_id}", "4711", "{review_id}", "4711",
		"{handover_id}", "4711", "{work_id}", "4711", "{sample_id}", "4711", "{announcement_id}", "4711", "{token}", "nonsense", "/live", "/live?last_event_id=none",
		"{unit_role_id}", w.one(`SELECT coalesce(max(id), 4711) FROM unit_roles`), "{stream_id}", "4711",
		"{tutorial_id}", "4711", "{trial_id}", "4711", "{group_set_id}", "4711", "{group_id}", "4711",
		"{outcome_id}", "4711", "{session_id}", "4711", "/sheets/{name}", "/sheets/statuses").Replace(pattern)
}

func (w *world) ids() (out [4]string) {
	for i, text := range []string{`SELECT max(id) FROM projects`, `SELECT max(id) FROM task_definitions`,
		`SELECT max(id) FROM units`, `SELECT coalesce(max(id), 4711) FROM tasks`} {
		n, err := db.One[int64](w.Context(), w.db.Pool(), text)
		if err != nil {
			w.Fatal(err)
		}
		out[i] = strconv.FormatInt(*n, 10)
	}
	return out
}

// hostile is a name that is markup, ends an attribute and turns the direction of text.
const hostile = `<script>alert(1)</script>" onload="x" '` + "\u202e\u2066"

// A university whose names are meant to break pages: Ann studies in it and Tom
// teaches.
func (w *world) hostile() {
	w.person("eve", policy.Student)
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, text := range []string{
			`INSERT INTO units (code, name, description, start_date, end_date, active, created_at, updated_at)
				VALUES ('<i>X</i>', $1, '', '2026-01-01', '2999-01-01', TRUE, $2, $2)`,
			`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
				SELECT u.id, p.id, 2, $2, $2 FROM units u, users p WHERE p.username = 'tom' AND CAST($1 AS TEXT) <> ''`,
			`INSERT INTO projects (unit_id, user_id, created_at, updated_at)
				SELECT u.id, p.id, $2, $2 FROM units u, users p WHERE p.username = 'ann' AND CAST($1 AS TEXT) <> ''`,
			`INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting, target_grade, start_date,
					target_date, upload_requirements)
				SELECT id, $1, '<b>1</b>', $1, 1, 0, '2026-01-01', '2998-01-01',
					'[{"key":"file0","name":"<script>alert(2)</script>","type":"code"}]'
				FROM units WHERE updated_at = $2`,
		} {
			if _, err := db.Exec(ctx, q, text, hostile, q.Now()); err != nil {
				return fmt.Errorf("%s: %w", text, err)
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
	w.as("ann").do(w.path(aTask+"/comments"), url.Values{"comment": {`<img src=x onerror=alert(1)>`}}).status(303)
	for _, who := range []*world{w, w.as("ann"), w.as("tom"), w.convenor(), w.administrator()} {
		for name := range pages {
			path, found := strings.CutPrefix(w.path(name), "GET ")
			if !found || path == "/" {
				continue
			}
			path += "?token=x%22%3E%3Cscript%3E&sort=%22%3E%3Cscript%3E"
			if a := who.do(path, nil); a.Code == http.StatusOK && a.page() {
				who.sound(path, a)
			}
		}
		who.sound("an error", who.do("/nowhere", nil))
		who.sound("a form again", who.do("/sign-in", url.Values{"username": {`"><script>x`}}))
	}
}

// page tells whether the answer is a page, and no picture, file or part of a page.
func (a *answer) page() bool {
	return strings.HasPrefix(a.Header().Get("Content-Type"), "text/html") &&
		strings.HasPrefix(a.Body.String(), "<!doctype html>")
}

// untold is a time that nothing was filled in for.
var untold = regexp.MustCompile(`<time [^>]*data-as="[^"]*"[^>]*></time>`)

func (w *world) sound(path string, a *answer) {
	w.Helper()
	if empty := untold.FindString(a.Body.String()); empty != "" {
		w.Errorf("%s does not tell a time: %s", path, empty)
	}
	// Without script, what stands in noscript is looked at, too.
	doc, err := html.ParseWithOptions(a.Body, html.ParseOptionEnableScripting(false))
	if err != nil {
		w.Fatal(err)
	}
	p := look{ids: map[string]bool{}, labels: map[string]bool{}}
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.ElementNode:
			p.element(n)
		case n.Type == html.TextNode && strings.ContainsAny(n.Data, turning) && !isolated(n):
			p.faults = append(p.faults, "text of somebody else turns what stands beside it: "+n.Data)
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
		link = p.from(path, link)
		if !strings.HasPrefix(link, "/") || strings.HasPrefix(link, "//") {
			p.faults = append(p.faults, "leads elsewhere: "+link)
		} else if b := w.do(link, nil); b.Code >= 400 && !strings.Contains(link, "/tasks/") {
			p.faults = append(p.faults, "leads nowhere: "+link)
		}
	}
	for _, f := range p.faults {
		w.Errorf("%s: %s", path, f)
	}
}

// turning are the characters that change the direction of text beside them.
const turning = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"

// isolated tells whether text stands in an element that nothing of it leaves.
func isolated(n *html.Node) bool {
	for p := range n.Ancestors() {
		if slices.Contains([]string{"bdi", "option", "title", "textarea"}, p.Data) {
			return true
		}
	}
	return false
}

// look is what was seen on a page.
type look struct {
	headings, mains int
	lang, title     bool
	ids, labels     map[string]bool
	inputs, links   []string
	faults          []string
}

// from gives the path a link leads to from a page.
func (p *look) from(page, link string) string {
	link, _, _ = strings.Cut(link, "#")
	if strings.HasPrefix(link, "?") {
		at, _, _ := strings.Cut(page, "?")
		return at + link
	}
	return link
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
	case n.Data == "textarea", n.Data == "select", n.Data == "input" && at["type"] != "hidden":
		p.inputs = append(p.inputs, at["id"])
	case n.Data == "img" && at["alt"] == "":
		p.faults = append(p.faults, "a picture says nothing to who cannot see it")
	case n.Data == "script" && at["src"] == "":
		p.faults = append(p.faults, "a script stands in the page")
	}
	for _, key := range []string{"href", "src"} {
		// A mail is written in a program of the reader's own and leads to no other site.
		if v, ok := at[key]; ok && !strings.HasPrefix(v, "#") && !strings.HasPrefix(v, "mailto:") &&
			!slices.Contains(p.links, v) {
			p.links = append(p.links, v)
		}
	}
}
