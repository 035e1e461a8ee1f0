package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/health"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// subject is what of the settings is changed on one page: a step of the first start, and a tab of the
// settings.
type subject struct{ name, word, title, template string }

var (
	institution = subject{"institution", "first.institution", "first.institution-title", "setup-institution"}
	signIn      = subject{"sign-in", "first.sign-in", "first.sign-in-title", "setup-sign-in"}
	email       = subject{"email", "first.email", "first.email-title", "setup-email"}

	subjects = []subject{institution, signIn, email}
)

// at is where the subject stands: in the first start, or among the settings.
func (b subject) at(first bool) string {
	if first {
		return links.FirstStart + "/" + b.name
	}
	return links.AdminSettings + "/" + b.name
}

// next is where the first start goes on from here, and back where it came from.
func (b subject) next() string {
	return map[string]string{institution.name: signIn.at(true), signIn.name: email.at(true), email.name: firstUnit}[b.name]
}

func (b subject) back() string {
	return map[string]string{signIn.name: institution.at(true), email.name: signIn.at(true)}[b.name]
}

func settingKeys() (list []string) {
	for _, b := range subjects {
		list = append(list, b.word, b.title)
	}
	for _, by := range usecase.SettingSource("").Enum() {
		list = append(list, sourceKey(usecase.SettingSource(by)))
	}
	for _, g := range settingGroups {
		list = append(list, g.word)
	}
	for _, w := range ways {
		list = append(list, "setup."+w.name, "setup."+w.name+"-about")
	}
	return list
}

// sourceKey is that of the words for where a value comes from.
func sourceKey(by usecase.SettingSource) string {
	return "service-settings.by-" + strings.ReplaceAll(string(by), ".", "-")
}

func (s *room) settingRoutes() {
	page.Show(s.Site, links.AdminSettings, policy.SeeSettings, "Settings of the service", s.settings)
	for _, b := range subjects {
		for _, first := range []bool{false, true} {
			page.Show(s.Site, b.at(first), policy.SeeSettings, "Settings of the service: "+b.name,
				func(ctx context.Context, who *access.Caller, in shownIn) (*page.Page, error) {
					return s.subject(ctx, who, b, first, in)
				})
			page.Form(s.Site, b.at(first), policy.ChangeSettings, "Try and change settings of the service: "+b.name,
				func(ctx context.Context, who *access.Caller, in setupForm) (endpoint.Drawing, error) {
					return s.keepSettings(ctx, who, b, first, in)
				}, endpoint.Audited(audit.Setting))
		}
	}
}

// shownIn is what is told on a page that comes after a form.
type shownIn struct {
	Saved bool   `param:"saved"`
	Sent  bool   `param:"sent"`
	Way   string `param:"way"`
}

// setupPage is one subject of the settings.
type setupPage struct {
	subject
	First    bool // a step of the first start
	Steps    []step
	Tabs     []page.Section
	List     *usecase.SettingList
	Typed    setupForm
	Findings []found  // of what was tried
	Now      []found  // of the ways to sign in that are set up
	Storage  []found  // of where records and files are kept
	Lines    []string // to add by hand
	Saved    bool
	Sent     string // whom a test email went to
	Pending  []string
	Action   string
	Back     string
	Next     string
	Mine     string // the reader's own address
	Callback string // to register at the provider
	Consumer string
	Entity   string
	wrong    map[string]string
	words    *page.Language
}

// found is what the doctor found, with the name of what was looked at.
type found struct {
	health.Finding
	Name string
}

func (s *room) found(list []health.Finding) (out []found) {
	for _, f := range list {
		one := found{Finding: f}
		if _, has := checkNames[f.What]; has {
			one.Name = s.Word("health.check-" + f.What)
		}
		out = append(out, one)
	}
	return out
}

// Error tells what is wrong with a field.
func (v *setupPage) Error(name string) string { return sentence(v.wrong[name]) }

// Off tells whether a field cannot be changed here.
func (v *setupPage) Off(name string) bool { return !v.List.Of(fieldSettings[name]).Changeable }

// Input adds to what a template gives a field what holds for its setting: what is wrong with it, whether it can be
// changed here, and what fixes it where it cannot.
func (v *setupPage) Input(field map[string]any) map[string]any {
	name, _ := field["Name"].(string)
	with, ok := field["Setting"].(string)
	if !ok {
		with = name
	}
	one := v.List.Of(fieldSettings[with])
	switch one.Source {
	case usecase.ByFlag:
		field["Help"] = v.words.Word("setup.fixed", one.Flag)
	case usecase.ByVariable:
		field["Help"] = v.words.Word("setup.fixed", one.Name)
	}
	field["Off"], field["Error"] = !one.Changeable, v.Error(name)
	return field
}

// Kept tells that a secret is there, which is not shown.
func (v *setupPage) Kept(name string) bool { return v.List.Of(fieldSettings[name]).Set }

// AtOnce tells that what is changed on the page needs no restart.
func (v *setupPage) AtOnce() bool { return v.subject == email }

// Ways are the ways to sign in to choose from.
func (v *setupPage) Ways() []way { return ways }

func (s *room) subject(ctx context.Context, who *access.Caller, b subject, first bool, in shownIn) (*page.Page, error) {
	p, v, err := s.setupPage(ctx, who, b, first)
	if err != nil {
		return nil, err
	}
	if b == signIn {
		if err := s.lookAt(ctx, v); err != nil {
			return nil, err
		}
	}
	v.Saved = in.Saved
	if in.Sent {
		v.Sent = v.Mine
	}
	if slices.ContainsFunc(ways, func(w way) bool { return w.name == in.Way }) {
		v.Typed.Way = in.Way
	}
	return p, nil
}

func (s *room) setupPage(ctx context.Context, who *access.Caller, b subject, first bool) (*page.Page, *setupPage,
	error) {
	v := &setupPage{subject: b, First: first, Action: b.at(first), words: s.Words}
	var err error
	if v.List, err = s.Usecases.ServiceSettings(); err != nil {
		return nil, nil, err
	}
	v.Typed = typedOf(v.List)
	for _, one := range v.List.Settings {
		if one.Pending {
			v.Pending = append(v.Pending, one.Name)
		}
	}
	if v.Mine, err = s.Usecases.OwnAddress(ctx, who); err != nil {
		return nil, nil, err
	}
	public := strings.TrimSuffix(v.List.Next("LECTERN_PUBLIC_URL"), "/")
	if public == "" {
		public = s.Usecases.PublicURL
	}
	v.Callback, v.Consumer, v.Entity = public+"/api/auth/oidc/callback", public+"/api/auth/jwt",
		public+"/api/auth/saml/metadata"
	if b == institution {
		list, err := s.Usecases.ServiceLooks(ctx, usecase.StoragePart)
		if err != nil {
			return nil, nil, err
		}
		v.Storage = s.found(list)
	}
	if !first {
		v.Tabs = s.settingTabs(b.at(false))
		p := s.Titled(who, b.template, s.Word(b.word), v)
		return p, v, nil
	}
	state, err := s.Usecases.Setup(ctx, who)
	if err != nil {
		return nil, nil, err
	}
	v.Steps, v.Back, v.Next = s.steps(b.name, state), b.back(), b.next()
	return s.firstCard(who, b.template, s.Word(b.title), v), v, nil
}

// lookAt has the doctor look at the ways to sign in that are set up, whose servers have a few seconds to answer.
func (s *room) lookAt(ctx context.Context, v *setupPage) error {
	ctx, stop := context.WithTimeout(ctx, lookWithin)
	defer stop()
	for _, w := range ways {
		if w.server == "" || v.List.Next(w.server) == "" {
			continue
		}
		list, err := s.Usecases.ServiceLooks(ctx, w.part)
		if err != nil {
			return err
		}
		v.Now = append(v.Now, s.found(list)...)
	}
	return nil
}

const lookWithin = 4 * time.Second

// settingTabs are the pages of the settings.
func (s *room) settingTabs(open string) []page.Section {
	list := []page.Section{{Path: links.AdminSettings, Words: s.Word("service-settings.all")}}
	for _, b := range subjects {
		list = append(list, page.Section{Path: b.at(false), Words: s.Word(b.word)})
	}
	for i := range list {
		list[i].Current = list[i].Path == open
	}
	return list
}

// keepSettings tries what was typed and keeps it where nothing speaks against it.
func (s *room) keepSettings(ctx context.Context, who *access.Caller, b subject, first bool, in setupForm) (
	endpoint.Drawing, error) {
	list, err := s.Usecases.ServiceSettings()
	if err != nil {
		return nil, err
	}
	values, part := in.values(b, list)
	found, err := s.tryOut(ctx, who, part, values, in.clears(b))
	var kept *usecase.Kept
	if err == nil && len(values) > 0 {
		kept, err = s.Usecases.ChangeSettings(ctx, usecase.SettingChange{Values: values, Seen: in.Seen})
	}
	if err == nil && (kept == nil || kept.Written) {
		return endpoint.Redirect{To: in.onward(b, first)}, nil
	}
	p, v, drawn := s.setupPage(ctx, who, b, first)
	if drawn != nil {
		return nil, drawn
	}
	in.Password, in.ClientSecret, in.BindPassword = "", "", "" // never shown again
	v.Typed, v.Findings, v.wrong = in, s.found(found), byField(err)
	if err == nil {
		v.Lines = kept.Lines
		return p, nil
	}
	return s.Again(p, err)
}

// tryOut looks at settings as the doctor does before they are kept, and has an email sent by those of
// emails. What takes a way out of use need not work.
func (s *room) tryOut(ctx context.Context, who *access.Caller, part usecase.SettingPart, values []usecase.SettingValue,
	clears bool) ([]health.Finding, error) {
	if len(values) == 0 || clears {
		return nil, nil
	}
	found, err := s.Usecases.TrySettings(ctx, part, values)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found, func(f health.Finding) bool { return f.Bad }) {
		return found, fault.New(fault.Refused, "%s", s.Word("setup.found-bad"))
	}
	if part == usecase.MailPart {
		err = s.Usecases.TryMail(ctx, who, values)
	}
	return found, err
}

// byField names what is wrong by the fields of the form.
func byField(err error) map[string]string {
	out := map[string]string{}
	for name, why := range fieldsOf(err) {
		for field, setting := range fieldSettings {
			if setting == name {
				out[field] = why
			}
		}
	}
	return out
}
