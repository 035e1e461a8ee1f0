package student

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

// previewRoutes show a task to those who set it up as a student sees it who has not begun: by the templates
// of the student's page, of which nothing can be sent.
func (s *room) previewRoutes() {
	page.Show(s.Site, links.TaskPreview, policy.SeeMaterial, "A task as its students see it", s.preview)
	endpoint.Route(s.Server, "GET "+links.TaskPreview+"/sheet", 200, policy.SeeMaterial, "Task sheet, in a preview",
		s.previewSheet)
	endpoint.Route(s.Server, "GET "+links.TaskPreview+"/resources", 200, policy.SeeMaterial,
		"Resources of a task, in a preview", s.previewResources)
}

// previewIn names the task that is looked at.
type previewIn struct {
	UnitID       int64 `path:"unit_id" scope:"unit"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
}

// previewPage is the page of a task before anybody has begun it.
type previewPage struct {
	*taskPage
	Edit string // where it is changed
}

func (s *room) preview(ctx context.Context, who *access.Caller, in struct {
	previewIn
	Tab string `param:"tab"`
}) (*page.Page, error) {
	v := &taskPage{words: s.words, now: s.DB.Now(), Path: links.To(links.TaskPreview, in.UnitID, in.DefinitionID),
		MayComment: true, Reviews: &taskpart.Reviews{},
		Form: &handInForm{Declaration: s.Usecases.Declaration, MostFile: s.Usecases.MostFile}}
	v.TaskDetail = &usecase.TaskDetail{Project: &enrol.ProjectDetail{}, Submission: &submit.Details{},
		Now: &work.Refreshed{Status: status.NotStarted}, Talk: &work.Conversation{}}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Definition, err = taskdef.DefinitionByID(ctx, q, in.DefinitionID); err != nil {
			return err
		}
		if v.Rubric, err = taskpart.RubricNow(ctx, q, in.DefinitionID); err != nil {
			return err
		}
		u, err := course.UnitByID(ctx, q, in.UnitID)
		if err == nil {
			e := due.Columns{Target: v.Definition.TargetDate, Deadline: v.Definition.DueDate, UnitEnd: u.EndDate,
				TimeZone: u.TimeZone}.Dates().Explain()
			v.Due = &e
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Tab = v.chosen(in.Tab)
	v.Step = v.nextStep()
	p := s.Titled(who, "task-preview", v.Definition.Abbreviation+" "+v.Definition.Name,
		&previewPage{v, links.To(links.TaskEditor, in.UnitID, in.DefinitionID)})
	return p, nil
}

func (s *room) previewSheet(ctx context.Context, _ *access.Caller, in previewIn) (*endpoint.File, error) {
	return s.definitionFile(ctx, in.DefinitionID, taskdef.Sheet, ".pdf", "application/pdf")
}

func (s *room) previewResources(ctx context.Context, _ *access.Caller, in previewIn) (*endpoint.File, error) {
	return s.definitionFile(ctx, in.DefinitionID, taskdef.Resources, ".zip", "application/zip")
}
