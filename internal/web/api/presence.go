package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/presence"
	"lectern/internal/web/endpoint"
)

const presencePath = aTask + "/presence"

func (s *Server) presenceRoutes() {
	passing := endpoint.Unaudited("who looks at a task at this moment is forgotten within minutes")
	endpoint.Route(s.Server, "PUT "+presencePath, 200, policy.SeePresence, "Say that you look at a task, and hear who "+
		"else on the staff does", s.look, passing)
	endpoint.Route(s.Server, "DELETE "+presencePath, 204, policy.SeePresence, "Say that you look at a task no more",
		s.stopLooking, passing)
}

type presenceOut struct {
	Others []presence.Looker `json:"others"`
	Renew  int64             `json:"renew"` // seconds
}

func (s *Server) look(ctx context.Context, who *access.Caller, in taskIn) (*presenceOut, error) {
	others, err := s.usecases.LookAtTask(ctx, who, in.place())
	return &presenceOut{others, int64(presence.Renew.Seconds())}, err
}

func (s *Server) stopLooking(ctx context.Context, who *access.Caller, in taskIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.StopLooking(ctx, who, in.place())
}
