package app

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestWhatStandsBesideTheAPIIsGuarded asks for what no endpoint declares: the
// explorer, the document, health, metrics, pages for browsers.
func TestWhatStandsBesideTheAPIIsGuarded(t *testing.T) {
	a, err := New(t.Context(), Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()},
		PublicURL: "https://lectern.example.edu", LogLevel: 12}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	for path, opener := range map[string]string{"/healthz": "", "/readyz": "", "/metrics": "", "/api/openapi.json": "",
		"/api/nothing": "", "/nothing": "same-origin", "/api/docs": "same-origin",
		"/api/docs/swagger-ui-bundle.js": "same-origin"} {
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = "127.0.0.1:40000"
		r.Header.Set("Accept", "text/html")
		w := httptest.NewRecorder()
		a.web.ServeHTTP(w, r)
		h := w.Header()
		csp := h.Get("Content-Security-Policy")
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" ||
			h.Get("Cross-Origin-Opener-Policy") != opener || !strings.HasPrefix(csp, "default-src 'none'; ") ||
			!strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "script-src 'unsafe") ||
			h.Get("Strict-Transport-Security") == "" {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
		if path == "/api/docs" {
			explorerScripts(t, w.Body.String(), csp)
		}
	}
}

// explorerScripts sees that the explorer's own scripts may run.
func explorerScripts(t *testing.T, page, csp string) {
	t.Helper()
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	for _, m := range scripts {
		sum := sha256.Sum256([]byte(m[1]))
		if !strings.Contains(csp, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("a script of the explorer may not run: %s", m[1])
		}
	}
	if len(scripts) == 0 || !strings.Contains(csp, "script-src 'self' ") {
		t.Errorf("%d scripts, %s", len(scripts), csp)
	}
}
