// Package sso knows who comes in from elsewhere: it finds the account of a person
// whom an institution's own sign-in vouches for, and makes one where it may.
package sso

import (
	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
)

// Identity is a person as a sign-in elsewhere names them, after everything about its
// answer was verified.
type Identity struct {
	// LoginID is the name by which the institution knows the person for good. All
	// methods of an installation share one set of these names.
	LoginID string
	// Email is an address that the institution vouches for; empty where it only
	// repeats what the person typed.
	Email string
	// Attributes are the further values it told, by their names.
	Attributes map[string][]string
}

// first gives the first value of an attribute, "" for none.
func (i *Identity) first(name string) string {
	if values := i.Attributes[name]; name != "" && len(values) > 0 {
		return values[0]
	}
	return ""
}

// check refuses what cannot be a person's name for good.
func (i *Identity) check() error {
	if ident.ValidLoginID(i.LoginID) {
		return nil
	}
	return fault.New(fault.Denied, "Your institution did not send a name that can be used. Ask an administrator to "+
		"check the sign-in settings.")
}
