package unit

import (
	"context"
	"net/url"
	"strconv"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/trash"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) taskDeleteRoutes() {
	page.Show(s.Site, links.TaskEditor+"/delete", policy.SeeMaterial, "Ask before a task of a unit is deleted",
		s.askDeleteTask)
	page.Form(s.Site, links.TaskEditor+"/delete", policy.DeleteWork, "Delete a task of a unit; it can be restored",
		s.deleteTask, endpoint.Audited(audit.Definition))
	page.Form(s.Site, links.TaskSetup+"/restore", policy.DeleteWork, "Restore a task of a unit that was deleted",
		s.restoreTask, endpoint.Audited(audit.Definition, audit.Group))
}

// askDeleteTask says what of students goes with a task.
func (s *room) askDeleteTask(ctx context.Context, who *access.Caller, in taskIn) (*page.Page, error) {
	var d *taskdef.Definition
	var held *trash.Work
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if d, err = taskdef.DefinitionByID(ctx, q, in.DefinitionID); err == nil {
			held, err = trash.WorkOf(ctx, q, trash.Thing{Kind: trash.Definition, ID: in.DefinitionID})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	q := page.Question{About: d.Abbreviation + " " + d.Name, Text: s.Word("task-setup.delete-ask"),
		Action: in.path() + "/delete", Do: s.Word("task-setup.delete"), Back: in.path()}
	if held.Students > 0 {
		q.Text = s.Word("task-setup.delete-work", held.Students)
	}
	return s.Ask(who, q.Do, q), nil
}

// deleteTask deletes a task with all work for it, so that it can be restored as it was.
func (s *room) deleteTask(ctx context.Context, who *access.Caller, in taskIn) (endpoint.Drawing, error) {
	if err := s.Usecases.DeleteDefinition(ctx, who, in.DefinitionID, true); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: links.To(links.TaskSetup, in.UnitID) + "?" + url.Values{"done": {"deleted"},
		"about": {strconv.FormatInt(in.DefinitionID, 10)}}.Encode()}, nil
}

type restoreTaskIn struct {
	ID       int64 `path:"id" scope:"unit"`
	Deletion int64 `param:"deletion"`
}

func (s *room) restoreTask(ctx context.Context, who *access.Caller, in restoreTaskIn) (endpoint.Drawing, error) {
	if _, err := s.Usecases.RestoreDeleted(ctx, who, in.ID, in.Deletion); err != nil {
		return s.tasksAgain(ctx, who, in.ID, err)
	}
	return endpoint.Redirect{To: links.To(links.TaskSetup, in.ID) + "?done=restored"}, nil
}
