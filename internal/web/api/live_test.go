package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/presence"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/live"
)

var _ = rights(
	// Whoever may not listen hears that before anything is said of the number.
	rightRow{"GET /api/events", "/api/events?last_event_id=none", "users", nil},
	rightRow{"POST /api/events/ticket", "", "users", nil},
)

// instance starts a further server on the world's database, with a hub of its
// own, as a second process has, and gives its address.
func (w *world) instance(t *testing.T, beat time.Duration) string {
	t.Helper()
	hub := events.NewHub(w.db, slog.New(slog.DiscardHandler), 10*time.Millisecond)
	hub.Also(presence.Source(w.db))
	hub.Start(t.Context())
	over, end := context.WithCancel(context.Background())
	s := New(Config{Config: endpoint.Config{DB: w.db, HTTP: quiet(), Spool: t.TempDir(), Version: "test",
		Asked: w.declared},
		Usecases: w.api.usecases, Events: live.New(live.Config{DB: w.db, Hub: hub, Until: over, Heartbeat: beat})})
	srv := httptest.NewServer(s)
	t.Cleanup(func() { end(); srv.Close(); hub.Stop() })
	return srv.URL
}

// heard is one event as a client reads it.
type heard struct {
	id   int64
	name string // "" for a heartbeat
	data string
}

// client is one connection to GET /api/events.
type client struct {
	t    *testing.T
	body io.ReadCloser
	in   *bufio.Scanner
}

// connect listens as a person, or with a ticket in the query.
func (w *world) connect(t *testing.T, at, as, query, last string) *client {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", at+"/api/events"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if as != "" {
		r.Header.Set("Username", as)
		r.Header.Set("Auth_Token", w.tokens[as])
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(r) //nolint:bodyclose // closed by the client's close
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 {
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		t.Fatalf("GET /api/events as %q: %d %s", as, res.StatusCode, text)
	}
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("Content-Type %s", kind)
	}
	t.Cleanup(func() { res.Body.Close() })
	return &client{t, res.Body, bufio.NewScanner(res.Body)}
}

// next gives the next event or heartbeat; ok is false when the stream has ended.
func (c *client) next() (h heard, ok bool) {
	for c.in.Scan() {
		name, value, _ := strings.Cut(c.in.Text(), ": ")
		switch name {
		case "":
			return h, true
		case "id":
			h.id, _ = strconv.ParseInt(value, 10, 64)
		case "event":
			h.name = value
		case "data":
			h.data = value
		}
	}
	return h, false
}

// expect gives the next event, which must have this name. Heartbeats are none: they
// come whenever the machine is slow.
func (c *client) expect(name string) heard {
	c.t.Helper()
	h, ok := c.next()
	for ok && h.name == "" {
		h, ok = c.next()
	}
	if !ok || h.name != name {
		c.t.Fatalf("heard %+v %v, want %s", h, ok, name)
	}
	return h
}

func TestLive(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.instance(t, time.Minute)
		student, tutor := w.connect(t, at, "student", "", ""), w.connect(t, at, "tutor", "", "")
		member, tutorB := w.connect(t, at, "mate", "", ""), w.connect(t, at, "tutorB", "", "")
		for _, c := range []*client{student, tutor, member, tutorB} {
			if h := c.expect("ready"); h.id != 0 {
				t.Errorf("ready %+v", h)
			}
		}
		w.comment("c", "tutor", ownTask, "Hello")
		var got, want any
		h := student.expect("comment")
		if err := json.Unmarshal([]byte(h.data), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(named(w, `{"seq":1,"kind":"comment","at":"`+w.db.Now().String()+
			`","actor_id":«tutor»,"user_id":«student»,"unit_id":«unitA»,
			"project_id":«project:student»,"task_id":«task»,"body":{"task_definition_id":«defA1»,"comment_id":«c»,"type":"text","action":"created"}}`)), &want); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || h.id != 1 {
			t.Errorf("heard %v,\nwant %v", got, want)
		}
		tutor.expect("comment")
		w.ask("e", "student", ownTask, "1")
		student.expect("extension")
		tutor.expect("extension")
		w.move("student", ownTask, "working_on_it")
		student.expect("status")
		tutor.expect("status")
		// The others hear only what is theirs.
		w.comment("m", "mate", memberTask, "Mine")
		w.comment("b", "studentB", "/api/projects/{project:studentB}/task_def_id/{defB1}", "Mine")
		for who, c := range map[string]*client{"mate": member, "studentB": tutorB} {
			if h := c.expect("comment"); !strings.Contains(h.data, fmt.Sprintf(`"user_id":%d`, w.id[who])) {
				t.Errorf("%s heard %s", who, h.data)
			}
		}
	})
}

func TestLiveRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("", "GET /api/events", nil).status(401)
		w.do("student", "GET /api/events", nil, "Auth_Token", "wrong").status(401)
		w.do("", "GET /api/events?ticket=wrong", nil).status(401)
		w.do("student", "GET /api/events", nil, "Last-Event-ID", "-1").status(400)
		w.do("student", "GET /api/events", nil, "Last-Event-ID", "99999999999999999999").status(400)
	})
}

func TestTickets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.instance(t, time.Minute)
		ticket := func() string {
			t.Helper()
			return w.do("student", "POST /api/events/ticket", nil).status(201).object()["ticket"].(string)
		}
		used := ticket()
		c := w.connect(t, at, "", "?ticket="+used, "")
		c.expect("ready")
		w.comment("c", "tutor", ownTask, "Hello")
		c.expect("comment")
		w.do("", "GET /api/events?ticket="+used, nil).status(401).says("used or has expired")
		w.do("student", "GET /api/events?ticket="+used, nil).status(401)
		// It opens nothing else.
		other := ticket()
		w.do("", "POST /api/auth", form{"username": "student", "auth_token": other}).status(401)
		w.do("student", "GET /api/projects", nil, "Auth_Token", other).status(401)
		if n := w.count("live_tickets WHERE token_hash = $1", other); n != 0 {
			t.Error("the ticket is stored as it is")
		}
		// It ends with the session that asked for it.
		gone := ticket()
		w.do("student", "DELETE /api/auth", nil).status(204)
		w.do("", "GET /api/events?ticket="+gone, nil).status(401)
	})
}

func TestTicketsExpire(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ticket := w.do("student", "POST /api/events/ticket", nil).status(201).object()["ticket"].(string)
		w.later(61 * time.Second)
		w.do("", "GET /api/events?ticket="+ticket, nil).status(401)
	})
}

// Many speak at once through two instances, while a client that is cut off
// again and again goes from one to the other.
func TestLiveClientsMissNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const comments = 100
		addresses := []string{w.instance(t, time.Minute), w.instance(t, time.Minute)}
		var speakers sync.WaitGroup
		for s := range 4 {
			speakers.Go(func() {
				for i := range comments / 4 {
					as, path := "student", ownTask
					if s%2 == 1 {
						as, path = "mate", memberTask
					}
					text := fmt.Sprintf("%d from %d", i, s)
					rec := httptest.NewRecorder()
					r := w.request(as, "POST "+path+"/comments", form{"comment": text})
					w.api.ServeHTTP(rec, r)
					if rec.Code != 201 {
						t.Errorf("%s: %d %s", text, rec.Code, rec.Body)
					}
				}
			})
		}
		var seen []int64
		last := "0"
		for turn := 0; len(seen) < comments; turn++ {
			c := w.connect(t, addresses[turn%2], "tutor", "", last)
			c.expect("ready")
			for range 1 + turn%7 {
				h := c.expect("comment")
				var e struct {
					Body struct {
						ID int64 `json:"comment_id"`
					} `json:"body"`
				}
				if err := json.Unmarshal([]byte(h.data), &e); err != nil {
					t.Fatal(err)
				}
				seen = append(seen, e.Body.ID)
				last = strconv.FormatInt(h.id, 10)
				if len(seen) == comments {
					break
				}
			}
			c.body.Close()
		}
		speakers.Wait()
		slices.Sort(seen)
		if seen = slices.Compact(seen); len(seen) != comments {
			t.Errorf("%d different comments were heard of, want %d", len(seen), comments)
		}
	})
}

func TestLiveFollowsRoles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.instance(t, 20*time.Millisecond)
		c := w.connect(t, at, "tutor", "", "")
		c.expect("ready")
		w.set(`UPDATE tutorials SET unit_role_id = NULL WHERE unit_role_id = $1`, w.id["role:tutor"])
		w.set(`DELETE FROM unit_roles WHERE id = $1`, w.id["role:tutor"])
		w.comment("1", "student", ownTask, "Not for you any more")
		w.add("role:again", "unit_roles", row{"unit_id": w.id["unitB"], "user_id": w.id["tutor"], "role": 2,
			"created_at": w.db.Now(), "updated_at": w.db.Now()})
		// The new role is known with the next heartbeat.
		say := func(i int) {
			w.comment("2", "studentB", "/api/projects/{project:studentB}/task_def_id/{defB1}", numbered("B", i))
		}
		for i := 0; ; i++ {
			say(i)
			h, ok := c.next()
			if !ok {
				t.Fatal("the stream ended")
			}
			if h.name == "" {
				continue
			}
			if strings.Contains(h.data, fmt.Sprintf(`"unit_id":%d`, w.id["unitA"])) {
				t.Errorf("a former tutor hears %s", h.data)
			}
			break
		}
		// Whoever signs out hears no more.
		w.do("tutor", "DELETE /api/auth", nil).status(204)
		for ok := true; ok; {
			_, ok = c.next()
		}
	})
}

// A session that lasts too long for a new role ends, and its stream with it.
func TestLiveEndsWithTheRolesSession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.instance(t, 20*time.Millisecond)
		c := w.connect(t, at, "student", "", "")
		c.expect("ready")
		began := clock.At(w.db.Now().Add(-3 * time.Hour))
		w.set(`UPDATE sessions SET created_at = $2, renewed_at = $2 WHERE user_id = $1`, w.id["student"], began)
		for range 3 { // a student's session lasts longer
			if _, ok := c.next(); !ok {
				t.Fatal("the stream ended")
			}
		}
		w.do("admin", "PUT /api/users/{student}", `{"user":{"system_role":"Admin"}}`).status(200)
		for ok := true; ok; {
			_, ok = c.next()
		}
		w.do("student", "GET /api/users/{student}", nil).status(401)
	})
}

func TestLiveSaysWhatIsGone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.instance(t, time.Minute)
		c := w.connect(t, at, "tutor", "", "")
		c.expect("ready")
		w.comment("1", "student", ownTask, "One")
		w.comment("2", "student", ownTask, "Two")
		c.expect("comment")
		c.expect("comment")
		w.set(`DELETE FROM events WHERE seq = 1`)
		c = w.connect(t, at, "tutor", "?last_event_id=0", "")
		c.expect("missed")
		if h := c.expect("comment"); h.id != 2 {
			t.Errorf("heard %+v", h)
		}
		// A number that was never given is no reason to wait for it.
		c = w.connect(t, at, "tutor", "?last_event_id=0", "500")
		if h := c.expect("ready"); h.id != 2 {
			t.Errorf("heard %+v", h)
		}
		w.comment("3", "student", ownTask, "Three")
		c.expect("comment")
	})
}
