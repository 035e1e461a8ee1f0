package ident

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
)

// commonList holds the commonest passwords of at least 8 characters in small
// letters, one per line; docs/dependencies.md says where they are from.
//
//go:embed common_passwords.txt.gz
var commonList []byte

// common gives the commonest passwords; the list is unpacked at the first use.
var common = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	packed, err := gzip.NewReader(bytes.NewReader(commonList))
	if err != nil {
		panic("ident: the list of common passwords is broken: " + err.Error())
	}
	lines := bufio.NewScanner(packed)
	for lines.Scan() {
		out[lines.Text()] = true
	}
	if err := lines.Err(); err != nil {
		panic("ident: the list of common passwords is broken: " + err.Error())
	}
	return out
})

// Bounds of a password, in characters. leftOver is how many must remain when the
// person's own names are taken out.
const (
	minPassword = 8
	maxPassword = 200
	leftOver    = 5
)

// passwordFlaw tells what is wrong with a new password. Length is what counts;
// rules about kinds of characters only make people write them down. What many
// have, and what anybody knows of the person, is guessed first and refused.
func passwordFlaw(password string, u *User) error {
	n := utf8.RuneCountInString(password)
	switch {
	case n < minPassword:
		return fault.Field(fault.Refused, "password", "must have at least %d characters", minPassword)
	case n > maxPassword:
		return fault.Field(fault.Refused, "password", "may have at most %d characters", maxPassword)
	case uniform(password):
		return fault.Field(fault.Refused, "password", "may not be blank or one repeated character")
	case ownNames(password, u):
		return fault.Field(fault.Refused, "password", "may not be your username, your email address or little more "+
			"than your names")
	case common()[fold(password)]:
		return fault.Field(fault.Refused, "password", "is a common password that is easy to guess. Choose another, "+
			"such as a few unrelated words")
	}
	return nil
}

// uniform tells whether a password is one character repeated, blanks aside.
func uniform(password string) bool {
	first := rune(-1)
	for _, r := range password {
		switch {
		case unicode.IsSpace(r) || !unicode.IsPrint(r):
		case first < 0:
			first = r
		case r != first:
			return false
		}
	}
	return true
}

// ownNames tells whether a password is made of what its owner is called.
func ownNames(password string, u *User) bool {
	rest := fold(password)
	local, _, _ := strings.Cut(u.Email, "@")
	names := []string{u.Email, u.Username, local, u.FirstName, u.LastName, u.Nickname, opt.Or(u.StudentID, "")}
	for _, name := range names {
		if key := fold(name); utf8.RuneCountInString(key) >= 3 {
			rest = strings.ReplaceAll(rest, key, "")
		}
	}
	return utf8.RuneCountInString(rest) < leftOver
}
