package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// preferenceRoutes are what a person's own pages stand on: how they look, and what
// waits on the first of them.
func (s *Server) preferenceRoutes() {
	endpoint.Route(s.Server, "GET /api/preferences", 200, policy.SignedIn, "Read how you want your pages",
		s.preferences)
	endpoint.Route(s.Server, "PUT /api/preferences", 200, policy.SignedIn, "Change how you want your pages",
		s.setPreferences, endpoint.Unaudited("a matter of taste"))
	endpoint.Route(s.Server, "GET /api/home", 200, policy.SignedIn, "Read what waits for you in the active units you "+
		"study and teach", s.home)
}

func (s *Server) preferences(ctx context.Context, who *access.Caller, _ none) (*ident.Preferences, error) {
	return ident.PreferencesOf(ctx, s.db.Pool(), who.ID)
}

type preferencesIn struct {
	Theme     *ident.Theme `param:"theme" doc:"system, light or dark; as it is without it"`
	Shortcuts *bool        `param:"shortcuts" doc:"whether keys that are one letter work; as it is without it"`
}

func (s *Server) setPreferences(ctx context.Context, who *access.Caller, in preferencesIn) (*ident.Preferences, error) {
	return change(ctx, s.db, func(q db.Q) (*ident.Preferences, error) {
		p, err := ident.PreferencesOf(ctx, q, who.ID)
		if err != nil {
			return nil, err
		}
		if in.Theme != nil {
			p.Theme = *in.Theme
		}
		if in.Shortcuts != nil {
			p.Shortcuts = *in.Shortcuts
		}
		return p, ident.SetPreferences(ctx, q, who.ID, *p)
	})
}

func (s *Server) home(ctx context.Context, who *access.Caller, _ none) (*usecase.Home, error) {
	return view(ctx, s.db, func(q db.Q) (*usecase.Home, error) { return usecase.HomeOf(ctx, q, who) })
}
