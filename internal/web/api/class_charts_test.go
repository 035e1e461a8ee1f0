package api

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/teaching/insight"
)

var _ = rights(
	rightRow{"GET /api/units/{id}/burndown", "/api/units/{unitA}/burndown", staffA, nil},
	rightRow{"GET /api/csv/units/{id}/charts/{name}", "/api/csv/units/{unitA}/charts/statuses", staffA, nil},
)

// The sheets of charts say what the statistics do; that of tutors is for convenors.
func TestChartsAsSheets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.work()
		const at = "GET /api/csv/units/{unitA}/charts/"
		rows := w.do("tutor", at+"statuses?tutorial_id={tutorialA}", nil).sheet("SIT10A-statuses.csv")
		if got := strings.Join(rows[1], ","); got != "1.1P,Task 1.1P,2,1,0,0,0,0,0,0,1,0,0,0" {
			t.Errorf("the first task: %s", got)
		}
		rows = w.do("tutor", at+"tutorials", nil).sheet("SIT10A-tutorials.csv")
		if got := strings.Join(rows[1], ","); len(rows) != 2 || got != "LA1,4,5,2,0,0,0,0,0,0,1,0,0,0" {
			t.Errorf("the tutorial: %s", got)
		}
		rows = w.do("tutor", at+"targets", nil).sheet("SIT10A-targets.csv")
		if got := strings.Join(rows[2], ","); got != "Credit,4" {
			t.Errorf("aims: %v", rows)
		}
		rows = w.do("tutor", at+"outcomes", nil).sheet("SIT10A-outcomes.csv")
		if got := strings.Join(rows[1], ","); got != "ILO1,Think,0,0,2,4,4" {
			t.Errorf("outcomes: %v", rows)
		}
		w.do("tutor", at+"burndown", nil).sheet("SIT10A-burndown.csv")
		w.do("tutor", at+"turnaround", nil).status(403).says("Only convenors")
		w.do("tutor", at+"nothing", nil).status(404)
		w.do("tutor", at+"targets?tutorial_id={tutorialB}", nil).status(404)
	})
}

func TestTurnaroundAsASheet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.ready("student", ownTask)
		w.passes(30 * time.Hour)
		w.moves("tutor", ownTask, "complete")
		rows := w.do("convenor", "GET /api/csv/units/{unitA}/charts/turnaround", nil).sheet("SIT10A-turnaround.csv")
		if got := strings.Join(rows[1], ","); len(rows) != 2 || got != "Tutor Person,1,30,,,,30" {
			t.Errorf("turnaround: %v", rows)
		}
	})
}

// The burndown of a class is that of its students together.
func TestBurndownOfAClass(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var class, one insight.ClassBurndown
		last := func() (float64, float64) {
			w.do("tutor", "GET /api/units/{unitA}/burndown", nil).status(200).into(&class)
			return class.Submitted[len(class.Submitted)-1].Remaining, class.Done[len(class.Done)-1].Remaining
		}
		if in, done := last(); in != 100 || done != 100 || class.Tasks != 2 {
			t.Fatalf("at first %v %v of %d", in, done, class.Tasks)
		}
		w.ready("student", ownTask)
		if in, done := last(); in != 87.5 || done != 100 {
			t.Errorf("one of eight handed in: %v %v", in, done)
		}
		w.moves("tutor", ownTask, "complete")
		w.ready("mate", memberTask)
		if in, done := last(); in != 75 || done != 87.5 {
			t.Errorf("two of eight handed in, one complete: %v %v", in, done)
		}
		w.secondTutorial()
		w.do("tutor", "GET /api/units/{unitA}/burndown?tutorial_id={LA2}", nil).status(200).into(&one)
		if got := one.Submitted[len(one.Submitted)-1].Remaining; got != 100 {
			t.Errorf("of a tutorial that did nothing: %v", got)
		}
		// Everybody alone in the class has the burndown of their project.
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id <> $1`, w.id["project:student"])
		var own insight.Burndown
		w.do("tutor", "GET /api/projects/{project:student}/burndown", nil).status(200).into(&own)
		last()
		for i := range own.Target {
			if own.Target[i] != class.Target[i] {
				t.Errorf("planned: %v, not %v", class.Target[i], own.Target[i])
			}
		}
		for i := range own.Done {
			if own.Done[i] != class.Done[i] || own.Submitted[i] != class.Submitted[i] {
				t.Errorf("on %s: %v %v, not %v %v", own.Done[i].Day, class.Submitted[i], class.Done[i], own.Submitted[i],
					own.Done[i])
			}
		}
	})
}
