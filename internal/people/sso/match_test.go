package sso

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// school is a database with a few people: ann, a student who never signed in; bob,
// who has a password; tim, a tutor; lea, who is linked as lea-1; and adi, an Admin.
type school struct {
	*testing.T
	db *db.DB
}

func each(t *testing.T, f func(s school)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := school{t, d}
		s.tx(func(q db.Q) error {
			var errs []error
			for name, role := range map[string]policy.Role{"ann": policy.Student, "bob": policy.Student,
				"tim": policy.Tutor, "lea": policy.Student, "adi": policy.Admin} {
				n := ident.NewUser{Username: name, Email: name + "@example.edu", FirstName: name, LastName: "P",
					Role: role}
				if name == "lea" || name == "adi" {
					n.LoginID = name + "-1"
				}
				_, err := ident.Add(t.Context(), q, n)
				errs = append(errs, err)
			}
			_, err := db.Exec(t.Context(), q, `UPDATE users SET password_hash = 'x' WHERE username = 'bob'`)
			return errors.Join(append(errs, err)...)
		})
		f(s)
	})
}

func (s school) tx(f func(q db.Q) error) {
	s.Helper()
	if err := s.db.Tx(s.Context(), f); err != nil {
		s.Fatal(err)
	}
}

func (s school) match(r Rules, i Identity) (u *ident.User, err error) {
	err = s.db.Tx(context.Background(), func(q db.Q) error {
		u, err = r.Match(context.Background(), q, i)
		return err
	})
	return u, err
}

// becomes matches an identity and wants it to be the account called name.
func (s school) becomes(name string, r Rules, i Identity) *ident.User {
	s.Helper()
	u, err := s.match(r, i)
	if err != nil || u.Username != name {
		s.Fatalf("%+v became %v, %v; want %s", i, u, err, name)
	}
	return u
}

// refused wants an identity to be refused with a sentence, and nothing changed.
func (s school) refused(r Rules, i Identity, kind fault.Kind, says string) {
	s.Helper()
	before := s.count("users WHERE login_id IS NOT NULL") + 1000*s.count("users")
	_, err := s.match(r, i)
	if !fault.Is(err, kind) || !strings.Contains(err.Error(), says) {
		s.Errorf("%+v got %v, want one of kind %s that says %q", i, err, kind.Slug(), says)
	}
	if after := s.count("users WHERE login_id IS NOT NULL") + 1000*s.count("users"); after != before {
		s.Errorf("%+v was refused and changed something", i)
	}
}

func (s school) count(from string, args ...any) int64 {
	s.Helper()
	n, err := db.One[int64](s.Context(), s.db.Pool(), "SELECT count(*) FROM "+from, args...)
	if err != nil {
		s.Fatal(err)
	}
	return *n
}

// written counts the audit entries that hold a text.
func (s school) written(text string) int64 {
	s.Helper()
	return s.count("audit_outbox WHERE entries LIKE $1", "%"+text+"%")
}

var local = Rules{Domains: []string{"example.edu"}}

func TestALoginIDIsAlwaysMatched(t *testing.T) {
	each(t, func(s school) {
		s.becomes("lea", Rules{}, Identity{LoginID: "lea-1", Email: "ann@example.edu"})
		s.becomes("adi", Rules{}, Identity{LoginID: "adi-1"})
		s.refused(Rules{}, Identity{LoginID: "LEA-1"}, fault.Denied, "no account")
		for _, id := range []string{"", " lea-1", "lea-1\n", strings.Repeat("x", 201), "lea\u202e-1", "\xff"} {
			s.refused(local, Identity{LoginID: id, Email: "ann@example.edu"}, fault.Denied, "name that can be used")
		}
		s.tx(func(q db.Q) error {
			_, err := db.Exec(s.Context(), q, `UPDATE users SET disabled_at = $1 WHERE username IN ('lea', 'ann')`,
				q.Now())
			return err
		})
		s.refused(Rules{}, Identity{LoginID: "lea-1"}, fault.Unknown, "disabled")
		s.refused(local, Identity{LoginID: "ann-1", Email: "ann@example.edu"}, fault.Unknown, "disabled")
	})
}

func TestAnAddressFindsAStudentOnce(t *testing.T) {
	each(t, func(s school) {
		var link string
		s.tx(func(q db.Q) error {
			u, err := ident.ByUsername(s.Context(), q, "ann")
			if err == nil {
				link, _, err = ident.NewLink(s.Context(), q, u.ID)
			}
			return err
		})
		for _, i := range []Identity{
			{LoginID: "x", Email: "bob@example.edu"}, // has a password
			{LoginID: "x", Email: "tim@example.edu"}, // is more than a student
			{LoginID: "x", Email: "lea@example.edu"}, // is somebody else by now
			{LoginID: "x", Email: "adi@example.edu"},
		} {
			s.refused(local, i, fault.Denied, `set its login_id to "x"`)
		}
		s.refused(Rules{}, Identity{LoginID: "x", Email: "ann@example.edu"}, fault.Denied, "not linked")
		for _, domain := range []string{"edu", "other.edu", "sub.example.edu", "ample.edu"} {
			s.refused(Rules{Domains: []string{domain}}, Identity{LoginID: "x", Email: "ann@example.edu"}, fault.Denied,
				"not linked")
		}
		// The part before the @ is nobody's name.
		for _, email := range []string{"ann@other.edu", "ann@sub.example.edu", "ann", "ann@example.edu@other.edu", ""} {
			s.refused(local, Identity{LoginID: "ann", Email: email}, fault.Denied, "no account")
		}
		s.becomes("ann", local, Identity{LoginID: "ann-1", Email: "Ann@Example.EDU"})
		s.becomes("ann", Rules{}, Identity{LoginID: "ann-1"})
		s.refused(local, Identity{LoginID: "ann-2", Email: "ann@example.edu"}, fault.Denied, "not linked")
		if s.written(`"action":"linked"`) != 1 {
			t.Error("the link is not in the audit log once")
		}
		if err := ident.NewPasswords(s.db, ident.Limits{}).UseLink(s.Context(), link, "a long password"); !fault.Is(err,
			fault.Missing) {
			t.Errorf("a link from before still sets a password: %v", err)
		}
	})
}

var making = Rules{Create: true, Names: Names{"uid", "givenName", "sn", "number"}, Role: "affiliation",
	Roles: map[string]policy.Role{"staff": policy.Tutor, "lecturer": policy.Convenor, "student": policy.Student}}

func zoe(roles ...string) Identity {
	return Identity{LoginID: "zoe-1", Email: "zoe@example.edu", Attributes: map[string][]string{"uid": {"zoe"},
		"givenName": {"Zoë"}, "sn": {"Ode"}, "number": {"777"}, "affiliation": roles}}
}

func TestAccountsAreMadeWhereTheRulesSaySo(t *testing.T) {
	each(t, func(s school) {
		s.refused(local, zoe(), fault.Denied, `login_id "zoe-1"`)
		for attribute, says := range map[string]string{"givenName": "first_name may not be blank", "sn": "last_name"} {
			i := zoe()
			delete(i.Attributes, attribute)
			s.refused(making, i, fault.Denied, says)
		}
		nowhere := zoe()
		nowhere.Email = ""
		s.refused(making, nowhere, fault.Denied, "email is not")
		same := zoe()
		same.Attributes["uid"] = []string{"ANN"}
		s.refused(making, same, fault.Denied, "Another user has that username. Show this")
		same = zoe()
		same.Email = "bob@example.edu"
		s.refused(making, same, fault.Denied, "not linked")

		u := s.becomes("zoe", making, zoe("member", "staff"))
		if u.Role != policy.Tutor || u.FirstName != "Zoë" || *u.StudentID != "777" || u.HasPassword ||
			*u.LoginID != "zoe-1" {
			t.Errorf("made %+v", u)
		}
		if s.written(`"kind":"account","action":"created"`) == 0 || s.written(`"action":"tutor"`) == 0 {
			t.Error("the audit log lacks the new account or its role")
		}
		plain := Identity{LoginID: "y@example.edu", Email: "y@example.edu", Attributes: zoe().Attributes}
		plain.Attributes["number"], plain.Attributes["uid"] = nil, nil
		if u := s.becomes("y@example.edu", making, plain); u.Role != policy.Student || u.StudentID != nil {
			t.Errorf("made %+v", u)
		}
	})
}

func TestRolesFromOutside(t *testing.T) {
	each(t, func(s school) {
		s.becomes("zoe", making, zoe("student"))
		entries := s.written(`"kind":"role"`)
		for _, c := range []struct {
			told []string
			role policy.Role
		}{{[]string{"staff"}, policy.Tutor}, {nil, policy.Tutor}, {[]string{"unheard-of"}, policy.Tutor},
			{[]string{"student", "lecturer", "staff"}, policy.Convenor}, {[]string{"student"}, policy.Student}} {
			if u := s.becomes("zoe", making, zoe(c.told...)); u.Role != c.role {
				t.Errorf("told %v, zoe is a %s, want %s", c.told, u.Role, c.role)
			}
		}
		if n := s.written(`"kind":"role"`) - entries; n != 3 {
			t.Errorf("%d changes of role in the audit log, want 3", n)
		}
		i := zoe("student")
		i.LoginID = "adi-1"
		if u := s.becomes("adi", making, i); u.Role != policy.Admin {
			t.Errorf("an Admin became a %s", u.Role)
		}
		raising := making
		raising.Roles = map[string]policy.Role{"boss": policy.Admin}
		if u := s.becomes("zoe", raising, zoe("boss")); u.Role != policy.Student {
			t.Errorf("a %s came from outside", u.Role)
		}
	})
}

func TestARoleThatAUnitNeedsStays(t *testing.T) {
	each(t, func(s school) {
		u := s.becomes("zoe", making, zoe("lecturer"))
		s.tx(func(q db.Q) error {
			unit, err := db.One[int64](s.Context(), q, `INSERT INTO units (code, name, description, start_date, end_date,
				created_at, updated_at) VALUES ('U', 'U', '', '2026-01-01', '2026-06-01', $1, $1) RETURNING id`, q.Now())
			if err == nil {
				_, err = db.Exec(s.Context(), q, `INSERT INTO unit_roles (unit_id, user_id, role, is_main, created_at,
					updated_at) VALUES ($1, $2, 3, TRUE, $3, $3)`, *unit, u.ID, q.Now())
			}
			return err
		})
		if u := s.becomes("zoe", making, zoe("student")); u.Role != policy.Convenor {
			t.Errorf("the convenor of a unit became a %s", u.Role)
		}
	})
}

func TestTwoFirstSignInsMakeOneAccount(t *testing.T) {
	each(t, func(s school) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := s.match(making, zoe()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := s.count("users WHERE login_id = 'zoe-1'"); n != 1 {
			t.Errorf("%d accounts", n)
		}
	})
}

func TestRulesAreChecked(t *testing.T) {
	for _, r := range []Rules{{}, local, making} {
		if err := r.Check(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, r := range []Rules{{Domains: []string{"@example.edu"}}, {Domains: []string{"*.edu"}},
		{Domains: []string{"edu"}}, {Create: true}, {Role: "x"}, {Roles: map[string]policy.Role{"a": policy.Tutor}},
		{Role: "x", Roles: map[string]policy.Role{"a": policy.Admin}}} {
		if r.Check() == nil {
			t.Errorf("%+v is taken", r)
		}
	}
	roles, err := ParseRoles([]string{"staff=Tutor", " cn=staff,dc=example = convenor"})
	if err != nil || roles["staff"] != policy.Tutor || roles["cn=staff,dc=example"] != policy.Convenor {
		t.Errorf("got %v, %v", roles, err)
	}
	for _, bad := range []string{"", "staff", "=Tutor", "staff=", "staff=Boss"} {
		if _, err := ParseRoles([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestNamesOfSeveralLinesAreRefusedFromElsewhereToo(t *testing.T) {
	each(t, func(s school) {
		r := Rules{Create: true, Names: Names{Username: "uid", FirstName: "given", LastName: "sn", StudentID: "number"}}
		for name, value := range map[string]string{"given": "Eve\r\nBcc: all@example.edu", "sn": "E\u202ev",
			"number": "1\n2"} {
			attributes := map[string][]string{"uid": {"eve"}, "given": {"Eve"}, "sn": {"E"}, "number": {"12"}}
			attributes[name] = []string{value}
			s.refused(r, Identity{LoginID: "eve-1", Email: "eve@example.edu", Attributes: attributes}, fault.Denied,
				"must be one line without control characters")
		}
	})
}
