package httpserver

import (
	"net/http"
	"strings"
	"testing"

	"lectern/internal/ground/fault"
)

// TestEveryKindIsGuarded holds the table of headers against what each kind needs,
// and sees that a kind leaves nothing of the one before it.
func TestEveryKindIsGuarded(t *testing.T) {
	want := map[Kind]struct{ frame, csp, opener string }{
		Site: {"DENY", "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; ",
			"same-origin"},
		Data: {"DENY", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", ""},
		Page: {"DENY", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"same-origin"},
		Download: {"SAMEORIGIN", "sandbox; default-src 'none'; ", ""},
		Picture:  {"SAMEORIGIN", "sandbox; default-src 'none'; ", ""},
		Explorer: {"DENY", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ",
			"same-origin"},
	}
	if len(want) != len(guards) {
		t.Fatalf("%d kinds are looked at, of %d", len(want), len(guards))
	}
	h := http.Header{}
	for _, k := range []Kind{Explorer, Data, Site, Page, Download, Picture, Explorer, Download} {
		Guard(h, k)
		for name, value := range map[string]string{"X-Content-Type-Options": "nosniff",
			"Referrer-Policy":              map[bool]string{false: "no-referrer", true: "same-origin"}[k == Site],
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
			"X-Frame-Options": want[k].frame, "Cross-Origin-Opener-Policy": want[k].opener} {
			if h.Get(name) != value {
				t.Errorf("kind %d: %s is %q, want %q", k, name, h.Get(name), value)
			}
		}
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, want[k].csp) || strings.Contains(csp, "script-src") != (k == Site) ||
			strings.Contains(csp, "unsafe") && k == Site || strings.HasSuffix(csp, " ") {
			t.Errorf("kind %d: %q", k, csp)
		}
		if has := h.Get("Permissions-Policy") != ""; has != (want[k].opener != "") {
			t.Errorf("kind %d: Permissions-Policy %q", k, h.Get("Permissions-Policy"))
		}
	}
	Guard(h, Page, "style-src 'self'")
	if csp := h.Get("Content-Security-Policy"); csp != closed+"; style-src 'self'" {
		t.Error(csp)
	}
}

// TestAFailureIsGuardedAnew: what a handler allowed for the file it meant to send
// does not hold for the error it sends instead.
func TestAFailureIsGuardedAnew(t *testing.T) {
	s := quiet()
	s.Handle("GET /file", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Guard(w.Header(), Download)
		w.Header().Set("Cache-Control", "max-age=60")
		s.Fail(w, r, fault.New(fault.Missing, "gone"))
	}))
	h := get(s, "/file").Header()
	if h.Get("Content-Security-Policy") != closed || h.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", h)
	}
}

func TestHTTPSIsInsistedOnWhereItIsOurs(t *testing.T) {
	for https, want := range map[bool]string{false: "", true: "max-age=63072000"} {
		s := quiet()
		s.HTTPS = https
		for _, path := range []string{"/nothing", "/api/nothing"} {
			if got := get(s, path).Header().Get("Strict-Transport-Security"); got != want {
				t.Errorf("%v %s: %q", https, path, got)
			}
		}
	}
}
