package api

import (
	"math"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/insight"
)

var _ = rights(rightRow{"GET /api/units/{id}/turnaround", "/api/units/{unitA}/turnaround", staffA, nil})

const turnaroundOfA = "GET /api/units/{unitA}/turnaround"

// pace reads the board of unit A.
func (w *world) pace(as string) (t insight.Turnaround) {
	w.Helper()
	w.do(as, turnaroundOfA, nil).status(200).into(&t)
	return t
}

// ready makes a task ready for feedback as its student.
func (w *world) ready(as, path string) {
	w.Helper()
	w.do(as, "PUT "+path, form{"trigger": "rff"}).status(200)
}

func (w *world) moves(as, path, verdict string) {
	w.Helper()
	w.do(as, "PUT "+path, form{"trigger": verdict}).status(200)
}

// passes lets time pass, and nobody's session end meanwhile.
func (w *world) passes(by time.Duration) {
	w.Helper()
	w.now = w.now.Add(by)
	w.set(`UPDATE sessions SET created_at = $1, renewed_at = $1, expires_at = $2`, clock.At(w.now),
		clock.At(w.now.Add(time.Hour)))
}

func TestTurnaround(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.pace("convenor")
		if start.FeedbackDays != nil || start.Marked != 0 || start.Median != nil || len(start.Ages) != 5 {
			t.Fatalf("at first: %+v", start)
		}
		before := start.Waiting
		w.do("convenor", "PUT /api/units/{unitA}", `{"unit":{"feedback_days":2}}`).status(200)
		w.ready("student", ownTask)
		w.ready("mate", memberTask)
		w.passes(30 * time.Hour)
		w.ready("other", otherTask)
		w.moves("tutor", ownTask, "fix_and_resubmit") // after 30 hours
		w.passes(time.Hour)
		w.moves("convenor", ownTask, "redo") // a second word on the same work
		w.passes(23 * time.Hour)
		w.moves("convenor", memberTask, "complete") // after 54 hours: late
		p := w.pace("convenor")
		if p.Marked != 2 || *p.Median != 30 || *p.Most != 54 || *p.Kept != 1 || p.Waiting != before+1 ||
			p.Ages[1].Tasks != 1 || p.Overdue != 0 {
			t.Errorf("%+v", p)
		}
		if len(p.Tutors) != 2 || p.Tutors[0].UserID != w.id["convenor"] || *p.Tutors[0].Median != 54 ||
			*p.Tutors[1].Median != 30 {
			t.Errorf("by tutor: %+v", p.Tutors)
		}
		// The tutor is told of the unit, not of who is how fast.
		if o := w.do("tutor", turnaroundOfA, nil).status(200).object(); o["tutors"] != nil || o["judged"] != 2.0 {
			t.Errorf("for a tutor: %v", o)
		}
		w.passes(48 * time.Hour)
		if p = w.pace("tutor"); p.Overdue != 1 || p.Ages[2].Tasks != 1 {
			t.Errorf("three days on: %+v", p)
		}
		var one insight.TaskPace
		for _, d := range p.Tasks {
			if d.DefinitionID == w.id["defA1"] {
				one = d
			}
		}
		if one.Waiting != 1 || one.Marked != 2 || one.Oldest == nil {
			t.Errorf("the task: %+v", one)
		}
		// Handed in again, the clock starts anew.
		w.ready("student", ownTask)
		w.passes(6 * time.Hour)
		w.moves("tutor", ownTask, "complete")
		if p = w.pace("tutor"); p.Marked != 3 || *p.Median != 30 || *p.Kept != 2 {
			t.Errorf("handed in again: %+v", p)
		}
		w.passes(29 * 24 * time.Hour)
		if p = w.pace("tutor"); p.Marked != 0 || p.Ages[4].Tasks != 1 {
			t.Errorf("a month on: %+v", p)
		}
		w.do("student", turnaroundOfA, nil).status(403)
	})
}

// What was marked without having been handed in says nothing of how long students
// wait, and what a group hands in counts once.
func TestTurnaroundCountsWork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.moves("tutor", ownTask, "complete")
		if p := w.pace("tutor"); p.Marked != 0 {
			t.Errorf("never handed in: %+v", p)
		}
		w.set(`UPDATE task_definitions SET group_set_id = $2 WHERE id = $1`, w.id["defA1"], w.id["set"])
		w.ready("mate", memberTask)
		before := w.pace("tutor")
		if before.Waiting != 1 {
			t.Errorf("waiting: %d", before.Waiting)
		}
		w.passes(5 * time.Hour)
		w.moves("tutor", memberTask, "complete")
		if p := w.pace("tutor"); p.Marked != 1 || *p.Median != 5 {
			t.Errorf("of a group: %+v", p)
		}
	})
}

// A verdict that was undone was none: what counts is the one that stands.
func TestTurnaroundLeavesOutWhatWasUndone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.ready("student", ownTask)
		w.passes(2 * time.Hour)
		last := w.number(`SELECT max(id) FROM task_history WHERE task_id = $1`, w.id["task"])
		w.moves("tutor", ownTask, "complete")
		if p := w.pace("tutor"); p.Marked != 1 || *p.Median != 2 {
			t.Fatalf("given: %+v", p)
		}
		w.set(`INSERT INTO task_history (task_id, at, actor_id, from_status, to_status, undoes_after)
			VALUES ($1, $2, $3, 'complete', 'ready_for_feedback', $4)`, w.id["task"], w.db.Now(), w.id["tutor"], last)
		w.set(`UPDATE tasks SET status = 'ready_for_feedback', assessment_date = NULL WHERE id = $1`, w.id["task"])
		if p := w.pace("tutor"); p.Marked != 0 || p.Waiting != 1 {
			t.Errorf("undone: %+v", p)
		}
		w.passes(8 * time.Hour)
		w.moves("tutor", ownTask, "complete")
		if p := w.pace("tutor"); p.Marked != 1 || math.Abs(*p.Median-10) > 0.01 {
			t.Errorf("given again: %+v", p)
		}
	})
}

// Work that was handed in before the time that is looked at counts where it was marked since then for the first time,
// whether or not its history knows the definition: programs before 00073 do not write it.
func TestTurnaroundOfOlderWork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.ready("student", ownTask)
		w.ready("other", otherTask)
		w.passes(2 * time.Hour)
		w.moves("tutor", ownTask, "fix_and_resubmit")
		w.passes(27 * 24 * time.Hour)
		w.moves("convenor", ownTask, "redo") // a second word on the same work
		w.moves("convenor", otherTask, "complete")
		count := func(when string, marked int, median float64) {
			t.Helper()
			if p := w.pace("tutor"); p.Marked != marked || p.Median == nil || math.Abs(*p.Median-median) > 0.01 {
				t.Errorf("%s: %+v", when, p.Pace)
			}
		}
		count("four weeks", 2, 2)
		w.passes(2 * 24 * time.Hour)
		count("without the first word", 1, 27*24+2)
		if n := w.number(`SELECT count(*) FROM task_history WHERE task_definition_id IS NULL`); n != 0 {
			t.Errorf("%d moves do not know their definition", n)
		}
		w.set(`UPDATE task_history SET task_definition_id = NULL`)
		count("written by an older program", 1, 27*24+2)
		w.set(`UPDATE task_history SET undoes_after = 0 WHERE id = (SELECT max(id) FROM task_history WHERE task_id = $1)`,
			w.id["task"])
		count("the second word takes the first one back", 2, 27*24+2)
	})
}

func TestThePromiseOfAUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, bad := range []string{"0", "61", "-1"} {
			w.do("convenor", "PUT /api/units/{unitA}", `{"unit":{"feedback_days":`+bad+`}}`).status(400).
				says("feedback_days")
		}
		w.do("tutor", "PUT /api/units/{unitA}", `{"unit":{"feedback_days":5}}`).status(403)
		for _, c := range []struct {
			body string
			want any
		}{{`"feedback_days":60`, 60.0}, {`"name":"Same"`, 60.0}, {`"feedback_days":null`, nil}} {
			w.do("convenor", "PUT /api/units/{unitA}", `{"unit":{`+c.body+`}}`).status(200)
			o := w.do("student", "GET /api/units/{unitA}", nil).status(200).object()
			if got, there := o["feedback_days"]; !there || got != c.want {
				t.Errorf("after %s the promise is %v", c.body, got)
			}
		}
	})
}

func TestTurnaroundFollowsIndexes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		// What waits is read by the queue, whose tests look at its plans.
		for _, text := range w.reads("convenor", turnaroundOfA, "FROM task_history h") {
			text = strings.ReplaceAll(text, "$1", "1")
			plan := dbtest.Plan(w, w.db, argument.ReplaceAllString(text, "CURRENT_TIMESTAMP"))
			if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN ") ||
				!strings.Contains(plan, "task_history_marks") {
				t.Errorf("%s:\n%s", text, plan)
			}
		}
	})
}

// markedLately makes the work of other, which the convenor marked an hour after it was
// handed in.
func (w *world) markedLately() {
	w.Helper()
	w.ready("other", otherTask)
	w.passes(time.Hour)
	w.moves("convenor", otherTask, "complete")
}
