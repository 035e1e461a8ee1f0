package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

var _ = rights(
	rightRow{"GET /api/auth/sessions", "", "users", nil},
	rightRow{"DELETE /api/auth/sessions", "", "users", nil},
	rightRow{"DELETE /api/auth/sessions/{id}", "/api/auth/sessions/99999", "users", nil},
)

var _ = lists(
	listRow{route: "GET /api/auth/sessions", who: "student", fill: fill("sessions", func(w *world, i int) row {
		return row{"user_id": w.id["student"], "token_hash": fmt.Sprint("filler", i), "created_at": w.db.Now(),
			"expires_at": clock.At(w.db.Now().Add(time.Hour))}
	})},
)

func TestOnesOwnSessions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		first := w.tokens["student"]
		w.do("", "POST /api/auth", form{"username": "student", "password": secret}, "User-Agent",
			"Phone\u202e\x01 "+strings.Repeat("x", 300)).status(201)
		list := w.do("student", "GET /api/auth/sessions", nil).status(200).list()
		if len(list) != 2 || list[0]["current"] != false || list[1]["current"] != true ||
			list[0]["device"] != "Phone "+strings.Repeat("x", 194) {
			t.Fatalf("got %v", list)
		}
		w.now = w.now.Add(4 * time.Minute)
		w.do("student", "GET /api/users/{student}", nil).status(200)
		if got := w.do("student", "GET /api/auth/sessions",
			nil).list(); got[1]["last_used_at"] != list[1]["last_used_at"] {
			t.Error("the last use is written too often")
		}
		w.now = w.now.Add(time.Minute)
		w.do("student", "GET /api/users/{student}", nil).status(200)
		got := w.do("student", "GET /api/auth/sessions", nil).list()
		if got[0]["current"] != true || got[0]["last_used_at"] == list[1]["last_used_at"] {
			t.Errorf("the last use is not told: %v", got)
		}
		other := fmt.Sprintf("DELETE /api/auth/sessions/%.0f", list[0]["id"])
		w.do("mate", other, nil).status(404)
		w.do("student", other, nil).status(204)
		w.do("student", other, nil).status(404)
		if w.count("sessions WHERE user_id = $1", w.id["student"]) != 1 {
			t.Error("it goes on")
		}
		w.do("student", fmt.Sprintf("DELETE /api/auth/sessions/%.0f", list[1]["id"]), nil).status(204)
		w.do("", "GET /api/users/{student}", nil, "Username", "student", "Auth-Token", first).status(401)
	})
}

// All devices but the one at hand are signed out at once, those of other people are not.
func TestOnesOtherSessionsEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.password("student")
		for range 2 {
			w.do("", "POST /api/auth", form{"username": "student", "password": secret}).status(201)
		}
		before := w.count("sessions WHERE user_id = $1", w.id["mate"])
		for range 2 { // the second finds none
			w.do("student", "DELETE /api/auth/sessions", nil).status(204)
		}
		list := w.do("student", "GET /api/auth/sessions", nil).status(200).list()
		if len(list) != 1 || list[0]["current"] != true {
			t.Errorf("got %v", list)
		}
		if n := w.count("sessions WHERE user_id = $1", w.id["mate"]); n != before || n == 0 {
			t.Errorf("%d sessions of somebody else, %d before", n, before)
		}
		if n := w.count(`audit_outbox WHERE entries LIKE '%"action":"others"%'`); n != 2 {
			t.Errorf("%d entries of the log", n)
		}
	})
}

// The end a session is listed with is that of the present role, and one that is
// over by it is not listed.
func TestSessionsEndAsTheRoleSays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		began := clock.At(w.db.Now().Add(-time.Hour))
		w.set(`UPDATE sessions SET created_at = $2, renewed_at = $2 WHERE user_id = $1`, w.id["student"], began)
		w.add("", "sessions", row{"user_id": w.id["student"], "token_hash": "old",
			"created_at": clock.At(began.Add(-2 * time.Hour)), "expires_at": clock.At(began.Add(100 * time.Hour))})
		if n := len(w.do("student", "GET /api/auth/sessions", nil).status(200).list()); n != 2 {
			t.Fatalf("%d sessions", n)
		}
		w.set(`UPDATE users SET role = 4 WHERE id = $1`, w.id["student"])
		list := w.do("student", "GET /api/auth/sessions", nil).status(200).list()
		if want := clock.At(began.Add(2 * time.Hour)).String(); len(list) != 1 || list[0]["expires_at"] != want {
			t.Errorf("got %v, want the end %s", list, want)
		}
	})
}

// A session lasts no longer than one of the present role.
func TestPromotionShortensSessions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("admin", "PUT /api/users/{outsider}", `{"user":{"system_role":"Admin"}}`).status(200)
		w.set(`UPDATE users SET role = 4 WHERE id = $1`, w.id["studentB"]) // by whatever way
		for _, name := range []string{"outsider", "studentB"} {
			w.do(name, "GET /api/users/{"+name+"}", nil).status(200)
		}
		w.now = w.now.Add(2 * time.Hour)
		for _, name := range []string{"outsider", "studentB"} {
			w.do(name, "GET /api/users/{"+name+"}", nil).status(401).says("ended")
		}
		w.do("student", "GET /api/users/{student}", nil).status(200)
	})
}
