package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) serviceSettingRoutes() {
	values := endpoint.Shaped[[]usecase.SettingValue]("settings")
	fixed := endpoint.Also(409, "a flag or a variable fixes the value")
	wrong := endpoint.Also(422, "a value cannot be, or does not go with the others")
	gone := endpoint.Also(503, "the settings cannot be read")
	endpoint.Route(s.Server, "GET /api/admin/settings", 200, policy.SeeSettings, "List every setting of the service: its "+
		"value, where that comes from, what it does and whether a change needs a restart; secrets are never told",
		s.listSettings, gone)
	endpoint.Route(s.Server, "PUT /api/admin/settings", 200, policy.ChangeSettings, "Keep settings in settings.env; with "+
		"PostgreSQL nothing is written, and the lines to add are told", s.changeSettings,
		endpoint.Audited(audit.Setting), values, wrong, gone,
		endpoint.Also(409, "a flag or a variable fixes the value, or the settings changed since they were seen"))
	endpoint.Route(s.Server, "POST /api/admin/settings/check", 200, policy.ChangeSettings, "Tell what would be found of "+
		"settings before they are kept", s.checkSettings, values, fixed, wrong, gone,
		endpoint.Audited(audit.Setting))
	endpoint.Route(s.Server, "POST /api/admin/settings/test_mail", 204, policy.ChangeSettings, "Send yourself an email by "+
		"settings before they are kept", s.testMail, endpoint.Audited(audit.Setting), values, fixed, gone,
		endpoint.Also(422, "a value cannot be, or the mail server does not take the email"))
}

func (s *Server) listSettings(context.Context, *access.Caller, none) (*usecase.SettingList, error) {
	return s.usecases.ServiceSettings()
}

// settingIn is a setting as somebody wants it.
type settingIn struct {
	Name  string `param:"name,required" doc:"such as LECTERN_MAIL_FROM"`
	Value string `param:"value" text:"any" doc:"empty for the default"`
}

// settingsIn are those that belong together.
type settingsIn struct {
	Settings params.JSON[[]settingIn] `param:"settings,required" doc:"what to change; of one that is not named nothing changes"`
}

func (in *settingsIn) values() []usecase.SettingValue {
	list := make([]usecase.SettingValue, len(in.Settings.V))
	for i, v := range in.Settings.V {
		list[i] = usecase.SettingValue{Name: v.Name, Value: v.Value}
	}
	return list
}

type changeSettingsIn struct {
	settingsIn
	Seen string `param:"seen" doc:"the version of the list that was seen; if it changed since, nothing is kept"`
}

func (s *Server) changeSettings(ctx context.Context, _ *access.Caller, in changeSettingsIn) (*usecase.Kept, error) {
	return s.usecases.ChangeSettings(ctx, usecase.SettingChange{Values: in.values(), Seen: in.Seen})
}

type checkSettingsIn struct {
	settingsIn
	Part usecase.SettingPart `param:"part,required" enum:"" doc:"what of the settings is looked at"`
}

type foundOut struct {
	Findings []settingFinding `json:"findings" doc:"what was seen"`
}

// settingFinding is what was seen of a part of the settings.
type settingFinding struct {
	What   string `json:"what" doc:"what was looked at, in a word"`
	Saw    string `json:"saw" doc:"what was seen"`
	Advice string `json:"advice" doc:"what to do; empty where nothing is"`
	Bad    bool   `json:"bad" doc:"whether something must be done"`
}

func (s *Server) checkSettings(ctx context.Context, _ *access.Caller, in checkSettingsIn) (*foundOut, error) {
	found, err := s.usecases.TrySettings(ctx, in.Part, in.values())
	out := &foundOut{Findings: []settingFinding{}}
	for _, f := range found {
		out.Findings = append(out.Findings, settingFinding{f.What, f.Saw, f.Advice, f.Bad})
	}
	return out, err
}

func (s *Server) testMail(ctx context.Context, who *access.Caller, in settingsIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.TryMail(ctx, who, in.values())
}
