package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) acrossRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/task_counts", 200, policy.ReadStatistics,
		"Count the enrolled students at each status of each task", s.taskCounts)
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/task_definitions/{task_definition_id}/students", 200,
		policy.ListStudents, "List all enrolled students on one task, those who have not begun it, too", s.across)
	endpoint.Route(s.Server, "GET /api/projects/{id}/history", 200, policy.ReadTask,
		"List what happened to all tasks of a project, newest first", s.projectHistory)
}

type taskCountsIn struct {
	unitIn
	paging
}

func (s *Server) taskCounts(ctx context.Context, _ *access.Caller, in taskCountsIn) (endpoint.List[work.TaskTally],
	error) {
	list, err := work.Tallies(ctx, s.db.Pool(), in.ID)
	return short(in.paging, list, err)
}

type acrossIn struct {
	UnitID       int64                        `path:"unit_id" scope:"unit"`
	DefinitionID int64                        `path:"task_definition_id" scope:"definition"`
	Text         string                       `param:"text"`
	TutorialID   params.Opt[int64]            `param:"tutorial_id" doc:"of one tutorial; 0: without any"`
	Status       params.Opt[status.Status]    `param:"status" enum:"" doc:"at one status; all when absent"`
	HandedIn     params.Opt[bool]             `param:"handed_in" doc:"whether they have handed in; all when absent"`
	Sort         params.Opt[work.AcrossOrder] `param:"sort" enum:"" doc:"by name when absent"`
	paging
}

func (s *Server) across(ctx context.Context, who *access.Caller, in acrossIn) (endpoint.List[work.StudentTask],
	error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]work.StudentTask, int64, error) {
		return work.Across{DefinitionID: in.DefinitionID, CallerID: who.ID, TutorialID: in.TutorialID.Ptr(),
			Status: in.Status.V, HandedIn: in.HandedIn.Ptr(), Text: in.Text, Order: in.Sort.V, Page: p}.Students(ctx, q)
	})
}

type projectHistoryIn struct {
	ID int64 `path:"id" scope:"project"`
	paging
}

func (s *Server) projectHistory(ctx context.Context, _ *access.Caller,
	in projectHistoryIn) (endpoint.List[work.ProjectEntry], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]work.ProjectEntry, int64, error) {
		return work.ProjectHistory(ctx, q, in.ID, p)
	})
}
