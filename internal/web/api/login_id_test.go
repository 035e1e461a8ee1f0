package api

import (
	"strings"
	"testing"
)

// TestOnlyAnAdminLinksAnAccount: whoever sets a login_id decides who signs in.
func TestOnlyAnAdminLinksAnAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(as, who, id string) *answered {
			return w.do(as, "PUT /api/users/{"+who+"}", map[string]any{"user": map[string]any{"login_id": id}})
		}
		put("student", "student", "mine").status(403).says("administrator")
		put("convenor", "student", "theirs").status(403).says("administrator")
		put("convenor", "student", "").status(200) // no change
		got := put("admin", "student", " s-1 ").status(200).object()
		if got["login_id"] != "s-1" {
			t.Errorf("got %v", got)
		}
		if w.do("student", "GET /api/users/{student}", nil).status(200).object()["login_id"] != nil {
			t.Error("a student sees a login_id")
		}
		put("admin", "mate", "s-1").status(409).says("login_id")
		put("admin", "mate", strings.Repeat("x", 201)).status(422).says("user[login_id] must be one line")
		w.do("student", "GET /api/auth/sessions", nil).status(200)
		put("admin", "student", "s-2").status(200)
		w.do("student", "GET /api/auth/sessions", nil).status(401) // they were another's

		made := newUser("linked", "Student")
		made["user"].(map[string]any)["login_id"] = "l-1"
		w.do("convenor", "POST /api/users", made).status(403).says("administrator")
		if w.do("admin", "POST /api/users", made).status(201).object()["login_id"] != "l-1" {
			t.Error("a new user lacks the login_id")
		}
		sheet := upload{files: []part{{"file", "u.csv", "username,email,first_name,last_name,role,login_id\n" +
			"one,one@example.edu,O,N,Student,o-1\ntwo,two@example.edu,T,W,Student,l-1\n" +
			"three,three@example.edu,T,H,Student,o-1\n"}}}
		for as, says := range map[string]string{"convenor": "Only an administrator", "admin": "has that login_id"} {
			if body := w.do(as, "POST /api/csv/users", sheet).status(201).Body.String(); !strings.Contains(body, says) {
				t.Errorf("the report to %s does not say %q: %s", as, says, body)
			}
		}
		if n := w.count("users WHERE login_id = 'o-1' AND username = 'one'"); n != 1 {
			t.Errorf("%d users were linked by the import", n)
		}
	})
}
