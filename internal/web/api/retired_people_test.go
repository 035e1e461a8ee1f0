package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/trash"
	"lectern/internal/usecase"
)

// prunes forgets what was kept long enough.
func (w *world) prunes() {
	w.Helper()
	for n := int64(1); n > 0; {
		if err := w.db.Tx(w.Context(), func(q db.Q) (err error) { n, err = trash.Prune(w.Context(), q); return err }); err != nil {
			w.Fatal(err)
		}
	}
}

// An undo that is begun in the last moment of the 30 days brings all of it back, however long it takes: what is kept
// beyond the days is not forgotten under its hands. A moment later it is refused.
func TestAnUndoOfTheLastMomentBringsAllBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.over()
		w.portfolioMade()
		undo := "POST " + retirementsOfA + "/{retirement}/undo"
		for _, plan := range []string{"delete_work", "anonymise"} {
			before := w.snapshot()
			w.retires(plan)
			other := w.addDeletion() // on the same day, by itself
			w.now = w.now.Add(trash.Lasts - time.Second)
			w.signInAgain("convenor")
			w.do("convenor", undo, nil).status(200)
			w.now = w.now.Add(2 * time.Hour)
			w.prunes()
			if n := w.count(`deletions WHERE id = $1`, other); n != 0 {
				t.Errorf("%s: what was deleted by itself is kept longer than 30 days", plan)
			}
			w.carriesOut()
			after := w.snapshot()
			for _, table := range []string{"submissions", "submission_files", "submission_tasks", "task_comments",
				"discussion_files", "marked_copies", "portfolio_files", "similarity_prints", "task_similarities", "assessments",
				"projects", "tasks", "receipts"} {
				if diff := cmp.Diff(before[table], after[table]); diff != "" {
					t.Errorf("%s: %s came back as\n%s", plan, table, diff)
				}
			}
			if state := w.text(`SELECT state FROM retirements WHERE id = $1`, w.id["retirement"]); state != "undone" {
				t.Errorf("%s is %s", plan, state)
			}
			w.signInAgain("convenor")
			w.retires(plan)
			w.now = w.now.Add(trash.Lasts)
			w.signInAgain("convenor")
			w.do("convenor", undo, nil).status(409).says("within 30 days")
			w.set(`UPDATE retirements SET state = 'undoing' WHERE id = $1`, w.id["retirement"])
			w.carriesOut()
			w.sound()
		}
	})
}

// What cannot come back, because its task was deleted since, is not said to be undone, and only those are told whose
// work is back. Once the task is restored, the rest follows.
func TestAnUndoThatCannotBringAllBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.over()
		w.portfolioMade()
		w.retires("delete_work")
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		undo := func(state string, told, submissions int64) {
			t.Helper()
			w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(200)
			w.carriesOut()
			if got := w.text(`SELECT state FROM retirements WHERE id = $1`, w.id["retirement"]); got != state {
				t.Errorf("it is %s, want %s", got, state)
			}
			if n := w.count(`events WHERE kind = 'deletion' AND body LIKE '%restored%' AND body LIKE '%task_work%'`); n != told {
				t.Errorf("%d students were told, want %d", n, told)
			}
			if n := w.count("submissions"); n != submissions {
				t.Errorf("%d submissions, want %d", n, submissions)
			}
		}
		undo("done", 1, 0)
		w.do("convenor", "POST "+deletedOfA+"/"+w.text(`SELECT CAST(max(id) AS TEXT) FROM deletions`)+"/restore", nil).
			status(200, 201, 204)
		undo("undone", 4, 2)
		w.sound()
	})
}

// An undo that was interrupted after it brought back a part goes on where it stopped, and those are told as well whose
// work was back before.
func TestAnInterruptedUndoTellsAll(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.fillWork()
		w.over()
		w.portfolioMade()
		w.retires("delete_work")
		w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(200)
		err := w.db.Tx(w.Context(), func(q db.Q) error { // as far as the first try came
			pieces, err := trash.Pieces(w.Context(), q, w.id["retirement"])
			if err == nil {
				_, err = trash.Restore(w.Context(), q, w.id["unitA"], pieces[0])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.api.usecases.CarryOutRetirement(w.Context(), jobs.Job{Attempt: 2}, usecase.RetirementArgs{
			UnitID: w.id["unitA"], ID: w.id["retirement"]}); err != nil {
			t.Fatal(err)
		}
		if n := w.count(`events WHERE kind = 'deletion' AND body LIKE '%restored%'`); n != 3 {
			t.Errorf("%d of 3 students were told", n)
		}
	})
}

// A retirement that is killed again and again, each time a few statements later, goes on where it stopped when its job
// runs again. In the end it did what one that was never stopped does, once, and told each student once; what it deleted
// or made anonymous comes back whole.
func TestAnInterruptedRetirementGoesOn(t *testing.T) {
	for _, plan := range []string{"delete_work", "anonymise"} {
		each(t, func(t *testing.T, w *world) {
			w.fillWork()
			w.over()
			w.portfolioMade()
			before := w.snapshot()
			w.decides(plan)
			kills, pieces := w.carriesOutKilled(5), w.count("deletions")
			if got := w.text(`SELECT state FROM retirements WHERE id = $1`, w.id["retirement"]); got != "done" || kills < 5 {
				t.Errorf("after %d kills it is %s", kills, got)
			}
			if n := w.count(`events WHERE kind = 'deletion'`); n != 3 {
				t.Errorf("%d of 3 students were told", n)
			}
			if plan == "delete_work" && w.count("submissions")+w.count("task_comments")+w.count("portfolio_files") != 0 {
				t.Error("some work is left")
			}
			w.carriesOut()
			if n := w.count("deletions"); n != pieces {
				t.Errorf("run once more it made %d pieces of %d", n, pieces)
			}
			w.sound()
			w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(200)
			w.carriesOut()
			after := w.snapshot()
			delete(after, "retirements")
			if plan == "anonymise" { // accounts of pseudonyms stay, one for each student
				students := int(w.count(`projects WHERE unit_id = $1`, w.id["unitA"]))
				if n := len(after["users"]) - len(before["users"]); n != students {
					t.Errorf("%d pseudonyms were made for %d students", n, students)
				}
				delete(after, "users")
				delete(before, "users")
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("brought back, these differ\n%s", diff)
			}
			w.sound()
		})
	}
}

// carriesOutKilled does what the job of the last retirement would, if it was killed after so many statements, then
// after as many more, until it comes to its end; it tells how often.
func (w *world) carriesOutKilled(more int64) (kills int) {
	w.Helper()
	for nth := more; ; nth += more {
		ctx, counter := db.Failing(w.Context(), nth)
		err := w.api.usecases.CarryOutRetirement(ctx, jobs.Job{Attempt: 1 + kills}, usecase.RetirementArgs{
			UnitID: w.id["unitA"], ID: w.id["retirement"]})
		switch {
		case err == nil:
			return kills
		case counter.N() < nth:
			w.Fatal(err)
		}
		kills++
	}
}

// What a student has of an old unit once its work is anonymous or gone: their grades, and for 30 days their files and
// what was said to them. Nothing of it tells which work is theirs afterwards. Their old receipts still hold.
func TestTheExportOfAStudentOfARetiredUnit(t *testing.T) {
	for _, plan := range []string{"anonymise", "delete_work"} {
		each(t, func(t *testing.T, w *world) {
			w.busy()
			w.set(`DELETE FROM deletions`) // their files have numbers of their own
			w.over()
			old, keys := w.receipts(), w.keys()
			w.retires(plan)
			w.holds(old, keys)
			got, s := w.exported("student")
			mine, others := w.namedIn(got)
			if mine == 0 || others != 0 {
				t.Errorf("of receipts the export has %d of theirs and %d of others", mine, others)
			}
			w.checkNothingForeign(got)
			for want, file := range map[string]string{"Quokka grounds": "projects.json",
				"Student Person has the tutorial notes": "deleted_rows.json", "submission_files": "deleted_rows.json"} {
				if !strings.Contains(got[file], want) {
					t.Errorf("%s lacks %s:\n%s", file, want, got[file])
				}
			}
			if !contains(got, code.content) || len(s.Missing) > 0 {
				t.Errorf("their file is not among %d; missing %v", s.Files, s.Missing)
			}
			w.now = w.now.Add(trash.Lasts + time.Hour)
			w.prunes()
			got, _ = w.exported("student")
			w.checkNothingForeign(got)
			if n, others := w.namedIn(got); n != mine || others != 0 {
				t.Errorf("after the 30 days it has %d receipts, and %d of others, not %d", n, others, mine)
			}
			if !strings.Contains(got["projects.json"], "Quokka grounds") || len(got["task_history.json"]) < 10 {
				t.Errorf("grade or history are not theirs any more: %s %s", got["projects.json"], got["task_history.json"])
			}
			for name, text := range got {
				if strings.Contains(text, "tutorial notes") || strings.Contains(text, "anonymous-student") ||
					strings.HasPrefix(name, "submission") && len(strings.TrimSpace(text)) > 2 {
					t.Errorf("%s still has %s", name, text)
				}
			}
			if contains(got, code.content) {
				t.Error("their file is still theirs")
			}
			w.holds(old, keys)
		})
	}
}

// namedIn counts the receipts of an export that are student's, and those of others.
func (w *world) namedIn(files map[string]string) (mine, others int) {
	w.Helper()
	var list []struct{ Body string }
	if err := json.Unmarshal([]byte(files["receipts.json"]), &list); err != nil {
		w.Fatalf("%v: %s", err, files["receipts.json"])
	}
	for _, r := range list {
		var body submit.ReceiptBody
		if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
			w.Fatal(err)
		}
		if id := w.id["project:student"]; body.ProjectID == id || slices.Contains(body.Group, id) {
			mine++
		} else {
			others++
		}
	}
	return mine, others
}

// contains tells whether a file of an export has a content.
func contains(files map[string]string, content string) bool {
	for name, text := range files {
		if strings.HasPrefix(name, "files/") && text == content {
			return true
		}
	}
	return false
}

// receipts gives those of unit A as students have them.
func (w *world) receipts() (out [][]byte) {
	w.Helper()
	type receipt struct {
		Body      string `db:"body"`
		Hash      string `db:"hash"`
		Signature string `db:"signature"`
		KeyID     string `db:"key_id"`
	}
	list, err := db.All[receipt](w.Context(), w.db.Pool(), `SELECT body, hash, signature, key_id FROM receipts
		WHERE unit_id = $1`, w.id["unitA"])
	if err != nil || len(list) == 0 {
		w.Fatal(len(list), err)
	}
	for _, r := range list {
		text, err := json.Marshal(submit.Receipt{Body: json.RawMessage(r.Body), Hash: r.Hash, KeyID: r.KeyID,
			Signature: r.Signature})
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, text)
	}
	return out
}

// holds checks receipts as `lectern verify-receipt` does, and the chain of those on record as `lectern verify` does.
func (w *world) holds(receipts [][]byte, keys *submit.KeySet) {
	w.Helper()
	for _, r := range receipts {
		body, err := submit.Verify(r, keys)
		if err != nil {
			w.Fatalf("an old receipt: %v", err)
		}
		if said := body.Words(); !strings.Contains(said, body.Student+" handed in task") {
			w.Errorf("an old receipt says %s", said)
		}
	}
	if n, err := submit.VerifyAll(w.Context(), w.db.Pool(), keys); err != nil || int(n) < len(receipts) {
		w.Errorf("%d of %d receipts are on record: %v", n, len(receipts), err)
	}
	if n := w.count(`receipts WHERE submission_id IS NOT NULL AND unit_id = $1`, w.id["unitA"]); n != 0 {
		w.Errorf("%d receipts lead to work that is not the student's any more", n)
	}
}
