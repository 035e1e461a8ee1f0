package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// A rightRow says by hand who reaches an endpoint: it is written from the
// requirements, not from the policy it tests. Everybody not named is refused:
// a visitor with 401, anyone signed in with 403.
type rightRow struct {
	route string // as declared
	path  string // with {names} of the world's records; the route's own when empty
	who   string // space separated people, or everybody, users (all signed in)
	body  any    // complete enough to pass the parameter check
}

// callers are the kinds of people who try every endpoint. All records are of
// unit A; the project, the task and the group are student's, and mate is in that
// group. Expired and suspended are strangers, though Admins: see strangers.
var callers = []string{"", "expired", "suspended", "outsider", "student", "mate", "other", "withdrawn", "both", "tutor",
	"convenor", "admin", "studentB", "tutorB", "convenorB"}

// unknown tells whether nobody knows who the caller is.
func unknown(who string) bool { return who == "" || who == "expired" || who == "suspended" }

// strangers adds an Admin whose token has expired and one whose account is
// suspended. Their sessions are still there, so that it is the check that refuses.
func (w *world) strangers() {
	w.Helper()
	err := w.db.Tx(w.Context(), func(q db.Q) error {
		return errors.Join(w.person(w.Context(), q, "expired", policy.Admin),
			w.person(w.Context(), q, "suspended", policy.Admin))
	})
	if err != nil {
		w.Fatal(err)
	}
	w.set(`UPDATE sessions SET expires_at = $2 WHERE user_id = $1`, w.id["expired"], clock.At(w.now))
	w.set(`UPDATE users SET disabled_at = $2 WHERE id = $1`, w.id["suspended"], clock.At(w.now))
}

// Sets that recur in the rows.
const (
	staffA     = "tutor both convenor admin"
	convenorsA = "convenor admin"
	membersA   = "student mate other " + staffA
)

var rightRows []rightRow

// rights adds rows; each resource's test file has its own.
func rights(rows ...rightRow) bool {
	rightRows = append(rightRows, rows...)
	return true
}

func (r rightRow) allows(who string) bool {
	switch r.who {
	case "everybody":
		return true
	case "users":
		return !unknown(who)
	}
	return slices.Contains(strings.Fields(r.who), who)
}

func (r rightRow) request() string {
	method, route, _ := strings.Cut(r.route, " ")
	if r.path != "" {
		route = r.path
	}
	return method + " " + route
}

// of gives the row for the same request about another student's project and task,
// with what the requirements say of it: the project's student may what student
// may on their own, a withdrawn one may only read, and whoever owns the project
// is there as its student even where they teach. Not ok: the row is about none.
func (r rightRow) of(owner string) (row rightRow, ok bool) {
	r.path = strings.NewReplacer("{project:student}", "{project:"+owner+"}", "{task}", "{task:"+owner+"}").
		Replace(r.path)
	people := strings.Fields(r.who)
	own := slices.Contains(people, "student")
	people = slices.DeleteFunc(people, func(who string) bool { return who == "student" || who == owner })
	if own && (owner != "withdrawn" || strings.HasPrefix(r.route, "GET ")) {
		people = append(people, owner)
	}
	r.who = strings.Join(people, " ")
	return r, strings.Contains(r.path, ":"+owner+"}")
}

// allRows gives the rows of the table, and those that follow from them for the
// projects of a group member, a withdrawn student and one who teaches the unit.
func allRows() (rows []rightRow) {
	for _, r := range rightRows {
		rows = append(rows, r)
		for _, owner := range otherOwners {
			if v, ok := r.of(owner); ok && !strings.Contains(r.path, ":"+owner+"}") {
				rows = append(rows, v)
			}
		}
	}
	return rows
}

var otherOwners = []string{"mate", "withdrawn", "both"}

// otherTasks gives the other owners a task.
func (w *world) otherTasks() {
	w.Helper()
	for _, owner := range otherOwners {
		w.task(owner, "defA1", nil)
	}
}

func TestEveryRouteHasItsRights(t *testing.T) {
	w := newWorld(t, "sqlite")
	rows := map[string]bool{}
	for _, r := range rightRows {
		rows[r.route] = true
	}
	for _, i := range w.api.Routes() {
		if route := i.Method + " " + i.Path; !rows[route] {
			t.Errorf("%s has no row in the table of rights", route)
		}
	}
	if len(rows) != len(w.api.Routes()) {
		t.Errorf("the table has %d routes, the server %d", len(rows), len(w.api.Routes()))
	}
}

// TestRefused sends every request nobody may make: none may get through, and
// none may change a thing, so they share one world.
func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.strangers()
		w.otherTasks()
		for _, r := range allRows() {
			for _, who := range callers {
				if r.allows(who) {
					continue
				}
				want := 403
				if unknown(who) {
					want = 401
				}
				if got := w.do(who, r.request(), r.body); got.Code != want {
					t.Errorf("%s as %q: got %d, want %d: %s", r.request(), who, got.Code, want, got.Body)
				}
			}
		}
	})
}

// notSetUp are the requests that answer 503 to everybody who may make them, since
// this university lacks what they need. Where else they are tried.
var notSetUp = map[string]string{
	"GET /api/auth/oidc/start":    "oidc_test.go",
	"GET /api/auth/oidc/callback": "oidc_test.go",
	"POST /api/units/{unit_id}/task_definitions/{task_def_id}/assessment_preview":       "assessments_test.go",
	"POST /api/units/{unit_id}/task_definitions/{task_def_id}/test_overseer_assessment": "assessments_test.go",
}

// TestAllowed sends every request to those who may make it: whatever the answer, it is
// no refusal and no failure.
func TestAllowed(t *testing.T) {
	fresh := func(t *testing.T) *world {
		w := newWorld(t, "sqlite")
		w.strangers()
		w.otherTasks()
		return w
	}
	shared := fresh(t)
	for _, r := range allRows() {
		t.Run(strings.NewReplacer("/", "_", " ", "_").Replace(r.route), func(t *testing.T) {
			w := shared.orFresh(t, r.route, fresh)
			for _, who := range callers {
				if !r.allows(who) {
					continue
				}
				got := w.do(who, r.request(), r.body)
				if unset := got.Code == 503 && notSetUp[r.route] != ""; got.Code == 401 || got.Code == 403 ||
					got.Code >= 500 && !unset {
					t.Errorf("%s as %q: got %d: %s", r.request(), who, got.Code, got.Body)
				}
			}
		})
	}
}

// orFresh is the world of a route's test: w, one after the other, for those that only read;
// a fresh one for each that writes, which run beside each other.
func (w *world) orFresh(t *testing.T, route string, fresh func(*testing.T) *world) *world {
	if strings.HasPrefix(route, http.MethodGet) {
		w.TB = t
		return w
	}
	t.Parallel()
	return fresh(t)
}

// TestBadInput throws rubbish at every endpoint: never a 5xx, always our JSON.
func TestBadInput(t *testing.T) {
	w := newWorld(t, "sqlite")
	w.strangers()
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	bodies := []struct{ name, kind, body string }{
		{"no JSON", "application/json", `{"unit":`},
		{"trailing text", "application/json", `{} {}`},
		{"a list", "application/json", `[1,2,3]`},
		{"deep", "application/json", deep},
		{"10 MB", "application/json", `{"x":"` + strings.Repeat("a", 10<<20) + `"}`},
		{"duplicate keys", "application/json", `{"unit":{"name":"a","name":"b"}}`},
		{"NUL", "application/json", "{\"comment\":\"a\\u0000b\",\"name\":\"\\u0000\"}"},
		{"invalid UTF-8", "application/json", "{\"name\":\"\xff\xfe\"}"},
		{"wrong types", "application/json", wrongTypes},
		{"huge integers", "application/json", strings.ReplaceAll(wrongTypes, `{"x":[true]}`,
			`99999999999999999999999999`)},
		{"unknown type", "application/x-tar", "abc"},
		{"bad form", "application/x-www-form-urlencoded", "a[=1&b]=2&c[[d]]=%zz"},
		{"clash", "application/x-www-form-urlencoded",
			"unit=1&unit[name]=x&user=1&user[name]=2&task_def=1&task_def[name]=1"},
		{"bad multipart", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"file\"; " +
			"filename=\"a\"\r\n\r\nabc"},
		{"no boundary", "multipart/form-data", "abc"},
	}
	for _, i := range w.api.Routes() {
		for _, b := range bodies {
			for _, who := range callers {
				if len(b.body) > 1<<20 && who != "admin" && who != "" {
					continue // what is too long is too long for everybody
				}
				request := i.Method + " " + someIDs(i.Path)
				got := w.do(who, request, b.body, "Content-Type", b.kind)
				if unset := got.Code == 503 && notSetUp[i.Method+" "+i.Path] != ""; got.Code >= 500 && !unset ||
					got.Code < 200 {
					t.Errorf("%s with %s as %s: got %d: %.300s", request, b.name, who, got.Code, got.Body)
				}
				if got.Code >= 400 && got.object()["error"] == "" {
					t.Errorf("%s with %s: no error in %s", request, b.name, got.Body)
				}
			}
		}
		for _, id := range []string{"0", "-1", "abc", "99999999999999999999", "1e3", "%00", "%ff", "..",
			"9223372036854775807"} {
			if !strings.Contains(i.Path, "{") {
				continue
			}
			got := w.do("admin", i.Method+" "+fillAll(i.Path, id), nil)
			if got.Code >= 500 {
				t.Errorf("%s %s with %q: got %d: %s", i.Method, i.Path, id, got.Code, got.Body)
			}
		}
	}
}

// wrongTypes gives an object where a value is due, for every name in use.
var wrongTypes = func() string {
	var b strings.Builder
	b.WriteByte('{')
	for n, name := range strings.Fields(`id username password remember name period year start_date end_date user unit tutorial campus
		activity_type teaching_period task_def group group_set unit_id user_id project_id comment granted weeks_requested trigger grade
		rating description webcal role limit offset`) {
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%q:{"x":[true]}`, name)
	}
	b.WriteByte('}')
	return b.String()
}()

func someIDs(path string) string { return fillAll(path, "1") }

func fillAll(path, id string) string {
	for {
		head, rest, ok := strings.Cut(path, "{")
		if !ok {
			return path
		}
		_, tail, _ := strings.Cut(rest, "}")
		path = head + id + tail
	}
}
