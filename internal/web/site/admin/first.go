package admin

import (
	"context"
	"errors"
	"html/template"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// The pages of the first start, beside those that the settings have, too.
const (
	firstFactor = links.FirstStart + "/second-factor"
	firstUnit   = links.FirstStart + "/unit"
	firstDone   = links.FirstStart + "/done"
)

func (s *room) firstRoutes() {
	page.Show(s.Site, links.FirstStart, policy.Anybody, "Make the first administrator", s.askFirst)
	page.Form(s.Site, links.FirstStart, policy.Anybody, "Make the first administrator", s.makeFirst,
		endpoint.Audited(audit.Account))
	page.Show(s.Site, firstFactor, policy.OwnFactor, "Second factor of the first administrator", s.firstFactor)
	page.Form(s.Site, firstFactor, policy.OwnFactor, "Begin to set up the second factor of the first administrator",
		s.startFirstFactor, endpoint.Unaudited("nothing is on before it is confirmed"))
	page.Form(s.Site, firstFactor+"/confirm", policy.OwnFactor, "Switch the second factor of the first administrator on",
		s.confirmFirstFactor, endpoint.Audited(audit.SecondFactor))
	page.Show(s.Site, firstUnit, policy.SeeSettings, "First teaching period and unit", s.firstUnit)
	page.Form(s.Site, firstUnit, policy.EditCalendar, "Make the first teaching period", s.makePeriod,
		endpoint.Audited(audit.Setting))
	page.Show(s.Site, firstDone, policy.SeeSettings, "What is left to set up", s.firstDone)
}

// firstForm is what the first administrator types.
type firstForm struct {
	Token     string `param:"token" text:"any"`
	Username  string `param:"username"`
	FirstName string `param:"first_name"`
	LastName  string `param:"last_name"`
	Email     string `param:"email"`
	Password  string `param:"password" text:"any"`
	Again     string `param:"again" text:"any"`
}

// firstPage is the way in of the first administrator.
type firstPage struct {
	Steps []step
	Typed firstForm
	wrong map[string]string
}

// Error tells what is wrong with a field.
func (v *firstPage) Error(name string) string { return sentence(v.wrong[name]) }

func (s *room) firstCard(who *access.Caller, name, title string, data any) *page.Page {
	p := s.Titled(who, name, title, data)
	p.Gate = true
	return p
}

// askFirst shows the form to whoever has the link. It uses nothing up: programs open links, too.
func (s *room) askFirst(ctx context.Context, who *access.Caller, in struct {
	Token string `param:"token" text:"any"`
}) (*page.Page, error) {
	if err := ident.CheckFirstLink(ctx, s.DB.Pool(), in.Token); err != nil {
		return nil, err
	}
	v := &firstPage{Steps: s.bareSteps(), Typed: firstForm{Token: in.Token}}
	return s.firstCard(who, "first-admin", s.Word("first.admin-title"), v), nil
}

// makeFirst makes the account and lets them in, to set up the second factor.
func (s *room) makeFirst(ctx context.Context, who *access.Caller, in firstForm) (endpoint.Drawing, error) {
	if err := ident.CheckFirstLink(ctx, s.DB.Pool(), in.Token); err != nil {
		return nil, err
	}
	err := error(nil)
	if in.Password != in.Again {
		err = fault.Field(fault.Refused, "again", "%s", s.Word("first.differ"))
	} else {
		var got *ident.SignedIn
		got, err = s.Usecases.Passwords.UseFirstLink(ctx, in.Token, ident.NewUser{Username: in.Username, Email: in.Email,
			FirstName: in.FirstName, LastName: in.LastName}, in.Password, ident.Entry{From: who.From, Agent: who.Agent})
		if err == nil {
			return s.SignIn.StartSession(got.Token, false, firstFactor), nil
		}
	}
	if fault.Is(err, fault.Missing) {
		return nil, err // somebody else was first
	}
	v := &firstPage{Steps: s.bareSteps(), Typed: in, wrong: fieldsOf(err)}
	return s.Again(s.firstCard(who, "first-admin", s.Word("first.admin-title"), v), err)
}

// fieldsOf are the fields an error names, with what is wrong.
func fieldsOf(err error) map[string]string {
	if e, told := errors.AsType[*fault.Error](err); told {
		return e.Fields
	}
	return nil
}

// factorPage leads the first administrator through setting up a second factor.
type factorPage struct {
	*ident.Factor
	Steps  []step
	Secret string
	QR     template.URL
	Codes  []string
	Next   string
}

func (s *room) factorPage(ctx context.Context, who *access.Caller, v factorPage) (p *page.Page, err error) {
	v.Steps, v.Next = s.bareSteps(), institution.at(true)
	v.Factor, err = s.Usecases.Passwords.Factor(ctx, s.DB.Pool(), who)
	return s.firstCard(who, "first-factor", s.Word("first.factor-title"), v), err
}

func (s *room) firstFactor(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	return s.factorPage(ctx, who, factorPage{})
}

type factorIn struct {
	Password string `param:"password" text:"any"`
	Secret   string `param:"secret" text:"any"`
	Code     string `param:"otp" text:"any"`
}

func (s *room) startFirstFactor(ctx context.Context, who *access.Caller, in factorIn) (endpoint.Drawing, error) {
	secret, err := s.Usecases.StartFactor(ctx, who, in.Password)
	if err != nil {
		return s.factorAgain(ctx, who, factorPage{}, err)
	}
	v, err := s.secretPage(who, secret)
	if err != nil {
		return nil, err
	}
	return s.factorPage(ctx, who, v)
}

func (s *room) secretPage(who *access.Caller, secret string) (factorPage, error) {
	a, err := s.SignIn.Authenticator(who, secret)
	if err != nil {
		return factorPage{}, err
	}
	return factorPage{Secret: secret, QR: template.URL(a.QR)}, nil //nolint:gosec // our own bytes
}

func (s *room) factorAgain(ctx context.Context, who *access.Caller, v factorPage, err error) (endpoint.Drawing, error) {
	p, drawn := s.factorPage(ctx, who, v)
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}

func (s *room) confirmFirstFactor(ctx context.Context, who *access.Caller, in factorIn) (endpoint.Drawing, error) {
	codes, err := s.Usecases.Passwords.ConfirmFactor(ctx, who, in.Code)
	if err != nil {
		v, shown := s.secretPage(who, in.Secret)
		if shown != nil {
			return nil, shown
		}
		return s.factorAgain(ctx, who, v, err)
	}
	return s.factorPage(ctx, who, factorPage{Codes: codes})
}
