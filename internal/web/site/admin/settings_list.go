package admin

import (
	"cmp"
	"context"
	"html/template"
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
	ID     string
	Words  string
	Change string
	Rows   template.HTML // what settingLines drew
}

// place is where a setting stands in its group: what can be changed here stands first.
func place(s *usecase.Setting) int {
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
	of := make([][]*usecase.Setting, len(settingGroups))
	for i := range list.Settings {
		set := &list.Settings[i]
		if set.Pending {
			v.Pending = append(v.Pending, set.Name)
		}
		g := groupOf(set.Name)
		of[g] = append(of[g], set)
	}
	for i, g := range settingGroups {
		if len(of[i]) == 0 {
			continue
		}
		slices.SortStableFunc(of[i], func(a, b *usecase.Setting) int { return cmp.Compare(place(a), place(b)) })
		one := shownGroup{ID: strings.TrimPrefix(g.word, "service-settings."), Words: s.Word(g.word),
			Rows: s.settingLines(of[i])}
		if g.change != (subject{}) {
			one.Change = g.change.at(false)
		}
		v.Groups = append(v.Groups, one)
	}
	return s.Titled(who, "service-settings", s.Word("service-settings.title"), v), nil
}

// settingLines draws settings as the rows of a table.
func (s *room) settingLines(list []*usecase.Setting) template.HTML {
	var r page.Rows
	value, from := s.Word("service-settings.value"), s.Word("service-settings.from")
	masked, none, by := s.Word("service-settings.masked"), s.Word("service-settings.none"), map[string]string{}
	when := map[bool]string{true: s.Word("service-settings.restart"), false: s.Word("service-settings.at-once")}
	for _, one := range list {
		key := sourceKey(one.Source)
		if by[key] == "" {
			by[key] = s.Word(key)
		}
		r.Put(`<tr><th scope="row"><code>%s</code></th><td class="value" data-label="%s"><span>`, one.Name, value)
		switch {
		case one.Secret && one.Set && one.Value != "":
			r.Put(`<bdi>%s</bdi> <span class="soft">%s</span>`, one.Value, masked)
		case one.Secret && one.Set:
			r.Put(`<span class="soft">%s</span>`, masked)
		case one.Value != "":
			r.Put(`<bdi>%s</bdi>`, one.Value)
		default:
			r.Put(`<span class="soft">%s</span>`, none)
		}
		if one.Pending {
			r.Put(" ")
			r.Add(s.Badge(page.Icon("triangle-alert"), "orange", s.Word("service-settings.pending")))
		}
		r.Put(`</span></td><td data-label="%s"><span>%s</span></td>`, from, by[key])
		r.Put("<td class=\"about\">%s <span class=\"small soft\">%s</span></td></tr>\n", one.About, when[one.Restart])
	}
	return r.HTML()
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
