package moderation

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Reader is one of the staff who looks at samples.
type Reader struct {
	UserID int64
	All    bool // they hold policy.Moderate: they see every work, and both marks once the second is there
}

// row is a work of a sample as it is kept.
type row struct {
	ID           int64       `db:"id"`
	SampleID     int64       `db:"sample_id"`
	UnitID       int64       `db:"unit_id"`
	TaskID       int64       `db:"task_id"`
	ProjectID    int64       `db:"project_id"`
	DefinitionID int64       `db:"task_definition_id"`
	Abbreviation string      `db:"abbreviation"`
	TaskName     string      `db:"task_name"`
	Student      string      `db:"student"`
	IsGraded     bool        `db:"is_graded"`
	MaxQuality   int         `db:"max_quality_pts"`
	SubmittedAt  *clock.Time `db:"submitted_at"`
	RubricID     *int64      `db:"rubric_id"`
	AssignedID   *int64      `db:"assigned_id"`
	Assigned     *string     `db:"assigned"`
	Version      int64       `db:"version"`
	Own          bool        `db:"own"`
	Again        bool        `db:"again"`

	FirstBy      int64          `db:"first_by"`
	FirstName    string         `db:"first_name"`
	FirstAt      clock.Time     `db:"first_at"`
	FirstStatus  status.Status  `db:"first_status"`
	FirstGrade   *grade.Grade   `db:"first_grade"`
	FirstQuality *int           `db:"first_quality"`
	FirstLevels  *rubric.Levels `db:"first_levels"`

	SecondBy      *int64         `db:"second_by"`
	SecondName    *string        `db:"second_name"`
	SecondAt      *clock.Time    `db:"second_at"`
	SecondStatus  *status.Status `db:"second_status"`
	SecondGrade   *grade.Grade   `db:"second_grade"`
	SecondQuality *int           `db:"second_quality"`
	SecondLevels  *rubric.Levels `db:"second_levels"`
	SecondComment *string        `db:"second_comment"`
	Agreed        *bool          `db:"agreed"`

	Stands         *Stands        `db:"stands"`
	Reason         *string        `db:"reason"`
	SettledStatus  *status.Status `db:"settled_status"`
	SettledGrade   *grade.Grade   `db:"settled_grade"`
	SettledQuality *int           `db:"settled_quality"`
	SettledLevels  *rubric.Levels `db:"settled_levels"`
	SettledBy      *int64         `db:"settled_by"`
	SettledName    *string        `db:"settled_name"`
	SettledAt      *clock.Time    `db:"settled_at"`
}

// selectRows reads row; the reader is $2.
var selectRows = `SELECT w.id, w.sample_id, m.unit_id, w.task_id, t.project_id, t.task_definition_id, d.abbreviation,
		d.name AS task_name, o.first_name || ' ' || o.last_name AS student, d.is_graded, d.max_quality_pts, w.submitted_at,
		w.rubric_id, t.version, w.assigned_id, a.first_name || ' ' || a.last_name AS assigned,
		` + work.OwnWork("$2") + ` AS own,
		EXISTS (SELECT 1 FROM task_history h WHERE h.task_id = t.id AND h.assessed AND h.at > w.first_at
			AND ` + work.NotUndone + `) AS again,
		w.first_by, f.first_name || ' ' || f.last_name AS first_name, w.first_at, w.first_status, w.first_grade,
		w.first_quality, w.first_levels, w.second_by, s.first_name || ' ' || s.last_name AS second_name, w.second_at,
		w.second_status, w.second_grade, w.second_quality, w.second_levels, w.second_comment, w.agreed, w.stands, w.reason,
		w.settled_status, w.settled_grade, w.settled_quality, w.settled_levels, w.settled_by,
		c.first_name || ' ' || c.last_name AS settled_name, w.settled_at` + fromRows + `
	JOIN users o ON o.id = p.user_id JOIN users f ON f.id = w.first_by LEFT JOIN users a ON a.id = w.assigned_id
	LEFT JOIN users s ON s.id = w.second_by LEFT JOIN users c ON c.id = w.settled_by WHERE `

const (
	fromRows = ` FROM moderation_works w JOIN moderation_samples m ON m.id = w.sample_id JOIN tasks t ON t.id = w.task_id
		JOIN projects p ON p.id = t.project_id JOIN task_definitions d ON d.id = t.task_definition_id`
	// mayMark tells of a work whether the reader $2 may mark it now, whoever's work it is.
	mayMark = `(w.second_at IS NULL AND w.first_by <> $2 AND (w.assigned_id IS NULL OR w.assigned_id = $2))`
	// inState is the state of a work, as SQL.
	inState = `CASE WHEN w.settled_at IS NOT NULL THEN 'settled' WHEN w.second_at IS NULL THEN 'waits'
		WHEN w.agreed THEN 'agreed' ELSE 'differs' END`
)

// state is how far the work is.
func (r *row) state() State {
	switch {
	case r.SettledAt != nil:
		return Settled
	case r.SecondAt == nil:
		return Waits
	case opt.Or(r.Agreed, false):
		return Agreed
	}
	return Differs
}

func levels(l *rubric.Levels) rubric.Levels { return append(rubric.Levels{}, opt.Or(l, nil)...) }

func (r *row) first() Given {
	return Given{r.FirstStatus, r.FirstGrade, r.FirstQuality, levels(r.FirstLevels)}
}

func (r *row) second() Given {
	return Given{opt.Or(r.SecondStatus, ""), r.SecondGrade, r.SecondQuality, levels(r.SecondLevels)}
}

// mine tells whether somebody may mark the work now.
func (r *row) mine(userID int64) bool {
	return r.SecondAt == nil && !r.Own && r.FirstBy != userID && (r.AssignedID == nil || *r.AssignedID == userID)
}

// shown is the work as the reader may see it: what it was given only once the second mark is there.
func (r *row) shown(who Reader) Work {
	w := Work{ID: r.ID, SampleID: r.SampleID, UnitID: r.UnitID, TaskID: r.TaskID, ProjectID: r.ProjectID,
		DefinitionID: r.DefinitionID, Abbreviation: r.Abbreviation, TaskName: r.TaskName, Student: r.Student,
		State: r.state(), SubmittedAt: r.SubmittedAt, RubricID: r.RubricID, AssignedID: r.AssignedID,
		Assigned: opt.Or(r.Assigned, ""), Mine: r.mine(who.UserID)}
	if r.SecondAt == nil || !who.All && *r.SecondBy != who.UserID {
		return w
	}
	w.Again, w.TaskVersion = r.Again, &r.Version
	w.First = &Mark{r.first(), r.FirstBy, r.FirstName, r.FirstAt}
	w.Second = &SecondMark{Mark{r.second(), *r.SecondBy, *r.SecondName, *r.SecondAt}, opt.Or(r.SecondComment, "")}
	if r.SettledAt != nil {
		w.Settled = &Settlement{Mark{Given{opt.Or(r.SettledStatus, ""), r.SettledGrade, r.SettledQuality,
			levels(r.SettledLevels)}, *r.SettledBy, *r.SettledName, *r.SettledAt}, *r.Stands, *r.Reason}
	}
	return w
}

// Query says which works of samples are asked for, and which part of them.
type Query struct {
	UnitID       int64
	SampleID     int64 // 0: of all samples
	DefinitionID int64 // 0: of all tasks
	State        State // empty: in all
	Mine         bool  // only those that the reader may mark now
	Page         db.Page
}

// where picks the works of a query that a reader may see: none they have a part in, and of others than convenors those
// they are to mark, or marked a second time.
func (f Query) where(who Reader) (string, []any) {
	where, args := []string{"m.unit_id = $1", "NOT " + work.OwnWork("$2")}, []any{f.UnitID, who.UserID}
	add := func(format string, value any) {
		args = append(args, value)
		where = append(where, fmt.Sprintf(format, len(args)))
	}
	if !who.All {
		where = append(where, `(w.second_by = $2 OR `+mayMark+`)`)
	}
	if f.Mine {
		where = append(where, mayMark)
	}
	if f.SampleID != 0 {
		add("m.id = $%d", f.SampleID)
	}
	if f.DefinitionID != 0 {
		add("t.task_definition_id = $%d", f.DefinitionID)
	}
	if f.State != "" {
		add(inState+" = $%d", string(f.State))
	}
	return strings.Join(where, " AND "), args
}

// order has differences first, then what waits, as it was drawn.
const order = ` ORDER BY CASE WHEN w.settled_at IS NOT NULL THEN 3 WHEN w.second_at IS NULL THEN 1
	WHEN w.agreed THEN 2 ELSE 0 END, m.id, w.place`

func (f Query) rows(ctx context.Context, q db.Q, who Reader) ([]row, error) {
	where, args := f.where(who)
	n := len(args)
	return db.All[row](ctx, q, fmt.Sprintf(selectRows+where+order+` LIMIT $%d OFFSET $%d`, n+1, n+2),
		append(args, f.Page.Limit(), f.Page.Offset())...)
}

// List gives the works of samples of a unit, differences first, and tells how many there are, -1 where all were asked
// for. It is for holders of policy.SecondMark in the unit.
func (f Query) List(ctx context.Context, q db.Q, who Reader) (list []Work, total int64, err error) {
	total = -1
	if f.Page.Asked() {
		where, args := f.where(who)
		n, err := db.One[int64](ctx, q, `SELECT count(*)`+fromRows+` WHERE `+where, args...)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	rows, err := f.rows(ctx, q, who)
	for i := range rows {
		list = append(list, rows[i].shown(who))
	}
	return list, total, err
}

// Tally counts the works of a query by their states.
func (f Query) Tally(ctx context.Context, q db.Q, who Reader) (*Tally, error) {
	where, args := f.where(who)
	return db.One[Tally](ctx, q, `SELECT `+tally+fromRows+` WHERE `+where, args...)
}

const tally = `count(CASE WHEN w.second_at IS NULL THEN w.id END) AS waits,
	count(CASE WHEN w.agreed AND w.settled_at IS NULL THEN 1 END) AS agreed,
	count(CASE WHEN NOT w.agreed AND w.settled_at IS NULL THEN 1 END) AS differs, count(w.settled_at) AS settled`

// one reads a work of a unit, whoever may see it; fault.Missing where there is none.
func one(ctx context.Context, q db.Q, userID, unitID, id int64) (*row, error) {
	return db.OneOf[row](ctx, q, "sampled work", selectRows+`m.unit_id = $1 AND w.id = $3`, unitID, userID, id)
}

// ByID gives a work of a sample of a unit. It is for holders of policy.SecondMark in the unit; one that the reader has
// a part in, or neither marks nor convenes, is fault.Missing.
func ByID(ctx context.Context, q db.Q, who Reader, unitID, id int64) (*Work, error) {
	r, err := one(ctx, q, who.UserID, unitID, id)
	if err != nil {
		return nil, err
	}
	if r.Own || !who.All && !r.mine(who.UserID) && (r.SecondBy == nil || *r.SecondBy != who.UserID) {
		return nil, fault.New(fault.Missing, "This work is in no sample that you mark.")
	}
	w := r.shown(who)
	return &w, nil
}

// Samples lists the samples of a unit, the newest first, with how far each is, and tells how many there are, -1 where
// all were asked for. It is for holders of policy.Moderate in the unit.
func Samples(ctx context.Context, q db.Q, unitID int64, p db.Page) (list []Sample, total int64, err error) {
	total = -1
	if p.Asked() {
		n, err := db.One[int64](ctx, q, `SELECT count(*) FROM moderation_samples WHERE unit_id = $1`, unitID)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	list, err = db.All[Sample](ctx, q, `SELECT m.id, m.unit_id, m.seed, m.narrowed, m.spread, m.size, m.matched, m.user_id,
			u.first_name || ' ' || u.last_name AS name, m.at, `+tally+`
		FROM moderation_samples m JOIN users u ON u.id = m.user_id LEFT JOIN moderation_works w ON w.sample_id = m.id
		WHERE m.unit_id = $1 GROUP BY m.id, m.unit_id, m.seed, m.narrowed, m.spread, m.size, m.matched, m.user_id,
			u.first_name, u.last_name, m.at
		ORDER BY m.id DESC LIMIT $2 OFFSET $3`, unitID, p.Limit(), p.Offset())
	return list, total, err
}
