package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/presence"
	"lectern/internal/web/endpoint"
)

const presencePath = aTask + "/presence"

func (s *Server) presenceRoutes() {
	passing := endpoint.Unaudited("who looks at a task at this moment is forgotten within minutes")
	endpoint.Route(s.Server, "PUT "+presencePath, 200, policy.SeePresence, "Say that you look at a task, and hear who "+
		"else on the staff does", s.look, passing)
	endpoint.Route(s.Server, "DELETE "+presencePath, 204, policy.SeePresence, "Say that you look at a task no more",
		s.lookAway, passing)
}

type presenceOut struct {
	Others []presence.Looker `json:"others"`
	Renew  int64             `json:"renew"` // seconds
}

func (in taskIn) looked() presence.Task {
	return presence.Task{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID}
}

func (s *Server) look(ctx context.Context, who *access.Caller, in taskIn) (*presenceOut, error) {
	return changeBriefly(ctx, s.db, func(q db.Q) (*presenceOut, error) {
		if err := presence.Look(ctx, q, who.ID, in.looked()); err != nil {
			return nil, err
		}
		others, err := presence.Others(ctx, q, who.ID, in.looked())
		return &presenceOut{others, int64(presence.Renew.Seconds())}, err
	})
}

func (s *Server) lookAway(ctx context.Context, who *access.Caller, in taskIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.db.Brief(ctx, func(q db.Q) error {
		return presence.Leave(ctx, q, who.ID, in.looked())
	})
}
