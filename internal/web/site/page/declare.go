package page

import (
	"context"
	"net/http"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/endpoint"
)

// Show declares a page that is read.
func Show[In any](s *Site, path string, right policy.Rule, title string,
	h func(ctx context.Context, who *access.Caller, in In) (*Page, error), opts ...endpoint.Option) {
	endpoint.Route(s.Server, "GET "+path, http.StatusOK, right, title, h, opts...)
}

// Form declares what a form of a page does: it leads to another page, or draws
// the form again with what was wrong.
func Form[In any](s *Site, path string, right policy.Rule, title string,
	h func(ctx context.Context, who *access.Caller, in In) (endpoint.Drawing, error), opts ...endpoint.Option) {
	endpoint.Route(s.Server, "POST "+path, http.StatusSeeOther, right, title, h, opts...)
}
