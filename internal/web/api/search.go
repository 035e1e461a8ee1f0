package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/search"
	"lectern/internal/web/endpoint"
)

func (s *Server) searchRoutes() {
	endpoint.Route(s.Server, "GET /api/search", 200, policy.SignedIn,
		"Find units, tasks and people by the beginnings of words: at most 20 of each", s.search,
		endpoint.Asks(policy.FindPeople, policy.ListStudents))
}

type searchIn struct {
	Text string `param:"text" doc:"each word begins a word of what is found; people are found by two characters or more"`
}

func (s *Server) search(ctx context.Context, who *access.Caller, in searchIn) (*search.Found, error) {
	return search.Do(ctx, s.db.Pool(), who, in.Text)
}
