package api

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

var _ = rights(
	rightRow{"GET /api/users", "", "convenor convenorB admin", nil},
	rightRow{"GET /api/users/tutors", "", "convenor convenorB admin", nil},
	rightRow{"GET /api/users/convenors", "", "convenor convenorB admin", nil},
	rightRow{"GET /api/users/invitations", "", "convenor convenorB admin", nil},
	rightRow{"GET /api/users/{id}", "/api/users/{student}", "student admin", nil},
	rightRow{"POST /api/users", "", "convenor convenorB admin", newUser("new", "Student")},
	rightRow{"PUT /api/users/{id}", "/api/users/{student}", "student convenor convenorB admin",
		`{"user":{"nickname":"x"}}`},
	rightRow{"POST /api/users/{id}/password_link", "/api/users/{student}/password_link", "admin", nil},
	rightRow{"GET /api/csv/users", "", "admin", nil},
	rightRow{"POST /api/csv/users", "", "convenor convenorB admin",
		upload{files: []part{{"file", "u.csv", "username,email,first_name,last_name,role\n"}}}},
)

var _ = lists(
	listRow{route: "GET /api/users", who: "admin", fill: fillUsers(policy.Student)},
	listRow{route: "GET /api/users/tutors", who: "convenor", fill: fillUsers(policy.Tutor)},
	listRow{route: "GET /api/users/convenors", who: "admin", fill: fillUsers(policy.Admin)},
)

func fillUsers(role policy.Role) func(w *world, from, to int) {
	return fill("users", func(w *world, i int) row {
		name := "filler" + strconv.Itoa(i)
		return row{"username": name, "username_key": name, "email": name + "@example.edu",
			"email_key":  name + "@example.edu",
			"first_name": "F", "last_name": "L", "role": int64(role), "created_at": w.db.Now(),
			"updated_at": w.db.Now()}
	})
}

func newUser(name, role string) map[string]any {
	return map[string]any{"user": map[string]any{"first_name": "Ann", "last_name": "Ümlaut",
		"email":    name + "@example.edu",
		"username": name, "nickname": "", "system_role": role}}
}

func TestGettingUsers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const student = `{"id":«student»,"student_id":null,"email":"student@example.edu","first_name":"Student","last_name":"Person",
			"username":"student","nickname":"student","receive_task_notifications":true,"receive_portfolio_notifications":true,
			"receive_feedback_notifications":true,"opt_in_to_research":null,"has_run_first_time_setup":false,"pronouns":null,"system_role":"Student"`
		w.do("student", "GET /api/users/{student}", nil).status(200).is(student + `}`)
		w.do("admin", "GET /api/users/{student}", nil).status(200).is(student + `,"disabled":false}`)
		w.do("student", "GET /api/users/{mate}", nil).status(403)
		for _, who := range []string{"student", "admin"} {
			for _, id := range []string{"99999", "0", "-1", "x"} {
				w.do(who, "GET /api/users/"+id, nil).status(404)
			}
		}
		names := func(as, path string) string {
			var out []string
			for _, u := range w.do(as, path, nil).status(200).list() {
				out = append(out, u["username"].(string))
				if _, told := u["disabled"]; told != (as == "admin") {
					t.Errorf("%s sees %v", as, u)
				}
			}
			return strings.Join(out, " ")
		}
		all := "admin both convenor convenorB mate other outsider student studentB tutor tutorB withdrawn"
		for path, want := range map[string]string{"": all, "/tutors": "admin both convenor convenorB tutor tutorB",
			"/convenors": "admin convenor convenorB"} {
			for _, as := range []string{"admin", "convenor"} {
				if got := names(as, "GET /api/users"+path); got != want {
					t.Errorf("%s: got %s", path, got)
				}
			}
		}
		for query, want := range map[string]string{"?limit=2": "admin both", "?limit=2&offset=3": "convenorB mate",
			"?offset=10": "tutorB withdrawn", "?limit=0": "", "?offset=99": ""} {
			if got := names("admin", "GET /api/users"+query); got != want {
				t.Errorf("%s: got %q", query, got)
			}
			if got := w.do("admin", "GET /api/users"+query, nil).Header().Get("X-Total-Count"); got != "12" {
				t.Errorf("%s: total %q", query, got)
			}
		}
		if got := w.do("admin", "GET /api/users", nil).Header().Get("X-Total-Count"); got != "" {
			t.Errorf("total %q without being asked", got)
		}
		w.do("admin", "GET /api/users?limit=-1", nil).status(400).says("limit")
		w.do("admin", "GET /api/users?offset=-1", nil).status(400).says("offset")
		w.do("admin", "GET /api/users?limit=x", nil).status(400)
	})
}

func TestAddingUsers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		body := newUser("Ann.1", "tutor")
		body["user"].(map[string]any)["student_id"] = " 123 "
		made := w.do("convenor", "POST /api/users", body).status(201)
		ann := made.object()
		w.id["ann"] = int64(ann["id"].(float64))
		if got := made.Header().Get("Location"); got != w.path("/api/users/{ann}") {
			t.Errorf("Location %q", got)
		}
		if ann["username"] != "Ann.1" || ann["system_role"] != "Tutor" || ann["student_id"] != "123" ||
			ann["nickname"] != "" || ann["receive_task_notifications"] != true {
			t.Errorf("got %v", ann)
		}
		_, token, _ := strings.Cut(ann["password_link"].(string), "token=")
		w.do("", "POST /api/auth/password", map[string]string{"token": token, "password": secret}).status(204)
		w.signIn("ann.1", secret)
		if _, again := w.do("admin", "GET /api/users/{ann}", nil).status(200).object()["password_link"]; again {
			t.Error("the link is shown again")
		}

		w.do("admin", "POST /api/users", `{}`).status(400).says("user[first_name]", "user[last_name]", "user[email]",
			"user[username]", "user[nickname]", "user[system_role]")
		w.do("admin", "POST /api/users", newUser("x", "Administrator")).status(400).says("system_role")
		w.do("admin", "POST /api/users", newUser("x", "")).status(400).says("system_role")
		for _, role := range []string{"Convenor", "Admin"} {
			w.do("convenor", "POST /api/users", newUser("x", role)).status(403)
			w.do("admin", "POST /api/users", newUser("x"+role, role)).status(201)
		}
		for field, value := range map[string]string{"username": "ANN.1", "email": "ann.1@EXAMPLE.edu",
			"student_id": "123"} {
			body := newUser("unlike", "Student")
			body["user"].(map[string]any)[field] = value
			w.do("admin", "POST /api/users", body).status(409).says(field)
		}
		for field, value := range map[string]string{"first_name": " ", "last_name": "", "username": "two words",
			"email": "nonsense", "nickname": strings.Repeat("é", 201)} {
			body := newUser("unlike", "Student")
			body["user"].(map[string]any)[field] = value
			got := w.do("admin", "POST /api/users", body).status(422).says(field).object()["fields"].(map[string]any)
			if len(got) != 1 || got["user["+field+"]"] == nil {
				t.Errorf("%s: fields %v", field, got)
			}
		}
	})
}

func TestAUsernameIsTakenOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { w.do("admin", "POST /api/users", newUser("same", "Student")).status(201, 409) })
		}
		wg.Wait()
		if n := w.count("users WHERE username_key = 'same'"); n != 1 {
			t.Errorf("%d users of one name", n)
		}
	})
}

func TestChangingUsers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		before := w.do("admin", "GET /api/users/{student}", nil).object()
		for _, body := range []any{nil, `{}`, `{"user":{}}`, `{"user":{"username":"other name","id":7}}`,
			`{"user":{"receive_task_notifications":null,"first_name":null}}`} {
			if got := w.do("admin", "PUT /api/users/{student}",
				body).status(200).object(); fmt.Sprint(got) != fmt.Sprint(before) {
				t.Errorf("%v changed the user to %v", body, got)
			}
		}
		got := w.do("student", "PUT /api/users/{student}", form{"user[first_name]": " Zoë ",
			"user[last_name]": "van Dam", "user[email]": "Zoe@Example.edu",
			"user[student_id]": "", "user[nickname]": "", "user[pronouns]": "they",
			"user[receive_task_notifications]":      "no",
			"user[receive_portfolio_notifications]": "0", "user[receive_feedback_notifications]": "off",
			"user[opt_in_to_research]":       "true",
			"user[has_run_first_time_setup]": "true", "user[system_role]": "Admin"}).status(200)
		want := `{"id":«student»,"student_id":null,"email":"student@example.edu",
			"email_pending":"Zoe@Example.edu","first_name":"Zoë","last_name":"van Dam",
			"username":"student","nickname":"","receive_task_notifications":false,"receive_portfolio_notifications":false,
			"receive_feedback_notifications":false,"opt_in_to_research":true,"has_run_first_time_setup":true,"pronouns":"they","system_role":"Student"}`
		got.is(want)
		w.do("student", "GET /api/users/{student}", nil).is(want)
		w.do("student", "PUT /api/users/{student}", `{"user":{"opt_in_to_research":null,"student_id":null,"pronouns":""}}`).status(200)
		after := w.do("student", "GET /api/users/{student}", nil).object()
		if after["opt_in_to_research"] != nil || after["student_id"] != nil || after["pronouns"] != nil {
			t.Errorf("not cleared: %v", after)
		}

		w.do("admin", "PUT /api/users/99999", `{"user":{"nickname":"x"}}`).status(404)
		w.do("student", "PUT /api/users/99999", `{"user":{"nickname":"x"}}`).status(404)
		w.do("student", "PUT /api/users/{mate}", `{"user":{"nickname":"x"}}`).status(403)
		for _, of := range []string{"admin", "convenorB"} {
			w.do("convenor", "PUT /api/users/{"+of+"}", `{"user":{"email":"mine@example.edu"}}`).status(403)
		}
		w.do("convenor", "PUT /api/users/{convenor}", `{"user":{"nickname":"me"}}`).status(200)
		w.do("admin", "PUT /api/users/{mate}", `{"user":{"email":"TUTOR@example.edu"}}`).status(409).says("email")
		w.do("admin", "PUT /api/users/{mate}", `{"user":{"email":"a@b","first_name":""}}`).status(422).says("email",
			"first_name")
		w.do("admin", "PUT /api/users/{mate}", `{"user":{"receive_task_notifications":"maybe"}}`).status(400)
	})
}

func TestChangingRoles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		appoint := func(by, whom, role string) *answered {
			return w.do(by, "PUT /api/users/{"+whom+"}", map[string]any{"user": map[string]any{"system_role": role}})
		}
		if got := appoint("admin", "admin", "Student").status(200).object()["system_role"]; got != "Admin" {
			t.Errorf("changed own role to %v", got)
		}
		appoint("convenor", "outsider", "tutor").status(200)
		appoint("convenor", "outsider", "Student").status(200)
		appoint("convenor", "outsider", "Student").status(200)
		appoint("convenor", "outsider", "Convenor").status(403)
		appoint("convenor", "tutor", "Admin").status(403)
		appoint("convenor", "admin", "Student").status(403)
		appoint("admin", "outsider", "Tutors").status(400).says("system_role")
		appoint("admin", "outsider", "ADMIN").status(200)
		appoint("admin", "tutor", "Student").status(409).says("unit")
		appoint("admin", "convenor", "Tutor").status(409).says("Convenor")
		appoint("admin", "convenor", "Admin").status(200)
		appoint("admin", "tutor", "Convenor").status(200)
		appoint("admin", "tutor", "Tutor").status(200)
	})
}

func users(t *testing.T, w *world, csv string, fields map[string]string) importReport {
	t.Helper()
	var r importReport
	w.do("admin", "POST /api/csv/users", upload{fields: fields,
		files: []part{{"file", "users.csv", csv}}}).status(201).into(&r)
	return r
}

type importReport struct {
	Success, Errors, Ignored []struct {
		Row     [][2]string
		Line    int
		Message string
		Link    string
	}
}

func TestImportingUsers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const csv = "Username,First Name,Last name,EMAIL,student_id,nickname,role\n" +
			"ann,ann,von der Ümlaut,ann@example.edu,42,Annie,student\n" +
			"student,Not,Changed,elsewhere@example.edu,,,Student\n" +
			"bob,Bob,B,tutor@example.edu,,,Student\n" +
			"cid,Cid,C,cid@example.edu,42,,Student\n" +
			"dan,Dan,D,dan@example.edu,,,Administrator\n" +
			"eve,Eve,E,no address,,,Tutor\n" +
			"ANN,Ann,A,ann2@example.edu,,,Student\n" +
			"fay,,F,fay@example.edu,,,Student\n" +
			"gus,Gus,G,gus@example.edu,,,Admin\n"
		before := w.count("users")
		dry := users(t, w, csv, map[string]string{"dry_run": "true"})
		if w.count("users") != before || w.count("password_links") != 0 {
			t.Error("a dry run made users")
		}
		r := users(t, w, csv, nil)
		for name, n := range map[string][2]int{"success": {len(r.Success), len(dry.Success)}, "errors": {len(r.Errors),
			len(dry.Errors)}, "ignored": {len(r.Ignored), len(dry.Ignored)}} {
			if want := map[string]int{"success": 2, "errors": 6, "ignored": 1}[name]; n[0] != want || n[1] != want {
				t.Errorf("%s: %v, want %d: %+v", name, n, want, r)
			}
		}
		if dry.Success[0].Link != "" || w.count("users") != before+2 || w.count("password_links") != 2 {
			t.Errorf("%d users, %d links", w.count("users")-before, w.count("password_links"))
		}
		if got := w.count("users WHERE username = 'ann' AND first_name = 'ann' AND last_name = 'von der Ümlaut' AND " +
			"student_id = '42' AND nickname = 'Annie' AND password_hash IS NULL"); got != 1 {
			t.Error("ann is not as written")
		}
		if w.count("users WHERE username = 'student' AND first_name = 'Student'") != 1 {
			t.Error("an existing user was changed")
		}
		_, token, _ := strings.Cut(r.Success[0].Link, "token=")
		w.do("", "POST /api/auth/password", map[string]string{"token": token, "password": secret}).status(204)
		w.signIn("ann", secret)

		again := users(t, w, csv, nil)
		if len(again.Success) != 0 || len(again.Ignored) != 3 {
			t.Errorf("again: %+v", again)
		}
		as := w.do("convenor", "POST /api/csv/users",
			upload{files: []part{{"file", "u.csv", "username,email,first_name,last_name,role\n" +
				"x,x@example.edu,X,X,Convenor\n"}}}).status(201)
		if got := as.object()["errors"].([]any); len(got) != 1 {
			t.Errorf("a Convenor made a Convenor: %s", as.Body)
		}
		w.do("admin", "POST /api/csv/users", nil).status(400).says("file")
		w.do("admin", "POST /api/csv/users", upload{files: []part{{"file", "u.csv",
			"username,email\n"}}}).status(400).says("role")
		w.do("admin", "POST /api/csv/users", upload{files: []part{{"file", "u.csv", "%PDF-1.7\n"}}}).status(415)
	})
}

func TestExportingUsers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		body := newUser("odd", "Student")
		body["user"].(map[string]any)["first_name"] = "=cmd()"
		body["user"].(map[string]any)["last_name"] = `a,"b" 'c`
		body["user"].(map[string]any)["student_id"] = "007"
		w.do("admin", "POST /api/users", body).status(201)
		got := w.do("admin", "GET /api/csv/users", nil).status(200)
		if d := got.Header().Get("Content-Disposition"); d != `attachment; filename=users.csv` {
			t.Errorf("Content-Disposition %s", d)
		}
		csv := got.Body.String()
		if !strings.HasPrefix(csv, "\ufeffemail,first_name,last_name,username,nickname,role,student_id\r\n") ||
			!strings.Contains(csv, ",'=cmd(),") {
			t.Errorf("got %s", csv)
		}
		other := newWorld(t, map[bool]string{true: "postgres", false: "sqlite"}[w.db.Postgres()])
		if err := other.db.Tx(t.Context(), func(q db.Q) error {
			_, err := db.Exec(t.Context(), q, `DELETE FROM users WHERE username = 'outsider'`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		r := users(t, other, csv, nil)
		if len(r.Success) != 2 || len(r.Errors) != 0 || len(r.Ignored) != 11 {
			t.Errorf("%+v", r)
		}
		lines := func(s string) string { return strings.Join(sortedLines(s), "\n") }
		if back := other.do("admin", "GET /api/csv/users", nil).Body.String(); lines(back) != lines(csv) {
			t.Errorf("came back as %s\nwas %s", back, csv)
		}
	})
}

func sortedLines(s string) []string {
	m := map[string]bool{}
	for l := range strings.SplitSeq(s, "\r\n") {
		m[l] = true
	}
	return sortedKeys(m)
}

func sheetOf(n int) string {
	var b strings.Builder
	b.WriteString("email,first_name,last_name,username,nickname,role,student_id\n")
	for i := range n {
		s := strconv.Itoa(i)
		b.WriteString("u" + s + "@example.edu,First,Last " + s + ",u" + s + ",Nick,Student," + s + "\n")
	}
	return b.String()
}

// beside runs a job while another writer keeps writing, and tells how long the
// job took and the writer waited at most.
func (w *world) beside(write, job func()) (took, waited time.Duration) {
	done := make(chan struct{})
	go func() {
		for {
			begin := time.Now()
			write()
			waited = max(waited, time.Since(begin))
			select {
			case <-done:
				done <- struct{}{}
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	start := time.Now()
	job()
	took = time.Since(start)
	done <- struct{}{}
	<-done
	return took, waited
}

func TestImportingManyUsers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var r importReport
		took, waits := w.beside(func() {
			if err := w.db.Tx(t.Context(), func(q db.Q) error {
				_, err := db.Exec(t.Context(), q, `UPDATE campuses SET active = active`)
				return err
			}); err != nil {
				t.Error(err)
			}
		}, func() { r = users(t, w, sheetOf(5000), nil) })
		t.Logf("5,000 users in %v; another writer waited %v at most", took, waits)
		if len(r.Success) != 5000 || w.count("password_links") != 5000 {
			t.Fatalf("%d of 5000", len(r.Success))
		}
		if took > 20*time.Second && dbtest.Quiet() {
			t.Errorf("took %v", took)
		}
	})
}

func TestAllThatIsTakenIsNamedAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE users SET student_id = 's1', login_id = 'l1' WHERE username = 'mate'`)
		add := func(username, email string) *answered {
			return w.do("admin", "POST /api/users", form{"user[username]": username, "user[email]": email,
				"user[first_name]": "A", "user[last_name]": "B", "user[nickname]": "A", "user[system_role]": "Student"})
		}
		add("STUDENT", "Mate@example.edu").status(409).says("Other users have that username and that email address.")
		add("student", "new@example.edu").status(409).says("Another user has that username.")
		add("new", "mate@example.edu").status(409).says("Another user has that email address.")
		w.do("admin", "PUT /api/users/{other}", form{"user[email]": "student@example.edu", "user[student_id]": "s1",
			"user[login_id]": "l1"}).status(409).says("Other users have that email address, that student_id and that login_id.")
		w.do("admin", "PUT /api/users/{mate}", form{"user[email]": "mate2@example.edu", "user[student_id]": "s1"}).status(200)
		add("new", "new@example.edu").status(201)
	})
}
