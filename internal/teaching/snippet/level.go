package snippet

import (
	"context"
	"fmt"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
)

// Level is the level of a rubric that a reusable comment is for.
type Level struct {
	ID        int64
	Criterion string // its title
	Name      string
}

// levelOf finds a level by the number that it keeps in all versions of a rubric; nil where the rubric has it no more.
func levelOf(r rubric.Rubric, id int64) *Level {
	c, l := r.Level(id)
	if c == nil {
		return nil
	}
	return &Level{l.ID, c.Title, l.Name}
}

// place finds the levels that reusable comments are for in the rubrics that their tasks are marked by now, in one
// statement. One whose level is there no more is for its task alone.
func place(ctx context.Context, q db.Q, list []Snippet) error {
	var tasks []int64
	for _, s := range list {
		if s.LevelID != nil && s.DefinitionID != nil {
			tasks = append(tasks, *s.DefinitionID)
		}
	}
	var rubrics map[int64]rubric.Rubric
	if len(tasks) > 0 {
		var err error
		if rubrics, err = rubric.OfTasks(ctx, q, tasks...); err != nil {
			return fmt.Errorf("read the levels of reusable comments: %w", err)
		}
	}
	for i := range list {
		s := &list[i]
		if s.LevelID != nil && s.DefinitionID != nil {
			s.Level = levelOf(rubrics[*s.DefinitionID], *s.LevelID)
		}
		if s.Level == nil {
			s.LevelID = nil
		}
	}
	return nil
}

// hasLevel refuses a level that the rubric of the task does not have.
func hasLevel(ctx context.Context, q db.Q, definitionID, levelID *int64) error {
	if levelID == nil {
		return nil
	}
	if definitionID == nil {
		return fault.Field(fault.Refused, "level_id", "needs a task: only the rubric of a task has levels")
	}
	r, err := rubric.Find(ctx, q, *definitionID)
	if err != nil {
		return err
	}
	if r == nil || levelOf(*r, *levelID) == nil {
		return fault.Field(fault.Refused, "level_id", "is %d, which the rubric of this task does not have", *levelID)
	}
	return nil
}

// sameLevel is the condition that a row is for the same level. One whose level the rubric has no more is for none.
func (n New) sameLevel(ctx context.Context, q db.Q, args []any) (string, []any, error) {
	if n.LevelID != nil {
		args = append(args, *n.LevelID)
		return fmt.Sprintf("level_key = $%d", len(args)), args, nil
	}
	if n.DefinitionID == nil {
		return "TRUE", args, nil
	}
	r, err := rubric.Find(ctx, q, *n.DefinitionID)
	if err != nil || r == nil {
		return "TRUE", args, err
	}
	in, args := db.In(args, r.LevelIDs())
	return "(level_key IS NULL OR level_key NOT IN " + in + ")", args, nil
}
