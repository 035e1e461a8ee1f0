package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lectern/internal/db"
	"lectern/internal/db/dbtest"
	"lectern/internal/jobs"
	"lectern/internal/similar"
	"lectern/internal/similar/corpus"
	"lectern/internal/similarity"
)

// classOf gives the first task of unit A many submissions of other students, with
// their fingerprints.
func (w *world) classOf(works []corpus.Work) {
	w.Helper()
	rows := map[string][][]any{}
	add := func(table string, values ...any) { rows[table] = append(rows[table], values) }
	now := w.db.Now()
	for i, work := range works {
		id, name := 60_000+i, fmt.Sprintf("many%d", i)
		add("users (id, username, username_key, email, email_key, first_name, last_name, role, created_at, "+
			"updated_at)", id, name, name, name, name, "A", "B", 1, now, now)
		add("projects (id, unit_id, user_id, enrolled, created_at, updated_at)", id, w.id["unitA"], id, true, now, now)
		add("tasks (id, project_id, task_definition_id, unit_id, created_at, updated_at)", id, id, w.id["defA1"],
			w.id["unitA"], now, now)
		add("submissions (id, unit_id, task_id, user_id, at, parts)", id, w.id["unitA"], id, id, now, 0)
		add("submission_tasks (task_id, at, submission_id, pct, pts)", id, now, id, 100, 3)
		p := similar.Fingerprint([]similar.File{{Name: "work.py", Language: similar.Python, Text: []byte(work.Text)}})
		add("similarity_prints (submission_id, part, class_id, digest, packed, at)", id, "code", w.id["defA1"], name,
			p.Encode(), now)
	}
	err := w.db.Tx(w.Context(), func(q db.Q) error {
		for _, table := range []string{"users", "projects", "tasks", "submissions", "submission_tasks",
			"similarity_prints"} {
			for into, list := range rows {
				if !strings.HasPrefix(into, table+" ") {
					continue
				}
				if err := db.Insert(w.Context(), q, into, "", list); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

// One more submission of 1,500 lines is compared with 433 others in a moment, and
// other writers hardly notice.
func TestComparingOneMoreIsQuick(t *testing.T) {
	dbtest.Load(t)
	each(t, func(t *testing.T, w *world) {
		w.compares()
		works := corpus.Large(3, ".py", 433, 1500)
		w.classOf(works)
		for i, who := range []string{"mate", "other", "student"} { // the first fills the index
			w.program(who, works[i].Text)
			id := w.number(`SELECT max(id) FROM submissions WHERE user_id = $1`, w.id[who])
			took, waited := w.beside(func() {
				if err := w.db.Tx(t.Context(), func(q db.Q) error {
					_, err := db.Exec(t.Context(), q, `UPDATE campuses SET active = active`)
					return err
				}); err != nil {
					t.Error(err)
				}
			}, func() {
				if err := w.api.similar.Compare(t.Context(), jobs.Job{},
					similarity.Args{SubmissionID: id}); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%s: compared in %v; another writer waited %v at most", who, took, waited)
			if i > 0 && took > 500*time.Millisecond {
				t.Errorf("took %v", took)
			}
		}
		if !w.flags("tutor", "student")[0] {
			t.Error("the copy was not found")
		}
	})
}

// However much was found, a list of it follows indexes.
func TestSimilaritiesFollowIndexes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.alike(0, 50)
		w.outsideReport(w.someSubmission(), "x", 50, "")
		for _, request := range []string{"GET " + similarities, "GET " + similarities + "?limit=5", "GET " + clusters} {
			var texts []string
			r := w.request("tutor", request, nil)
			ctx, _ := db.Counting(r.Context(), func(text string) { texts = append(texts, text) })
			w.send(r.WithContext(ctx), request).status(200)
			for _, text := range texts {
				if !strings.Contains(text, "similarit") && !strings.Contains(text, "submission_tasks") {
					continue
				}
				if plan := w.plan(text); strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN ") {
					t.Errorf("%s walks a table:\n%s\n%s", request, text, plan)
				}
			}
		}
	})
}

// alike adds pairs of students whose work is alike and was flagged, each pair one
// cluster.
func (w *world) alike(from, to int) {
	w.Helper()
	rows := map[string][][]any{}
	add := func(table string, values ...any) { rows[table] = append(rows[table], values) }
	now := w.db.Now()
	for i := from; i < to; i++ {
		for id := 50_000 + 2*i; id < 50_002+2*i; id++ {
			name := fmt.Sprintf("alike%d", id)
			add("users (id, username, username_key, email, email_key, first_name, last_name, role, created_at, "+
				"updated_at)", id, name, name, name, name, "A", "B", 1, now, now)
			add("projects (id, unit_id, user_id, enrolled, created_at, updated_at)", id, w.id["unitA"], id, true, now,
				now)
			add("tasks (id, project_id, task_definition_id, unit_id, created_at, updated_at)", id, id, w.id["defA1"],
				w.id["unitA"], now, now)
			add("submissions (id, unit_id, task_id, user_id, at, parts)", id, w.id["unitA"], id, id, now, 0)
			add("submission_tasks (task_id, at, submission_id, pct, pts)", id, now, id, 100, 3)
		}
		id := 50_000 + 2*i
		add("similarity_pairs (id, class_id, part, left_id, right_id, pct, score, left_words, right_words, passages, "+
			"created_at)", id, w.id["defA1"], "code", id, id+1, 99, 88, "", "", "[]", now)
		add("task_similarities (type, project_id, task_id, submission_id, part, pair_id, flagged, created_at)",
			"LecternTaskSimilarity", id, id, id, "code", id, true, now)
	}
	err := w.db.Tx(w.Context(), func(q db.Q) error {
		for _, table := range []string{"users", "projects", "tasks", "submissions", "submission_tasks",
			"similarity_pairs", "task_similarities"} {
			for into, list := range rows {
				if !strings.HasPrefix(into, table+" ") {
					continue
				}
				if err := db.Insert(w.Context(), q, into, "", list); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}
