package ident

import (
	"net/mail"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEmailRule(t *testing.T) {
	for email, want := range map[string]bool{
		"ann@example.edu": true, "a.b+c@sub.example.edu": true, "ANN@EXAMPLE.EDU": true, "x@a-b.co": true,
		"é@example.edu": true,
		"":              false, "ann": false, "@example.edu": false, "ann@": false, "ann@example": false,
		"ann@.example.edu": false,
		"ann@example..edu": false, "ann@example.edu.": false, "a b@example.edu": false, "ann@exa mple.edu": false,
		"ann@b@example.edu": false, "ann@example.e": false, "ann@example.e1": false, "ann@example.edu1": false,
		"ann@exam_ple.edu": false, "ann@-example.edu": false, "ann@example.edu\n": false, "ann@éxample.edu": false,
		"a\tb@example.edu":                 false,
		strings.Repeat("a", 250) + "@x.co": false,
	} {
		if got := validEmail(email); got != want {
			t.Errorf("%q: got %v", email, got)
		}
	}
}

// Addresses put together from the parts the rule names are taken, those with
// one part spoilt are not, and what is taken can be sent mail to.
func TestEmailRuleByParts(t *testing.T) {
	label := rapid.StringMatching(`[a-zA-Z0-9]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		local := rapid.StringMatching(`[a-zA-Z0-9_+'-]{1,12}(\.[a-z0-9]{1,5})?`).Draw(t, "local")
		labels := rapid.SliceOfN(label, 1, 3).Draw(t, "labels")
		top := rapid.StringMatching(`[a-zA-Z]{2,6}`).Draw(t, "top")
		good := local + "@" + strings.Join(append(labels, top), ".")
		if !validEmail(good) {
			t.Fatalf("%q is refused", good)
		}
		if _, err := mail.ParseAddress(good); err != nil {
			t.Fatalf("%q is taken, but no mail goes there: %v", good, err)
		}
		spoil := rapid.SampledFrom([]func(string) string{
			func(s string) string { return strings.Replace(s, "@", "", 1) },
			func(s string) string { return strings.Replace(s, "@", "@.", 1) },
			func(s string) string { return strings.Replace(s, "@", "@@", 1) },
			func(s string) string { return strings.Replace(s, "@", " @", 1) },
			func(s string) string { return s + "." },
			func(s string) string { return s + "9" },
			func(s string) string { return s[:strings.LastIndex(s, ".")] + ".." + top },
			func(s string) string { return s[strings.Index(s, "@"):] },
		}).Draw(t, "spoil")
		if bad := spoil(good); validEmail(bad) {
			t.Fatalf("%q is taken", bad)
		}
	})
}

func TestPasswordRule(t *testing.T) {
	u := &User{Username: "Student1", Email: "student1@example.edu"}
	for password, want := range map[string]bool{
		"73914628": true, "éàéàéàéà": true, strings.Repeat("éà", 100): true, "student12 rows a boat": true,
		"1234567": false, "": false, strings.Repeat("x", 201): false, "student1": false, "STUDENT1 ": false,
		"Student1@Example.edu": false, "12345678": false, "éééééééé": false, "student12": false,
	} {
		if err := passwordFlaw(password, u); (err == nil) != want {
			t.Errorf("%q: %v", password, err)
		}
	}
}

func TestVariant(t *testing.T) {
	for key, want := range map[string]string{"s1234567": "1234567", "s123456x": "123456x",
		"s12345678901": "12345678901", "s123456": "", "student": "", "1234567": "", "ss1234567": "",
		"s123456789012": ""} {
		if got := variant(key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}
