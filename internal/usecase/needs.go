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
	*insight.Turnaround        // what waits to be marked; by tutor for those who hold policy.SeeTutorPace
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

const (
	// newest leaves of the submissions s of unit $1 the newest version of each task t of an enrolled
	// student; what a group handed in is one.
	newest = ` JOIN tasks t ON t.id = s.task_id JOIN projects p ON p.id = t.project_id AND p.enrolled
	WHERE s.unit_id = $1 AND NOT EXISTS (SELECT 1 FROM submission_tasks y WHERE y.task_id = t.id
		AND y.submission_id <> s.id AND y.at > s.at)`
	failedDocuments = `SELECT count(*) AS count, min(t.id) AS task_id FROM submissions s` + newest +
		` AND s.state = 'failed'`
	failedTests = `SELECT count(*) AS count, min(t.id) AS task_id FROM assessments a
		JOIN submissions s ON s.id = a.submission_id` + newest + ` AND a.status = 'failed'`
	// undecided is similar work of unit $1; both sides of a pair are one.
	undecided = `SELECT count(DISTINCT coalesce(f.pair_id, -f.id)) AS count, min(t.id) AS task_id
		FROM task_similarities f JOIN tasks t ON t.id = f.task_id JOIN projects p ON p.id = t.project_id AND p.enrolled
		WHERE t.unit_id = $1 AND f.flagged AND f.decided_at IS NULL`
)

// NeedsOf reads what waits for somebody in a unit, for whoever holds policy.ReadStatistics;
// requests for time and reviews, and similar work, for those who may see these.
func NeedsOf(ctx context.Context, q db.Q, who *access.Caller, unitID int64) (*Needs, error) {
	t, err := insight.TurnaroundOf(ctx, q, unitID, who.ID, who.May(policy.SeeTutorPace))
	if err != nil {
		return nil, err
	}
	n := &Needs{Turnaround: t}
	one := db.Part(1, 0) // their number is asked for
	if who.May(policy.SeeExtensions) {
		list := work.Extensions{UnitID: unitID, CallerID: who.ID, Page: one}
		if _, n.Extensions, err = list.Rows(ctx, q); err != nil {
			return nil, err
		}
	}
	if who.May(policy.SeeReviews) {
		list := work.Reviews{UnitID: unitID, CallerID: who.ID, Page: one}
		if _, n.Reviews, err = list.Rows(ctx, q); err != nil {
			return nil, err
		}
	}
	if n.Documents, err = failed(ctx, q, failedDocuments, unitID); err != nil {
		return nil, err
	}
	if n.Tests, err = failed(ctx, q, failedTests, unitID); err != nil {
		return nil, err
	}
	if who.May(policy.SeeClusters) {
		n.Similar, err = failed(ctx, q, undecided, unitID)
	}
	return n, err
}

// failed reads work that needs a look.
func failed(ctx context.Context, q db.Q, text string, unitID int64) (Failed, error) {
	f, err := db.One[Failed](ctx, q, text, unitID)
	if err != nil {
		return Failed{}, fmt.Errorf("count what needs somebody: %w", err)
	}
	return *f, nil
}
