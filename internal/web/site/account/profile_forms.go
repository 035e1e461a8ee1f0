package account

import (
	"context"
	"net/http"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) profileFormRoutes() {
	page.Form(s.Site, profile+"/names", policy.SignedIn, "Change what you are called", s.changeNames,
		endpoint.Audited(audit.Account))
	page.Form(s.Site, profile+"/address", policy.SignedIn, "Ask for another mail address", s.changeAddress,
		endpoint.Audited(audit.Account))
	page.Form(s.Site, profile+"/research", policy.SignedIn, "Say whether you take part in research", s.changeResearch,
		endpoint.Audited(audit.Account))
	page.Form(s.Site, profile+"/letters", policy.SignedIn, "Change which emails you get", s.changeEmails,
		endpoint.Audited(audit.Account))
}

// ownFields are what stand in the fields of the profile: what is kept, or what somebody
// typed that was refused.
type ownFields struct {
	FirstName, LastName, Nickname, Pronouns, Email string
}

func fieldsOf(u *ident.User) ownFields {
	return ownFields{u.FirstName, u.LastName, u.Nickname, opt.Or(u.Pronouns, ""), u.Email}
}

// Answered tells whether the reader said yes, or no, to research.
func (v profilePage) Answered(yes bool) bool {
	return v.User.OptInToResearch != nil && *v.User.OptInToResearch == yes
}

// keep changes the reader's own account and leads back to the part of the profile that
// they came from. What was refused is shown again as it was typed.
func (s *room) keep(ctx context.Context, who *access.Caller, on accountTab, part string, c ident.Change,
	password string) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeAccount(ctx, who, who.ID, c, password)
	if err == nil {
		return endpoint.Redirect{To: on.path + "#" + part}, nil
	}
	p, drawn := s.profile(ctx, who, on)
	if drawn != nil {
		return nil, drawn
	}
	v := p.Data.(profilePage)
	v.Typed.take(c)
	p.Data = v
	return s.Again(p, err)
}

// take puts in what a change would have set.
func (f *ownFields) take(c ident.Change) {
	f.FirstName, f.LastName = opt.Or(c.FirstName, f.FirstName), opt.Or(c.LastName, f.LastName)
	f.Nickname, f.Pronouns = opt.Or(c.Nickname, f.Nickname), opt.Or(c.Pronouns, f.Pronouns)
	f.Email = opt.Or(c.Email, f.Email)
}

func (s *room) changeNames(ctx context.Context, who *access.Caller, in struct {
	FirstName string `param:"first_name"`
	LastName  string `param:"last_name"`
	Nickname  string `param:"nickname"`
	Pronouns  string `param:"pronouns"`
}) (endpoint.Drawing, error) {
	return s.keep(ctx, who, ownTab, "names", ident.Change{FirstName: &in.FirstName, LastName: &in.LastName,
		Nickname: &in.Nickname, Pronouns: &in.Pronouns}, "")
}

// changeAddress asks for another address, which waits until the link that is sent there
// is followed.
func (s *room) changeAddress(ctx context.Context, who *access.Caller, in struct {
	Email    string `param:"email"`
	Password string `param:"old_password" text:"any"`
}) (endpoint.Drawing, error) {
	d, err := s.keep(ctx, who, emailTab, "address", ident.Change{Email: &in.Email}, in.Password)
	if p, drawn := d.(*page.Page); drawn && in.Password == "" && p.Wrong.Status == http.StatusForbidden {
		p.Wrong.Text = s.Word("profile.prove") // the domain speaks of fields that programs send
	}
	return d, err
}

func (s *room) changeResearch(ctx context.Context, who *access.Caller, in struct {
	Research bool `param:"research,required"`
}) (endpoint.Drawing, error) {
	answer := &in.Research
	return s.keep(ctx, who, ownTab, "research", ident.Change{OptInToResearch: &answer}, "")
}

func (s *room) changeEmails(ctx context.Context, who *access.Caller, in struct {
	Tasks     bool `param:"tasks"`
	Portfolio bool `param:"portfolio"`
	Feedback  bool `param:"feedback"`

	Announcements bool `param:"announcements"`
}) (endpoint.Drawing, error) {
	c := usecase.PreferencesChange{Announcements: &in.Announcements}
	if _, err := s.Usecases.SetPreferences(ctx, who, c); err != nil {
		return nil, err
	}
	return s.keep(ctx, who, emailTab, "letters", ident.Change{ReceiveTaskNotifications: &in.Tasks,
		ReceivePortfolioNotifications: &in.Portfolio, ReceiveFeedbackNotifications: &in.Feedback}, "")
}
