// Package insight is what people look at rather than read: the statistics of a
// unit, the sheets made from them, the pictures drawn of them, and a student's
// calendar of due dates. Everything is read by a constant number of statements,
// and nothing here changes what it shows.
package insight

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// Completion sums up how many tasks the enrolled students of a unit have
// completed. Who has completed none is left out. Of the unit and of each target
// grade a student is one; of the tutorials, one in each they are in.
type Completion struct {
	Unit     progress.Five                 `json:"unit"`
	Tutorial map[int64]progress.Five       `json:"tutorial"`
	Grade    map[grade.Grade]progress.Five `json:"grade"`
}

// completed is one student in one of their tutorials; none has a null.
type completed struct {
	ProjectID  int64       `db:"project_id"`
	Grade      grade.Grade `db:"target_grade"`
	Done       int         `db:"done"`
	TutorialID *int64      `db:"tutorial_id"`
}

// CompletionOf gives the summary with every tutorial and every grade in it.
func CompletionOf(ctx context.Context, q db.Q, unitID int64) (*Completion, error) {
	tutorials, err := db.All[int64](ctx, q, `SELECT id FROM tutorials WHERE unit_id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	g, err := doneBy(ctx, q, unitID, 1)
	return &Completion{Unit: progress.FiveOf(g.whole), Tutorial: summaries(tutorials, g.tutorial),
		Grade: summaries(grade.Targets, g.grade)}, err
}

// doneCounts is how many tasks each student has completed, by group.
type doneCounts struct {
	whole    []int
	tutorial map[int64][]int
	grade    map[grade.Grade][]int
}

// doneBy reads what the enrolled students have completed, of those with so many
// tasks at least.
func doneBy(ctx context.Context, q db.Q, unitID int64, least int) (g doneCounts, err error) {
	g.tutorial, g.grade = map[int64][]int{}, map[grade.Grade][]int{}
	last := int64(0)
	for r, err := range db.Each[completed](ctx, q, `SELECT p.id AS project_id, p.target_grade, coalesce(c.done, 0) AS
		done,
			e.tutorial_id
		FROM projects p LEFT JOIN (SELECT project_id, count(*) AS done FROM tasks
			WHERE unit_id = $1 AND status = $2 GROUP BY project_id) c ON c.project_id = p.id
		LEFT JOIN tutorial_enrolments e ON e.project_id = p.id WHERE p.unit_id = $1 AND p.enrolled ORDER BY p.id`,
		unitID, status.Complete) {
		if err != nil {
			return g, err
		}
		if r.Done < least {
			continue
		}
		if r.TutorialID != nil {
			g.tutorial[*r.TutorialID] = append(g.tutorial[*r.TutorialID], r.Done)
		}
		if r.ProjectID != last {
			last, g.whole, g.grade[r.Grade] = r.ProjectID, append(g.whole, r.Done), append(g.grade[r.Grade], r.Done)
		}
	}
	return g, nil
}

// summaries gives each group its five numbers, zeros where it has no values.
func summaries[K comparable, N int | float64](ids []K, values map[K][]N) map[K]progress.Five {
	out := make(map[K]progress.Five, len(ids))
	for _, id := range ids {
		out[id] = progress.FiveOf(values[id])
	}
	return out
}
