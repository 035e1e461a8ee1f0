package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

// preferenceRoutes are what a person's own pages stand on: how they look, and what
// waits on the first of them.
func (s *Server) preferenceRoutes() {
	endpoint.Route(s.Server, "GET /api/preferences", 200, policy.SignedIn, "Read how you want your pages",
		s.preferences)
	endpoint.Route(s.Server, "PUT /api/preferences", 200, policy.SignedIn, "Change how you want your pages",
		s.setPreferences, endpoint.Audited(audit.Account))
	endpoint.Route(s.Server, "GET /api/home", 200, policy.SignedIn, "Read what waits for you in the active units you "+
		"study and teach", s.home)
}

func (s *Server) preferences(ctx context.Context, who *access.Caller, _ none) (*ident.Preferences, error) {
	return ident.PreferencesOf(ctx, s.db.Pool(), who.ID)
}

type preferencesIn struct {
	Theme     *ident.Theme `param:"theme" doc:"system, light or dark; as it is without it"`
	Shortcuts *bool        `param:"shortcuts" doc:"whether keys that are one letter work; as it is without it"`

	Announcements *bool `param:"receive_announcement_notifications"`

	TimeZone params.Opt[string] `param:"time_zone" null:"clears" doc:"whose clock times are told on, such as Australia/Melbourne; as it is without it"`
}

func (s *Server) setPreferences(ctx context.Context, who *access.Caller, in preferencesIn) (*ident.Preferences, error) {
	c := usecase.PreferencesChange{Theme: in.Theme, Shortcuts: in.Shortcuts, Announcements: in.Announcements}
	if in.TimeZone.Set {
		c.TimeZone = &in.TimeZone.V // empty where it is cleared
	}
	return s.usecases.SetPreferences(ctx, who, c)
}

func (s *Server) home(ctx context.Context, who *access.Caller, _ none) (*usecase.Home, error) {
	return view(ctx, s.db, func(q db.Q) (*usecase.Home, error) { return usecase.HomeOf(ctx, q, who) })
}
