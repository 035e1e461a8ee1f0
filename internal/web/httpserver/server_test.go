package httpserver

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/fault"
)

func quiet() *Server { return New(Config{Log: slog.New(slog.DiscardHandler)}) }

// failing gives a server whose GET /thing fails with err.
func failing(err error) *Server {
	s := quiet()
	s.Handle("GET /thing", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Fail(w, r, err) }))
	return s
}

func get(s http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestKindsHaveTheirStatus(t *testing.T) {
	for kind, want := range statuses {
		w := get(failing(&fault.Error{Kind: kind, Text: "no", Wait: 1500 * time.Millisecond,
			Fields: map[string]string{"a": "b"}}), "/thing")
		if w.Code != want || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %v", kind.Slug(), w.Code, w.Header())
		}
		if has := strings.Contains(w.Body.String(), "fields"); has != (want == 400 || want == 409 || want == 422) {
			t.Errorf("%s: %s", kind.Slug(), w.Body)
		}
		if kind == fault.Throttled && w.Header().Get("Retry-After") != "2" {
			t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
		}
	}
}

func TestClientAddress(t *testing.T) {
	p, err := ParseProxies([]string{"10.0.0.0/8", "2001:db8::1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"203.0.113.9:1", "1.2.3.4", "203.0.113.9"},
		{"10.1.1.1:1", "1.2.3.4", "1.2.3.4"},
		{"10.1.1.1:1", "6.6.6.6, 1.2.3.4, 10.2.2.2", "1.2.3.4"},
		{"10.1.1.1:1", "rubbish", "10.1.1.1"},
		{"10.1.1.1:1", "", "10.1.1.1"},
		{"[2001:db8::1]:1", "::ffff:1.2.3.4", "1.2.3.4"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		r.Header.Set("X-Forwarded-For", c.forwarded)
		if got := p.Client(r); got != netip.MustParseAddr(c.want) {
			t.Errorf("%+v: got %v", c, got)
		}
	}
	if _, err := ParseProxies([]string{"proxy.example"}); err == nil {
		t.Error("a name was taken for an address")
	}
}

// browser is what browsers send when a person follows a link.
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

func isPage(w *httptest.ResponseRecorder) bool {
	return strings.HasPrefix(w.Header().Get("Content-Type"), "text/html")
}

func TestBrowsersGetAPage(t *testing.T) {
	s := failing(errors.New("SELECT secret FROM users"))
	s.Handle("GET /panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") }))
	s.Handle("POST /form", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for path, want := range map[string]int{"/thing": 500, "/panic": 500, "/form": 405, "/<script>x</script>": 404} {
		w := get(s, path, "Accept", browser)
		body, h := w.Body.String(), w.Header()
		if w.Code != want || !isPage(w) || !strings.Contains(body, "<title>"+titleOf(want)) {
			t.Errorf("%s: got %d %v\n%s", path, w.Code, h, body)
		}
		if !strings.Contains(body, h.Get("X-Request-Id")) || !strings.Contains(body, `<a href="/">`) {
			t.Errorf("%s: no number or no way on:\n%s", path, body)
		}
		if strings.Contains(body, "SELECT") || strings.Contains(body, "<script") {
			t.Errorf("%s shows what it must not:\n%s", path, body)
		}
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none';") || strings.Contains(csp, "unsafe") ||
			strings.Contains(csp, "script-src") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: not guarded: %v", path, h)
		}
		if h.Get("Vary") != "Accept" || h.Get("Cache-Control") != "no-store" ||
			(want == 405) != (h.Get("Allow") != "") {
			t.Errorf("%s: %v", path, h)
		}
	}
}

func TestPrograms(t *testing.T) {
	for _, accept := range []string{"", "*/*", "application/json", "text/html;q=0.3, application/json;q=0.4"} {
		w := get(failing(fault.New(fault.Missing, "none")), "/thing", "Accept", accept)
		if w.Code != 404 || !json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%q: got %d %v %s", accept, w.Code, w.Header(), w.Body)
		}
	}
}

func TestPrefers(t *testing.T) {
	const js, html = "application/json", "text/html"
	for accept, want := range map[string]string{
		"": js, "rubbish": js, "*/*": js, browser: html, "text/html": html, "TEXT/HTML": html, "text/*": html,
		"application/json, text/html": js, "text/html, application/json": js, "image/png": js,
		"text/html;q=0, */*": js, "application/json;q=0, */*": html, "text/*;q=0.9, text/html;q=0.1, */*;q=0.5": js,
		"text/html;q=1.5": js, "text/html;q=NaN": js, "text/html; charset=utf-8; q=0.7, application/json;q=0.6": html,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if got := Prefers(r, js, html); got != want {
			t.Errorf("%q: got %s, want %s", accept, got, want)
		}
	}
}

// word is a face that answers every failure with its word.
type word string

func (word) Begin(_ http.ResponseWriter, r *http.Request) (*http.Request, bool) { return r, false }

func (f word) Explain(w http.ResponseWriter, _ *http.Request, p Problem) {
	w.WriteHeader(p.Status)
	w.Write([]byte(f))
}

func TestTheLongestPrefixDecides(t *testing.T) {
	s := quiet()
	s.AddFace("/api", word("api"))
	s.AddFace("/", word("site"))
	for path, want := range map[string]string{"/": "site", "/x": "site", "/api": "api", "/api/x": "api",
		"//api//x/": "api", "/apis": "site"} {
		if w := get(s, path, "Accept", browser); w.Code != 404 || w.Body.String() != want {
			t.Errorf("%s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}
