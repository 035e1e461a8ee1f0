package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/similarity/engine"
	"lectern/internal/teaching/similarity/engine/corpus"
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
		p := engine.Fingerprint([]engine.File{{Name: "work.py", Language: engine.Python, Text: []byte(work.Text)}})
		add("similarity_prints (submission_id, part, class_id, digest, packed, form, at)", id, "code", w.id["defA1"], name,
			p.Encode(), engine.PackVersion, now)
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

// One more submission is compared with 433 others of 1,500 lines, and with 10,000 short
// ones, in a moment, and holds the writer for much less.
func TestComparingOneMoreIsQuick(t *testing.T) {
	dbtest.Load(t)
	for _, c := range []struct{ works, lines int }{{433, 1500}, {10_000, 100}} {
		t.Run(fmt.Sprint(c.works), func(t *testing.T) {
			works := corpus.Large(3, ".py", c.works, c.lines)
			eachAlone(t, func(t *testing.T, w *world) {
				w.compares()
				w.classOf(works)
				w.api.usecases.Similarity.Memory = 1 << 26 // all of them are in the index
				held := w.comparesMore(works[:20])
				t.Logf("the writer is held %v in the median, %v in nine of ten, %v at most", held[len(held)/2],
					held[len(held)*9/10], held[len(held)-1])
				if held[len(held)/2] > 50*time.Millisecond {
					t.Error("that is ten times too long")
				}
				if !w.flags("tutor", "student")[0] {
					t.Error("the copy was not found")
				}
			})
		})
	}
}

// comparesMore hands copies of works in, one after the other, and gives how long each
// write transaction of the comparisons lasted, the shortest first.
func (w *world) comparesMore(works []corpus.Work) (held []time.Duration) {
	w.Helper()
	ctx := db.Holding(w.Context(), func(d time.Duration) { held = append(held, d) })
	var took []time.Duration
	for i, work := range works {
		who := []string{"mate", "other", "student"}[i%3]
		w.program(who, work.Text)
		id := w.number(`SELECT max(id) FROM submissions WHERE user_id = $1`, w.id[who])
		begin := time.Now()
		if err := w.api.usecases.Similarity.Compare(ctx, jobs.Job{}, similarity.Args{SubmissionID: id}); err != nil {
			w.Fatal(err)
		}
		if i == 0 {
			w.Logf("the first, which fills the index, is compared in %v", time.Since(begin))
			held = nil
			continue
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	slices.Sort(held)
	w.Logf("one more is compared in %v in the median, %v at most", took[len(took)/2], took[len(took)-1])
	if took[len(took)/2] > time.Second {
		w.Error("that is ten times too long")
	}
	return held
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
