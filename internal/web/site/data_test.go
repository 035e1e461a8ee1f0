package site_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"lectern/internal/platform/jobs"
	"lectern/internal/usecase/privacy"
)

func init() {
	for name, want := range map[string][4]int{
		"GET /profile/data":         {303, 200, 200, 200},
		"POST /profile/data":        {401, 303, 303, 303},
		"POST /profile/data/link":   {401, 409, 409, 409}, // nothing is ready
		"GET /profile/data/{token}": {303, 404, 404, 404},
	} {
		pages[name] = want
	}
}

// archived makes the archive that somebody asked for.
func (w *world) archived(name string) {
	w.Helper()
	var user, job int64
	for to, column := range map[*int64]string{&user: "user_id", &job: "job_id"} {
		for _, c := range w.one(`SELECT x.` + column + ` FROM data_exports x JOIN users u ON u.id = x.user_id
			WHERE u.username = '` + name + `'`) {
			*to = *to*10 + int64(c-'0')
		}
	}
	e := privacy.Exporter{DB: w.db, Files: w.uses.Files}
	if err := e.Make(w.Context(), jobs.Job{ID: job, Attempt: 1, MaxAttempts: 3}, privacy.ArchiveArgs{UserID: user}); err != nil {
		w.Fatal(err)
	}
}

// The page says what the archive holds and how far it is, and gives it out once, to whoever
// signed in a moment ago.
func TestYourDataOnPages(t *testing.T) {
	each(t, func(w *world) {
		ann, tom := w.as("ann"), w.as("tom")
		ann.do("/profile/data", nil).status(200).says("Comments by you").says("Request my data")
		ann.do("/profile/data", url.Values{}).status(303)
		ann.do("/profile/data", nil).status(200).says("being put together").lacks("Request my data")
		w.archived("ann")
		ann.do("/profile/data", nil).status(200).says("Your data is ready").says("The link works once")
		to := ann.do("/profile/data/link", url.Values{}).status(303).Header().Get("Location")
		tom.do(to, nil).status(404)
		look := httptest.NewRequest(http.MethodHead, w.public+to, http.NoBody) // does not use it up
		look.AddCookie(&http.Cookie{Name: "lectern", Value: ann.cookie})
		seen := httptest.NewRecorder()
		if w.site.HTTP.ServeHTTP(seen, look); seen.Code != 200 {
			t.Errorf("HEAD is answered %d", seen.Code)
		}
		if a := ann.do(to, nil).status(200); !strings.HasPrefix(a.Body.String(), "PK") ||
			!strings.Contains(a.Header().Get("Content-Disposition"), "my-data.zip") {
			t.Errorf("no archive: %v", a.Header())
		}
		ann.do(to, nil).status(404)
		ann.do("/profile/data", nil).status(200).says("You downloaded your data")
	})
}

// Whoever signed in long ago signs in again first.
func TestYourDataNeedsAFreshSignIn(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	ann := w.as("ann")
	ann.do("/profile/data", url.Values{}).status(303)
	w.archived("ann")
	w.exec(`UPDATE sessions SET created_at = '2020-01-01T00:00:00.000000Z'`)
	ann.do("/profile/data", nil).status(200).says("Sign in again").lacks("The link works once")
	ann.do("/profile/data/link", url.Values{}).status(403).says("sign in again")
}
