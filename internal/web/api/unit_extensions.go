package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) unitExtensionRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/extensions", 200, policy.SeeExtensions,
		"List the requests for more time of a unit", s.listExtensions)
	endpoint.Route(s.Server, "POST /api/units/{id}/extensions", 200, policy.SeeExtensions,
		"Grant or reject many requests for more time, or tell what would become of them", s.decideExtensions,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade),
		endpoint.Also(422, "no request is named, or too many"))
}

type listExtensionsIn struct {
	UnitID       int64             `path:"id" scope:"unit"`
	Decided      bool              `param:"decided" doc:"those that were decided on, newest first; without it those that wait, oldest first"`
	Mine         bool              `param:"mine" doc:"only the students of the caller's own tutorials"`
	TutorialID   params.Opt[int64] `param:"tutorial_id" doc:"only the students of this tutorial"`
	DefinitionID params.Opt[int64] `param:"task_definition_id" doc:"only requests for this task"`
	paging
}

func (s *Server) listExtensions(ctx context.Context, who *access.Caller,
	in listExtensionsIn) (endpoint.List[work.ListedExtension], error) {
	l := work.Extensions{UnitID: in.UnitID, CallerID: who.ID, Decided: in.Decided, Mine: in.Mine,
		TutorialID: in.TutorialID.Or(0), DefinitionID: in.DefinitionID.Or(0)}
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]work.ListedExtension, int64, error) {
		l.Page = p
		return l.Rows(ctx, q)
	})
}

type decideExtensionsIn struct {
	UnitID     int64   `path:"id" scope:"unit"`
	Extensions []int64 `param:"extensions,required" doc:"the numbers of the requests, at most 500"`
	Granted    bool    `param:"granted,required" doc:"grant them; false rejects them"`
	DryRun     bool    `param:"dry_run" doc:"tell what would become of each and change nothing"`
}

func (s *Server) decideExtensions(ctx context.Context, who *access.Caller,
	in decideExtensionsIn) ([]work.DecidedExtension, error) {
	b := work.ExtensionBatch{UnitID: in.UnitID, IDs: in.Extensions, Grant: in.Granted}
	if in.DryRun {
		return view(ctx, s.db, func(q db.Q) ([]work.DecidedExtension, error) {
			return work.PlanExtensions(ctx, q, who.ID, b)
		})
	}
	return s.usecases.DecideExtensions(ctx, who, b)
}
