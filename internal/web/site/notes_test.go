package site_test

import (
	"net/url"
	"strings"
	"testing"

	"lectern/internal/people/policy"
)

// Reusable comments are looked after by plain forms.
func TestSnippetsPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom := w.as("ann"), w.as("tom")
		path := w.path(unitSnippets)
		tom.do(path, url.Values{"text": {"Well done"}}).status(303)
		tom.do(path, url.Values{"text": {"Ours <b>"}, "shared": {"true"},
			"task_definition_id": {w.one(`SELECT max(id) FROM task_definitions`)}}).status(303)
		got := tom.do(path, nil).status(200).Body.String()
		for _, want := range []string{"Well done", "Ours &lt;b&gt;", "Used 0 times"} {
			if !strings.Contains(got, want) {
				t.Errorf("the page lacks %q: %s", want, got)
			}
		}
		own, shared := w.one(`SELECT id FROM snippets WHERE unit_id IS NULL`),
			w.one(`SELECT id FROM snippets WHERE unit_id IS NOT NULL`)
		for _, id := range []string{own, shared} {
			for _, form := range []string{"/change", "/remove"} {
				ann.do(path+"/"+id+form, url.Values{"text": {"Mine"}}).status(403)
			}
		}
		tom.do(path+"/"+own+"/change", url.Values{"text": {"Very well done"}}).status(303)
		again := tom.do(path+"/"+own+"/change", url.Values{"text": {" "}})
		if got := again.Body.String(); again.Code != 400 || !strings.Contains(got, `action="`+path+`/`+own+`/change"`) ||
			!strings.Contains(got, "autofocus> </textarea>") {
			t.Errorf("%d %s", again.Code, got)
		}
		tom.do(path, nil).says("Very well done") // what was refused changed nothing
		if got := tom.do(path, url.Values{"text": {strings.Repeat("x", 5000)}, "shared": {"true"}}); got.Code != 400 ||
			!strings.Contains(got.Body.String(), strings.Repeat("x", 5000)) {
			t.Errorf("what was typed is lost: %d", got.Code)
		}
		tom.do(path+"/"+shared+"/remove", url.Values{}).status(303)
		if got := tom.do(path, nil).status(200).Body.String(); strings.Contains(got, "Ours") {
			t.Error("it is still there")
		}
	})
}

// Notes are written, changed and deleted by plain forms, lead back to where they
// stood, and are on no page of the student.
func TestNotesPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom := w.as("ann"), w.as("tom")
		path, unit := w.path(notesOn), w.path("/units/{id}")
		if to := tom.do(path, url.Values{"text": {"Quokka note"}, "flagged": {"true"}, "back": {path}}).status(303).
			Header().Get("Location"); to != path {
			t.Errorf("led to %s", to)
		}
		if to := tom.do(path, url.Values{"text": {"Another"}, "back": {"https://evil.example/"}}).status(303).
			Header().Get("Location"); to != "/home" {
			t.Errorf("led out to %s", to)
		}
		got := tom.do(path, nil).status(200).Body.String()
		for _, want := range []string{"Quokka note", "Second look", "Another"} {
			if !strings.Contains(got, want) {
				t.Errorf("the page lacks %q: %s", want, got)
			}
		}
		one := unit + "/notes/" + w.one(`SELECT min(id) FROM staff_notes`)
		ann.do(one+"/change", url.Values{"text": {"Good"}}).status(403)
		ann.do(one+"/delete", url.Values{}).status(403)
		w.person("una", policy.Tutor)
		w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at) SELECT max(u.id), max(p.id), 2, $1,
			$1 FROM units u, users p WHERE p.username = 'una'`, w.db.Now())
		una := w.as("una")
		una.do(one+"/change", url.Values{"text": {"Mine"}}).status(403)
		again := tom.do(one+"/change", url.Values{"text": {""}, "back": {path}})
		if got := again.Body.String(); again.Code != 400 || !strings.Contains(got, "<details open>") {
			t.Errorf("%d %s", again.Code, got)
		}
		for name := range pages {
			at, found := strings.CutPrefix(w.path(name), "GET ")
			if !found {
				continue
			}
			if got := ann.do(at, nil).Body.String(); strings.Contains(got, "Quokka") || strings.Contains(got, `/notes"`) {
				t.Errorf("Ann is shown notes at %s", at)
			}
		}
		tom.do(one+"/delete", url.Values{"back": {path}}).status(303)
		if got := tom.do(path, nil).status(200).Body.String(); strings.Contains(got, "Quokka") {
			t.Error("it is still there")
		}
	})
}
