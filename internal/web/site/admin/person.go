package admin

import (
	"context"
	"html/template"
	"slices"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) personRoutes() {
	page.Show(s.Site, links.Person, policy.SeeAccounts, "One person: account, units, sessions and ways to sign in", s.person)
	page.Form(s.Site, links.Person, policy.ManageAccounts, "Change names, address, numbers and role of a person",
		s.changePerson, endpoint.Audited(audit.Account, audit.Role), endpoint.Asks(policy.EditUser))
	page.Show(s.Site, links.Person+"/login", policy.SeeAccounts, "Whom the login id of a person could move to", s.login)
	page.Form(s.Site, links.Person+"/login", policy.ManageAccounts, "Move the login id of a person to another account",
		s.moveLogin, endpoint.Audited(audit.Account))
}

// personDone are what can have been done just now, as the ends of keys.
var personDone = []string{"saved", "unlocked", "invited", "signed-out", "session", "factor", "disabled", "enabled", "moved",
	"erasure", "kept"}

// personForm is what the fields of an account hold.
type personForm struct {
	FirstName string `param:"first_name"`
	LastName  string `param:"last_name"`
	Nickname  string `param:"nickname"`
	Email     string `param:"email"`
	StudentID string `param:"student_id"`
	LoginID   string `param:"login_id"`
	Role      string `param:"system_role"`
}

func formOf(p *usecase.PersonDetail) personForm {
	return personForm{p.FirstName, p.LastName, p.Nickname, p.Email, opt.Or(p.StudentID, ""), opt.Or(p.LoginID, ""),
		p.RoleID.String()}
}

// fields are the values of a form with where each goes.
func (f *personForm) fields(c *ident.Change) []struct {
	value string
	to    **string
} {
	return []struct {
		value string
		to    **string
	}{{f.FirstName, &c.FirstName}, {f.LastName, &c.LastName}, {f.Nickname, &c.Nickname}, {f.Email, &c.Email},
		{f.StudentID, &c.StudentID}, {f.LoginID, &c.LoginID}}
}

// change is what a form differs in from what was seen.
func (f *personForm) change(seen *personForm) ident.Change {
	c, was := ident.Change{}, &ident.Change{}
	before := seen.fields(was)
	for i, field := range f.fields(&c) {
		if strings.TrimSpace(field.value) != before[i].value {
			*field.to, *before[i].to = &field.value, &before[i].value
		}
	}
	if role, ok := policy.ParseRole(f.Role); ok && f.Role != seen.Role {
		c.Role = &role
		if old, ok := policy.ParseRole(seen.Role); ok {
			was.Role = &old
		}
	}
	c.Seen = was
	return c
}

// onto gives what was typed, and what is there now wherever nobody typed.
func (f personForm) onto(seen, now *personForm) personForm {
	for _, v := range []struct {
		mine     *string
		was, now string
	}{{&f.FirstName, seen.FirstName, now.FirstName}, {&f.LastName, seen.LastName, now.LastName},
		{&f.Nickname, seen.Nickname, now.Nickname}, {&f.Email, seen.Email, now.Email},
		{&f.StudentID, seen.StudentID, now.StudentID}, {&f.LoginID, seen.LoginID, now.LoginID},
		{&f.Role, seen.Role, now.Role}} {
		if *v.mine == v.was {
			*v.mine = v.now
		}
	}
	return f
}

// personPage is one person.
type personPage struct {
	*usecase.PersonDetail
	Account  template.HTML // how it stands
	Sessions []ident.Session
	Typed    personForm
	Seen     personForm
	Own      bool   // it is the reader
	Mails    bool   // the service sends emails
	Done     string // in words, what was done just now
	Link     string // by which the person sets a password, shown only now
	wrong    map[string]string
	words    *page.Language
}

// Name is the person's.
func (v *personPage) Name() string { return strings.TrimSpace(v.FirstName + " " + v.LastName) }

// Path is where the page stands.
func (v *personPage) Path() string { return links.To(links.Person, v.ID) }

// Error is what is wrong with a field; empty: nothing.
func (v *personPage) Error(name string) string { return v.wrong[name] }

// roleOption is a role that can be given.
type roleOption struct {
	Value, Text string
	On          bool
}

func roleOptions(words *page.Language, chosen string) (list []roleOption) {
	for _, r := range peopleRoles {
		list = append(list, roleOption{r.String(), words.Word("people.role-" + r.String()), r.String() == chosen})
	}
	return list
}

// Roles are those that can be given.
func (v *personPage) Roles() []roleOption { return roleOptions(v.words, v.Typed.Role) }

// UnitPath is where a unit of the person stands: the project of one who studies it.
func (v *personPage) UnitPath(u usecase.PersonUnit) string {
	if u.ProjectID != nil && u.Role == policy.Student.Name() {
		return links.To(links.Student, u.ID, *u.ProjectID)
	}
	return links.To(links.Unit, u.ID)
}

type personIn struct {
	ID   int64  `path:"id"`
	Done string `param:"done"`
}

func (s *room) person(ctx context.Context, who *access.Caller, in personIn) (*page.Page, error) {
	v, err := s.readPerson(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	if slices.Contains(personDone, in.Done) {
		v.Done = s.Word("person.done-" + in.Done)
	}
	return s.personTitled(who, v), nil
}

func (s *room) readPerson(ctx context.Context, who *access.Caller, id int64) (*personPage, error) {
	p, err := s.Usecases.Person(ctx, id)
	if err != nil {
		return nil, err
	}
	v := &personPage{PersonDetail: p, Typed: formOf(p), Seen: formOf(p), Own: id == who.ID, Mails: s.Usecases.Mailer.Sends(),
		Account: s.accountState(p.State), words: s.Words}
	v.Sessions, err = s.Usecases.SessionsOf(ctx, who, id)
	return v, err
}

func (s *room) personTitled(who *access.Caller, v *personPage) *page.Page {
	return s.withinPeople(s.Titled(who, "person", v.Name(), v))
}

// withinPeople puts a page under the list of people.
func (s *room) withinPeople(p *page.Page) *page.Page {
	p.Within = &page.Crumb{Words: s.Word("people.title"), Path: links.People}
	return p
}

// personAgain draws the page of a person with what was wrong.
func (s *room) personAgain(ctx context.Context, who *access.Caller, id int64, typed *personForm, seen *personForm,
	why error) (endpoint.Drawing, error) {
	v, err := s.readPerson(ctx, who, id)
	if err != nil {
		return nil, err
	}
	if typed != nil {
		v.Typed = typed.onto(seen, &v.Typed)
	}
	p, err := s.Again(s.withinPeople(s.Refusal(who, "person", v.Name(), v)), why)
	if err != nil {
		return nil, err
	}
	v.wrong = map[string]string{}
	for name, text := range p.Wrong.Fields {
		v.wrong[name] = text
	}
	return p, nil
}

// personLed leads to the page of a person, where it says what was done.
func personLed(id int64, done string) endpoint.Redirect {
	return endpoint.Redirect{To: links.To(links.Person, id) + "?done=" + done}
}

func (s *room) changePerson(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id"`
	personForm
	Seen personForm `param:"seen"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeAccount(ctx, who, in.ID, in.change(&in.Seen), "")
	if err != nil {
		return s.personAgain(ctx, who, in.ID, &in.personForm, &in.Seen, err)
	}
	return personLed(in.ID, "saved"), nil
}

// loginPage is where it is chosen whom a login id moves to.
type loginPage struct {
	*usecase.PersonDetail
	To    string // as typed: a user name, a number or an address
	Other *usecase.PersonDetail
	Wrong string // why it cannot be
}

// Path is where the person stands.
func (v *loginPage) Path() string { return links.To(links.Person, v.ID) }

func (s *room) login(ctx context.Context, who *access.Caller, in struct {
	ID int64  `path:"id"`
	To string `param:"to"`
}) (*page.Page, error) {
	v := &loginPage{To: strings.TrimSpace(in.To)}
	var err error
	if v.PersonDetail, err = s.Usecases.Person(ctx, in.ID); err != nil {
		return nil, err
	}
	p := s.withinPeople(s.Titled(who, "person-login", s.Word("person.move-login"), v))
	if v.To == "" {
		return p, nil
	}
	other, err := ident.Find(ctx, s.DB.Pool(), v.To)
	if err != nil {
		return s.Again(p, err)
	}
	if v.Other, err = s.Usecases.Person(ctx, other); err != nil {
		return nil, err
	}
	return p, nil
}

func (s *room) moveLogin(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id"`
	To int64 `param:"to_user_id"`
}) (endpoint.Drawing, error) {
	if _, err := s.Usecases.MoveLoginID(ctx, who, in.ID, in.To, false); err != nil {
		return s.personAgain(ctx, who, in.ID, nil, nil, err)
	}
	return personLed(in.To, "moved"), nil
}
