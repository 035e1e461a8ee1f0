package admin

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

func sorted(all []usecase.SettingValue) []usecase.SettingValue {
	slices.SortFunc(all, func(a, b usecase.SettingValue) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// settingGroup is a part of the list of all settings: those whose names begin alike.
type settingGroup struct {
	word     string
	beginsBy []string
	change   subject // where they are changed; none: not here
}

// settingGroups are in the order of the page. The last one has what no other has.
var settingGroups = []settingGroup{
	{"service-settings.address", []string{"LECTERN_PUBLIC_URL", "LECTERN_EXTERNAL_NAME", "LECTERN_ADDR", "LECTERN_TRUSTED",
		"LECTERN_ALLOW_ORIGINS", "LECTERN_MAX_CONN", "LECTERN_METRICS", "LECTERN_TLS", "LECTERN_ACME", "LECTERN_CLIENT_URL",
		"LECTERN_HTTP"}, institution},
	{"service-settings.mail", []string{"LECTERN_SMTP", "LECTERN_MAIL", "LECTERN_INVITATIONS"}, email},
	{"service-settings.sign-in", []string{"LECTERN_OIDC", "LECTERN_SAML", "LECTERN_LDAP", "LECTERN_SIGN_IN",
		"LECTERN_PASSWORD_USERS", "LECTERN_REQUIRE"}, signIn},
	{"service-settings.storage", []string{"LECTERN_DATA", "LECTERN_FILES", "LECTERN_BACKUP", "LECTERN_SPOOL",
		"LECTERN_AUDIT"}, subject{}},
	{"service-settings.rest", nil, subject{}},
}

// shownGroup is a group with its settings.
type shownGroup struct {
	ID       string
	Words    string
	Change   string
	Settings []shownSetting
}

// shownSetting is a setting as the list shows it.
type shownSetting struct {
	usecase.Setting
	By string // where its value comes from, in words
}

func (s *shownSetting) place() int {
	if s.Changeable {
		return 0
	}
	return 1
}

// settingsPage is every setting of the service.
type settingsPage struct {
	Tabs    []page.Section
	List    *usecase.SettingList
	Groups  []shownGroup
	Pending []string
	First   string // where the first start goes on
}

func (s *room) settings(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	list, err := s.Usecases.ServiceSettings()
	if err != nil {
		return nil, err
	}
	v := &settingsPage{Tabs: s.settingTabs(links.AdminSettings), List: list, First: firstDone}
	for i, g := range settingGroups {
		one := shownGroup{ID: strings.TrimPrefix(g.word, "service-settings."), Words: s.Word(g.word)}
		if g.change != (subject{}) {
			one.Change = g.change.at(false)
		}
		for _, set := range list.Settings {
			if set.Pending && i == 0 {
				v.Pending = append(v.Pending, set.Name)
			}
			if groupOf(set.Name) == i {
				one.Settings = append(one.Settings, shownSetting{set, s.Word(sourceKey(set.Source))})
			}
		}
		// What can be changed here stands first.
		slices.SortStableFunc(one.Settings, func(a, b shownSetting) int { return cmp.Compare(a.place(), b.place()) })
		if len(one.Settings) > 0 {
			v.Groups = append(v.Groups, one)
		}
	}
	return s.Titled(who, "service-settings", s.Word("service-settings.title"), v), nil
}

// groupOf is the number of the group that a setting is in.
func groupOf(name string) int {
	for i, g := range settingGroups {
		if slices.ContainsFunc(g.beginsBy, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			return i
		}
	}
	return len(settingGroups) - 1
}
