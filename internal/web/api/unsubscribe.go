package api

import (
	"context"
	"fmt"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
)

func (s *Server) unsubscribeRoutes() {
	unknown := endpoint.Also(404, "the link is not one of ours")
	endpoint.Route(s.Server, "GET /api/unsubscribe/{token}", 200, policy.Anybody, "Tell what a link to unsubscribe "+
		"does", s.aboutUnsubscribing, unknown)
	endpoint.Route(s.Server, "POST /api/unsubscribe/{token}", 200, policy.Anybody, "Turn a kind of mails off, by the "+
		"link in one of them", s.unsubscribe,
		endpoint.Audited(audit.Account), unknown)
}

type unsubscribeIn struct {
	Token string `path:"token"`
}

// aboutUnsubscribing changes nothing: programs that look at links in mails
// open them all.
func (s *Server) aboutUnsubscribing(ctx context.Context, _ *access.Caller, in unsubscribeIn) (endpoint.Text, error) {
	p, err := notify.CheckToken(ctx, s.db.Pool(), in.Token)
	return endpoint.Text{Message: fmt.Sprintf("This link turns your emails about %s off. Nothing has changed yet. Use "+
		"the unsubscribe button of your mail program, "+
		"or sign in and change what you get by email: %s", subject(p), s.usecases.PublicURL+links.ProfileEmail)}, err
}

func (s *Server) unsubscribe(ctx context.Context, _ *access.Caller, in unsubscribeIn) (endpoint.Text, error) {
	p, err := s.usecases.Unsubscribe(ctx, in.Token)
	return endpoint.Text{Message: "You will get no more emails about " + subject(p) + "."}, err
}

// subject is what the mails of a preference are about.
func subject(p notify.Preference) string {
	return map[notify.Preference]string{notify.Task: "comments, extensions and submissions",
		notify.Portfolio: "your portfolio",
		notify.Feedback:  "feedback and the past week", notify.Announcement: "announcements"}[p]
}
