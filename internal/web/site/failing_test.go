package site

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
)

// A page whose template fails half way is answered with the page of errors: nothing of
// the half is sent, and the request can be found and left.
func TestAPageThatCannotBeDrawn(t *testing.T) {
	var log strings.Builder
	face := endpoint.Config{HTTP: httpserver.New(httpserver.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})}
	s := New(Config{Config: face, Product: "Lectern"})
	s.words.pages["failing"] = func() *template.Template {
		return template.Must(template.New("frame").Parse(`{{define "frame"}}half of it {{.Data.Nothing}}{{end}}`))
	}
	defer delete(s.words.pages, "failing")
	page(s, "/failing", policy.Anybody, "A page that fails",
		func(_ context.Context, who *access.Caller, _ struct{}) (*Page, error) {
			return s.titled(who, "failing", "It fails", struct{}{}), nil
		})
	r := httptest.NewRequest(http.MethodGet, "/failing", http.NoBody)
	r.Header.Set("Accept", "text/html")
	a := httptest.NewRecorder()
	s.HTTP.ServeHTTP(a, r)
	id, text := a.Header().Get("X-Request-Id"), a.Body.String()
	if a.Code != http.StatusInternalServerError || !strings.HasPrefix(text, "<!doctype html>") ||
		strings.Contains(text, "half of it") || !strings.Contains(text, `href="/"`) || id == "" ||
		!strings.Contains(text, id) {
		t.Errorf("%d %s", a.Code, text)
	}
	if !strings.Contains(log.String(), id) || !strings.Contains(log.String(), "draw the page failing") {
		t.Errorf("the log says %s", log.String())
	}
}
