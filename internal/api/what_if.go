package api

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/api/params"
	"lectern/internal/db"
	"lectern/internal/grade"
	"lectern/internal/insight"
	"lectern/internal/policy"
)

func (s *Server) whatIfRoutes() {
	endpoint.Route(s.Server, "GET /api/projects/{id}/what_if", 200, policy.ReadProject,
		"Tell what another target grade would mean for a project, without saving it", s.whatIf)
}

type whatIfIn struct {
	ID          int64                   `path:"id" scope:"project"`
	TargetGrade params.Opt[grade.Grade] `param:"target_grade" doc:"0 to 3; the grade aimed for when absent"`
}

func (s *Server) whatIf(ctx context.Context, _ *access.Caller, in whatIfIn) (*insight.WhatIf, error) {
	return view(ctx, s.db, func(q db.Q) (*insight.WhatIf, error) {
		return insight.WhatIfOf(ctx, q, in.ID, in.TargetGrade.Ptr())
	})
}
