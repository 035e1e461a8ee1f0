package portfolio

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// State is how far the portfolio that was last asked for has come.
type State string

// The states of a portfolio.
const (
	Unasked   State = "none"      // nobody asked for one
	Waiting   State = "waiting"   // for documents of submissions, which are being made
	Queued    State = "queued"    // behind other jobs
	Compiling State = "compiling" // it is being put together
	Ready     State = "ready"
	Failed    State = "failed"
)

// Enum gives the states, for the documentation.
func (State) Enum() []string {
	return []string{string(Unasked), string(Waiting), string(Queued), string(Compiling), string(Ready), string(Failed)}
}

// Progress tells how far a portfolio has come.
type Progress struct {
	State     State       `json:"state" enum:""`
	AskedAt   *clock.Time `json:"asked_at"`
	ReadyAt   *clock.Time `json:"produced_at"` // of the one that can be read, perhaps an older one
	Documents int64       `json:"documents_pending"`
	Ahead     *int        `json:"ahead"` // jobs that come first, while it is queued
	Failure   *string     `json:"failure"`
}

// OnItsWay tells whether a portfolio is being made.
func (p *Progress) OnItsWay() bool {
	return p.State == Waiting || p.State == Queued || p.State == Compiling
}

// progressRow is what the database tells of a portfolio.
type progressRow struct {
	Wanted    bool        `db:"compile_portfolio"`
	AskedAt   *clock.Time `db:"portfolio_asked_at"`
	ReadyAt   *clock.Time `db:"produced_at"`
	Failure   *string     `db:"portfolio_failure"`
	Documents int64       `db:"documents"`
	JobID     *int64      `db:"job_id"`
	JobState  *string     `db:"job_state"`
}

// ProgressOf tells how far the portfolio of a project has come, or gives
// fault.Missing where there is no such project.
func ProgressOf(ctx context.Context, q db.Q, projectID int64) (*Progress, error) {
	r, err := db.OneOf[progressRow](ctx, q, "project", `SELECT p.compile_portfolio, p.portfolio_asked_at,
			p.portfolio_failure, j.id AS job_id, j.state AS job_state,
			CASE WHEN p.portfolio_hash IS NOT NULL
				THEN coalesce(p.portfolio_produced_at, p.updated_at) END AS produced_at,
			(SELECT count(*) FROM tasks t WHERE t.project_id = p.id AND t.include_in_portfolio AND EXISTS (
				SELECT 1 FROM submission_tasks st JOIN submissions x ON x.id = st.submission_id
				WHERE st.task_id = t.id AND x.state IN ('queued', 'processing'))) AS documents
		FROM projects p LEFT JOIN jobs j ON j.unique_key = $2 AND j.state IN ('available', 'running')
		WHERE p.id = $1`, projectID, jobName(projectID))
	if err != nil {
		return nil, err
	}
	p := &Progress{State: r.state(), AskedAt: r.AskedAt, ReadyAt: r.ReadyAt, Failure: r.Failure}
	if p.OnItsWay() {
		p.Documents = r.Documents
	}
	if p.State != Queued || r.JobID == nil {
		return p, nil
	}
	ahead, standing, err := jobs.Position(ctx, q, *r.JobID)
	if standing {
		p.Ahead = &ahead
	}
	return p, err
}

func (r *progressRow) state() State {
	switch {
	case r.Wanted && r.Documents > 0:
		return Waiting
	case r.Wanted && r.JobState != nil && *r.JobState == string(jobs.Running):
		return Compiling
	case r.Wanted:
		return Queued
	case r.Failure != nil:
		return Failed
	case r.ReadyAt != nil:
		return Ready
	}
	return Unasked
}
