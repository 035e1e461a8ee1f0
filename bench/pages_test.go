package bench

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/api"
	"lectern/internal/api/endpoint"
	"lectern/internal/db"
	"lectern/internal/db/dbtest"
	"lectern/internal/demo"
	"lectern/internal/files"
	"lectern/internal/httpserver"
	"lectern/internal/ident"
	"lectern/internal/site"
	"lectern/internal/submit"
	"lectern/internal/usecase"
)

// behind are the calls of the API that give a program what a page shows, beside the
// number at the bell, which all pages of somebody signed in show.
var behind = map[string][]string{
	"/home":                    {"/api/home"},
	"/profile":                 {"/api/auth/sessions", "/api/users/{user}"},
	"/projects/{id}":           {"/api/projects/{id}", "/api/units/1", "/api/projects/{id}/burndown"},
	"/projects/{id}/plan":      {"/api/projects/{id}/what_if", "/api/units/1"},
	"/projects/{id}/portfolio": {"/api/projects/{id}", "/api/units/1"},
	"/projects/{id}/outcomes":  {"/api/projects/{id}", "/api/units/1", "/api/projects/{id}/outcomes"},
	"/projects/{project_id}/tasks/{task_definition_id}": {"/api/projects/{id}", "/api/units/1", aTask + "/comments",
		aTask + "/due", aTask + "/submission_details", aTask + "/submissions/timestamps"},
}

const aTask = "/api/projects/{id}/task_def_id/{task_definition_id}"

// mostPage is how much longer than the calls behind it a page may take, in times. The
// aim is 2; a busy machine adds to it.
const mostPage = 5

// university is the demo behind both faces.
type university struct {
	testing.TB
	faces *httpserver.Server
	site  *site.Server
	token string
	ids   *strings.Replacer // of the student and of their work
}

func newUniversity(t testing.TB) *university {
	t.Helper()
	d, ctx := dbtest.New(t, "sqlite", nil), t.Context()
	store, err := files.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	keys := submit.NewKeys(d, nil)
	signer, err := keys.Signer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	u := &university{TB: t}
	face := endpoint.Config{DB: d, Spool: t.TempDir(), HTTP: httpserver.New(httpserver.Config{
		Log: slog.New(slog.DiscardHandler)})}
	u.faces = face.HTTP
	doors := api.New(api.Config{Config: face, Live: ctx})
	u.site = site.New(site.Config{Config: face, Product: "Lectern", PublicURL: "http://lectern.test", Doors: doors,
		Usecases: &usecase.Service{DB: d, Files: store, Keys: keys, Name: "Lectern"}})
	if err := d.Tx(ctx, func(q db.Q) error {
		if _, err := demo.Fill(ctx, q, "seal", &submit.Service{Files: store, Service: "Test"}, signer); err != nil {
			return err
		}
		student, err := ident.ByUsername(ctx, q, "student_5")
		if err != nil {
			return err
		}
		if u.token, err = ident.Start(ctx, q, student, false); err != nil {
			return err
		}
		ids, err := db.All[int64](ctx, q, `SELECT p.id FROM projects p WHERE p.user_id = $1 AND p.unit_id = 1
			UNION ALL SELECT id FROM task_definitions WHERE abbreviation = '6.1P' AND $1 = $1`, student.ID)
		if err == nil {
			project, task := strconv.FormatInt(ids[0], 10), strconv.FormatInt(ids[1], 10)
			u.ids = strings.NewReplacer("{id}", project, "{project_id}", project, "{task_definition_id}", task,
				"{user}", strconv.FormatInt(student.ID, 10))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return u
}

// ask sends a request of the student to either face.
func (u *university) ask(path string) {
	path = u.ids.Replace(path)
	r := httptest.NewRequest(http.MethodGet, "http://lectern.test"+path, nil)
	if strings.HasPrefix(path, "/api/") {
		r.Header.Set("Username", "student_5")
		r.Header.Set("Auth-Token", u.token)
	} else {
		r.Header.Set("Accept", "text/html")
		r.AddCookie(&http.Cookie{Name: "lectern", Value: u.token})
	}
	w := httptest.NewRecorder()
	u.faces.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		u.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
}

// Pages take at most a few times as long as the calls of the API that would give a
// program the same.
func TestPagesAreQuick(t *testing.T) {
	dbtest.Load(t)
	u := newUniversity(t)
	var table strings.Builder
	for _, i := range u.site.Sorted() {
		if i.Method != http.MethodGet || i.Out != reflect.TypeFor[*site.Page]() || behind[i.Path] == nil {
			continue
		}
		page, calls := turns(func() { u.ask(i.Path) }, func() {
			for _, c := range append([]string{"/api/news/unread"}, behind[i.Path]...) {
				u.ask(c)
			}
		})
		times := float64(page) / float64(calls)
		fmt.Fprintf(&table, "| `%s` | %.2f | %d | %.2f | %.1f |\n", i.Path, ms(page), 1+len(behind[i.Path]), ms(calls), times)
		if times > mostPage {
			t.Errorf("%s takes %v, the calls behind it %v", i.Path, page, calls)
		}
	}
	t.Log("\n" + table.String())
	if *update {
		document(t, "pages", "| Page | ms | Calls | ms | Times |\n|---|---|---|---|---|\n"+table.String())
	}
}
