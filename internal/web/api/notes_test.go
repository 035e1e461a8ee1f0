package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/note"
	"lectern/internal/usecase/privacy"
)

const notesOnStudent, theNote = "/api/projects/{project:student}/notes", "/api/notes/{note}"

var _ = rights(
	rightRow{"GET " + notesPath, notesOnStudent, staffA, nil},
	rightRow{"POST " + notesPath, notesOnStudent, staffA, form{"text": "Was ill"}},
	rightRow{"GET " + staffNotePath, theNote, staffA, nil},
	rightRow{"PUT " + staffNotePath, theNote, "tutor convenor admin", form{"text": "Was well"}},
	rightRow{"DELETE " + staffNotePath, theNote, "tutor convenor admin", nil},
)

var _ = lists(listRow{route: "GET " + notesPath, path: notesOnStudent, who: "tutor",
	fill: fill("staff_notes", func(w *world, i int) row {
		return row{"user_id": w.id["tutor"], "project_id": w.id["project:student"], "text": numbered("Text", i),
			"created_at": w.db.Now(), "updated_at": w.db.Now()}
	})})

func TestNotes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM staff_notes`)
		events := w.count("events")
		made := w.do("tutor", "POST "+notesOnStudent, form{"text": " Talk to her \n in week 5 ", "flagged": "true",
			"task_definition_id": w.path("{defA1}")}).status(201)
		w.id["one"] = int64(made.object()["id"].(float64))
		is := `{"id":«one»,"project_id":«project:student»,"task_definition_id":«defA1»,
			"text":"Talk to her \n in week 5","flagged":true,"user_id":«tutor»,"author":"Tutor Person","created_at":"` + w.db.Now().String() + `",
			"updated_at":"` + w.db.Now().String() + `"}`
		made.is(is)
		w.do("both", "GET "+notesOnStudent, nil).status(200).is(`[` + is + `]`)
		w.id["two"] = int64(w.do("both", "POST "+notesOnStudent, form{"text": "At large"}).status(201).
			object()["id"].(float64))
		listed := func(query string, want ...string) {
			t.Helper()
			got := []string{}
			for _, n := range w.do("tutor", "GET "+notesOnStudent+query, nil).status(200).list() {
				got = append(got, n["text"].(string))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q lists %q, want %q", query, got, want)
			}
		}
		listed("", "At large", "Talk to her \n in week 5")
		listed("?task_definition_id={defA2}", "At large")
		listed("?limit=1&offset=1", "Talk to her \n in week 5")
		w.do("tutor", "PUT /api/notes/{two}", form{"text": "Mine now"}).status(403).says("somebody else's staff note")
		w.do("tutor", "DELETE /api/notes/{two}", nil).status(403)
		w.do("convenor", "PUT /api/notes/{one}", form{"flagged": "false"}).status(200)
		if got := w.do("tutor", "GET /api/notes/{one}", nil).status(200).object(); got["flagged"] != false ||
			got["author"] != "Tutor Person" || got["text"] != "Talk to her \n in week 5" {
			t.Errorf("changed to %v", got)
		}
		for _, text := range []string{"", " \n", strings.Repeat("ä", note.MostText+1)} {
			w.do("tutor", "POST "+notesOnStudent, form{"text": text}).status(400).says("text")
			w.do("tutor", "PUT /api/notes/{one}", form{"text": text}).status(400).says("text")
		}
		w.do("both", "DELETE /api/notes/{two}", nil).status(204)
		w.do("both", "GET /api/notes/{two}", nil).status(404)
		w.do("both", "DELETE /api/notes/{two}", nil).status(404)
		listed("", "Talk to her \n in week 5")
		if w.count("events") != events || w.count("mails") != 0 {
			t.Error("notes are told in events or emails")
		}
	})
}

// What is staff's alone is in no answer to anybody else, at whatever address: neither
// to the student concerned nor to their group, to staff of another unit, or to who
// teaches the unit and reads what is noted on them.
func TestWhatIsTheStaffsIsShownToNobodyElse(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.fillFields()
	w.add("noteOnBoth", "staff_notes", row{"user_id": w.id["tutor"], "project_id": w.id["project:both"],
		"text": "Wombat note", "created_at": w.db.Now(), "updated_at": w.db.Now()})
	w.do("tutor", "PUT "+presenceOfStudent, nil).status(200)
	for _, who := range callers {
		if unknown(who) || slices.Contains(strings.Fields(staffA), who) {
			continue
		}
		for _, mark := range []string{"Quokka note", "Quokka again", `"others":`} {
			if at := w.shownAt(reading{who: who, shows: mark}); len(at) > 0 {
				t.Errorf("%s is shown %q at %v", who, mark, at)
			}
		}
	}
	for _, r := range []string{"GET /api/projects/{project:both}/notes", "GET /api/notes/{noteOnBoth}",
		"PUT /api/projects/{project:both}/task_def_id/{defA1}/presence", "DELETE /api/notes/{noteOnBoth}"} {
		w.do("both", r, nil).status(403)
	}
	if at := w.shownAt(reading{who: "both", shows: "Wombat note"}); len(at) > 0 {
		t.Errorf("who is both is shown what is noted on them at %v", at)
	}
	if got := w.do("tutor", "GET /api/notes/{noteOnBoth}", nil).status(200); !strings.Contains(got.Body.String(),
		"Wombat note") {
		t.Error("nothing was there to be seen")
	}
}

// The person gets the notes on them on request, and they go when the person is erased.
// Notes that an erased person wrote stay, without the name.
func TestNotesAndPeoplesData(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.snippetOf("Private words", "tutor", "unitA", nil)
		got, _ := w.exported("student")
		if !strings.Contains(got["staff_notes.json"], "Quokka note") ||
			!strings.Contains(got["staff_notes.json"], `"user_id": "a tutor"`) {
			t.Errorf("the export lacks notes on the student: %s", got["staff_notes.json"])
		}
		if got, _ := w.exported("mate"); strings.Contains(got["staff_notes.json"], "Quokka") {
			t.Error("somebody else gets them too")
		}
		got, _ = w.exported("tutor")
		if !strings.Contains(got["staff_notes.json"], `"user_id": "you"`) ||
			!strings.Contains(got["snippets.json"], "Private words") || !strings.Contains(got["snippets.json"], "Quokka") {
			t.Errorf("the export lacks what the tutor wrote: %s %s", got["staff_notes.json"], got["snippets.json"])
		}
		erase := func(who string) {
			t.Helper()
			if _, err := privacy.Erase(t.Context(), w.db, w.id[who], false); err != nil {
				t.Fatal(err)
			}
		}
		erase("tutor")
		kept := w.do("convenor", "GET "+notesOnStudent, nil).status(200).list()
		if len(kept) != 1 || strings.Contains(fmt.Sprint(kept[0]["author"]), "Tutor") {
			t.Errorf("after its author was erased: %v", kept)
		}
		if w.count("snippets WHERE unit_id IS NULL") != 0 || w.count("snippets") == 0 {
			t.Error("own reusable comments stay, or the unit's went")
		}
		erase("student")
		if w.count("staff_notes") != 0 {
			t.Error("notes on an erased person stay")
		}
	})
}

func TestNotesAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range note.Most - 1 { // one is there
			w.add("", "staff_notes", row{"user_id": w.id["tutor"], "project_id": w.id["project:student"],
				"text": numbered("Text", i), "created_at": w.db.Now(), "updated_at": w.db.Now()})
		}
		w.do("tutor", "POST "+notesOnStudent, form{"text": "One more"}).status(422).says("Delete one first")
		w.do("tutor", "POST /api/projects/{project:mate}/notes", form{"text": "One"}).status(201)
	})
}

// A note on a task that is deleted stays with the student, and is the task's again
// when that is restored.
func TestNotesOutliveTheirTask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE staff_notes SET task_definition_id = $1`, w.id["defA1"])
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Work"}).status(201)
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		if n := w.do("tutor", "GET "+theNote, nil).status(200).object(); n["task_definition_id"] != nil {
			t.Errorf("%v", n)
		}
		w.do("convenor", "POST "+deletedOfA+fmt.Sprintf("/%d/restore", w.lastID("deletions")), nil).status(200)
		if n := w.do("tutor", "GET "+theNote, nil).status(200).object(); n["task_definition_id"] !=
			float64(w.id["defA1"]) {
			t.Errorf("%v", n)
		}
	})
}

// The same note again is the first one where a minute has not passed: a form that was sent
// twice makes one, and one entry in the audit log.
func TestNoteSentTwiceIsOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM staff_notes`)
		first := w.do("tutor", "POST "+notesOnStudent, form{"text": "Was ill"}).status(201)
		logged := w.count(`audit_outbox WHERE entries LIKE '%"note"%'`)
		again := w.do("tutor", "POST "+notesOnStudent, form{"text": " Was ill "}).status(201)
		again.is(first.Body.String())
		if n := w.count("staff_notes"); n != 1 || logged == 0 ||
			w.count(`audit_outbox WHERE entries LIKE '%"note"%'`) != logged {
			t.Errorf("%d notes, %d logged of the first, or one of the second", n, logged)
		}
		for i, other := range []func(){
			func() { w.do("both", "POST "+notesOnStudent, form{"text": "Was ill"}).status(201) },
			func() { w.do("tutor", "POST "+notesOnStudent, form{"text": "Was ill", "flagged": "true"}).status(201) },
			func() {
				w.do("tutor", "POST "+notesOnStudent, form{"text": "Was ill", "task_definition_id": w.path("{defA1}")}).
					status(201)
			},
			func() { w.do("tutor", "POST /api/projects/{project:mate}/notes", form{"text": "Was ill"}).status(201) },
			func() {
				w.set(`UPDATE staff_notes SET created_at = $1`, clock.At(w.db.Now().Add(-time.Minute)))
				w.do("tutor", "POST "+notesOnStudent, form{"text": "Was ill"}).status(201)
			},
		} {
			other()
			if n := w.count("staff_notes"); n != int64(i)+2 {
				t.Fatalf("%d notes after number %d, which is another", n, i)
			}
		}
	})
}
