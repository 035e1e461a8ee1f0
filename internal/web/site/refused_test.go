package site_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/people/policy"
)

// outsiders are people who have no business with Ann's work, and the column of the table
// of pages that tells what they get: that of a visitor or of a stranger.
func (w *world) outsiders() map[string]struct {
	*world
	column int
} {
	w.Helper()
	for name, role := range map[string]policy.Role{"wil": policy.Student, "ida": policy.Tutor, "ken": policy.Convenor} {
		w.person(name, role)
	}
	now := w.db.Now()
	// What they have of their own has ids below those of Ann's, which paths are made of.
	w.exec(`INSERT INTO projects (id, unit_id, user_id, enrolled, created_at, updated_at)
		SELECT 0, max(u.id), p.id, FALSE, $1, $1 FROM units u, users p WHERE p.username = 'wil' GROUP BY p.id`, now)
	w.exec(`INSERT INTO units (id, code, name, description, start_date, end_date, active, created_at, updated_at)
		VALUES (0, 'OTHER', 'Another', '', '2026-01-01', '2999-01-01', TRUE, $1, $1)`, now)
	w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
		SELECT 0, id, CASE username WHEN 'ida' THEN 2 ELSE 3 END, $1, $1 FROM users WHERE username IN ('ida', 'ken')`, now)
	type one = struct {
		*world
		column int
	}
	out := map[string]one{"withdrawn": {w.as("wil"), 3}, "tutor of another unit": {w.as("ida"), 3},
		"convenor of another unit": {w.as("ken"), 3}}
	for _, name := range []string{"expired", "suspended"} {
		w.person(name, policy.Tutor)
		w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
			SELECT max(u.id), p.id, 2, $1, $1 FROM units u, users p WHERE p.username = $2 GROUP BY p.id`, now, name)
		out[name] = one{w.as(name), 0}
		out[name].do(w.path("/units/{id}/inbox"), nil).status(200)
	}
	w.exec(`UPDATE sessions SET expires_at = $1 WHERE user_id = (SELECT id FROM users WHERE username = 'expired')`, now)
	w.exec(`UPDATE users SET disabled_at = $1 WHERE username = 'suspended'`, now)
	return out
}

// filled is a form that has something for most fields there are.
func filled() url.Values {
	return url.Values{"token": {"none"}, "password": {secret}, "again": {secret}, "target_grade": {"1"},
		"comment": {"x"}, "status": {"working_on_it"}, "reason": {"ill"}, "weeks": {"1"}, "theme": {"dark"},
		"submitted_grade": {"1"}, "text": {"I learned."}, "idx": {"9"}, "kind": {"code"}, "name": {"x"},
		"place": {"1"}, "learning_outcome_id": {"4711"}, "task_definition_id": {"4711"}, "rating": {"1"},
		"tutorial_id": {"4711"}}
}

// own tells what is everybody's own, where no unit is asked for.
var own = regexp.MustCompile(`^(GET|POST) /(profile|(first-start/)?second-factor|news|calendar|` +
	`receipts|sign-out|home|live)`)

// Whoever has no session any more gets what a visitor gets of every page and form, and
// whoever belongs elsewhere what a stranger gets; what they are refused changes nothing.
func TestOutsidersAreRefused(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	w.as("ann").do(w.path(aTask+"/comments"), url.Values{"comment": {"Hello"}}).status(303)
	people := w.outsiders()
	before := w.tables()
	for _, i := range w.site.Routes() {
		name := i.Method + " " + i.Path
		for who, p := range people {
			want := pages[name][p.column]
			if i.Method == http.MethodPost && want != 401 && want != 403 || p.column == 3 && own.MatchString(name) {
				continue // nothing is refused there
			}
			if who == "convenor of another unit" && i.Path == newUnit {
				continue // whoever runs one may begin another
			}
			var form url.Values
			if i.Method == http.MethodPost {
				form = filled()
			}
			if a := p.do(w.path(i.Path), form); a.Code != want {
				t.Errorf("%s as %s: %d, want %d: %s", name, who, a.Code, want, a.heading())
			}
		}
	}
	w.unchanged(before)
}

// heading is what a page says first.
func (a *answer) heading() string {
	_, text, _ := strings.Cut(a.Body.String(), "<h1>")
	text, _, _ = strings.Cut(text, "</h1>")
	return text
}

// unchanged fails for every table that no longer holds what it held.
func (w *world) unchanged(before map[string]string) {
	w.Helper()
	for table, now := range w.tables() {
		if now != before[table] {
			w.Errorf("%s changed: %s, then %s", table, before[table], now)
		}
	}
}

// Who runs the unit, or the service, gets at least what a tutor gets.
func TestConvenorsAndAdminsReadWhatTutorsRead(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	w.as("ann").do(w.path(aTask+"/comments"), url.Values{"comment": {"Hello"}}).status(303)
	w.person("kim", policy.Convenor)
	w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
		SELECT max(u.id), p.id, 3, $1, $1 FROM units u, users p WHERE p.username = 'kim' GROUP BY p.id`, w.db.Now())
	w.person("ada", policy.Admin)
	for who, p := range map[string]*world{"convenor": w.as("kim"), "Admin": w.as("ada")} {
		for _, i := range w.site.Routes() {
			name := i.Method + " " + i.Path
			if i.Method != http.MethodGet {
				continue
			}
			want, a := pages[name][2], p.do(w.path(i.Path), nil)
			if want == http.StatusForbidden { // a tutor has no such page
				want = http.StatusOK
			}
			if strings.HasPrefix(i.Path, "/admin") && who == "convenor" ||
				strings.HasPrefix(i.Path, "/first-start/") && who == "convenor" && want != pages[name][2] {
				want = http.StatusForbidden // who runs a unit does not run the service
			}
			if (strings.Contains(i.Path, "/settings/") || strings.HasPrefix(i.Path, "/admin/")) &&
				a.Code == http.StatusNotFound {
				continue // a file or a run that is not there
			}
			if a.Code != want {
				t.Errorf("%s as %s: %d, want %d: %s", name, who, a.Code, want, a.heading())
			}
		}
	}
}

// No form of another site is taken, whoever is signed in, and none of them changes
// anything.
func TestNoFormOfAnotherSiteIsTaken(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	people := []*world{w.as("ann"), w.as("tom")}
	before, n := w.tables(), 0
	for _, i := range w.site.Routes() {
		if i.Method != http.MethodPost {
			continue
		}
		n++
		for _, p := range people {
			for _, h := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
				{"Origin", "https://evil.example"}} {
				if a := p.do(w.path(i.Path), filled(), h...); a.Code != 403 || !strings.Contains(a.text(), "another site") {
					t.Errorf("POST %s with %v: %d %s", i.Path, h, a.Code, a.text())
				}
			}
		}
	}
	if w.unchanged(before); n < 60 {
		t.Errorf("there are only %d forms", n)
	}
}

var parameter = regexp.MustCompile(`\{[^}]+\}`)

// The cookie of the pages opens nothing of the API: every endpoint answers with it as it
// does without.
func TestTheAPITakesNoCookie(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	w.hostile()
	w.person("ada", policy.Admin)
	ada := w.as("ada")
	ada.do("/home", nil).status(200)
	ask := func(method, path, cookie string) int {
		r := httptest.NewRequest(method, w.public+path, http.NoBody)
		if cookie != "" {
			r.AddCookie(&http.Cookie{Name: "lectern", Value: cookie})
		}
		a := httptest.NewRecorder()
		w.site.HTTP.ServeHTTP(a, r)
		return a.Code
	}
	refused := 0
	for _, i := range w.api.Routes() {
		path := parameter.ReplaceAllString(i.Path, "1")
		with, without := ask(i.Method, path, ada.cookie), ask(i.Method, path, "")
		if with != without || with < 300 && i.Right != policy.Anybody {
			t.Errorf("%s %s: %d with the cookie, %d without", i.Method, i.Path, with, without)
		}
		if with == http.StatusUnauthorized {
			refused++
		}
	}
	if refused < 200 {
		t.Errorf("only %d endpoints ask who calls", refused)
	}
}
