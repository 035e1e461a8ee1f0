package api

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
)

const historyRoute = "GET /api/projects/{project_id}/task_def_id/{task_definition_id}/history"

var _ = rights(
	rightRow{historyRoute, ownTask + "/history", readersA, nil},
	rightRow{"GET " + submissionAny + "/submissions", ownTask + "/submissions", readersA, nil},
	rightRow{"GET " + submissionAny + "/submissions/timestamps/{timestamp}/document",
		ownTask + "/submissions/timestamps/1/document", readersA, nil},
	rightRow{"GET " + submissionAny + "/submissions/timestamps/{timestamp}/receipt",
		ownTask + "/submissions/timestamps/1/receipt", readersA, nil},
	rightRow{"GET /api/projects/{id}/receipts", "/api/projects/{project:student}/receipts", readersA, nil},
)

var _ = lists(
	listRow{route: historyRoute, path: ownTask + "/history", who: "student",
		fill: fill("task_history", func(w *world, i int) row {
			return row{"task_id": w.id["task"], "at": clock.At(w.now), "actor_id": w.id["tutor"],
				"from_status": "redo", "to_status": "discuss"}
		})},
	listRow{route: "GET " + submissionAny + "/submissions", path: ownTask + "/submissions", who: "student",
		fill: fillReceipts},
	listRow{route: "GET /api/projects/{id}/receipts", path: "/api/projects/{project:student}/receipts", who: "student",
		fill: fillReceipts},
)

// fillReceipts makes submissions with receipts.
func fillReceipts(w *world, from, to int) {
	var made, links, receipts [][]any
	for i := from; i < to; i++ {
		at := clock.At(w.now.Add(time.Duration(i) * time.Second))
		made = append(made, []any{1000 + i, w.id["unitA"], w.id["task"], w.id["student"], at, 0})
		links = append(links, []any{w.id["task"], at, 1000 + i, 100, 3})
		receipts = append(receipts, []any{w.id["unitA"], 1 + i, 1000 + i, `{}`, "h", "s", "key"})
	}
	err := w.db.Tx(w.Context(), func(q db.Q) error {
		for _, rows := range []struct {
			table string
			rows  [][]any
		}{{`submissions (id, unit_id, task_id, user_id, at, parts)`, made},
			{`submission_tasks (task_id, at, submission_id, pct, pts)`, links},
			{`receipts (unit_id, sequence, submission_id, body, hash, signature, key_id)`, receipts}} {
			if strings.HasPrefix(rows.table, "receipts") && from == 0 {
				if _, err := db.Exec(w.Context(), q, `INSERT INTO signing_keys (id, public_key, current, created_at)
					VALUES ('key', '', FALSE, $1)`, q.Now()); err != nil {
					return err
				}
			}
			if err := db.Insert(w.Context(), q, rows.table, "", rows.rows); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

type historyEntry struct {
	Kind      string
	FirstName string `json:"first_name"`
	From      string `json:"from_status"`
	To        string `json:"to_status"`
	Grade     *int
	Weeks     *int
	Granted   *bool
	Undo      bool
}

func (e historyEntry) String() string {
	s := e.Kind + " " + e.FirstName
	if e.To != "" {
		s += " " + e.From + ">" + e.To
	}
	for _, v := range []*int{e.Grade, e.Weeks} {
		if v != nil {
			s += fmt.Sprint(" ", *v)
		}
	}
	if e.Granted != nil {
		s += fmt.Sprint(" ", *e.Granted)
	}
	if e.Undo {
		s += " undo"
	}
	return s
}

// datesOfHistory hold every number at times.
var datesOfHistory = regexp.MustCompile(`"date":"[^"]*"`)

// What happened to a task is told from the newest on, to its student and to the staff
// alike.
func TestHistoryOfATask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.byHand()
		w.set(`UPDATE task_definitions SET is_graded = TRUE WHERE id = $1`, w.id["defA1"])
		if n := len(w.do("student", "GET /api/projects/{project:student}/task_def_id/{defA2}/history",
			nil).status(200).list()); n != 0 {
			t.Errorf("a task that nobody has touched has %d entries", n)
		}
		w.later(time.Second)
		w.ask("extension", "student", ownTask, "1")
		w.later(time.Second)
		w.do("tutor", "PUT "+ownTask+"/assess_extension/{extension}", form{"granted": "false"}).status(200)
		w.later(time.Second)
		w.handIn("student", "defA1")
		w.later(time.Second)
		w.do("tutor", "PUT "+ownTask, form{"trigger": "complete", "grade": "2"}).status(200)
		w.outsideReport(w.lastID("submissions"), "student", 61, "%PDF")
		var got []historyEntry
		a := w.do("student", "GET "+ownTask+"/history", nil).status(200)
		a.into(&got)
		var told []string
		for _, e := range got {
			told = append(told, e.String())
		}
		want := []string{"status Tutor ready_for_feedback>complete 2",
			"status Student not_started>ready_for_feedback", "submission Student", "extension_decided Tutor 1 false",
			"extension_asked Student 1"}
		if !slices.Equal(told, want) {
			t.Errorf("%q, want %q", told, want)
		}
		shown := datesOfHistory.ReplaceAllString(a.Body.String(), "")
		for _, secret := range []string{"similar", "61", "assessed", "@example.edu"} {
			if strings.Contains(shown, secret) {
				t.Errorf("the student learns of %s: %s", secret, a.Body)
			}
		}
		if staff := w.do("tutor", "GET "+ownTask+"/history", nil).status(200); staff.Body.String() != a.Body.String() {
			t.Errorf("the staff see %s", staff.Body)
		}
		second := w.do("student", "GET "+ownTask+"/history?limit=2&offset=1", nil).status(200)
		second.into(&got)
		if len(got) != 2 || got[0].String() != want[1] || second.Header().Get("X-Total-Count") != "5" {
			t.Errorf("%v of %s", got, second.Header().Get("X-Total-Count"))
		}
	})
}

// Each version has its own document and receipt, also the first of many.
func TestEveryVersionHasItsDocumentAndReceipt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		for range 12 {
			w.handIn("student", "defA1")
			w.later(time.Second)
		}
		w.made()
		var list []struct {
			At       string `json:"submitted_at"`
			HasPDF   bool   `json:"has_pdf"`
			Files    int
			Sequence int    `json:"receipt_sequence"`
			Hash     string `json:"receipt_hash"`
		}
		w.do("student", "GET "+ownTask+"/submissions", nil).status(200).into(&list)
		if len(list) != 12 || !list[0].HasPDF || list[0].Files != 1 || list[0].Sequence != 12 || list[11].Sequence != 1 {
			t.Fatalf("%+v", list)
		}
		at := ownTask + "/submissions/timestamps/"
		newest := w.do("tutor", "GET "+at+list[0].At+"/document", nil).status(200).Body.String()
		if !strings.HasPrefix(newest, "%PDF") {
			t.Errorf("the document is %.20q", newest)
		}
		w.do("tutor", "GET "+at+list[5].At+"/document", nil).status(404) // never made: a newer one came first
		keys, err := submit.PublicKeys(t.Context(), w.db.Pool())
		if err != nil {
			t.Fatal(err)
		}
		first := w.do("student", "GET "+at+list[11].At+"/receipt", nil).status(200)
		if body, err := submit.Verify(first.Body.Bytes(), keys); err != nil || body.Sequence != 1 {
			t.Errorf("%+v %v", body, err)
		}
		w.do("student", "GET "+at+"2001-01-01T00:00:00Z/receipt", nil).status(404)
		var all []struct {
			Abbreviation string
			Sequence     int
			Receipt      json.RawMessage
		}
		w.do("student", "GET /api/projects/{project:student}/receipts?limit=3", nil).status(200).into(&all)
		if len(all) != 3 || all[0].Sequence != 12 {
			t.Fatalf("%+v", all)
		}
		if body, err := submit.Verify(all[2].Receipt, keys); err != nil || body.Sequence != 10 {
			t.Errorf("%+v %v", body, err)
		}
	})
}
