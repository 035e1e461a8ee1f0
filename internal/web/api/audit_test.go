package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

var _ = rights(rightRow{route: "GET /api/admin/audit", who: "admin"})

// TestEveryChangeIsAuditedOrSaysWhyNot goes over all routes.
func TestEveryChangeIsAuditedOrSaysWhyNot(t *testing.T) {
	for _, i := range newWorld(t, "sqlite").api.Routes() {
		route := i.Method + " " + i.Path
		switch {
		case len(i.Audit) > 0 && i.Unaudited != "":
			t.Errorf("%s declares both kinds of audit and none", route)
		case i.Method != "GET" && len(i.Audit) == 0 && i.Unaudited == "":
			t.Errorf("%s declares neither kinds of audit nor why there are none", route)
		case i.Method == "GET" && i.Unaudited != "":
			t.Errorf("%s changes nothing and needs no reason to leave no entry", route)
		}
		for _, k := range i.Audit {
			if !slices.Contains(audit.Kinds(), k) {
				t.Errorf("%s: %s is no kind", route, k)
			}
		}
	}
}

// audited are the routes of which a success was seen to write what they declare.
var audited = struct {
	sync.Mutex
	routes map[string]bool
}{routes: map[string]bool{}}

// checkAudit looks, after every request of every test, at the entries it left: a
// success leaves only entries of kinds that its route declares, and a refusal
// leaves none but for wrong passwords.
func (w *world) checkAudit(r *http.Request, rec *httptest.ResponseRecorder) {
	w.Helper()
	i := routeOf(r)
	if i == nil || i.Method == "GET" && len(i.Audit) == 0 {
		return
	}
	kinds := w.entriesOf(rec.Header().Get("X-Request-Id"))
	for _, k := range kinds {
		switch {
		case rec.Code < 400 && !slices.Contains(i.Audit, k):
			w.Errorf("%s %s left an entry of kind %s, which it does not declare", i.Method, i.Path, k)
		case rec.Code >= 400 && k != audit.SignInFailed && !strings.Contains(i.Path, "submission/assess"):
			w.Errorf("%s %s was refused with %d, but left an entry of kind %s", i.Method, i.Path, rec.Code, k)
		}
	}
	if rec.Code < 400 && len(kinds) > 0 {
		audited.Lock()
		audited.routes[i.Method+" "+i.Path] = true
		audited.Unlock()
	}
}

// routed finds the route of a request as the server does.
var routed = sync.OnceValue(func() *http.ServeMux {
	mux := http.NewServeMux()
	for _, i := range New(Config{Config: endpoint.Config{HTTP: quiet()}}).Routes() {
		mux.Handle(i.Method+" "+i.Path, declared{i})
	}
	return mux
})

type declared struct{ *endpoint.Info }

func (declared) ServeHTTP(http.ResponseWriter, *http.Request) {}

func routeOf(r *http.Request) *endpoint.Info {
	h, _ := routed().Handler(r)
	d, _ := h.(declared)
	return d.Info
}

// entriesOf gives the kinds of the entries a request left. They wait to be
// chained, since no relay runs here.
func (w *world) entriesOf(request string) (kinds []audit.Kind) {
	w.Helper()
	rows, err := db.All[string](context.Background(), w.db.Pool(),
		`SELECT entries FROM audit_outbox WHERE request_id = $1`, request)
	if err != nil {
		return nil // the test ends, and the database with it
	}
	for _, text := range rows {
		var list []audit.Entry
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			w.Fatal(err)
		}
		for _, e := range list {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// unaudited demands, after a run of all tests with every counterpart they talk to, that
// each route which declares kinds of audit was seen to write one. It gives the exit
// code of the tests.
func unaudited(code int) int {
	if code != 0 || !wholeRun() || os.Getenv("LECTERN_TEST_REQUIRE") == "" {
		return code
	}
	for _, i := range New(Config{Config: endpoint.Config{HTTP: quiet()}}).Routes() {
		if route := i.Method + " " + i.Path; len(i.Audit) > 0 && !audited.routes[route] {
			fmt.Println(route, "declares kinds of audit, but no test saw a success write one")
			code = 1
		}
	}
	return code
}

// TestTheEntryStandsWithTheChange lets each statement of a change fail in turn: the
// change and its entry are both there, or neither is.
func TestTheEntryStandsWithTheChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		move := "PUT /api/projects/{project:student}/task_def_id/{defA1}"
		for n := int64(1); ; n++ {
			r := w.request("tutor", move, form{"trigger": "complete"})
			ctx, counter := db.Failing(r.Context(), n)
			code := w.send(r.WithContext(ctx), move).Code
			moved := w.count(`tasks WHERE status = 'complete'`)
			entries := w.count(`audit_outbox WHERE entries LIKE '%"action":"complete"%'`)
			if moved != entries {
				t.Fatalf("statement %d failed: %d tasks moved, %d entries", n, moved, entries)
			}
			if code == 200 {
				if counter.N() < 5 || entries != 1 {
					t.Fatalf("%d statements, %d entries", counter.N(), entries)
				}
				return
			}
		}
	})
}

func TestAuditLog(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "PUT /api/units/{unitA}", form{"unit[name]": "Another name"}).status(200)
		w.now = w.now.Add(time.Hour)
		w.do("tutor", "PUT "+ownTask, form{"trigger": "complete"}).status(200)
		w.do("admin", "PUT /api/users/{outsider}", form{"user[system_role]": "Tutor", "user[first_name]": "Xyzzy"}).
			status(200)
		relay(w)
		moved := w.do("admin", "GET /api/admin/audit?kind=status", nil).status(200).list()
		if len(moved) != 1 || moved[0]["action"] != "complete" || moved[0]["actor_id"] != float64(w.id["tutor"]) ||
			moved[0]["user_id"] != float64(w.id["student"]) || moved[0]["task_id"] != float64(w.id["task"]) ||
			moved[0]["address"] != "192.0.2.1" {
			t.Errorf("%v", moved)
		}
		for query, want := range map[string]int{"unit_id={unitA}": 2, "user_id={outsider}&kind=role": 1,
			"actor_id={convenor}": 2, "project_id={project:student}": 1, "kind=unit": 1, "kind=grade": 0,
			"kind=unit&from=" + clock.At(w.now).String(): 0, "kind=unit&to=" + clock.At(w.now).String(): 1} {
			if got := w.do("admin", "GET /api/admin/audit?"+query, nil).status(200).list(); len(got) != want {
				t.Errorf("%s: %d entries, want %d: %v", query, len(got), want, got)
			}
		}
		page := w.do("admin", "GET /api/admin/audit?limit=2&offset=1", nil).status(200)
		if n := page.Header().Get("X-Total-Count"); len(page.list()) != 2 || n != fmt.Sprint(w.count("audit_entries")) {
			t.Errorf("%d entries of %s", len(page.list()), n)
		}
		w.do("admin", "GET /api/admin/audit?kind=nonsense", nil).status(400)
		w.do("admin", "GET /api/admin/audit?limit=-1", nil).status(400)
		if n := w.count(`audit_outbox WHERE entries LIKE '%Xyzzy%' OR entries LIKE '%Another%'`); n != 0 {
			t.Error("an entry holds what somebody typed")
		}
	})
}

func TestAuditLogAsSheet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "PUT /api/units/{unitA}", form{"unit[name]": "Another name"}).status(200)
		relay(w)
		whole := w.do("admin", "GET /api/admin/audit?format=csv", nil).status(200)
		same := w.do("admin", "GET /api/admin/audit", nil, "Accept", "text/csv").status(200)
		if rows := strings.Count(whole.Body.String(), "\r\n"); rows != int(w.count("audit_entries"))+1 ||
			!strings.HasPrefix(whole.Header().Get("Content-Type"), "text/csv") {
			t.Errorf("%d rows: %s", rows, whole.Body)
		}
		if whole.Body.String() != same.Body.String() {
			t.Error("format=csv and Accept: text/csv differ")
		}
		if part := w.do("admin", "GET /api/admin/audit?format=csv&limit=1", nil); strings.Count(part.Body.String(),
			"\r\n") != 2 {
			t.Errorf("one row: %s", part.Body)
		}
	})
}

func TestFailedSignInsAreWrittenDownButDoNotFillTheLog(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range 9 {
			w.do("", "POST /api/auth", form{"username": "student", "password": "wrong"}).status(401)
			w.do("", "POST /api/auth", form{"username": "nobody", "password": "wrong"}).status(401)
		}
		relay(w)
		got := w.do("admin", "GET /api/admin/audit?kind=sign_in_failed", nil).status(200).list()
		if len(got) != 4 || got[0]["user_id"] != float64(w.id["student"]) || got[0]["actor_id"] != 0.0 {
			t.Errorf("after 9 failures: %v", got)
		}
	})
}

// relay chains what waits.
func relay(w *world) {
	w.Helper()
	if _, err := audit.Relay(context.Background(), w.db); err != nil {
		w.Fatal(err)
	}
}

// What people do all day pays one statement for its entries, or none.
func TestAnEntryCostsOneStatement(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		w.asks("code")
		for _, c := range []struct {
			what, as, request string
			body              any
			most              int
		}{
			{"a submission", "student", "POST " + submission, upload{nil, []part{code}}, 1},
			{"a move", "tutor", "PUT " + ownTask, form{"trigger": "complete"}, 1},
			{"a comment", "tutor", "POST " + ownTask + "/comments", form{"comment": "Well done"}, 0},
			{"a sign-in", "", "POST /api/auth", form{"username": "student", "password": secret}, 1},
		} {
			r := w.request(c.as, c.request, c.body)
			entries := 0
			ctx, counter := db.Counting(r.Context(), func(text string) {
				if strings.Contains(text, "audit") {
					entries++
				}
			})
			w.send(r.WithContext(ctx), c.what).status(200, 201)
			t.Logf("%s takes %d statements, %d of them for its entries", c.what, counter.N(), entries)
			if entries > c.most {
				t.Errorf("%s takes %d statements for its entries, not %d", c.what, entries, c.most)
			}
		}
	})
}
