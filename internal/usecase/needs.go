package usecase

import (
	"context"
	"fmt"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/work"
)

// Needs are what waits for somebody in a unit, as far as the caller may see it.
type Needs struct {
	*insight.Turnaround        // what waits to be marked and answered; by tutor for those who hold policy.SeeTutorPace
	Documents           Failed // newest versions whose document could not be made
	Tests               Failed // newest versions whose tests did not run to their end
	Extensions          int64  // requests that wait
	Reviews             int64  // requests that wait
	Similar             Failed // similar work that nobody has decided on
}

// Failed is work that needs a look.
type Failed struct {
	Count  int64  `db:"count"`
	TaskID *int64 `db:"task_id"` // one to begin with; nil: there is none
}

// newest leaves of the submissions s of unit $1 the newest version of each task t of an enrolled
// student; what a group handed in is one.
const newest = ` JOIN tasks t ON t.id = s.task_id JOIN projects p ON p.id = t.project_id AND p.enrolled
	WHERE s.unit_id = $1 AND NOT EXISTS (SELECT 1 FROM submission_tasks y WHERE y.task_id = t.id
		AND y.submission_id <> s.id AND y.at > s.at)`

// NeedsOf reads what waits for somebody in a unit, for whoever holds policy.ReadStatistics;
// requests for time and reviews, and similar work, for those who may see these.
func NeedsOf(ctx context.Context, q db.Q, who *access.Caller, unitID int64) (*Needs, error) {
	t, err := insight.TurnaroundOf(ctx, q, unitID, who.ID, who.May(policy.SeeTutorPace))
	if err != nil {
		return nil, err
	}
	n := &Needs{Turnaround: t}
	if who.May(policy.SeeExtensions) {
		if _, n.Extensions, err = (work.Extensions{UnitID: unitID, CallerID: who.ID, Page: db.Part(1, 0)}).Rows(ctx, q); err != nil {
			return nil, err
		}
	}
	if who.May(policy.SeeReviews) {
		if _, n.Reviews, err = (work.Reviews{UnitID: unitID, CallerID: who.ID, Page: db.Part(1, 0)}).Rows(ctx, q); err != nil {
			return nil, err
		}
	}
	for _, f := range []struct {
		to   *Failed
		may  bool
		text string
	}{
		{&n.Documents, true, `SELECT count(*) AS count, min(t.id) AS task_id FROM submissions s` + newest +
			` AND s.state = 'failed'`},
		{&n.Tests, true, `SELECT count(*) AS count, min(t.id) AS task_id FROM assessments a
			JOIN submissions s ON s.id = a.submission_id` + newest + ` AND a.status = 'failed'`},
		{&n.Similar, who.May(policy.SeeClusters), `SELECT count(DISTINCT coalesce(f.pair_id, -f.id)) AS count,
			min(t.id) AS task_id FROM task_similarities f JOIN tasks t ON t.id = f.task_id
			JOIN projects p ON p.id = t.project_id AND p.enrolled
			WHERE t.unit_id = $1 AND f.flagged AND f.decided_at IS NULL`},
	} {
		if !f.may {
			continue
		}
		one, err := db.One[Failed](ctx, q, f.text, unitID)
		if err != nil {
			return nil, fmt.Errorf("count what needs somebody: %w", err)
		}
		*f.to = *one
	}
	return n, nil
}
