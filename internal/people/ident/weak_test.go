package ident

import (
	"strings"
	"testing"
)

func TestWeakPasswords(t *testing.T) {
	nick, number := "Zo", "s1234567"
	u := &User{Username: "zmcdonald", Email: "zoe.mcdonald@example.edu", FirstName: "Zoë", LastName: "McDonald",
		Nickname: nick, StudentID: &number}
	for _, weak := range []string{"password", "PassWord1", "12345678", "qwertyuiop", "iloveyou", " baseball ",
		"        ", "\u00a0\u2003\u00a0\u2003\u00a0\u2003\u00a0\u2003", "aaaaaaaaaaaa", "short", "zmcdonald1",
		"Zoë McDonald", "zoe.mcdonald@EXAMPLE.edu", "mcdonald2026", "s1234567", strings.Repeat("x y", 67)} {
		if passwordFlaw(weak, u) == nil {
			t.Errorf("%q is taken", weak)
		}
	}
	for _, good := range []string{"correct horse", "correct horse battery staple", "pässwörter", "zoës kühler hund",
		strings.Repeat("long words and blanks ", 9), strings.Repeat("ab", 64), "Zürich-Genf-2026"} {
		if err := passwordFlaw(good, u); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	if n := len(common()); n < 10_000 {
		t.Errorf("%d common passwords", n)
	}
}
