package app

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestMetricsAreForTheMachineItself asks for metrics from here, from elsewhere, and
// through a proxy that stands on this machine.
func TestMetricsAreForTheMachineItself(t *testing.T) {
	var told bytes.Buffer
	a, err := New(t.Context(), Settings{Addr: "127.0.0.1:0", Storage: Storage{Data: t.TempDir()}, LogLevel: 12,
		MetricsAddr: "127.0.0.1:0"}, &told)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	for _, c := range []struct {
		from, header string
		want         int
	}{
		{"127.0.0.1:40000", "", 200}, {"[::1]:40000", "", 200}, {"[::ffff:127.0.0.1]:40000", "", 200},
		{"192.0.2.7:40000", "", 403}, {"[2001:db8::7]:40000", "", 403}, {"@", "", 403},
		{"127.0.0.1:40000", "X-Forwarded-For", 403}, {"127.0.0.1:40000", "Forwarded", 403},
		{"127.0.0.1:40000", "X-Real-IP", 403}, {"127.0.0.1:40000", "Via", 403},
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.RemoteAddr = c.from
		if c.header != "" {
			r.Header.Set(c.header, "127.0.0.1")
		}
		w := httptest.NewRecorder()
		a.web.ServeHTTP(w, r)
		if w.Code != c.want || strings.Contains(w.Body.String(), "lectern_statements_total") != (c.want == 200) {
			t.Errorf("from %s with %q: %d, want %d", c.from, c.header, w.Code, c.want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if err := a.serveMetrics(ctx); err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(strings.TrimSpace(told.String()), "Metrics are at ")
	got, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if body, err := io.ReadAll(got.Body); err != nil || !bytes.Contains(body, []byte("lectern_statements_total")) {
		t.Errorf("%d: %v", got.StatusCode, err)
	}
}
