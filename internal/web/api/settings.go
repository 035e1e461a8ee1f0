package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/endpoint"
)

func (s *Server) settingRoutes() {
	endpoint.Route(s.Server, "GET /api/settings", 200, policy.Anybody, "Tell what this service is and can",
		s.getSettings)
	endpoint.Route(s.Server, "GET /api/settings/privacy", 200, policy.Anybody, "Tell how work is used", s.getPrivacy)
}

type settingsOut struct {
	ExternalName    string `json:"externalName"`
	OverseerEnabled bool   `json:"overseerEnabled"`
	TiiEnabled      bool   `json:"tiiEnabled"`
}

func (s *Server) getSettings(context.Context, *access.Caller, none) (*settingsOut, error) {
	return &settingsOut{s.usecases.Name, s.usecases.Assess, s.usecases.Outside.Enabled()}, nil
}

type privacyOut struct {
	Privacy    string `json:"privacy"`
	Plagiarism string `json:"plagiarism"`
}

func (s *Server) getPrivacy(context.Context, *access.Caller, none) (*privacyOut, error) {
	return &privacyOut{s.usecases.Privacy, s.usecases.Declaration}, nil
}
