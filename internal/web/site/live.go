package site

import (
	"context"
	"net/http"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/endpoint"
)

func (s *Server) liveRoutes() {
	endpoint.Route(s.Server, "GET /live", http.StatusOK, policy.SignedIn, "Hear what happens while a page is open",
		s.live, endpoint.Also(http.StatusTooManyRequests, "too many pages are open"))
}

// live tells a page what happens, for assets/live.js. A page that comes back after
// it was hidden says in the address what it heard last; a browser that lost its
// connection says it in a header.
func (s *Server) live(ctx context.Context, who *access.Caller, in struct {
	LastEventID string `param:"last_event_id"`
}) (endpoint.Live, error) {
	return s.events.Listen(ctx, who, in.LastEventID)
}
