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
	return s.doors.Listen(ctx, who, in.LastEventID)
}

// htmxConfig lets htmx do nothing that the policy of pages would refuse, and keep
// nothing of a page in the browser. Where a request is refused, the answer is a
// whole page, which takes the place of this one: it has the form again with what was
// wrong.
const htmxConfig = `{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,` +
	`"historyCacheSize":0,"refreshOnHistoryMiss":true,"selfRequestsOnly":true,"responseHandling":[` +
	`{"code":"204","swap":false},{"code":"[23]..","swap":true},` +
	`{"code":"[45]..","swap":true,"error":true,"target":"#main","select":"#main","swapOverride":"outerHTML"}]}`
