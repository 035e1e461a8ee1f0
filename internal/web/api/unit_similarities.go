package api

import (
	"context"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

const casesPath = "/api/units/{unit_id}/similarities"

func (s *Server) unitSimilarityRoutes() {
	names := endpoint.Asks(policy.SeeSimilarities)
	endpoint.Route(s.Server, "GET "+casesPath, 200, policy.SeeClusters,
		"List the work of a unit that is alike, both sides of a pair as one case, and what was decided", s.listCases, names)
	endpoint.Route(s.Server, "POST "+casesPath+"/decisions", 200, policy.DecideCases,
		"Decide on cases of similar work of a unit, with a reason", s.decideCases, endpoint.Audited(audit.Similarity),
		names, endpoint.Also(404, "one of the cases is not there"),
		endpoint.Also(409, "somebody decided on one of them since it was seen"))
	endpoint.Route(s.Server, "GET "+casesPath+"/counts", 200, policy.SeeClusters,
		"Count the cases of similar work of a unit", s.countCases, names)
	endpoint.Route(s.Server, "GET "+casesPath+"/clusters", 200, policy.SeeClusters,
		"List which cases of similar work of a unit hang together", s.caseClusters, names)
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/tii_held", 200, policy.SteerOutside,
		"Tell what the similarity service holds of a unit", s.outsideHeld)
}

type listCasesIn struct {
	underUnit
	State        similarity.State  `param:"state" enum:"" doc:"only cases in this state"`
	DefinitionID params.Opt[int64] `param:"task_definition_id" doc:"only of this task"`
	TutorialID   params.Opt[int64] `param:"tutorial_id" doc:"only with a student of this tutorial on either side"`
	Type         string            `param:"type" enum:"LecternTaskSimilarity,TiiTaskSimilarity" doc:"of one origin"`
	Least        params.Opt[int64] `param:"min_pct" doc:"only from so many percent on"`
	Cluster      params.Opt[int64] `param:"cluster" doc:"only what hangs together with this case"`
	paging
}

func (s *Server) listCases(ctx context.Context, who *access.Caller, in listCasesIn) (endpoint.List[similarity.Case],
	error) {
	f := similarity.Filter{State: in.State, DefinitionID: in.DefinitionID.Or(0),
		TutorialID: in.TutorialID.Or(0), Type: similarity.Type(in.Type), Least: int(min(max(in.Least.Or(0), 0), 101)),
		Cluster: in.Cluster.Or(0)}
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]similarity.Case, int64, error) {
		u, err := similarity.CasesIn(ctx, q, who, in.UnitID)
		if err != nil {
			return nil, 0, err
		}
		f.Page = p
		return u.List(ctx, q, f)
	})
}

type decideCasesIn struct {
	underUnit
	Cases    []int64  `param:"cases,required" doc:"the numbers of the cases, at most 500"`
	Decision string   `param:"decision,required" enum:"not_a_concern,asked,reported" doc:"the decision"`
	Reason   string   `param:"reason,required" doc:"why, for the staff; at most 2,000 characters"`
	Seen     []string `param:"seen" doc:"decided_at of each of them as it was seen, in their order; empty: null"`
}

// seen tells by case when it was decided on as the caller saw it; nil where they do not say.
func (in *decideCasesIn) seen() (similarity.Seen, error) {
	if len(in.Seen) == 0 {
		return nil, nil
	}
	if len(in.Seen) != len(in.Cases) {
		return nil, fault.Field(fault.Refused, "seen", "must have one entry for each of cases")
	}
	out := similarity.Seen{}
	for i, id := range in.Cases {
		at, err := similarity.SeenAt(in.Seen[i])
		if err != nil {
			return nil, err
		}
		out[id] = at
	}
	return out, nil
}

func (s *Server) decideCases(ctx context.Context, who *access.Caller, in decideCasesIn) ([]similarity.Case, error) {
	seen, err := in.seen()
	if err != nil {
		return nil, err
	}
	return s.usecases.DecideCases(ctx, who, in.UnitID, similarity.Verdict{Cases: in.Cases,
		Decision: similarity.State(in.Decision), Reason: in.Reason, Seen: seen})
}

func (s *Server) countCases(ctx context.Context, who *access.Caller, in underUnit) (*similarity.Counts, error) {
	return view(ctx, s.db, func(q db.Q) (*similarity.Counts, error) {
		u, err := similarity.CasesIn(ctx, q, who, in.UnitID)
		if err != nil {
			return nil, err
		}
		n := u.Counts()
		return &n, nil
	})
}

type caseClustersIn struct {
	underUnit
	paging
}

func (s *Server) caseClusters(ctx context.Context, who *access.Caller,
	in caseClustersIn) (endpoint.List[similarity.CaseCluster], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]similarity.CaseCluster, int64, error) {
		u, err := similarity.CasesIn(ctx, q, who, in.UnitID)
		if err != nil {
			return nil, 0, err
		}
		return u.Clusters(ctx, q, p)
	})
}

func (s *Server) outsideHeld(ctx context.Context, _ *access.Caller, in underUnit) (*turnitin.Held, error) {
	return view(ctx, s.db, func(q db.Q) (*turnitin.Held, error) { return turnitin.HeldOf(ctx, q, in.UnitID) })
}
