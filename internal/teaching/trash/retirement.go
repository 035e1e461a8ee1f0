package trash

import (
	"context"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// Plan is what is done with the work of a unit that is over.
type Plan string

// The plans. Statuses, grades and history of students stay theirs in each of them.
const (
	KeepAll    Plan = "keep"        // all of it stays; that it does is on record
	Anonymise  Plan = "anonymise"   // submissions and comments stay under pseudonyms; portfolios go
	DeleteWork Plan = "delete_work" // submissions, comments and portfolios go
)

// Enum gives all plans, for the documentation of the API.
func (Plan) Enum() []string { return []string{string(KeepAll), string(Anonymise), string(DeleteWork)} }

// Progress is how far a retirement is.
type Progress string

// How far a retirement is. Running and undoing it takes a while: a task at a time.
const (
	Running Progress = "running"
	Done    Progress = "done"
	Undoing Progress = "undoing"
	Undone  Progress = "undone"
)

// Enum gives all of them, for the documentation of the API.
func (Progress) Enum() []string {
	return []string{string(Running), string(Done), string(Undoing), string(Undone)}
}

// Planned is what of students' work a plan is about.
type Planned struct {
	Students    int64 `db:"students" json:"students"` // whose work it is
	Submissions int64 `db:"submissions" json:"submissions"`
	Comments    int64 `db:"comments" json:"comments"`
	Files       int64 `db:"files" json:"files"`
	Bytes       int64 `db:"bytes" json:"bytes"`
	Portfolios  int64 `db:"portfolios" json:"portfolios"` // compiled, or begun
}

// Kept is what stays in every plan.
type Kept struct {
	Tasks       int64 `db:"tasks" json:"task_statuses"` // of students, with status and grade
	FinalGrades int64 `db:"final_grades" json:"final_grades"`
}

// RetirementPlan is what would become of the work of a unit.
type RetirementPlan struct {
	Planned
	Kept Kept `json:"kept"`
}

// Retirement is what was decided on the work of a unit that is over.
type Retirement struct {
	ID      int64       `db:"id" json:"id"`
	UnitID  int64       `db:"unit_id" json:"unit_id"`
	Plan    Plan        `db:"plan" json:"plan"`
	State   Progress    `db:"state" json:"state"`
	UserID  int64       `db:"user_id" json:"decided_by_id"`
	By      string      `db:"by_name" json:"decided_by"`
	At      clock.Time  `db:"at" json:"at"`
	EndedAt *clock.Time `db:"ended_at" json:"ended_at"`
	Planned
	KeptUntil clock.Time `json:"kept_until"` // until then it can be undone
	Undoable  bool       `json:"undoable"`
}

// PlanOf counts the work of a unit that a plan is about. It is for holders of policy.SeeDeleted.
func PlanOf(ctx context.Context, q db.Q, unitID int64) (*RetirementPlan, error) {
	p, err := db.One[Planned](ctx, q, `SELECT count(*) AS submissions,
			(SELECT count(*) FROM (SELECT t.project_id FROM submission_tasks l JOIN submissions s ON s.id = l.submission_id
				JOIN tasks t ON t.id = l.task_id WHERE s.unit_id = $1
				UNION SELECT t.project_id FROM task_comments c JOIN tasks t ON t.id = c.task_id WHERE c.unit_id = $1) x)
				AS students,
			(SELECT count(*) FROM task_comments c WHERE c.unit_id = $1) AS comments,
			(SELECT count(*) FROM submission_files f JOIN submissions s ON s.id = f.submission_id
				WHERE s.unit_id = $1) AS files,
			(SELECT CAST(coalesce(sum(f.size), 0) AS BIGINT) FROM submission_files f
				JOIN submissions s ON s.id = f.submission_id WHERE s.unit_id = $1) AS bytes,
			(SELECT count(*) FROM projects p WHERE `+ofPortfolio+`) AS portfolios
		FROM submissions WHERE unit_id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	k, err := db.One[Kept](ctx, q, `SELECT (SELECT count(*) FROM tasks t JOIN projects p ON p.id = t.project_id
				JOIN users u ON u.id = p.user_id WHERE t.unit_id = $1 AND NOT `+ident.Pseudonymous+`) AS tasks,
			count(*) FILTER (WHERE grade > 0) AS final_grades FROM projects WHERE unit_id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	return &RetirementPlan{*p, *k}, nil
}

const selectRetirements = `SELECT r.id, r.unit_id, r.plan, r.state, r.user_id,
		u.first_name || ' ' || u.last_name AS by_name, r.at, r.ended_at, r.students, r.submissions, r.comments, r.files,
		r.bytes, r.portfolios
	FROM retirements r JOIN users u ON u.id = r.user_id WHERE r.unit_id = $1`

func (r *Retirement) date(q db.Q) {
	r.KeptUntil = clock.At(r.At.Add(Lasts))
	r.Undoable = r.Plan != KeepAll && r.State == Done && r.KeptUntil.After(q.Now().Time)
}

// Retirements lists what was decided on the work of a unit, the latest first. It is for holders of
// policy.SeeDeleted.
func Retirements(ctx context.Context, q db.Q, unitID int64) ([]Retirement, error) {
	list, err := db.All[Retirement](ctx, q, selectRetirements+` ORDER BY r.id DESC`, unitID)
	for i := range list {
		list[i].date(q)
	}
	return list, err
}

// RetirementByID gives one of a unit, or fault.Missing.
func RetirementByID(ctx context.Context, q db.Q, unitID, id int64) (*Retirement, error) {
	r, err := db.OneOf[Retirement](ctx, q, "retirement", selectRetirements+` AND r.id = $2`, unitID, id)
	if err == nil {
		r.date(q)
	}
	return r, err
}

// Intent is what somebody decides on the work of a unit that is over.
type Intent struct {
	Plan    Plan
	Confirm string // the code of the unit, typed once more
	// Submissions, Comments and Portfolios are what the plan counted when it was looked at.
	Submissions, Comments, Portfolios int64
}

// Of tells whether it is meant for what is there now.
func (in *Intent) Of(p *Planned) bool {
	return in.Submissions == p.Submissions && in.Comments == p.Comments && in.Portfolios == p.Portfolios
}

// Retire puts on record what becomes of the work of a unit. It refuses with fault.Conflict a unit that is not over,
// one whose work is being changed or brought back, or was anonymised and can still be brought back, a plan that
// counted other work than there is now, and to change work where there is none; with fault.Refused a code that is
// not the unit's. It is for holders of policy.DeleteWork; usecase.RetireUnit carries it out.
func Retire(ctx context.Context, q db.Q, unitID, by int64, in Intent) (*Retirement, error) {
	if err := db.Lock(ctx, q, "units", unitID); err != nil {
		return nil, err
	}
	if err := mayRetire(ctx, q, unitID, in); err != nil {
		return nil, err
	}
	p, err := PlanOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	state, ended := Running, (*clock.Time)(nil)
	switch now := q.Now(); {
	case in.Plan == KeepAll:
		state, ended = Done, &now
	case !in.Of(&p.Planned):
		return nil, fault.New(fault.Conflict, "The work of this unit has changed since you looked at the plan: it now has "+
			"%d submissions, %d comments and %d portfolios. Look at the plan again.", p.Submissions, p.Comments, p.Portfolios)
	case p.Submissions+p.Comments+p.Portfolios == 0:
		return nil, fault.New(fault.Conflict, "This unit has no work of students.")
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO retirements (unit_id, plan, state, user_id, students, submissions,
			comments, files, bytes, portfolios, at, ended_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id`, unitID, string(in.Plan), string(state), by,
		p.Students, p.Submissions, p.Comments, p.Files, p.Bytes, p.Portfolios, q.Now(), ended)
	if err != nil {
		return nil, err
	}
	return RetirementByID(ctx, q, unitID, *id)
}

// mayRetire refuses what Retire refuses whatever the unit holds.
func mayRetire(ctx context.Context, q db.Q, unitID int64, in Intent) error {
	type unit struct {
		Code string     `db:"code"`
		End  clock.Date `db:"end_date"`
	}
	u, err := db.OneOf[unit](ctx, q, "unit", `SELECT code, end_date FROM units WHERE id = $1`, unitID)
	if err != nil {
		return err
	}
	list, err := Retirements(ctx, q, unitID)
	busy := slices.ContainsFunc(list, func(r Retirement) bool { return r.State == Running || r.State == Undoing })
	hidden := slices.IndexFunc(list, func(r Retirement) bool { return r.Plan == Anonymise && r.Undoable })
	switch {
	case err != nil:
		return err
	case !slices.Contains(Plan("").Enum(), string(in.Plan)):
		return fault.Field(fault.Refused, "plan", "must be keep, anonymise or delete_work")
	case in.Confirm != u.Code:
		return fault.Field(fault.Refused, "confirm", "must be the code of the unit, %s", u.Code)
	case !u.End.Before(clock.Day(q.Now().Time)):
		return fault.New(fault.Conflict, "This unit runs until %s. Decide about its work once it is over.", u.End.Told())
	case busy:
		return fault.New(fault.Conflict, "A decision on the work of this unit is being carried out or undone. Wait until "+
			"that is done.")
	case hidden >= 0 && in.Plan != KeepAll:
		return fault.New(fault.Conflict, "The work of this unit was anonymised, which can be undone until %s. Undo it "+
			"first, or decide again after that day.", clock.Day(list[hidden].KeptUntil.Time).Told())
	}
	return nil
}
