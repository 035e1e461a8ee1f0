package site_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
)

// stream listens on /live as somebody with a cookie.
func (w *world) stream(at, last string) *bufio.Scanner {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, at+"/live", http.NoBody)
	if err != nil {
		w.Fatal(err)
	}
	r.AddCookie(&http.Cookie{Name: "lectern", Value: w.cookie})
	r.Header.Set("Accept", "text/event-stream")
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { a.Body.Close() })
	if a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != "text/event-stream" {
		w.Fatalf("%d, %s", a.StatusCode, a.Header)
	}
	return bufio.NewScanner(a.Body)
}

// next gives the name and the data of the next event; no name when the stream ended.
func next(in *bufio.Scanner) (name, data string) {
	for in.Scan() {
		field, value, _ := strings.Cut(in.Text(), ": ")
		switch {
		case field == "event":
			name = value
		case field == "data":
			data = value
		case field == "" && name != "" && !strings.HasPrefix(in.Text(), ":"):
			return name, data
		}
	}
	return "", ""
}

func TestPagesHearWhatTheirReaderMay(t *testing.T) {
	each(t, func(w *world) {
		w.hostile()
		w.person("zoe", policy.Tutor) // teaches another unit
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `INSERT INTO units (code, name, description, start_date, end_date, active,
				created_at, updated_at) VALUES ('Z', 'Z', '', '2026-01-01', '2999-01-01', TRUE, $1, $1)`, q.Now())
			if err == nil {
				_, err = db.Exec(ctx, q, `INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at) SELECT
					u.id, p.id, 2, $1, $1 FROM units u, users p WHERE u.code = 'Z' AND p.username = 'zoe'`, q.Now())
			}
			return err
		})
		at := httptest.NewServer(w.site.HTTP)
		w.Cleanup(at.Close) // after the streams
		ann, tom := w.as("ann"), w.as("tom")
		hear := map[string]*bufio.Scanner{}
		for _, name := range []string{"ann", "tom", "eve", "zoe"} {
			hear[name] = w.as(name).stream(at.URL, "")
			if name, _ := next(hear[name]); name != "ready" {
				t.Fatalf("first %q", name)
			}
		}
		w.do("/live", nil, "Accept", "text/event-stream").status(401)
		ann.do(w.path(aTask+"/comments"), url.Values{"comment": {"Hello"}}).status(303)
		for _, name := range []string{"ann", "tom"} {
			if kind, data := next(hear[name]); kind != "comment" || !strings.Contains(data, `"action":"created"`) {
				t.Errorf("%s heard %s %s", name, kind, data)
			}
		}
		// Eve, who has nothing to do with the unit, and Zoe, who teaches another, hear of
		// their own first, and nothing once their sessions have ended.
		w.happens("eve", "zoe")
		for _, name := range []string{"eve", "zoe"} {
			if kind, data := next(hear[name]); kind != "grade" {
				t.Errorf("%s heard %s %s", name, kind, data)
			}
		}
		w.tx(func(ctx context.Context, q db.Q) error {
			_, err := db.Exec(ctx, q, `DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE username IN
				('eve', 'zoe'))`)
			return err
		})
		w.happens("eve", "zoe")
		for _, name := range []string{"eve", "zoe"} {
			if kind, data := next(hear[name]); kind != "" {
				t.Errorf("%s heard %s %s", name, kind, data)
			}
		}
		// Who comes back hears what they missed; who signs out hears no more.
		back := ann.stream(at.URL, "0")
		for _, want := range []string{"ready", "comment"} {
			if kind, _ := next(back); kind != want {
				t.Errorf("heard %q, want %q", kind, want)
			}
		}
		ann.do("/sign-out", url.Values{}).status(303)
		tom.do(w.path(aTask+"/comments"), url.Values{"comment": {"Hi"}}).status(303)
		if kind, data := next(back); kind != "" {
			t.Errorf("after signing out heard %s %s", kind, data)
		}
	})
}

// happens writes an event about each person, and one in each unit they teach.
func (w *world) happens(names ...string) {
	w.Helper()
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, name := range names {
			u, err := ident.ByUsername(ctx, q, name)
			if err != nil {
				return err
			}
			units, err := db.All[int64](ctx, q, `SELECT unit_id FROM unit_roles WHERE user_id = $1`, u.ID)
			if err != nil {
				return err
			}
			list := []events.Event{{Kind: events.Grade, UserID: u.ID}}
			if len(units) > 0 {
				list = []events.Event{{Kind: events.Grade, UnitID: units[0]}}
			}
			if err := events.Add(ctx, q, list...); err != nil {
				return err
			}
		}
		return nil
	})
}

// Nobody has more streams open than twenty, pages and programs together.
func TestPagesOfOneReaderAreBounded(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	at := httptest.NewServer(w.site.HTTP)
	w.Cleanup(at.Close) // after the streams
	ann := w.as("ann")
	for range 20 {
		ann.stream(at.URL, "")
	}
	ann.do("/live", nil, "Accept", "text/event-stream").status(429)
}
