package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/endpoint"
)

// Settings are what the institution tells everybody.
type Settings struct {
	ExternalName string // of the service; Lectern when empty
	Privacy      string // how work handed in is used
	Plagiarism   string // what whoever hands work in agrees to
	Assessment   bool   // containers assess work
	Similarity   bool   // a similarity service is configured
}

const (
	defaultPrivacy = "The work you hand in, your marks and the comments you exchange are kept to teach and assess " +
		"you. " +
		"The staff of your units and the administrators of this service can see them."
	defaultPlagiarism = "By handing in work you state that it is your own, that every source it draws on is named, " +
		"and that you agree to its being compared with the work of others."
)

func (s Settings) withDefaults() Settings {
	for _, p := range []struct {
		to   *string
		text string
	}{{&s.ExternalName, "Lectern"}, {&s.Privacy, defaultPrivacy}, {&s.Plagiarism, defaultPlagiarism}} {
		if *p.to == "" {
			*p.to = p.text
		}
	}
	return s
}

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
	return &settingsOut{s.settings.ExternalName, s.settings.Assessment, s.settings.Similarity}, nil
}

type privacyOut struct {
	Privacy    string `json:"privacy"`
	Plagiarism string `json:"plagiarism"`
}

func (s *Server) getPrivacy(context.Context, *access.Caller, none) (*privacyOut, error) {
	return &privacyOut{s.settings.Privacy, s.settings.Plagiarism}, nil
}
