package marking

import (
	"context"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
)

// snippetFor is the part of a form that says what a reusable comment is for: a task, and a level of its rubric. The
// levels of another task than the one that stands there are shown after a press: without script too.
type snippetFor struct {
	Definitions  []taskdef.Definition
	DefinitionID int64
	LevelID      int64
	Rubric       *rubric.Rubric // of that task; nil: it has none
	Choosing     bool           // its levels were asked for
}

// AnyLevels tells whether any task has levels to choose from.
func (f *snippetFor) AnyLevels() bool {
	for i := range f.Definitions {
		if f.Definitions[i].HasRubric {
			return true
		}
	}
	return false
}

// open fills the form that is open, for a new one or for one that is changed.
func (v *snippetsPage) open(ctx context.Context, q db.Q) (err error) {
	f := &snippetFor{Definitions: v.Definitions, Choosing: v.Typed.Levels, DefinitionID: v.Typed.DefinitionID,
		LevelID: v.Typed.LevelID}
	if !v.New {
		i := v.editing()
		if i < 0 {
			return nil
		}
		if was := v.Rows[i]; v.Typed.id != was.ID {
			f.DefinitionID, f.LevelID = opt.Or(was.DefinitionID, 0), opt.Or(was.LevelID, 0)
		}
	}
	v.For = f
	if f.DefinitionID != 0 {
		f.Rubric, err = rubric.Find(ctx, q, f.DefinitionID)
	}
	return err
}

// editing is the row with a form; -1: none has.
func (v *snippetsPage) editing() int {
	for i := range v.Rows {
		if v.Rows[i].Editing {
			return i
		}
	}
	return -1
}

// page is where the form stands.
func (in snippetIn) page() snippetsIn {
	return snippetsIn{UnitID: in.UnitID, Edit: in.id, New: in.id == 0}
}

// choosing tells whether nothing is to be saved yet: the levels of a task are asked for, or one was chosen and then
// another task, whose levels are others with the same numbers.
func (in snippetIn) choosing() bool {
	return in.Levels || in.LevelID != 0 && in.LevelOf != in.DefinitionID
}

// chooseLevel shows the form again as it was written, with the levels of its task.
func (s *room) chooseLevel(ctx context.Context, who *access.Caller, in snippetIn) (endpoint.Drawing, error) {
	in.Levels = true
	if in.LevelOf != in.DefinitionID {
		in.LevelID = 0
	}
	p, err := s.snippetsWith(ctx, who, in.page(), in)
	if err != nil {
		return nil, err
	}
	return p, nil
}
