package site

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/site/page"
)

// A page whose template fails half way is answered with the page of errors: nothing of
// the half is sent, and the request can be found and left.
func TestAPageThatCannotBeDrawn(t *testing.T) {
	var log strings.Builder
	face := endpoint.Config{HTTP: httpserver.New(httpserver.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})}
	room := &page.Room{Kit: page.Kit{Files: fstest.MapFS{"templates/failing.html": {
		Data: []byte(`{{define "main"}}half of it {{.Data.Nothing}}{{end}}`)}}}}
	room.Open = func(s *page.Site) {
		page.Show(s, "/failing", policy.Anybody, "A page that fails",
			func(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
				return s.Titled(who, "failing", "It fails", struct{}{}), nil
			})
	}
	s := New(Config{Config: face, rooms: page.NewHouse(room)})
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
