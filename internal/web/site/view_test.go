package site_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// look lets somebody of the staff begin to see Ann's project as she does, and gives
// what stands in front of its paths.
func (w *world) look(student, project string) (prefix string) {
	w.Helper()
	to := w.do(student+"/view", url.Values{}).status(303).Header().Get("Location")
	prefix, found := strings.CutSuffix(to, project)
	if !found || !strings.HasPrefix(prefix, "/views/") {
		w.Fatalf("the view begins at %s", to)
	}
	return prefix
}

// changing is what differs between any two drawings of a page, and what a view takes away.
var changing = regexp.MustCompile(`value="[A-Z2-7]{26}"|<script [^>]*></script>\n?` +
	`| disabled( title="Not available while viewing as a student")?`)

// nothingToSend fails where something on a page can be sent but the form to leave.
func (a *answer) nothingToSend(path string) {
	a.Helper()
	doc, err := html.Parse(strings.NewReader(a.Body.String()))
	if err != nil {
		a.Fatal(err)
	}
	for n := range doc.Descendants() {
		f := owner(n)
		if f == nil || strings.ToLower(attributes(f)["method"]) != "post" ||
			!slices.Contains([]string{"button", "input", "select", "textarea"}, n.Data) {
			continue
		}
		if _, off := attributes(n)["disabled"]; !off && !strings.HasSuffix(attributes(f)["action"], "/leave") {
			a.Errorf("%s: in a view, a form to %s can be sent", path, attributes(f)["action"])
		}
	}
}

// Every page of a project is, in a view, what its student gets, with the theme of who
// looks. Nothing of what the student may send can be sent, nor is it taken.
func TestAViewIsWhatTheStudentSees(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		ann, tom := w.as("ann"), w.as("tom")
		ann.do(w.path(aTask+"/comments"), url.Values{"comment": {"Look at /projects/1"}}).status(303)
		tom.do(w.path(aTask+"/comments"), url.Values{"comment": {"Read me"}}).status(303)
		tom.do("/profile/preferences", url.Values{"theme": {"dark"}}).status(303)
		prefix := tom.look(w.path(aStudent), w.path("/projects/{id}"))
		tom.do(prefix+w.path(aTask), nil).status(200).says(`<button disabled title="Not available`)
		tom.do(prefix+w.path("/projects/{id}"), nil).status(200).says("Viewing as").says("Stop viewing").
			lacks(`href="/home"`).lacks("live-").lacks(`action="/sign-out"`)
		before := w.written()
		walked := 0
		for _, i := range w.site.Routes() {
			path := w.path(i.Path)
			if i.Method == http.MethodPost {
				a := tom.do(prefix+path, url.Values{"comment": {"x"}, "status": {"need_help"}})
				if a.Code != 403 && a.Code != 404 && !strings.HasPrefix(i.Path, "/projects/") || strings.HasPrefix(i.Path,
					"/projects/") && (a.Code != 403 || !strings.Contains(a.Body.String(), "nothing can be changed")) {
					t.Errorf("POST %s in a view: %d", i.Path, a.Code)
				}
				continue
			}
			seen := tom.do(prefix+path, nil)
			if !strings.HasPrefix(i.Path, "/projects/") {
				if seen.Code != 404 && seen.Code != 403 {
					t.Errorf("GET %s in a view: %d", i.Path, seen.Code)
				}
				continue
			}
			walked++
			own := ann.do(path, nil)
			if seen.Code != own.Code {
				t.Errorf("GET %s: %d in a view, %d for the student", i.Path, seen.Code, own.Code)
			}
			if seen.page() {
				seen.nothingToSend(i.Path)
				seen.says(`data-theme="dark"`)
			}
			got := strings.ReplaceAll(seen.text(), `"`+prefix, `"`)
			if own.Code == 200 && changing.ReplaceAllString(got, "") != changing.ReplaceAllString(own.text(), "") {
				t.Errorf("GET %s differs:\n%s\n%s", i.Path, got, own.text())
			}
		}
		if walked < 20 {
			t.Errorf("%d pages of a project", walked)
		}
		if after := w.written(); after != before {
			t.Errorf("a view changed something: %v, %v", before, after)
		}
	})
}

// written counts what students write, and what they have read.
func (w *world) written() (n [4]int64) {
	w.Helper()
	for i, from := range []string{"task_comments", "comment_reads", "task_history", "audit_outbox"} {
		c, err := db.One[int64](w.Context(), w.db.Pool(), `SELECT count(*) FROM `+from)
		if err != nil {
			w.Fatal(err)
		}
		n[i] = *c
	}
	return n
}

// A view reaches one project, for who began it, in the session it was begun in, while
// they teach the unit and until it ends.
func TestAViewReachesNothingElse(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		mine := w.path("/projects/{id}")
		student := w.path(aStudent)
		tom, ann, eve := w.as("tom"), w.as("ann"), w.as("eve")
		prefix := tom.look(student, mine)
		tom.do(prefix+mine, nil).status(200)
		for _, who := range []*world{w.as("tom"), ann, eve} { // another session, other people
			who.do(prefix+mine, nil).status(403).says("has ended")
		}
		w.do(prefix+mine, nil).status(303)                                    // nobody signed in
		tom.do(prefix+mine, nil, "Accept", "application/json").status(200)    // still a page
		tom.do(prefix+"/projects/../home", nil).leadsNowhere()                // no way out of the project
		tom.do(prefix+"/profile", nil).status(404)                            //
		tom.do("/api"+mine, nil).status(401)                                  // the API takes no cookie
		tom.do(prefix+"/api"+mine, nil).status(404)                           //
		tom.do(mine, nil).status(200).lacks("Viewing as")                     // his own pages stay as they are
		tom.do(prefix+mine+"/tasks/4711", nil).status(404).says("Viewing as") // an error is inside, too
		other := w.otherProject()
		tom.do(prefix+other, nil).status(403).says("Leave the view to open anything else")
		ann.do(other, nil).status(200)

		w.tx(func(ctx context.Context, q db.Q) error {
			u, err := ident.ByUsername(ctx, q, "tom")
			if err != nil {
				return err
			}
			id := strings.TrimPrefix(prefix, "/views/")
			v, err := db.One[int64](ctx, q, `SELECT session_id FROM student_views WHERE CAST(id AS TEXT) = $1`, id)
			if err != nil {
				return err
			}
			n, err := db.One[int64](ctx, q, `SELECT id FROM student_views WHERE CAST(id AS TEXT) = $1`, id)
			if err != nil {
				return err
			}
			c, err := ident.Look(ctx, q, &access.Caller{ID: u.ID, Role: u.Role, SessionID: *v}, *n)
			if err != nil {
				return err
			}
			_, err = access.PermitAgain(ctx, q, *c, access.Scope{Project: c.View.ProjectID}, policy.Submit)
			if !fault.Is(err, fault.Denied) {
				t.Errorf("what a view writes: %v", err)
			}
			return nil
		})

		tom.do(prefix+"/leave", url.Values{}).leadsTo(student)
		tom.do(prefix+mine, nil).status(403).says("has ended")
		again := tom.look(student, mine)
		w.run(`UPDATE student_views SET expires_at = started_at`)
		tom.do(again+mine, nil).status(403).says("has ended")
		last := tom.look(student, mine)
		tom.do(last+mine, nil).status(200)
		w.run(`DELETE FROM unit_roles`)
		tom.do(last+mine, nil).status(403)
		tom.do(student, nil).status(403)
		n, err := db.One[int64](t.Context(), w.db.Pool(), `SELECT count(*) FROM audit_outbox
			WHERE entries LIKE '%"see_as","action":"created"%' OR entries LIKE '%"see_as","action":"deleted"%'`)
		if err != nil || *n != 4 {
			t.Errorf("%v entries of the audit log: %v", *n, err)
		}
	})
}

func (w *world) run(text string) {
	w.Helper()
	w.tx(func(ctx context.Context, q db.Q) error {
		_, err := db.Exec(ctx, q, text)
		return err
	})
}

// otherProject lets Ann study another unit, which Tom does not teach, and gives its
// path.
func (w *world) otherProject() string {
	w.Helper()
	w.run(`INSERT INTO units (code, name, description, start_date, end_date, active, created_at, updated_at)
		SELECT 'Z', 'Other', '', start_date, end_date, TRUE, created_at, created_at FROM units`)
	w.run(`INSERT INTO projects (unit_id, user_id, created_at, updated_at)
		SELECT u.id, p.user_id, p.created_at, p.created_at FROM units u, projects p WHERE u.code = 'Z'`)
	return w.path("/projects/{id}")
}

// leadsNowhere is true of an answer that shows nothing.
func (a *answer) leadsNowhere() {
	a.Helper()
	if a.Code == http.StatusOK {
		a.Errorf("answered: %s", a.Body)
	}
}

func (a *answer) lacks(text string) *answer {
	a.Helper()
	if strings.Contains(a.dense(), dense(text)) {
		a.Errorf("%q is in %s", text, a.Body)
	}
	return a
}
