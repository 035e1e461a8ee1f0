package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
)

func (s *Server) studentRoutes() {
	endpoint.Route(s.Server, "GET /api/students", 200, policy.ListStudents, "List the students of a unit",
		s.listStudents)
}

type listStudentsIn struct {
	UnitID    int64 `param:"unit_id,required" scope:"unit"`
	Withdraw  bool  `param:"withdraw" doc:"all students, not only the enrolled"`
	Withdrawn bool  `param:"withdrawn" doc:"only those who are withdrawn"`
	paging
}

func (s *Server) listStudents(ctx context.Context, who *access.Caller,
	in listStudentsIn) (endpoint.List[enrol.StudentEntry], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]enrol.StudentEntry, int64, error) {
		ask := enrol.StudentQuery{UnitID: in.UnitID, CallerID: who.ID, Page: p}
		if in.Withdrawn || !in.Withdraw {
			ask.Withdrawn = &in.Withdrawn
		}
		return enrol.Students(ctx, q, ask)
	})
}
