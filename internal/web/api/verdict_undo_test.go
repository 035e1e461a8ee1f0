package api

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// standing is all that a verdict changes and an undo must put back: tasks, statistics,
// what is said and what is new of it, who marked how much.
func (w *world) standing() []string {
	w.Helper()
	var out []string
	for _, text := range []string{
		`SELECT * FROM tasks ORDER BY id`,
		`SELECT * FROM projects ORDER BY id`,
		`SELECT * FROM group_submissions ORDER BY id`,
		`SELECT id, task_id, user_id, comment, staff_read_at FROM task_comments WHERE type <> 'status' ORDER BY id`,
		`SELECT task_id, user_id, comments FROM news_seen WHERE comments <> 0 ORDER BY 1, 2`,
	} {
		for r, err := range db.Records(w.Context(), w.db.Pool(), text) {
			if err != nil {
				w.Fatal(err)
			}
			var line []string
			for i, column := range r.Columns {
				if column != "version" && column != "updated_at" {
					line = append(line, fmt.Sprint(column, "=", r.Values[i]))
				}
			}
			out = append(out, strings.Join(line, " "))
		}
	}
	return append(out, w.do("convenor", "GET /api/csv/units/{unitA}/tutor_assessments", nil).status(200).Body.String())
}

func (w *world) undo(as string, verdict map[string]any) *answered {
	w.Helper()
	return w.do(as, fmt.Sprintf("POST /api/verdicts/%.0f/undo", verdict["id"]), nil)
}

// Whatever stands, and whatever the verdict: its undo puts everything back. Tasks are of
// one student or of a group, graded or not, handed in late or never.
func TestUndoneIsAsBefore(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 1))
		pick := func(list ...string) string { return list[random.IntN(len(list))] }
		w.set(`UPDATE task_definitions SET is_graded = TRUE, max_quality_pts = 5 WHERE id = $1`, w.id["defA1"])
		w.set(`UPDATE task_definitions SET group_set_id = $2 WHERE id = $1`, w.id["defA2"], w.id["set"])
		w.set(`UPDATE units SET extension_weeks_on_resubmit_request = 1 WHERE id = $1`, w.id["unitA"])
		for _, name := range []string{"student", "mate"} {
			for _, def := range []string{"defA1", "defA2"} {
				w.id["at"] = w.task(name, def, nil)
			}
		}
		for range 25 {
			w.later(time.Duration(random.IntN(90)) * time.Second)
			w.set(`UPDATE task_definitions SET target_date = $1, due_date = NULL`, w.monday().AddDays(random.IntN(40)-10))
			name, def := pick("student", "mate"), pick("defA1", "defA2")
			path := "/api/projects/{project:" + name + "}/task_def_id/{" + def + "}"
			w.do(name, "PUT "+path, form{"trigger": pick("rff", "need_help", "working_on_it")}) // may be refused
			if random.IntN(3) == 0 {
				w.do(name, "POST "+path+"/comments", form{"comment": fmt.Sprint("Is it right? ", random.Int())}).status(201)
			}
			w.later(time.Minute)
			author := pick("tutor", "convenor")
			w.do(author, "GET "+path+"/comments", nil).status(200) // a verdict reads what it answers, and that stays read
			before := w.standing()
			verdict := form{"trigger": pick("complete", "fix", "redo", "discuss", "fail", "ready_for_feedback", "need_help"),
				"version": w.rows(`SELECT CAST(version AS TEXT) AS v FROM tasks WHERE project_id = $1
					AND task_definition_id = $2`, w.id["project:"+name], w.id[def])[0]}
			if random.IntN(2) == 0 {
				verdict["comment"] = fmt.Sprint("Look at page ", random.Int())
			}
			if def == "defA1" {
				verdict["grade"], verdict["quality_pts"] = pick("-1", "0", "3"), pick("0", "5")
			}
			given := w.do(author, "POST "+path+"/verdict", verdict).status(200).object()
			w.later(time.Minute)
			undone := w.undo(author, given).status(200).object()
			if undone["comment"] != verdict["comment"] && !(undone["comment"] == "" && verdict["comment"] == "") {
				t.Errorf("the words %q came back as %q", verdict["comment"], undone["comment"])
			}
			if diff := cmp.Diff(before, w.standing()); diff != "" {
				t.Fatalf("%s on %s of %s, undone, is not as before:\n%s", verdict["trigger"], def, name, diff)
			}
			w.countsAreRight()
			if random.IntN(2) == 0 { // and some stay
				verdict["version"] = fmt.Sprint(undone["version"])
				w.do(author, "POST "+path+"/verdict", verdict).status(200)
			}
		}
	})
}

func TestAnUndoIsRecorded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.move("student", ownTask, "rff")
		w.later(time.Minute)
		given := w.mark("tutor", form{"trigger": "complete", "comment": "Perfect."})
		w.later(time.Minute)
		for _, other := range []string{"convenor", "admin"} {
			w.undo(other, given).status(403).says("only they can undo it")
		}
		first := w.undo("tutor", given).status(200)
		if o := first.object(); o["comment"] != "Perfect." || o["status"] != "ready_for_feedback" || o["version"] != 4.0 {
			t.Errorf("undone: %v", o)
		}
		if again := w.undo("tutor", given).status(200); again.Body.String() != first.Body.String() {
			t.Errorf("asked again: %s, not %s", again.Body, first.Body)
		}
		var history []historyEntry
		w.do("student", "GET "+ownTask+"/history", nil).status(200).into(&history)
		slices.Reverse(history)
		if got := fmt.Sprint(history); got != "[status Student not_started>ready_for_feedback status Tutor "+
			"ready_for_feedback>complete status Tutor complete>ready_for_feedback undo]" {
			t.Errorf("the student reads %s", got)
		}
		said := w.rows(`SELECT type || ' ' || comment AS v FROM task_comments ORDER BY id`)
		if got := strings.Join(said, ", "); got != "status Ready for Feedback, status Complete, status Undone: back to "+
			"Ready for Feedback" {
			t.Errorf("said: %s", got)
		}
		if n := w.count("events WHERE kind = 'status' AND task_id = $1", w.id["task"]); n != 3 {
			t.Errorf("%d moves were told", n)
		}
		if n := w.count(`events WHERE kind = 'comment' AND body LIKE '%deleted%'`); n != 1 {
			t.Errorf("%d comments are told to be gone", n)
		}
		// The same verdict may be given anew, with a key of its own.
		w.mark("tutor", form{"trigger": "complete", "comment": "Perfect.", "key": "n"})
	})
}

// Whoever acts after a verdict keeps it from being undone, and nothing is changed then.
func TestNoUndoOnceSomebodyActed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		acts := map[string]func(){
			"has changed": func() { w.do("convenor", "PUT "+ownTask, form{"trigger": "redo"}).status(200) },
			"changed":     func() { w.do("student", "PUT "+ownTask, form{"include_in_portfolio": "false"}).status(200) },
			"Student Person has replied": func() {
				w.do("student", "POST "+ownTask+"/comments", form{"comment": "Thank you!"}).status(201)
			},
			"Convenor Person has replied": func() {
				w.do("convenor", "POST "+ownTask+"/comments", form{"comment": "I agree"}).status(201)
			},
			"cannot be undone": func() { w.ask("", "student", ownTask, "1") },
			"has changed since you marked it": func() {
				w.do("tutor", "PUT "+ownTask, form{"trigger": "discuss"}).status(200) // a later one of one's own
			},
		}
		for says, act := range acts {
			w.later(time.Minute)
			given := w.mark("tutor", form{"trigger": "fix", "comment": "Once more: " + says})
			w.later(time.Minute)
			act()
			before := w.written()
			w.undo("tutor", given).status(409).says(says)
			if now := w.written(); now != before {
				t.Errorf("%s: a refused undo left something: %s became %s", says, before, now)
			}
		}
		// One's own words, and being read, do not.
		given := w.mark("tutor", form{"trigger": "fix", "comment": "Page 3"})
		w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "And page 4"}).status(201)
		w.do("student", "GET "+ownTask+"/comments", nil).status(200)
		w.undo("tutor", given).status(200)
		w.countsAreRight()
	})
}

func TestUndoOfAGroup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.task("both", "defA1", nil)
		w.membersOfBoth()
		w.later(time.Minute)
		before := w.standing()
		v := form{"trigger": "discuss", "grade": "3", "quality_pts": "5", "comment": "All of you."}
		given := w.mark("tutor", v)
		w.undo("tutor", given).status(200)
		if diff := cmp.Diff(before, w.standing()); diff != "" {
			t.Errorf("not as before:\n%s", diff)
		}
		w.later(time.Minute)
		given = w.mark("tutor", v)
		w.do("mate", "POST /api/projects/{project:mate}/task_def_id/{defA1}/comments", form{"comment": "Thanks"}).status(201)
		w.undo("tutor", given).status(409).says("Mate Person has replied")
		w.later(time.Minute)
		given = w.mark("tutor", form{"trigger": "fix"})
		w.do("convenor", "PUT /api/projects/{project:mate}/task_def_id/{defA1}", form{"include_in_portfolio": "false"}).
			status(200)
		w.undo("tutor", given).status(409).says("has changed since")
	})
}

func TestOldVerdictsAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		given := w.mark("tutor", form{"trigger": "fix", "key": "k"})
		for _, table := range []string{"verdicts", "verdict_batches"} {
			w.set(`UPDATE `+table+` SET at = $1`, clock.At(w.now.AddDate(0, 0, -31)))
		}
		if n := w.prunedVerdicts(); n != 3 { // with those of the world
			t.Errorf("%d were forgotten", n)
		}
		w.undo("tutor", given).status(404)
	})
}
