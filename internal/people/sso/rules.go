package sso

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/people/policy"
)

// Rules say what a method of signing in may do with accounts. The zero value lets in
// only those whose login_id an administrator set.
type Rules struct {
	Domains []string               // an address in one of these may find an account
	Create  bool                   // make an account for who has none
	Names   Names                  // which attributes a new account is made of
	Role    string                 // the attribute that tells a role; empty: roles are decided here
	Roles   map[string]policy.Role // by the values of Role; others change nothing
}

// Names are the attributes that the values of a new account stand in. Without one
// for the user name the login_id is it.
type Names struct{ Username, FirstName, LastName, StudentID string }

// Check finds rules that would do harm or nothing.
func (r *Rules) Check() error {
	for _, d := range r.Domains {
		if strings.ContainsAny(d, "@/: *") || !strings.Contains(d, ".") {
			return fmt.Errorf("%q is not a domain such as example.edu", d)
		}
	}
	for value, role := range r.Roles {
		if role == policy.Admin {
			return fmt.Errorf("%q would make Admins: a role from outside never does", value)
		}
	}
	if (r.Role == "") != (len(r.Roles) == 0) {
		return errors.New("the attribute that tells roles and the list of roles go together")
	}
	if r.Create && (r.Names.FirstName == "" || r.Names.LastName == "") {
		return errors.New("accounts can only be made with the attributes of the first and the last name")
	}
	return nil
}

// ParseRoles reads pairs such as staff=Tutor. The value may itself hold the sign =.
func ParseRoles(pairs []string) (map[string]policy.Role, error) {
	out := map[string]policy.Role{}
	for _, p := range pairs {
		at := strings.LastIndex(p, "=")
		role, ok := policy.ParseRole(p[at+1:])
		if value := strings.TrimSpace(p[:max(at, 0)]); value != "" && ok {
			out[value] = role
			continue
		}
		return nil, fmt.Errorf("%q is not a value and a role such as staff=Tutor", p)
	}
	return out, nil
}

// inDomain tells whether an address belongs to one of the domains; one of a domain
// below it does not.
func (r *Rules) inDomain(address string) bool {
	at := strings.LastIndex(address, "@")
	return at > 0 && slices.ContainsFunc(r.Domains, func(d string) bool {
		return strings.EqualFold(d, strings.TrimSpace(address[at+1:]))
	})
}

// role gives the highest role the attributes tell; 0 where they tell none.
func (r *Rules) role(i *Identity) (most policy.Role) {
	if r.Role == "" {
		return 0
	}
	for _, value := range i.Attributes[r.Role] {
		most = max(most, r.Roles[value])
	}
	return most
}
