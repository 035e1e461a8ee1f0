package rubric

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Levels are the numbers of levels that were picked, in the order of the criteria.
type Levels []int64

// Value implements driver.Valuer.
func (l Levels) Value() (driver.Value, error) {
	text, err := json.Marshal(append([]int64{}, l...))
	return string(text), err
}

// Scan implements sql.Scanner.
func (l *Levels) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read levels from %T", src)
	}
	*l = Levels{}
	return json.Unmarshal([]byte(text), (*[]int64)(l))
}

// Pick is what whoever marks picked in a rubric: at most one level of a criterion. None at all takes back
// what was picked before.
type Pick struct {
	RubricID int64   `json:"rubric_id" doc:"the number of the rubric"`
	Levels   []int64 `json:"levels" doc:"the numbers of the levels"`
	// Kept takes an earlier version of the task's rubric as well: what both markers of a sampled work picked in.
	Kept bool `json:"-"`
}

// Picked is a pick that the rubric has.
type Picked struct {
	*Rubric
	Levels Levels // in the order of the criteria
	Sum    *int   // what they add up to; nil while a criterion is left out, and where levels have no points
}

// Take looks a pick up for tasks of definitions, and keeps its rubric from being changed until the transaction ends.
// A rubric that is no longer the one of any of them to mark by is, unless Kept, fault.Conflict, which carries the one
// that is, if there is one definition and it has any. A level that the rubric does not have, or a second one of a
// criterion, is fault.Refused. It is for holders of policy.GradeTask.
func (p Pick) Take(ctx context.Context, q db.Q, definitions ...int64) (*Picked, error) {
	lock := ""
	if q.Postgres() {
		lock = " FOR SHARE OF r"
	}
	in, args := db.In([]any{p.RubricID, p.Kept}, definitions)
	list, err := db.All[Rubric](ctx, q, rubrics+`r.id = $1 AND (r.current OR $2) AND r.task_definition_id IN `+in+lock,
		args...)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, gone(ctx, q, definitions)
	}
	return list[0].Pick(p.Levels)
}

// gone tells that the rubric is no longer the one to mark by, and which is.
func gone(ctx context.Context, q db.Q, definitions []int64) error {
	changed := &fault.Error{Kind: fault.Conflict, Code: "rubric_changed", Text: "The rubric has changed since " +
		"you opened it, so nothing is saved. Pick the levels in the present one."}
	if len(definitions) != 1 {
		return changed
	}
	now, err := find(ctx, q, definitions[0])
	switch {
	case err != nil:
		return err
	case now != nil:
		changed.Stands = now
	default:
		changed.Text = "This task has no rubric, so nothing is saved. Mark it without one."
	}
	return changed
}

// Pick looks levels up in the rubric.
func (r *Rubric) Pick(levels []int64) (*Picked, error) {
	p := &Picked{Rubric: r, Levels: Levels{}}
	sum, points := 0, r.Points != nil
	left := slices.Clone(levels)
	for _, c := range r.Criteria {
		picked := false
		for _, l := range c.Levels {
			i := slices.Index(left, l.ID)
			switch {
			case i < 0:
				continue
			case picked:
				return nil, fault.Field(fault.Refused, "levels", "name two levels of %q: pick one", c.Title)
			}
			left = slices.Delete(left, i, i+1)
			picked = true
			p.Levels = append(p.Levels, l.ID)
			if l.Points != nil {
				sum += int(*l.Points)
			}
		}
		points = points && picked
	}
	if len(left) > 0 {
		return nil, fault.Field(fault.Refused, "levels", "name %d, which this rubric does not have, or which is "+
			"named already", left[0])
	}
	if points {
		p.Sum = &sum
	}
	return p, nil
}

// Mark are the levels that a task was given.
type Mark struct {
	RubricID int64      `json:"rubric_id" doc:"the number of the rubric they are of"`
	Version  int64      `json:"version" doc:"of that rubric"`
	Levels   Levels     `json:"levels" doc:"the numbers of the levels, in the order of the criteria"`
	Sum      *int64     `json:"sum" doc:"what they add up to; null while a criterion is left out, and without points"`
	ByHand   bool       `json:"by_hand" doc:"the quality points of the task were given by hand: they are not the sum"`
	At       clock.Time `json:"date" doc:"when they were given"`
	Given    *int64     `json:"-"` // the quality points of the task; nil: none
}

// MarkRow is a Mark beside other columns of a task; all nil where it was given no levels.
type MarkRow struct {
	RubricID *int64      `db:"rubric_id"`
	Version  *int64      `db:"rubric_version"`
	Levels   *Levels     `db:"rubric_levels"`
	Sum      *int64      `db:"rubric_sum"`
	ByHand   *bool       `db:"rubric_by_hand"`
	At       *clock.Time `db:"rubric_at"`
	Given    *int64      `db:"rubric_given"`
}

// Mark gives the levels of the row; nil where there are none.
func (r MarkRow) Mark() *Mark {
	if r.RubricID == nil {
		return nil
	}
	return &Mark{*r.RubricID, *r.Version, *r.Levels, r.Sum, *r.ByHand, *r.At, r.Given}
}

// MarkColumns are those of a MarkRow, of a task t whose row of rubric_marks JoinMark joins. For this and other
// packages.
const (
	MarkColumns = `rm.rubric_id, rb.version AS rubric_version, rm.levels AS rubric_levels, rm.points AS rubric_sum,
		rm.at AS rubric_at, CASE WHEN rm.id IS NOT NULL AND t.quality_pts >= 0 THEN t.quality_pts END AS rubric_given,
		rb.points IS NOT NULL AND t.quality_pts >= 0 AND (rm.points IS NULL OR rm.points <> t.quality_pts)
			AS rubric_by_hand`
	JoinMark = ` LEFT JOIN rubric_marks rm ON rm.task_id = t.id AND rm.present AND rm.levels <> '[]'
		LEFT JOIN rubrics rb ON rb.id = rm.rubric_id `
)

// MarksOf gives the levels that stand on tasks, by the tasks.
func MarksOf(ctx context.Context, q db.Q, tasks ...int64) (map[int64]Mark, error) {
	in, args := db.In(nil, tasks)
	return marks(ctx, q, `t.id IN `+in, args...)
}

// MarksIn gives the levels that stand on the tasks of a project, by the tasks.
func MarksIn(ctx context.Context, q db.Q, projectID int64) (map[int64]Mark, error) {
	return marks(ctx, q, `t.project_id = $1`, projectID)
}

func marks(ctx context.Context, q db.Q, where string, args ...any) (map[int64]Mark, error) {
	type row struct {
		TaskID int64 `db:"task_id"`
		MarkRow
	}
	out := map[int64]Mark{}
	for r, err := range db.Each[row](ctx, q, `SELECT t.id AS task_id, `+MarkColumns+` FROM tasks t `+JoinMark+
		`WHERE rm.id IS NOT NULL AND `+where, args...) {
		if err != nil {
			return nil, fmt.Errorf("read the levels of tasks: %w", err)
		}
		out[r.TaskID] = *r.Mark()
	}
	return out, nil
}

// Giving is a pick that is given to a task.
type Giving struct {
	TaskID    int64
	VerdictID *int64 // that it comes with, and goes with; nil: none
}

// Give gives tasks the levels that were picked, in the place of those they had, for whoever holds policy.GradeTask on
// them. The tasks are held. The number of statements does not depend on how many there are.
func (p *Picked) Give(ctx context.Context, q db.Q, userID int64, to []Giving) error {
	if len(to) == 0 {
		return nil
	}
	text, err := p.Levels.Value()
	if err != nil {
		return err
	}
	tasks, rows := make([]int64, len(to)), make([][]any, len(to))
	for i, g := range to {
		tasks[i] = g.TaskID
		rows[i] = []any{g.TaskID, p.ID, text, p.Sum, true, userID, g.VerdictID, q.Now()}
	}
	if !p.Used {
		if _, err := db.Exec(ctx, q, `UPDATE rubrics SET used = TRUE WHERE id = $1 AND NOT used`, p.ID); err != nil {
			return err
		}
	}
	in, args := db.In(nil, tasks)
	if _, err := db.Exec(ctx, q, `UPDATE rubric_marks SET present = FALSE WHERE present AND task_id IN `+in,
		args...); err != nil {
		return err
	}
	if err := db.Insert(ctx, q, `rubric_marks (task_id, rubric_id, levels, points, present, user_id, verdict_id, at)`, "",
		rows); err != nil {
		return fmt.Errorf("write the levels of tasks: %w", err)
	}
	return nil
}

// TakeBack takes back the levels that came with verdicts, for whoever gave these: those before stand again. It tells
// what was picked, by the tasks. They are held. It refuses nobody: its caller asks who may, as for policy.GradeTask.
func TakeBack(ctx context.Context, q db.Q, verdicts []int64) (map[int64]Pick, error) {
	type row struct {
		TaskID   int64  `db:"task_id"`
		RubricID int64  `db:"rubric_id"`
		Levels   Levels `db:"levels"`
	}
	in, args := db.In(nil, verdicts)
	gone, err := db.All[row](ctx, q, `DELETE FROM rubric_marks WHERE verdict_id IN `+in+
		` RETURNING task_id, rubric_id, levels`, args...)
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	out, tasks := map[int64]Pick{}, make([]int64, len(gone))
	for i, g := range gone {
		out[g.TaskID], tasks[i] = Pick{RubricID: g.RubricID, Levels: g.Levels}, g.TaskID
	}
	in, args = db.In(nil, tasks)
	_, err = db.Exec(ctx, q, `UPDATE rubric_marks SET present = TRUE WHERE id IN (SELECT max(m.id) FROM rubric_marks m
		WHERE m.task_id IN `+in+` GROUP BY m.task_id)`, args...)
	return out, err
}

// OnTask is the rubric of a student's task.
type OnTask struct {
	Rubric  *Rubric `json:"rubric" doc:"the one the task was marked with, else the one to mark by; null: none"`
	Mark    *Mark   `json:"mark" doc:"the levels it was given; null: none"`
	Current *Rubric `json:"current" doc:"the one to mark by now, where it is another; else null"`
}

// Show gives the rubric of the task of a project for a definition, with the levels that stand on it. It is for
// holders of policy.ReadTask on it.
func Show(ctx context.Context, q db.Q, projectID, definitionID int64) (*OnTask, error) {
	out := &OnTask{}
	// Those that concern the task, in one question: where there are none, nobody asks for levels.
	list, err := db.All[Rubric](ctx, q, rubrics+`r.task_definition_id = $1 AND (r.current OR r.id = (SELECT m.rubric_id
		FROM rubric_marks m JOIN tasks t ON t.id = m.task_id WHERE t.project_id = $2 AND t.task_definition_id = $1
		AND m.present))`, definitionID, projectID)
	if err != nil || len(list) == 0 {
		return out, err
	}
	given, err := marks(ctx, q, `t.project_id = $1 AND t.task_definition_id = $2`, projectID, definitionID)
	if err != nil {
		return nil, err
	}
	for _, m := range given { // one at most
		out.Mark = &m
	}
	var current *Rubric
	for i := range list {
		if list[i].Current {
			current = &list[i]
		}
		if out.Mark != nil && list[i].ID == out.Mark.RubricID {
			out.Rubric = &list[i]
		}
	}
	switch {
	case out.Rubric == nil:
		out.Rubric = current
	case out.Rubric != current:
		out.Current = current
	}
	return out, nil
}

// Now is the rubric to mark by; nil: there is none.
func (o *OnTask) Now() *Rubric {
	if o.Rubric == nil || o.Rubric.Current {
		return o.Rubric
	}
	return o.Current
}
