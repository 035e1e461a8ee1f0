package trash

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// Step is what a step of a retirement did.
type Step struct {
	Last      bool
	Tasks     []int64 // whose comments went
	Documents []int64 // of submissions, that are to be made anew
}

// RetireStep does the next step of a retirement: portfolios first, then the work for one task after the other.
func RetireStep(ctx context.Context, q db.Q, r *Retirement) (*Step, error) {
	if done, err := r.begin(ctx, q); err != nil || done {
		return &Step{}, err
	}
	next, err := db.All[int64](ctx, q, r.next(), r.UnitID)
	if err != nil {
		return nil, err
	}
	if len(next) == 0 {
		return &Step{Last: true}, end(ctx, q, r.ID, Done)
	}
	t := Thing{Kind: TaskWork, ID: next[0], Retirement: &r.ID, Named: r.Plan == Anonymise}
	if _, _, err := Keep(ctx, q, t, r.UserID); err != nil {
		return nil, err
	}
	out := &Step{}
	if out.Tasks, err = db.All[int64](ctx, q, `SELECT id FROM tasks WHERE task_definition_id = $1 ORDER BY id`,
		t.ID); err != nil || !t.Named {
		return out, err
	}
	out.Documents, err = db.All[int64](ctx, q, `SELECT s.id FROM submissions s JOIN tasks t ON t.id = s.task_id
		WHERE t.task_definition_id = $1 AND s.state = 'queued' AND s.job_id IS NULL ORDER BY s.id`, t.ID)
	return out, err
}

// next is the query of the first task of the unit $1 that has work left.
func (r *Retirement) next() string {
	whose := ""
	if r.Plan == Anonymise {
		whose = ` JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id AND NOT ` + ident.Pseudonymous
	}
	return `SELECT d.id FROM task_definitions d WHERE d.unit_id = $1 AND (
			EXISTS (SELECT 1 FROM tasks t JOIN submissions s ON s.task_id = t.id` + whose + ` WHERE t.task_definition_id = d.id)
			OR EXISTS (SELECT 1 FROM tasks t JOIN task_comments c ON c.task_id = t.id` + whose + `
				WHERE t.task_definition_id = d.id)) ORDER BY d.id LIMIT 1`
}

func end(ctx context.Context, q db.Q, id int64, state Progress) error {
	_, err := db.Exec(ctx, q, `UPDATE retirements SET state = $2, ended_at = $3 WHERE id = $1`, id, string(state), q.Now())
	return err
}

// Unretire begins to bring back what a retirement deleted or anonymised. It is fault.Conflict unless it is done and
// still kept. It is for holders of policy.DeleteWork; usecase.UndoRetirement carries it out.
func Unretire(ctx context.Context, q db.Q, unitID, id int64) (*Retirement, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	r, err := RetirementByID(ctx, q, unitID, id)
	switch {
	case err != nil:
		return nil, err
	case !r.Undoable:
		return nil, fault.New(fault.Conflict, "This cannot be undone: only a decision that changed work can, within 30 days and once.")
	}
	_, err = db.Exec(ctx, q, `UPDATE retirements SET state = 'undoing', ended_at = NULL WHERE id = $1`, id)
	if err != nil {
		return nil, err
	}
	return RetirementByID(ctx, q, unitID, id)
}

// Pieces lists what a retirement put into the archive and is still kept, by number, in the order in which it comes
// back: the numbers of pseudonyms last.
func Pieces(ctx context.Context, q db.Q, id int64) ([]int64, error) {
	return db.All[int64](ctx, q, `SELECT d.id FROM deletions d WHERE d.retirement_id = $2 AND `+keptAt+` ORDER BY d.id DESC`,
		since(q), id)
}

// EndUnretire notes that all that could come back did: what could not is still on the list of what was deleted.
func EndUnretire(ctx context.Context, q db.Q, id int64) error {
	left, err := Pieces(ctx, q, id)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return end(ctx, q, id, Done)
	}
	return end(ctx, q, id, Undone)
}

// WithWork gives the students of a unit who have submissions, comments or a portfolio in it.
func WithWork(ctx context.Context, q db.Q, unitID int64) ([]Student, error) {
	return db.All[Student](ctx, q, `SELECT p.id AS project_id, p.user_id FROM projects p
		JOIN users u ON u.id = p.user_id AND u.erased_at IS NULL
		WHERE p.unit_id = $1 AND (p.id IN (SELECT t.project_id FROM tasks t JOIN submission_tasks l ON l.task_id = t.id
				WHERE t.unit_id = $1)
			OR p.id IN (SELECT t.project_id FROM tasks t JOIN task_comments c ON c.task_id = t.id WHERE t.unit_id = $1)
			OR `+ofPortfolio+`) ORDER BY p.id`, unitID)
}

// RetiredStudents gives those whose work a retirement put into the archive.
func RetiredStudents(ctx context.Context, q db.Q, id int64) ([]Student, error) {
	return db.All[Student](ctx, q, `SELECT DISTINCT p.id AS project_id, p.user_id FROM deletions d
		JOIN deleted_rows r ON r.deletion_id = d.id JOIN projects p ON p.id = r.project_id
		JOIN users u ON u.id = p.user_id AND u.erased_at IS NULL
		WHERE d.retirement_id = $1 AND r.table_name <> 'pseudonyms' ORDER BY p.id`, id)
}
