package admin

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) personFormRoutes() {
	at := links.Person
	page.Form(s.Site, at+"/unlock", policy.ManageAccounts, "Let whoever failed too often to sign in try again",
		s.unlockPerson, endpoint.Audited(audit.Account))
	page.Form(s.Site, at+"/invitation", policy.ManageAccounts, "Send the invitation of a person again", s.invitePerson,
		endpoint.Audited(audit.Password), endpoint.Costs(endpoint.Emails))
	page.Form(s.Site, at+"/password-link", policy.ManageAccounts, "Make a link by which a person sets a password",
		s.linkPerson, endpoint.Audited(audit.Password))
	page.Form(s.Site, at+"/sessions/{session_id}/end", policy.ManageAccounts, "Sign one session of a person out",
		s.endPersonSession, endpoint.Audited(audit.SignOut))
	page.Show(s.Site, at+"/sign-out", policy.SeeAccounts, "Asks before a person is signed out everywhere", s.askSignOut)
	page.Form(s.Site, at+"/sign-out", policy.ManageAccounts, "Sign a person out everywhere", s.signPersonOut,
		endpoint.Audited(audit.SignOut))
	page.Show(s.Site, at+"/second-factor", policy.SeeAccounts, "Asks before a second factor is taken off", s.askFactor)
	page.Form(s.Site, at+"/second-factor", policy.ManageAccounts, "Take the second factor of a person off",
		s.dropPersonFactor, endpoint.Audited(audit.SecondFactor))
	page.Show(s.Site, at+"/disable", policy.SeeAccounts, "Asks before an account is disabled", s.askDisable)
	page.Form(s.Site, at+"/disable", policy.ManageAccounts, "Disable the account of a person", s.disablePerson(true),
		endpoint.Audited(audit.Account), endpoint.Asks(policy.EditUser))
	page.Form(s.Site, at+"/enable", policy.ManageAccounts, "Enable the account of a person", s.disablePerson(false),
		endpoint.Audited(audit.Account), endpoint.Asks(policy.EditUser))
}

// aPerson is the person of an address.
type aPerson struct {
	ID int64 `path:"id"`
}

// personDid leads to the person where something was done, or draws them with what was wrong.
func (s *room) personDid(ctx context.Context, who *access.Caller, id int64, done string, err error) (endpoint.Drawing, error) {
	if err != nil {
		return s.personAgain(ctx, who, id, nil, nil, err)
	}
	return personLed(id, done), nil
}

func (s *room) unlockPerson(ctx context.Context, who *access.Caller, in aPerson) (endpoint.Drawing, error) {
	return s.personDid(ctx, who, in.ID, "unlocked", s.Usecases.UnlockAccount(ctx, in.ID))
}

func (s *room) invitePerson(ctx context.Context, who *access.Caller, in aPerson) (endpoint.Drawing, error) {
	return s.personDid(ctx, who, in.ID, "invited", s.Usecases.InviteAgain(ctx, in.ID))
}

// linkPerson shows the link on the page that answers: it stands in no address.
func (s *room) linkPerson(ctx context.Context, who *access.Caller, in aPerson) (endpoint.Drawing, error) {
	token, _, err := s.Usecases.PasswordLink(ctx, in.ID)
	if err != nil {
		return s.personAgain(ctx, who, in.ID, nil, nil, err)
	}
	v, err := s.readPerson(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	v.Link = s.Usecases.PublicURL + links.With(links.Password, token)
	return s.personTitled(who, v), nil
}

func (s *room) endPersonSession(ctx context.Context, who *access.Caller, in struct {
	aPerson
	SessionID int64 `path:"session_id"`
}) (endpoint.Drawing, error) {
	return s.personDid(ctx, who, in.ID, "session", s.Usecases.EndSessionOf(ctx, in.ID, in.SessionID))
}

// ask asks before something is done to a person.
func (s *room) ask(ctx context.Context, who *access.Caller, id int64, title string, q page.Question) (*page.Page, error) {
	u, err := ident.ByID(ctx, s.DB.Pool(), id)
	if err != nil {
		return nil, err
	}
	q.About, q.Back = u.FirstName+" "+u.LastName, links.To(links.Person, id)
	q.Action = q.Back + q.Action
	return s.withinPeople(s.Ask(who, title, q)), nil
}

func (s *room) askSignOut(ctx context.Context, who *access.Caller, in aPerson) (*page.Page, error) {
	return s.ask(ctx, who, in.ID, s.Word("person.sign-out"), page.Question{Text: s.Word("person.sign-out-asks"),
		Action: "/sign-out", Do: s.Word("person.sign-out")})
}

func (s *room) signPersonOut(ctx context.Context, who *access.Caller, in aPerson) (endpoint.Drawing, error) {
	return s.personDid(ctx, who, in.ID, "signed-out", s.Usecases.EndSessionsOf(ctx, who, in.ID))
}

func (s *room) askFactor(ctx context.Context, who *access.Caller, in aPerson) (*page.Page, error) {
	return s.ask(ctx, who, in.ID, s.Word("person.factor-off"), page.Question{Text: s.Word("person.factor-asks"),
		Action: "/second-factor", Do: s.Word("person.factor-off")})
}

func (s *room) dropPersonFactor(ctx context.Context, who *access.Caller, in aPerson) (endpoint.Drawing, error) {
	return s.personDid(ctx, who, in.ID, "factor", s.Usecases.ResetFactor(ctx, who, in.ID))
}

func (s *room) askDisable(ctx context.Context, who *access.Caller, in aPerson) (*page.Page, error) {
	return s.ask(ctx, who, in.ID, s.Word("person.disable"), page.Question{Text: s.Word("person.disable-asks"),
		Action: "/disable", Do: s.Word("person.disable")})
}

func (s *room) disablePerson(off bool) func(context.Context, *access.Caller, aPerson) (endpoint.Drawing, error) {
	done := map[bool]string{true: "disabled", false: "enabled"}[off]
	return func(ctx context.Context, who *access.Caller, in aPerson) (endpoint.Drawing, error) {
		_, err := s.Usecases.ChangeAccount(ctx, who, in.ID, ident.Change{Disabled: &off}, "")
		return s.personDid(ctx, who, in.ID, done, err)
	}
}
