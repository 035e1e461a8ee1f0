package api

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/api/web"
	"lectern/internal/db"
	"lectern/internal/fault"
	"lectern/internal/policy"
)

func (s *Server) forgotRoutes() {
	web.Route(s.Server, "POST /api/auth/forgot", 201, policy.Anybody, "Get a link to choose a new password by mail", s.forgot,
		web.Also(429, "asked too often; Retry-After says how long to wait"), web.Also(503, "this installation sends no mails"))
}

var errNoMail = fault.New(fault.Unavailable, "This installation sends no mails. An administrator can make a link to set a password, to be passed on by hand.")

type forgotIn struct {
	Username string `param:"username,required"`
}

// forgot gives the same answer, after the same work, whoever is named.
func (s *Server) forgot(ctx context.Context, _ *access.Caller, in forgotIn) (web.Text, error) {
	if s.mailer == nil {
		return web.Text{}, errNoMail
	}
	err := s.door.Forgot(ctx, in.Username, web.Address(ctx), func(q db.Q, user int64) error { return s.mailer.Forgotten(ctx, q, user) })
	return web.Text{Message: "If there is such an account, a link to choose a new password is on its way to its address."}, err
}
