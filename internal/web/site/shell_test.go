package site_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/ground/waittest"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// linksIn are where the links of a part of the page lead, in their order.
func (a *answer) linksIn(id string) (out []string) {
	a.Helper()
	doc, err := html.Parse(strings.NewReader(a.Body.String()))
	if err != nil {
		a.Fatal(err)
	}
	for n := range doc.Descendants() {
		if attributes(n)["id"] != id {
			continue
		}
		for l := range n.Descendants() {
			if to := attributes(l)["href"]; l.Data == "a" && to != "" {
				out = append(out, to)
			}
		}
	}
	return out
}

// The sidebar leads to a person's own units and, below the one they are in, to the pages of it
// that they may open: students to those of their project, staff and administrators to the unit's.
func TestTheSidebarOfEveryCaller(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.person("ada", policy.Admin)
		unit, project := w.path("/units/{id}"), w.path("/projects/{id}")
		outer := []string{"/", "/home", "/calendar"}
		own := []string{project, project, project + "/plan", project + "/portfolio", project + "/outcomes",
			project + "/tutorials", project + "/groups"}
		staff := []string{unit, unit}
		for _, page := range []string{"inbox", "desk", "tasks", "students", "grades", "announcements", "extensions", "reviews",
			"promise", "insight", "moderation", "offline", "snippets"} {
			staff = append(staff, unit+"/"+page)
		}
		w.convenor()
		convenors := append(staff[:len(staff):len(staff)], unit+"/settings")
		administration := []string{"/admin/people", "/admin/units", "/admin/periods", "/admin/campuses", "/admin/audit",
			"/admin", "/admin/settings"}
		for _, c := range []struct {
			who, path string
			want      []string
		}{
			{"ann", "/home", own[:1]}, {"ann", project + "/plan", own}, {"ann", "/nowhere", own[:1]},
			{"tom", "/home", staff[:1]}, {"tom", unit + "/students", staff}, {"tom", project, staff},
			{"ada", "/home", administration}, {"ada", unit + "/students", append(administration, convenors...)},
			{"ada", "/admin", administration}, {"cora", unit + "/students", convenors},
			{"eve", "/home", nil}, {"eve", project, nil},
		} {
			got := w.as(c.who).do(c.path, nil).linksIn("side")
			want := append(append(append([]string{}, outer...), c.want...), "/profile", "/help")
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%s at %s: %v, want %v", c.who, c.path, got, want)
			}
		}
		at := w.as("tom").do(unit+"/students", nil)
		at.says(`<a href="` + unit + `/students" aria-current="page">`)
		w.as("ann").do(w.path(aTask), nil).says(`<a href="` + project + `" aria-current="true">`)
		if w.do("/help", nil).linksIn("side") != nil {
			t.Error("a visitor has a sidebar")
		}
	})
}

// In a view as a student, nothing around the page leads out of it.
func TestTheSidebarOfAView(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		tom, project := w.as("tom"), w.path("/projects/{id}")
		prefix := tom.look(w.path(aStudent), project)
		at := tom.do(prefix+project, nil).status(200)
		for _, to := range at.linksIn("side") {
			if !strings.HasPrefix(to, prefix) {
				t.Errorf("a link leads to %s", to)
			}
		}
		at.says(`<button class="btn sm">Stop viewing</button>`).lacks(`id="bell"`).lacks(`id="account"`).lacks("tabbar")
	})
}

// The breadcrumb leads from the unit over the section, and for staff over the student, to the page.
func TestTheWayToAPage(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		unit, project := w.path("/units/{id}"), w.path("/projects/{id}")
		ann, tom := w.as("ann"), w.as("tom")
		ann.do(w.path(aTask), nil).says(`<li><a href="` + project + `"><bdi>Tasks</bdi></a></li><li aria-current="page">`)
		ann.do(project+"/plan", nil).says(`<li aria-current="page"><bdi class="cut">Plan</bdi></li>`)
		tom.do(project, nil).says(`<li><a href="` + unit + `/students"><bdi>Students</bdi></a></li><li><a href="` +
			w.path(aStudent) + `"><bdi>ann `)
		tom.do(unit+"/desk", nil).says(`<li aria-current="page"><bdi class="cut">Marking</bdi></li>`).says(`class="railed"`)
	})
}

// What stands around a page takes three statements, however many units somebody has and however
// much is new; and the panel at the bell holds the newest ten.
func TestTheFrameTakesFewStatements(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom := w.as("ann"), w.as("tom")
		statements := func() int64 {
			r := httptest.NewRequest(http.MethodGet, "/help", http.NoBody)
			r.AddCookie(&http.Cookie{Name: "lectern", Value: tom.cookie})
			r.Header.Set("Accept", "text/html")
			ctx, n := db.Counting(r.Context(), nil)
			a := httptest.NewRecorder()
			w.site.HTTP.ServeHTTP(a, r.WithContext(ctx))
			if a.Code != http.StatusOK || !strings.Contains(a.Body.String(), `id="account"`) {
				w.Fatalf("%d %s", a.Code, a.Body)
			}
			return n.N()
		}
		few := statements()
		w.run(`INSERT INTO units (code, name, description, start_date, end_date, active, created_at, updated_at)
			SELECT 'U2', 'Two', '', start_date, end_date, TRUE, created_at, created_at FROM units`)
		w.run(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
			SELECT u.id, r.user_id, 2, r.created_at, r.created_at FROM units u, unit_roles r WHERE u.code = 'U2'`)
		for i := range 12 {
			ann.do(w.path(aTask+"/comments"), url.Values{"comment": {fmt.Sprint("Hello ", i)}}).status(303)
		}
		waittest.Until(t, "ten notifications and the link to all at the bell", func() bool { // they are numbered in a while
			return len(tom.do("/help", nil).linksIn("newest")) == 11
		})
		if many := statements(); many != few || few > 4 {
			t.Errorf("%d statements with little, %d with much", few, many)
		}
		page := tom.do("/help", nil)
		if n := len(page.linksIn("side")); n != 7 {
			t.Errorf("%d places are in the sidebar", n)
		}
	})
}
