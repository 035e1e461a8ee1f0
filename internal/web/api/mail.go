package api

import (
	"context"

	"lectern/internal/connect/notify"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) mailRoutes() {
	endpoint.Route(s.Server, "GET /api/admin/mail", 200, policy.SeeMail,
		"Tell how emails are doing: what was sent on which day, to how many people, and what failed", s.getMail)
	endpoint.Route(s.Server, "POST /api/admin/mail/send", 200, policy.ManageMail,
		"Try all emails at once that wait for another try or were given up", s.sendMail, endpoint.Audited(audit.Job))
}

func (s *Server) getMail(ctx context.Context, _ *access.Caller, _ none) (*usecase.Mail, error) {
	return s.usecases.MailOf(ctx)
}

func (s *Server) sendMail(ctx context.Context, _ *access.Caller, _ none) (*notify.Resent, error) {
	return s.usecases.SendMailNow(ctx)
}
