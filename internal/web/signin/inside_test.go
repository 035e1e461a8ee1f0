package signin

import (
	"net/url"
	"strings"
	"testing"

	"lectern/internal/ground/links"
)

const home = links.Home

func TestNextStaysInside(t *testing.T) {
	for next, want := range map[string]string{"": home, "/projects/1?sort=due": "/projects/1?sort=due",
		"https://evil.example": home, "//evil.example": home, "/\\evil.example": home, "javascript:alert(1)": home,
		"/\t/evil.example": home, "home": home, "/api/units": home, "/%2F/evil": "/%2F/evil"} {
		if got := Inside(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

func FuzzInside(f *testing.F) {
	for _, s := range []string{"/home", "//x", "/\\x", "http:x", "/a\n/b", "/?next=//x"} {
		f.Add(s)
	}
	base, _ := url.Parse("https://lectern.test/sign-in")
	f.Fuzz(func(t *testing.T, next string) {
		to := Inside(next)
		u, err := base.Parse(to)
		if err != nil || u.Host != base.Host || u.Scheme != "https" || strings.ContainsAny(to, "\\\r\n") {
			t.Errorf("%q leads to %q", next, u)
		}
	})
}
