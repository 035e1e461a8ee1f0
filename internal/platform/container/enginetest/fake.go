package enginetest

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// Fake listens as an engine that answers, holds no containers, and does what routes say by
// method and path ("POST /containers/create"), so that tests can have any trouble there is. It
// gives its address.
func Fake(t testing.TB, routes map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1.40/version", Says(200, `{"ApiVersion":"1.41"}`))
	mux.HandleFunc("GET /v1.40/containers/json", Says(200, `[]`))
	mux.HandleFunc("POST /v1.40/containers/{id}/kill", Says(204, ""))
	mux.HandleFunc("DELETE /v1.40/containers/{id}", Says(204, ""))
	for pattern, f := range routes {
		mux.HandleFunc(strings.Replace(pattern, " ", " /v1.40", 1), f)
	}
	path := filepath.Join(t.TempDir(), "engine.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(mux)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return "unix://" + path
}

// Says answers every request the same.
func Says(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, text)
	}
}
