package taskpart

import (
	"context"
	"slices"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
)

// Rubric is what a task is marked by, as students see it: with the levels that it was given, where it was.
type Rubric struct {
	*rubric.Rubric
	Mark  *rubric.Mark
	Later *rubric.Rubric // by which work is marked now, where that is another; nil: it is not
}

// RubricOf is that of a task; nil where there is none.
func RubricOf(ctx context.Context, q db.Q, in In) (*Rubric, error) {
	on, err := rubric.Show(ctx, q, in.ProjectID, in.DefinitionID)
	if err != nil || on.Rubric == nil {
		return nil, err
	}
	return &Rubric{on.Rubric, on.Mark, on.Current}, nil
}

// RubricNow is that of a task which nobody began; nil where there is none.
func RubricNow(ctx context.Context, q db.Q, definitionID int64) (*Rubric, error) {
	now, err := rubric.Find(ctx, q, definitionID)
	if err != nil || now == nil {
		return nil, err
	}
	return &Rubric{Rubric: now}, nil
}

// Picked tells whether a level was picked.
func (r *Rubric) Picked(id int64) bool { return r.Mark != nil && slices.Contains(r.Mark.Levels, id) }

// AsNow is the rubric by which work is marked now.
func (r *Rubric) AsNow() *Rubric { return &Rubric{Rubric: r.Later} }
