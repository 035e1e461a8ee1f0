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
		"List the requests for more time of a unit, and what was given without one", s.listExtensions,
		endpoint.Asks(policy.SeeGrantReasons))
	endpoint.Route(s.Server, "POST /api/units/{id}/extensions", 200, policy.SeeExtensions,
		"Grant or reject many requests for more time, or tell what would become of them", s.decideExtensions,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade),
		endpoint.Also(422, "no request is named, or too many"))
	endpoint.Route(s.Server, "POST /api/units/{id}/extensions/grants", 200, policy.GrantExtensions,
		"Give students an extension without a request, or tell what would become of it", s.grantExtensions,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade),
		endpoint.Also(422, "no student is named, too many, or a task of another unit"))
}

type listExtensionsIn struct {
	UnitID       int64             `path:"id" scope:"unit"`
	Decided      bool              `param:"decided" doc:"those that were decided on, newest first; without it those that wait, oldest first"`
	Mine         bool              `param:"mine" doc:"only the students of the caller's tutorials, their own or handed to them"`
	TutorialID   params.Opt[int64] `param:"tutorial_id" doc:"only the students of this tutorial"`
	DefinitionID params.Opt[int64] `param:"task_definition_id" doc:"only requests for this task"`
	paging
}

func (s *Server) listExtensions(ctx context.Context, who *access.Caller,
	in listExtensionsIn) (endpoint.List[work.ListedExtension], error) {
	l := work.Extensions{UnitID: in.UnitID, CallerID: who.ID, Decided: in.Decided, Mine: in.Mine,
		TutorialID: in.TutorialID.Or(0), DefinitionID: in.DefinitionID.Or(0), GrantReasons: who.May(policy.SeeGrantReasons)}
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

type grantExtensionsIn struct {
	UnitID       int64   `path:"id" scope:"unit"`
	DefinitionID int64   `param:"task_definition_id,required" doc:"the task"`
	Projects     []int64 `param:"projects,required" doc:"the projects of the students, at most 500"`
	Weeks        int     `param:"weeks,required" doc:"1 to 52; cut to what fits before the deadline"`
	Reason       string  `param:"reason,required" text:"lines" doc:"why, for convenors and the caller alone"`
	DryRun       bool    `param:"dry_run" doc:"tell what would become of each and change nothing"`
}

func (s *Server) grantExtensions(ctx context.Context, who *access.Caller,
	in grantExtensionsIn) ([]work.GivenExtension, error) {
	g := work.ExtensionGrant{UnitID: in.UnitID, DefinitionID: in.DefinitionID, Projects: in.Projects, Weeks: in.Weeks,
		Reason: in.Reason}
	if in.DryRun {
		return view(ctx, s.db, func(q db.Q) ([]work.GivenExtension, error) {
			return work.PlanGrant(ctx, q, who.ID, g)
		})
	}
	return s.usecases.GrantExtensions(ctx, who, g)
}
