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

// points is the SQL of what a task t earns towards an outcome it is linked to by l, in tenths: the rating, times what
// the status is worth, times what the grade of its definition d is worth. Tenths are whole, so that sums are exact.
var points = "l.rating * " + worth("t.status", status.All, func(s status.Status) (string, float64) {
	return "'" + string(s) + "'", 10 * s.Weight()
}) + " * " + worth("d.target_grade", grade.Targets, func(g grade.Grade) (string, float64) {
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
	earned, err := c.earned(ctx, q)
	if err != nil {
		return nil, err
	}
	class := newClass()
	for _, e := range earned {
		class.add(e)
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
	earned, err := Class{UnitID: unitID}.earned(ctx, q)
	if err != nil {
		return nil, err
	}
	for m, err := range enrolments(ctx, q, unitID) {
		if err != nil {
			return nil, err
		}
		if c, e := classes[m.TutorialID], earned[m.ProjectID]; c != nil && e != nil {
			c.add(e)
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
	students int
	values   map[int64][]float64 // by outcome
}

func newClass() *class { return &class{values: map[int64][]float64{}} }

// add adds what a student has earned, in tenths by outcome.
func (c *class) add(earned map[int64]int64) {
	c.students++
	for id, tenths := range earned {
		c.values[id] = append(c.values[id], float64(tenths)/10)
	}
}

// summaries gives every outcome as many values as there are students.
func (c *class) summaries(outcomes []int64) map[int64]progress.Five {
	for _, id := range outcomes {
		c.values[id] = append(c.values[id], make([]float64, c.students-len(c.values[id]))...)
	}
	return summaries(outcomes, c.values)
}

// Earned tells what a student has towards each outcome they have anything for, by
// the unit's own alignments.
func Earned(ctx context.Context, q db.Q, projectID int64) (map[int64]float64, error) {
	out := map[int64]float64{}
	for r, err := range db.Each[struct {
		OutcomeID int64 `db:"learning_outcome_id"`
		Tenths    int64 `db:"tenths"`
	}](ctx, q, `SELECT l.learning_outcome_id, CAST(coalesce(sum(`+points+`), 0) AS BIGINT) AS tenths
		FROM tasks t JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN learning_outcome_links l ON l.task_definition_id = d.id AND l.task_id IS NULL
		WHERE t.project_id = $1 GROUP BY l.learning_outcome_id`, projectID) {
		if err != nil {
			return nil, err
		}
		out[r.OutcomeID] = float64(r.Tenths) / 10
	}
	return out, nil
}
