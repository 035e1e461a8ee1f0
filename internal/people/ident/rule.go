package ident

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
)

// maxText bounds names and the like, in characters: longer ones are mistakes.
const maxText = 200

// flaws tells what keeps an account from being made, by the names of its values.
func (n *NewUser) flaws() *fault.Fields {
	f := nameFlaws(n.FirstName, n.LastName, n.Email)
	if reason := usernameFlaw(n.Username); reason != "" {
		f.Add("username", "%s", reason)
	}
	for name, s := range map[string]string{"nickname": n.Nickname, "student_id": n.StudentID} {
		lineFlaw(f, name, s)
	}
	f.When(n.LoginID != "" && !ValidLoginID(n.LoginID), "login_id", "must be one line of at most %d characters",
		maxText)
	return f
}

func nameFlaws(first, last, email string) *fault.Fields {
	f := &fault.Fields{}
	for name, s := range map[string]string{"first_name": first, "last_name": last} {
		f.When(s == "", name, "may not be blank")
		lineFlaw(f, name, s)
	}
	if !validEmail(email) {
		f.Add("email", "is not an email address such as name@example.edu")
	}
	return f
}

// lineFlaw refuses what is no line of text, by whatever way it comes: a form, a sheet, or a
// sign-in elsewhere.
func lineFlaw(f *fault.Fields, name, s string) {
	f.When(utf8.RuneCountInString(s) > maxText, name, "is too long")
	f.When(!bounds.FitsOneLine(s), name, "must be one line without control characters")
}

// usernameFlaw refuses names that cannot travel in the header Username.
func usernameFlaw(s string) string {
	switch {
	case s == "":
		return "may not be blank"
	case len(s) > 100:
		return "has more than 100 characters"
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "may hold only letters a to z, digits and signs, no blanks"
	}
	return ""
}

// validEmail takes one @, no blanks, and a dotted domain of letters, digits and
// hyphens that ends in at least two letters. Whether mail arrives is not for a
// pattern to say.
func validEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || len(s) > 254 || strings.ContainsFunc(local, func(r rune) bool {
		return r == '@' || unicode.IsSpace(r)
	}) || !bounds.FitsOneLine(local) {
		return false
	}
	labels := strings.Split(domain, ".")
	for _, l := range labels {
		if l == "" || strings.Trim(l, "-") != l || strings.ContainsFunc(l, func(r rune) bool {
			return !letter(r) &&
				r != '-' && (r < '0' || r > '9')
		}) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(labels) > 1 && len(last) > 1 && !strings.ContainsFunc(last, func(r rune) bool { return !letter(r) })
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// refuse makes one refusal of all flaws.
func refuse(flaws *fault.Fields) error { return flaws.Err(fault.Refused) }
