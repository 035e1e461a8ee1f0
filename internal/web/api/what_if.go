package api

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
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
