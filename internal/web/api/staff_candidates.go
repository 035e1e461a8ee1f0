package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/search"
	"lectern/internal/web/endpoint"
)

func (s *Server) candidateRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/staff/candidates", 200, policy.FindTeachers,
		"Find those who may teach by three characters of their name, to employ them: at most 20", s.findCandidates,
		endpoint.Also(422, "fewer than three characters"), endpoint.Costs(endpoint.Lookups))
}

type findCandidatesIn struct {
	UnitID int64  `path:"unit_id" scope:"unit"`
	Text   string `param:"text,required" doc:"each word begins a word of the name; three characters or more"`
}

// candidates are those who were found, by name.
type candidates struct {
	People []search.Teacher `json:"people"`
}

func (s *Server) findCandidates(ctx context.Context, _ *access.Caller, in findCandidatesIn) (*candidates, error) {
	list, err := search.Teachers(ctx, s.db.Pool(), in.Text)
	if err != nil {
		return nil, err
	}
	return &candidates{append([]search.Teacher{}, list...)}, nil
}
