package api

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) taskRoutes() {
	endpoint.Route(s.Server, "GET /api/tasks", 200, policy.ReadUnit,
		"List the tasks of a unit: a student's own, all for staff", s.listTasks, endpoint.Asks(policy.ListStudents))
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/task_definitions/{task_def_id}/tasks", 200, policy.GiveFeedback,
		"List the tasks of a task definition", s.listDefinitionTasks)
	endpoint.Route(s.Server, "PUT /api/projects/{id}/task_def_id/{task_definition_id}", 200, policy.ChangeTask,
		"Move, grade or change a task", s.changeTask,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review, audit.Portfolio),
		endpoint.Also(409, "the task's present status does not allow it"), endpoint.Asks(policy.GradeTask))
	endpoint.Route(s.Server, "GET /api/projects/{project_id}/refresh_tasks/{task_definition_id}", 200, policy.ReadTask,
		"Get the present status of a task", s.refreshTask)
	endpoint.Route(s.Server, "GET /api/projects/{id}/task_def_id/{task_definition_id}/due", 200, policy.ReadTask,
		"Explain the due date of a task", s.explainDue)
}

type listTasksIn struct {
	UnitID int64 `param:"unit_id,required" scope:"unit"`
	paging
}

func (s *Server) listTasks(ctx context.Context, who *access.Caller, in listTasksIn) (endpoint.List[work.UnitTask],
	error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]work.UnitTask, int64, error) {
		return usecase.TasksOfUnit(ctx, q, who, in.UnitID, p)
	})
}

type definitionTasksIn struct {
	UnitID       int64 `path:"unit_id" scope:"unit"`
	DefinitionID int64 `path:"task_def_id" scope:"definition"`
	paging
}

func (s *Server) listDefinitionTasks(ctx context.Context, who *access.Caller,
	in definitionTasksIn) (endpoint.List[work.DefinitionTask], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]work.DefinitionTask, int64, error) {
		return work.TasksOfDefinition(ctx, q, in.DefinitionID, who.ID, p)
	})
}

type changeTaskIn struct {
	ProjectID    int64                     `path:"id" scope:"project"`
	DefinitionID int64                     `path:"task_definition_id" scope:"definition"`
	Trigger      params.Opt[status.Status] `param:"trigger" doc:"the new status, by key, name or short word"`
	InPortfolio  params.Opt[bool]          `param:"include_in_portfolio"`
	Grade        params.Opt[grade.Grade]   `param:"grade" doc:"-1 (fail) to 3 (high distinction); staff only"`
	Quality      params.Opt[int]           `param:"quality_pts" doc:"up to the definition's most; -1 not rated; staff"`
}

func (s *Server) changeTask(ctx context.Context, who *access.Caller, in changeTaskIn) (*work.MovedTask, error) {
	return s.usecases.MoveTask(ctx, who, work.TaskRef{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID},
		work.Change{Trigger: plainText(in.Trigger), Grade: in.Grade.Ptr(), Quality: in.Quality.Ptr(),
			InPortfolio: in.InPortfolio.Ptr()})
}

type refreshTaskIn struct {
	ProjectID    int64 `path:"project_id" scope:"project"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
}

func (s *Server) refreshTask(ctx context.Context, _ *access.Caller, in refreshTaskIn) (*work.Refreshed, error) {
	return work.Refresh(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID)
}

type explainDueIn struct {
	ProjectID    int64 `path:"id" scope:"project"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
}

func (s *Server) explainDue(ctx context.Context, _ *access.Caller, in explainDueIn) (*due.Explanation, error) {
	return work.Explain(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID)
}
