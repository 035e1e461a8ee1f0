package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/taskdef"
)

// SaveRubric makes the rubric of a task definition what the change says, and the quality points of the task with it
// where it says so, for whoever holds policy.EditDefinitions. It refuses what rubric.Save refuses.
func (s *Service) SaveRubric(ctx context.Context, who *access.Caller, definitionID int64,
	c rubric.Change) (*rubric.Rubric, error) {
	c.UserID = who.ID
	return changeAlone(ctx, s.DB, func(q db.Q) (*rubric.Rubric, error) {
		r, err := rubric.Save(ctx, q, definitionID, c)
		if err != nil {
			return nil, err
		}
		return r, rubricChanged(ctx, q, definitionID, c.Quality())
	})
}

// rubricChanged carries a change of a rubric to its task.
func rubricChanged(ctx context.Context, q db.Q, definitionID int64, maxQuality *int64) error {
	d, err := taskdef.DefinitionByID(ctx, q, definitionID)
	if err != nil {
		return err
	}
	if maxQuality != nil && *maxQuality != d.MaxQualityPts {
		_, err := taskdef.ChangeDefinition(ctx, q, definitionID, taskdef.DefinitionChange{MaxQualityPts: maxQuality})
		return err
	}
	return course.TouchUnit(ctx, q, d.UnitID)
}

// RemoveRubric leaves a task definition without a rubric, for whoever holds policy.EditDefinitions. What was marked
// with it keeps it. It refuses what rubric.Remove refuses.
func (s *Service) RemoveRubric(ctx context.Context, definitionID int64, seen *int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := rubric.Remove(ctx, q, definitionID, seen); err != nil {
			return err
		}
		return rubricChanged(ctx, q, definitionID, nil)
	})
}

// CopyRubric makes the rubric of a task definition that of another task, of any unit whose definitions the caller may
// change as well (policy.EditDefinitions). It is fault.Missing where that task has none, and refuses what
// SaveRubric refuses.
func (s *Service) CopyRubric(ctx context.Context, who *access.Caller, definitionID, from int64,
	c rubric.Change) (*rubric.Rubric, error) {
	var err error
	if c.Criteria, err = s.CriteriaOf(ctx, who, from); err != nil {
		return nil, err
	}
	return s.SaveRubric(ctx, who, definitionID, c)
}

// CriteriaOf reads the criteria of another task, of any unit whose definitions the caller may change
// (policy.EditDefinitions), to be those of a task of theirs. It is fault.Missing where that task has none.
func (s *Service) CriteriaOf(ctx context.Context, who *access.Caller, from int64) (rubric.Criteria, error) {
	other, err := view(ctx, s.DB, func(q db.Q) (*rubric.Rubric, error) { return rubricToCopy(ctx, q, who, from) })
	if err != nil {
		return nil, err
	}
	return other.Criteria.Copied(), nil
}

// rubricToCopy reads a rubric that the caller may copy.
func rubricToCopy(ctx context.Context, q db.Q, who *access.Caller, from int64) (*rubric.Rubric, error) {
	d, err := taskdef.DefinitionByID(ctx, q, from)
	if err != nil {
		return nil, err
	}
	if _, err := access.Permit(ctx, q, *who, access.Scope{Unit: d.UnitID}, policy.EditDefinitions); err != nil {
		return nil, err
	}
	return rubric.Of(ctx, q, from)
}

// ImportRubric makes the rubric of a task definition what a sheet says, for whoever holds policy.EditDefinitions.
// A row that cannot be used is reported and keeps all others back. It refuses what SaveRubric refuses.
func (s *Service) ImportRubric(ctx context.Context, who *access.Caller, definitionID int64, f Sheet,
	c rubric.Change) (*sheet.Report, error) {
	c.UserID = who.ID
	return s.importSheet(ctx, f, rubric.Sheet, func(q db.Q, rows *sheet.Reader) (*sheet.Report, error) {
		report, r, err := rubric.Import(ctx, q, definitionID, c, rows)
		if err != nil || r == nil {
			return report, err
		}
		if c.Fits {
			c.MaxQuality = r.Points
		}
		return report, rubricChanged(ctx, q, definitionID, c.MaxQuality)
	})
}
