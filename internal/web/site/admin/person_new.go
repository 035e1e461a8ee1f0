package admin

import (
	"cmp"
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) newPersonRoutes() {
	at := links.People + "/new"
	page.Show(s.Site, at, policy.SeeAccounts, "Add a person", s.newPerson)
	page.Form(s.Site, at, policy.ManageAccounts, "Make the account of a person", s.addPerson,
		endpoint.Audited(audit.Account, audit.Role, audit.Password), endpoint.Asks(policy.CreateUsers), endpoint.Costs(endpoint.Emails))
}

// newPersonForm is what the fields of a new account hold.
type newPersonForm struct {
	Username string `param:"username"`
	personForm
	Mail bool `param:"mail"` // they are invited by an email
}

// newPersonPage is where a person is added.
type newPersonPage struct {
	newPersonForm
	Mails bool
	Link  string      // by which they set a password, shown only now; empty: none was made
	Made  *ident.User // who was added just now
	wrong map[string]string
	words *page.Language
}

// Error is what is wrong with a field; empty: nothing.
func (v *newPersonPage) Error(name string) string { return v.wrong[name] }

// Roles are those that can be given.
func (v *newPersonPage) Roles() []roleOption { return roleOptions(v.words, v.Role) }

// At is where who was added stands.
func (v *newPersonPage) At() string { return links.To(links.Person, v.Made.ID) }

func (s *room) newPersonPage(who *access.Caller, f newPersonForm) (*page.Page, *newPersonPage) {
	f.Role = cmp.Or(f.Role, policy.Student.String())
	v := &newPersonPage{newPersonForm: f, Mails: s.Usecases.Mailer.Sends(), words: s.Words}
	return s.withinPeople(s.Titled(who, "person-new", s.Word("people.add"), v)), v
}

func (s *room) newPerson(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	p, _ := s.newPersonPage(who, newPersonForm{Mail: true})
	return p, nil
}

func (s *room) addPerson(ctx context.Context, who *access.Caller, in newPersonForm) (endpoint.Drawing, error) {
	p, v := s.newPersonPage(who, in)
	role, _ := policy.ParseRole(v.Role) // what is none is refused
	made, err := s.Usecases.AddUser(ctx, who, ident.NewUser{Username: in.Username, Email: in.Email, FirstName: in.FirstName,
		LastName: in.LastName, Nickname: in.Nickname, StudentID: in.StudentID, LoginID: in.LoginID, Role: max(role, policy.Student)},
		in.Mail && v.Mails)
	if err != nil {
		p, err := s.Again(p, err)
		if err == nil {
			v.wrong = p.Wrong.Fields
		}
		return p, err
	}
	p, v = s.newPersonPage(who, newPersonForm{Mail: in.Mail})
	v.Made = made.User
	if !in.Mail || !v.Mails {
		v.Link = s.Usecases.PublicURL + links.With(links.Password, made.Token)
	}
	return p, nil
}
