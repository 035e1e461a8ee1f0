package account

import (
	"context"
	"html/template"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

const (
	profile      = links.Profile
	secondFactor = "/second-factor"
)

func (s *room) profileRoutes() {
	for _, t := range accountTabs {
		if t == dataTab {
			continue // see dataRoutes
		}
		page.Show(s.Site, t.path, policy.SignedIn, "Your account: "+t.template,
			func(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
				return s.profile(ctx, who, t)
			})
	}
	page.Form(s.Site, profile+"/preferences", policy.SignedIn, "Change how you want your pages", s.prefer,
		endpoint.Unaudited("a matter of taste"))
	page.Form(s.Site, profile+"/zone", policy.SignedIn, "Choose the clock of your pages", s.chooseZone,
		endpoint.Unaudited("a matter of taste"))
	page.Form(s.Site, profile+"/password", policy.SignedIn, "Change your password", s.changePassword,
		endpoint.Audited(audit.Password))
	page.Form(s.Site, profile+"/sessions/{id}/end", policy.SignedIn, "Sign out one of your sessions", s.endSession,
		endpoint.Audited(audit.SignOut))
	page.Form(s.Site, profile+"/other-sessions", policy.SignedIn, "Sign out your other devices", s.endOthers,
		endpoint.Audited(audit.SignOut))
	page.Show(s.Site, secondFactor, policy.OwnFactor, "Second factor", s.factor)
	page.Form(s.Site, secondFactor, policy.OwnFactor, "Begin to set up a second factor", s.startFactor,
		endpoint.Unaudited("nothing is on before it is confirmed"))
	page.Form(s.Site, secondFactor+"/confirm", policy.OwnFactor, "Switch the second factor on", s.confirmFactor,
		endpoint.Audited(audit.SecondFactor))
	page.Form(s.Site, secondFactor+"/off", policy.SignedIn, "Switch the second factor off", s.dropFactor,
		endpoint.Audited(audit.SecondFactor))
}

// accountTab is one of the pages of an account.
type accountTab struct{ path, template, word string }

var (
	ownTab     = accountTab{profile, "profile", "profile.tab"}
	emailTab   = accountTab{links.ProfileEmail, "profile-email", "profile.address"}
	looksTab   = accountTab{profile + "/appearance", "profile-appearance", "profile.prefer"}
	securedTab = accountTab{profile + "/security", "profile-security", "profile.security"}

	dataTab = accountTab{dataPath, "profile-data", "data.title"}

	accountTabs = []accountTab{ownTab, emailTab, looksTab, securedTab, dataTab}
)

// profilePage is what a person sees of their own account.
type profilePage struct {
	Tabs     []page.Section
	User     *ident.User
	Typed    ownFields
	Sessions []ident.Session
	Factor   *ident.Factor
	Prefer   *ident.Preferences
	Themes   []ident.Theme
}

// Others is how many devices there are besides the one at hand.
func (p profilePage) Others() int { return len(p.Sessions) - 1 }

// Zone is the time zone of the account; empty where it has none.
func (v profilePage) Zone() string { return opt.Or(v.Prefer.TimeZone, "") }

// ZoneOptions are the zones to choose from, and the one that is chosen among them.
func (v profilePage) ZoneOptions() template.HTML { return page.ZoneOptions(v.Zone()) }

// tabs are the pages of an account, with the one that is open marked.
func (s *room) tabs(open accountTab) (out []page.Section) {
	for _, t := range accountTabs {
		out = append(out, page.Section{Path: t.path, Words: s.Word(t.word), Current: t == open})
	}
	return out
}

func (s *room) profile(ctx context.Context, who *access.Caller, on accountTab) (*page.Page, error) {
	v := profilePage{Tabs: s.tabs(on), Themes: ident.Themes}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.User, err = ident.ByID(ctx, q, who.ID); err != nil {
			return err
		}
		v.Typed = fieldsOf(v.User)
		switch on {
		case ownTab, looksTab, emailTab:
			v.Prefer, err = ident.PreferencesOf(ctx, q, who.ID)
		case securedTab:
			if v.Sessions, err = ident.Sessions(ctx, q, who); err == nil {
				v.Factor, err = s.Usecases.Passwords.Factor(ctx, q, who)
			}
		}
		return err
	})
	p := s.Titled(who, on.template, s.Word(on.word), v)
	p.Within = &page.Crumb{Words: s.Word("profile.title"), Path: profile}
	return p, err
}

func (s *room) prefer(ctx context.Context, who *access.Caller, in struct {
	Theme     ident.Theme `param:"theme"`
	Shortcuts bool        `param:"shortcuts"`
	TimeZone  *string     `param:"time_zone"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.SetPreferences(ctx, who, usecase.PreferencesChange{Theme: &in.Theme, Shortcuts: &in.Shortcuts,
		TimeZone: in.TimeZone})
	return endpoint.Redirect{To: looksTab.path}, err
}

func (s *room) chooseZone(ctx context.Context, who *access.Caller, in struct {
	TimeZone string `param:"time_zone"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.SetPreferences(ctx, who, usecase.PreferencesChange{TimeZone: &in.TimeZone})
	return endpoint.Redirect{To: ownTab.path + "#time"}, err
}

func (s *room) changePassword(ctx context.Context, who *access.Caller, in struct {
	Old      string `param:"old_password" text:"any"`
	Password string `param:"password" text:"any"`
	Again    string `param:"again" text:"any"`
}) (endpoint.Drawing, error) {
	var err error
	if in.Password != in.Again {
		err = fault.New(fault.Refused, "%s", s.Word("password.differ"))
	} else {
		err = s.Usecases.Passwords.ChangePassword(ctx, who, in.Old, in.Password, who.From)
	}
	if err != nil {
		p, drawn := s.profile(ctx, who, securedTab)
		if drawn != nil {
			return nil, drawn
		}
		return s.Again(p, err)
	}
	return s.Done(who, "profile.done"), nil
}

func (s *room) endOthers(ctx context.Context, who *access.Caller, _ struct{}) (endpoint.Drawing, error) {
	err := s.Usecases.EndOtherSessions(ctx, who)
	return endpoint.Redirect{To: securedTab.path + "#sessions"}, err
}

func (s *room) endSession(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id"`
}) (endpoint.Drawing, error) {
	err := s.Usecases.EndOwnSession(ctx, who, in.ID)
	return endpoint.Redirect{To: securedTab.path + "#sessions"}, err
}

// factorPage leads through setting up a second factor: the password, the secret, and
// once it is confirmed the recovery codes.
type factorPage struct {
	*ident.Factor
	Secret string
	QR     template.URL
	Codes  []string
}

func (s *room) factorPage(ctx context.Context, who *access.Caller, v factorPage) (p *page.Page, err error) {
	v.Factor, err = s.Usecases.Passwords.Factor(ctx, s.DB.Pool(), who)
	p = s.Page(who, "second-factor", v)
	p.Gate = who.Enrolling // they are not in yet
	return p, err
}

func (s *room) factor(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	return s.factorPage(ctx, who, factorPage{})
}

type factorIn struct {
	Password string `param:"password" text:"any"`
	Secret   string `param:"secret" text:"any"`
	Code     string `param:"otp" text:"any"`
}

func (s *room) startFactor(ctx context.Context, who *access.Caller, in factorIn) (endpoint.Drawing, error) {
	secret, err := s.Usecases.StartFactor(ctx, who, in.Password)
	if err != nil {
		return s.factorAgain(ctx, who, factorPage{}, err)
	}
	v, err := s.showSecret(who, secret)
	if err != nil {
		return nil, err
	}
	return s.factorPage(ctx, who, v)
}

// showSecret gives a secret to type and as a picture.
func (s *room) showSecret(who *access.Caller, secret string) (factorPage, error) {
	a, err := s.SignIn.Authenticator(who, secret)
	if err != nil {
		return factorPage{}, err
	}
	return factorPage{Secret: secret, QR: template.URL(a.QR)}, nil //nolint:gosec // our own bytes
}

func (s *room) factorAgain(ctx context.Context, who *access.Caller, v factorPage, err error) (endpoint.Drawing,
	error) {
	p, drawn := s.factorPage(ctx, who, v)
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}

func (s *room) confirmFactor(ctx context.Context, who *access.Caller, in factorIn) (endpoint.Drawing, error) {
	codes, err := s.Usecases.Passwords.ConfirmFactor(ctx, who, in.Code)
	if err != nil {
		v, shown := s.showSecret(who, in.Secret)
		if shown != nil {
			return nil, shown
		}
		return s.factorAgain(ctx, who, v, err)
	}
	return s.factorPage(ctx, who, factorPage{Codes: codes})
}

func (s *room) dropFactor(ctx context.Context, who *access.Caller, in factorIn) (endpoint.Drawing, error) {
	if err := s.Usecases.DropFactor(ctx, who, in.Password, in.Code); err != nil {
		return s.factorAgain(ctx, who, factorPage{}, err)
	}
	return endpoint.Redirect{To: securedTab.path}, nil
}
