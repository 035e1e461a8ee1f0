package insight

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// points is the SQL of what a task t earns towards an outcome it is linked to by
// l, in tenths: the rating, times what the status is worth, times what the grade
// of its definition d is worth. Tenths are whole, so that sums are exact.
var points = "l.rating * " + worth("t.status", status.All, func(s status.Status) (string,
	float64) {
	return "'" + string(s) + "'", 10 * s.Weight()
}) +
	" * " + worth("d.target_grade", grade.Targets, func(g grade.Grade) (string, float64) {
	return strconv.Itoa(int(g)), g.Weight()
})

// worth writes a CASE that turns a column into whole numbers.
func worth[T any](column string, values []T, of func(T) (literal string, weight float64)) string {
	var b strings.Builder
	b.WriteString("CASE " + column)
	for _, v := range values {
		literal, weight := of(v)
		fmt.Fprintf(&b, " WHEN %s THEN %d", literal, int64(math.Round(weight)))
	}
	return b.String() + " ELSE 0 END"
}

// earned is what a student has towards an outcome, in one of their tutorials.
// A null outcome is work that is linked to none: the student counts all the same.
type earned struct {
	ProjectID  int64  `db:"project_id"`
	OutcomeID  *int64 `db:"learning_outcome_id"`
	TutorialID *int64 `db:"tutorial_id"`
	Tenths     int64  `db:"tenths"`
}

// selectEarned reads the progress of all enrolled students who have any task, by the unit's own alignments; of those
// for whom a condition on the project p holds.
func selectEarned(and string) string {
	return `(SELECT t.project_id, l.learning_outcome_id, CAST(coalesce(sum(` + points + `), 0) AS BIGINT) AS tenths
		FROM projects p JOIN tasks t ON t.project_id = p.id JOIN task_definitions d ON d.id = t.task_definition_id
		LEFT JOIN learning_outcome_links l ON l.task_definition_id = d.id AND l.task_id IS NULL
		WHERE p.unit_id = $1 AND p.enrolled` + and + ` GROUP BY t.project_id, l.learning_outcome_id)`
}

// ClassStats sums up, for each outcome of a unit, how far its students have
// come. A student without work for an outcome stands at 0; one without any work
// is left out.
func ClassStats(ctx context.Context, q db.Q, unitID int64) (map[int64]progress.Five, error) {
	return Class{UnitID: unitID}.outcomes(ctx, q)
}

// outcomes is ClassStats of some students.
func (c Class) outcomes(ctx context.Context, q db.Q) (map[int64]progress.Five, error) {
	outcomes, _, err := parts(ctx, q, c.UnitID)
	if err != nil {
		return nil, err
	}
	and, args := c.and([]any{c.UnitID})
	class := newClass()
	for r, err := range db.Each[earned](ctx, q, `SELECT project_id, learning_outcome_id, tenths FROM `+
		selectEarned(and)+` earned`, args...) {
		if err != nil {
			return nil, err
		}
		class.add(r)
	}
	return class.summaries(outcomes), nil
}

// ClassDetails is ClassStats for each tutorial of the unit, those without
// students included.
func ClassDetails(ctx context.Context, q db.Q, unitID int64) (map[int64]map[int64]progress.Five, error) {
	outcomes, tutorials, err := parts(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	classes := map[int64]*class{}
	for _, id := range tutorials {
		classes[id] = newClass()
	}
	for r, err := range db.Each[earned](ctx, q, `SELECT earned.project_id, learning_outcome_id, tutorial_id, tenths
		FROM `+selectEarned("")+` earned
		JOIN tutorial_enrolments e ON e.project_id = earned.project_id`, unitID) {
		if err != nil {
			return nil, err
		}
		if c := classes[*r.TutorialID]; c != nil {
			c.add(r)
		}
	}
	out := map[int64]map[int64]progress.Five{}
	for id, c := range classes {
		out[id] = c.summaries(outcomes)
	}
	return out, nil
}

// parts lists the outcomes and the tutorials of a unit.
func parts(ctx context.Context, q db.Q, unitID int64) (outcomes, tutorials []int64, err error) {
	type part struct {
		ID      int64 `db:"id"`
		Outcome bool  `db:"outcome"`
	}
	for p, err := range db.Each[part](ctx, q, `SELECT id, TRUE AS outcome FROM learning_outcomes WHERE unit_id = $1
		UNION ALL SELECT id, FALSE FROM tutorials WHERE unit_id = $1`, unitID) {
		switch {
		case err != nil:
			return nil, nil, err
		case p.Outcome:
			outcomes = append(outcomes, p.ID)
		default:
			tutorials = append(tutorials, p.ID)
		}
	}
	return outcomes, tutorials, nil
}

// class gathers the progress of some students.
type class struct {
	students map[int64]bool
	values   map[int64][]float64 // by outcome
}

func newClass() *class { return &class{map[int64]bool{}, map[int64][]float64{}} }

func (c *class) add(e earned) {
	c.students[e.ProjectID] = true
	if e.OutcomeID != nil {
		c.values[*e.OutcomeID] = append(c.values[*e.OutcomeID], float64(e.Tenths)/10)
	}
}

// summaries gives every outcome as many values as there are students.
func (c *class) summaries(outcomes []int64) map[int64]progress.Five {
	for _, id := range outcomes {
		c.values[id] = append(c.values[id], make([]float64, len(c.students)-len(c.values[id]))...)
	}
	return summaries(outcomes, c.values)
}

// Earned tells what a student has towards each outcome they have anything for, by
// the unit's own alignments.
func Earned(ctx context.Context, q db.Q, projectID int64) (map[int64]float64, error) {
	out := map[int64]float64{}
	for r, err := range db.Each[earned](ctx, q, `SELECT t.project_id, l.learning_outcome_id,
			CAST(coalesce(sum(`+points+`), 0) AS BIGINT) AS tenths
		FROM tasks t JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN learning_outcome_links l ON l.task_definition_id = d.id AND l.task_id IS NULL
		WHERE t.project_id = $1 GROUP BY t.project_id, l.learning_outcome_id`, projectID) {
		if err != nil {
			return nil, err
		}
		out[*r.OutcomeID] = float64(r.Tenths) / 10
	}
	return out, nil
}
