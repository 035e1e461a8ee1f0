package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
// unit A; the project, the task and the group are student's.
var callers = []string{"", "outsider", "student", "mate", "other", "withdrawn", "both", "tutor", "convenor", "admin",
	"studentB", "tutorB", "convenorB"}

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
		return who != ""
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
		for _, r := range rightRows {
			for _, who := range callers {
				if r.allows(who) {
					continue
				}
				want := 403
				if who == "" {
					want = 401
				}
				if got := w.do(who, r.request(), r.body); got.Code != want {
					t.Errorf("%s as %q: got %d, want %d: %s", r.request(), who, got.Code, want, got.Body)
				}
			}
		}
	})
}

// TestAllowed sends every request to those who may make it, each row in a fresh
// world: whatever the answer, it is no refusal and no failure.
func TestAllowed(t *testing.T) {
	for _, r := range rightRows {
		t.Run(strings.NewReplacer("/", "_", " ", "_").Replace(r.route), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "sqlite")
			for _, who := range callers {
				if !r.allows(who) {
					continue
				}
				got := w.do(who, r.request(), r.body)
				if got.Code == 401 || got.Code == 403 || got.Code >= 500 {
					t.Errorf("%s as %q: got %d: %s", r.request(), who, got.Code, got.Body)
				}
			}
		})
	}
}

// TestBadInput throws rubbish at every endpoint: never a 5xx, always our JSON.
func TestBadInput(t *testing.T) {
	w := newWorld(t, "sqlite")
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
				if got.Code >= 500 || got.Code < 200 {
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
