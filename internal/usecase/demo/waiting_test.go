package demo

import (
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/submit"
)

// fill makes the demo.
func fill(t *testing.T, d *db.DB) {
	t.Helper()
	ctx := t.Context()
	store, err := files.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	signer, err := submit.NewKeys(d, nil).Signer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Tx(ctx, func(q db.Q) error {
		_, err := Fill(ctx, q, "seal", &submit.Service{Files: store, Service: "Test"}, signer)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// checkStories sees that the demo shows what there is to see: what waits for feedback
// has a document on its way, and there is some of everything.
func checkStories(t *testing.T, d *db.DB) {
	t.Helper()
	const waits = `tasks t WHERE t.status IN ('ready_for_feedback', 'need_help')`
	for _, c := range []struct {
		what        string
		least, most int64
	}{
		{waits + " AND t.unit_id = 1", 60, 100},
		{waits + " AND NOT EXISTS (SELECT 1 FROM submission_tasks s WHERE s.task_id = t.id)", 0, 0},
		{"submissions WHERE state = 'failed'", 1, 1},
		{"(SELECT task_id FROM submissions WHERE unit_id = 1 GROUP BY task_id HAVING count(*) > 1) twice", 10, 40},
		{"task_comments WHERE type = 'extension' AND extension_assessed_at IS NULL", 5, 40},
		{"task_comments WHERE type = 'discussion'", 3, 3},
		{"task_comments WHERE discussion_completed_at IS NOT NULL", 1, 1},
		{"portfolio_files", 4, 4},
		{"rubrics WHERE current AND used", 2, 2},
		{"rubrics r JOIN rubric_marks m ON m.rubric_id = r.id WHERE r.points = 5 AND m.points = 4", 1, 1},
		{"rubrics r JOIN rubric_marks m ON m.rubric_id = r.id WHERE r.points IS NULL AND m.present", 1, 3},
		{waits + " AND t.task_definition_id IN (SELECT r.task_definition_id FROM rubrics r WHERE r.points = 5)", 5, 20},
		{"projects WHERE portfolio_asked_at IS NOT NULL", 3, 3},
		{"submission_tasks s JOIN submissions x ON x.id = s.submission_id WHERE s.task_id <> x.task_id", 4, 7}, // a team
		{"(SELECT DISTINCT substr(CAST(completion_date AS TEXT), 1, 10) FROM tasks WHERE unit_id = 1) days", 6, 60},
	} {
		n, err := db.One[int64](t.Context(), d.Pool(), "SELECT count(*) FROM "+c.what)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		} else if *n < c.least || *n > c.most {
			t.Errorf("%s: %d, want %d to %d", c.what, *n, c.least, c.most)
		}
	}
	list, err := insight.RiskSearch{UnitID: 1}.Students(t.Context(), d.Pool())
	if err != nil || len(list) < 5 || len(list) > 9 {
		t.Errorf("%d students are at risk: %v", len(list), err)
	}
}

// The stories hold on whatever day of the week the demo is made.
func TestEveryDayOfTheWeek(t *testing.T) {
	dbtest.Long(t)
	if raced {
		t.Skip("seven demos take minutes with the race detector; .ci/run makes them without it")
	}
	for day := range 7 {
		now := time.Date(2026, 11, 9+day, 9, 30, 0, 0, time.UTC)
		t.Run(now.Weekday().String(), func(t *testing.T) {
			d := dbtest.New(t, "sqlite", func() time.Time { return now })
			fill(t, d)
			checkStories(t, d)
		})
	}
}
