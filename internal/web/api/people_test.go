package api

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/clock"
)

var _ = rights(
	rightRow{"GET /api/admin/people", "", "admin", nil},
	rightRow{"GET /api/admin/people/counts", "", "admin", nil},
	rightRow{"GET /api/admin/people/{id}", "/api/admin/people/{other}", "admin", nil},
	rightRow{"GET /api/users/{id}/sessions", "/api/users/{other}/sessions", "admin", nil},
	rightRow{"DELETE /api/users/{id}/sessions", "/api/users/{other}/sessions", "admin", nil},
	rightRow{"DELETE /api/users/{id}/sessions/{session_id}", "/api/users/{other}/sessions/99999", "admin", nil},
	rightRow{"POST /api/users/{id}/unlock", "/api/users/{other}/unlock", "admin", nil},
	rightRow{"POST /api/users/{id}/invitation", "/api/users/{other}/invitation", "admin", nil},
	rightRow{"POST /api/users/{id}/login_id", "/api/users/{other}/login_id", "admin", `{"to_user_id":1}`},
	rightRow{"GET /api/users/{id}/data", "/api/users/{other}/data", "admin", nil},
	rightRow{"POST /api/users/{id}/data_export", "/api/users/{other}/data_export", "admin", `{"otp":"000000"}`},
	rightRow{"GET /api/admin/exports/{token}", "/api/admin/exports/nonsense", "admin", nil},
	rightRow{"POST /api/admin/exports/{token}", "/api/admin/exports/nonsense", "admin", nil},
	rightRow{"GET /api/admin/erasures", "", "admin", nil},
	rightRow{"POST /api/users/{id}/erasure", "/api/users/{other}/erasure", "admin", `{"otp":"000000"}`},
	rightRow{"DELETE /api/users/{id}/erasure", "/api/users/{other}/erasure", "admin", nil},
)

var _ = lists(
	listRow{route: "GET /api/users/{id}/sessions", path: "/api/users/{student}/sessions", who: "admin",
		fill: fill("sessions", func(w *world, i int) row {
			return row{"user_id": w.id["student"], "token_hash": fmt.Sprint("filler", i), "created_at": w.db.Now(),
				"expires_at": clock.At(w.db.Now().Add(time.Hour))}
		})},
	listRow{route: "GET /api/admin/people", who: "admin", most: mostPeople, fill: manyUsers},
	listRow{route: "GET /api/admin/erasures", who: "admin", fill: func(w *world, from, to int) {
		manyUsers(w, from, to)
		w.exec(`INSERT INTO erasures (user_id, asked_by, job_id, with_files, asked_at, due_at) SELECT u.id, $1, 1, FALSE, $2, $2
			FROM users u WHERE u.username LIKE 'filler%' AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.user_id = u.id)`,
			w.id["admin"], w.db.Now())
	}},
)

// manyUsers fills the table of users.
var manyUsers = fill("users", func(w *world, i int) row {
	name := fmt.Sprint("filler", i)
	return row{"username": name, "username_key": name, "email": name, "email_key": name, "first_name": "F",
		"last_name": "L", "role": 1, "created_at": w.db.Now(), "updated_at": w.db.Now()}
})

// foundPeople lists the user names that a search of people gives.
func (w *world) foundPeople(query string) (names []string) {
	w.Helper()
	for _, p := range w.do("admin", "GET /api/admin/people?"+query, nil).status(200).list() {
		names = append(names, p["username"].(string))
	}
	return names
}

func TestAdministratorsFindPeopleByTheBeginningOfAnyWord(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("admin", "PUT /api/users/{student}", map[string]any{"user": map[string]any{"first_name": "Zoë Marie",
			"last_name": "O'Quokka", "student_id": "7654321", "email": "zoe.q@north.field.example"}}).status(200)
		w.findable()
		for query, finds := range map[string]bool{"zoe": true, "MARIE": true, "quok": true, "7654": true, "north": true,
			"field.exam": true, "zoe.q@north.field.example": true, "@north": true, "zoe quokka 76": true, "uokka": false,
			"@zoe": false, "zoe nobody": false, "@fie zo": true, "654": false} {
			got := w.foundPeople("text=" + strings.ReplaceAll(strings.ReplaceAll(query, " ", "+"), "@", "%40"))
			if slices.Contains(got, "student") != finds {
				t.Errorf("%q finds %v", query, got)
			}
		}
		for _, query := range []string{"text=example", "text=zoe&system_role=Student&state=active&sort=-sign_in",
			"unit_id=" + fmt.Sprint(w.id["unitA"])} {
			if got := w.foundPeople(query); !slices.Contains(got, "student") {
				t.Errorf("%s finds %v", query, got)
			}
		}
		if got := w.foundPeople("system_role=Admin"); !slices.Equal(got, []string{"admin"}) {
			t.Errorf("administrators: %v", got)
		}
		w.do("admin", "GET /api/admin/people?system_role=King", nil).status(400)
		w.do("admin", "GET /api/admin/people?state=gone", nil).status(400)
		w.do("admin", "GET /api/admin/people?sort=units", nil).status(400)
	})
}

func TestPeopleAreListedByHowTheirAccountsStand(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("admin", "PUT /api/users/{mate}", map[string]any{"user": map[string]any{"disabled": true}}).status(200)
		w.do("admin", "POST /api/users", newUser("fresh", "Student")).status(201)
		w.password("student")
		for range 21 {
			w.do("", "POST /api/auth", form{"username": "student", "password": "wrong"})
		}
		for state, want := range map[string]string{"disabled": "mate", "invited": "fresh", "locked": "student"} {
			if got := w.foundPeople("state=" + state); !slices.Contains(got, want) {
				t.Errorf("%s: %v", state, got)
			}
			if got := w.foundPeople("state=active"); slices.Contains(got, want) {
				t.Errorf("%s is active, too: %v", want, got)
			}
		}
		before := w.do("admin", "GET /api/admin/people/counts", nil).status(200).object()
		if before["locked"] != 1.0 || before["disabled"] != 1.0 || before["accounts"] != float64(w.count("users")) {
			t.Errorf("counted %v", before)
		}
		w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(429)
		w.do("admin", "POST /api/users/{student}/unlock", nil).status(204)
		w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(201)
		if got := w.foundPeople("state=locked"); len(got) != 0 {
			t.Errorf("still locked: %v", got)
		}
		if got := w.foundPeople("without_second_factor=true"); !slices.Contains(got, "tutor") || slices.Contains(got, "student") {
			t.Errorf("without a second factor: %v", got)
		}
		w.factor("tutor")
		if got := w.foundPeople("without_second_factor=true"); slices.Contains(got, "tutor") {
			t.Errorf("the tutor has one: %v", got)
		}
		w.do("admin", "POST /api/users/99999/unlock", nil).status(404)
	})
}

// With the order, pages follow each other without a gap and nobody twice, whichever way round.
func TestPeopleArePagedInEveryOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		manyUsers(w, 0, 20)
		for _, sort := range []string{"name", "-name", "email", "-email", "role", "-role", "sign_in", "-sign_in"} {
			all := w.foundPeople("sort=" + sort)
			var paged []string
			for at := 0; at < len(all); at += 3 {
				paged = append(paged, w.foundPeople(fmt.Sprintf("sort=%s&limit=3&offset=%d", sort, at))...)
			}
			if !slices.Equal(all, paged) {
				t.Errorf("%s: %v and %v", sort, all, paged)
			}
			if none := w.foundPeople(fmt.Sprintf("sort=%s&limit=3&offset=%d", sort, len(all)+1)); len(none) != 0 {
				t.Errorf("%s: %v stand behind the last", sort, none)
			}
			if back := w.foundPeople("sort=" + strings.TrimPrefix("-"+sort, "--")); !slices.Equal(all, reversed(back)) {
				t.Errorf("%s: %v, the other way %v", sort, all, back)
			}
		}
	})
}

func reversed(list []string) []string {
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

func TestOnePersonIsShownWithAllThatAnAdministratorNeeds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("admin", "PUT /api/users/{student}", map[string]any{"user": map[string]any{"login_id": "s-1"}}).status(200)
		w.do("admin", "POST /api/users/{student}/password_link", nil).status(201)
		p := w.do("admin", "GET /api/admin/people/{student}", nil).status(200).object()
		if p["login_id"] != "s-1" || p["password_link_until"] == nil || p["erasure"] != nil || p["invitation"] != nil {
			t.Errorf("got %v", p)
		}
		units := p["unit_list"].([]any)
		if len(units) == 0 || units[0].(map[string]any)["role"] != "Student" || float64(len(units)) != p["units"] {
			t.Errorf("units %v of %v", units, p["units"])
		}
		w.do("admin", "GET /api/admin/people/99999", nil).status(404)
	})
}

func TestAdministratorsEndSessionsOfOthers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		list := w.do("admin", "GET /api/users/{student}/sessions", nil).status(200).list()
		if len(list) != 1 || list[0]["current"] != false {
			t.Fatalf("got %v", list)
		}
		one := fmt.Sprintf("/sessions/%.0f", list[0]["id"])
		w.do("admin", "DELETE /api/users/{mate}"+one, nil).status(404) // it is somebody else's
		w.do("admin", "DELETE /api/users/{student}"+one, nil).status(204)
		w.do("student", "GET /api/auth/sessions", nil).status(401)
		w.do("admin", "DELETE /api/users/{mate}/sessions", nil).status(204)
		w.do("mate", "GET /api/auth/sessions", nil).status(401)
		w.do("admin", "DELETE /api/users/{admin}/sessions", nil).status(204)
		w.do("admin", "GET /api/auth/sessions", nil).status(200) // but for the one at hand
		w.do("admin", "GET /api/users/99999/sessions", nil).status(404)
		w.do("admin", "DELETE /api/users/99999/sessions", nil).status(404)
		for _, action := range []string{"by_administrator", "all_by_administrator"} {
			if w.count("audit_outbox WHERE entries LIKE '%\"action\":\""+action+"\"%'") == 0 {
				t.Errorf("the log does not say %s", action)
			}
		}
	})
}

func TestALoginIDMovesFromOneAccountToAnother(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		move := func(from string, to any, dry bool) *answered {
			return w.do("admin", "POST /api/users/{"+from+"}/login_id", map[string]any{"to_user_id": to, "dry_run": dry})
		}
		move("student", w.id["mate"], false).status(409).says("no login id")
		w.do("admin", "PUT /api/users/{student}", map[string]any{"user": map[string]any{"login_id": "s-1"}}).status(200)
		move("student", w.id["student"], false).status(400).says("another account")
		move("student", 99999, false).status(400).says("nobody")
		move("student", w.id["mate"], true).status(200)
		if w.count("users WHERE login_id = 's-1' AND username = 'student'") != 1 {
			t.Fatal("a plan moved it")
		}
		w.do("admin", "PUT /api/users/{other}", map[string]any{"user": map[string]any{"login_id": "o-1"}}).status(200)
		move("student", w.id["other"], false).status(409).says("o-1")
		w.do("student", "GET /api/auth/sessions", nil).status(200)
		got := move("student", w.id["mate"], false).status(200).object()
		if got["login_id"] != "s-1" || w.count("users WHERE login_id = 's-1' AND username = 'mate'") != 1 {
			t.Errorf("got %v", got)
		}
		w.do("student", "GET /api/auth/sessions", nil).status(401) // they were the other's
		w.do("admin", "PUT /api/users/{student}", map[string]any{"user": map[string]any{"disabled": true}}).status(200)
		move("mate", w.id["student"], false).status(409).says("disabled")
		if w.count("audit_outbox WHERE entries LIKE '%login_id_given%' AND entries LIKE '%login_id_got%'") != 1 {
			t.Error("the log does not say so")
		}
	})
}

// Of two who move the login ids of each other's accounts, one wins and nobody waits for ever.
func TestLoginIDsMoveBothWaysAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("admin", "PUT /api/users/{student}", map[string]any{"user": map[string]any{"login_id": "s-1"}}).status(200)
		var wg sync.WaitGroup
		codes := make([]int, 6)
		for i := range codes {
			from, to := "student", "mate"
			if i%2 == 1 {
				from, to = to, from
			}
			wg.Go(func() {
				codes[i] = w.do("admin", "POST /api/users/{"+from+"}/login_id", map[string]any{"to_user_id": w.id[to]}).Code
			})
		}
		wg.Wait()
		if n := w.count("users WHERE login_id = 's-1'"); n != 1 || slices.ContainsFunc(codes, func(c int) bool { return c >= 500 }) {
			t.Errorf("%d have it: %v", n, codes)
		}
	})
}

// What a colleague changed meanwhile is not overwritten unseen, and everything else goes through.
func TestAnAccountChangedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(user, seen map[string]any) *answered {
			return w.do("admin", "PUT /api/users/{student}", map[string]any{"user": user, "seen": seen})
		}
		put(map[string]any{"first_name": "Ann"}, nil).status(200)
		put(map[string]any{"first_name": "Bea"}, map[string]any{"first_name": "Old"}).status(409).says(`it is "Ann"`)
		put(map[string]any{"last_name": "Lee"}, map[string]any{"first_name": "Old"}).status(200)
		put(map[string]any{"first_name": "Bea"}, map[string]any{"first_name": "Ann"}).status(200)
		put(map[string]any{"first_name": "Bea"}, map[string]any{"first_name": "Ann"}).status(200) // it is so already
		put(map[string]any{"system_role": "Tutor"}, map[string]any{"system_role": "Admin"}).status(409)
	})
}

func TestAnInvitationIsSentAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.post(t)
		w.do("admin", "POST /api/users", newUser("fresh", "Student")).status(201)
		id := w.number("SELECT id FROM users WHERE username = 'fresh'")
		at := fmt.Sprintf("POST /api/users/%d/invitation", id)
		w.do("admin", at, nil).status(204)
		w.do("admin", at, nil).status(409).says("waiting")
		w.exec(`UPDATE invitations SET state = 'sent'`)
		w.do("admin", at, nil).status(204)
		p := w.do("admin", fmt.Sprintf("GET /api/admin/people/%d", id), nil).status(200).object()
		if got := p["invitation"].(map[string]any)["state"]; got != "waiting" || p["state"] != "invited" {
			t.Errorf("it is %v", p)
		}
		w.password("student")
		w.do("admin", "POST /api/users/{student}/invitation", nil).status(409).says("has come in")
		w.do("admin", "PUT /api/users/{mate}", map[string]any{"user": map[string]any{"disabled": true}}).status(200)
		w.do("admin", "POST /api/users/{mate}/invitation", nil).status(409).says("disabled")
		w.do("admin", "POST /api/users/99999/invitation", nil).status(404)
		w.api.usecases.Mailer = notify.Disabled()
		w.do("admin", at, nil).status(503)
	})
}
