package api

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/connect/notify"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// post gives the world a mailer that writes to files, and a way to have all
// emails delivered and read by the user name they are for.
func (w *world) post(t *testing.T) (m *notify.Mailer, delivered func() map[string]*netmail.Message) {
	t.Helper()
	dir := t.TempDir()
	m = w.mailer(dir)
	w.api = New(Config{Config: endpoint.Config{DB: w.db, HTTP: quiet(), Spool: t.TempDir(), Version: "test",
		Asked: w.declared},
		Usecases: usecase.New(usecase.Config{DB: w.db, PublicURL: "https://learn.example.edu", Mailer: m})})
	return m, func() map[string]*netmail.Message {
		qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Poll: 2 * time.Millisecond})
		m.Register(qu)
		qu.Start(t.Context())
		w.eventually("all jobs are done", func() bool {
			return w.count("jobs WHERE state IN ('available', 'running')") == 0
		})
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if err := qu.Stop(ctx); err != nil {
			t.Error(err)
		}
		return emailsIn(t, dir)
	}
}

func emailsIn(t *testing.T, dir string) map[string]*netmail.Message {
	t.Helper()
	out := map[string]*netmail.Message{}
	files, err := filepath.Glob(filepath.Join(dir, "*.eml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := netmail.ReadMessage(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		to, err := netmail.ParseAddress(m.Header.Get("To"))
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(to.Address, "@example.edu")] = m
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestForgottenPassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.api.usecases.Mailer = notify.Disabled() // an installation without mail
		w.do("", "POST /api/auth/forgot", form{"username": "student"}).status(503)
		w.do("admin", "POST /api/users", map[string]any{"user": newUser("early", "Student")["user"],
			"send_mail": true}).status(503)
		_, delivered := w.post(t)
		w.do("admin", "PUT /api/users/{other}", `{"user":{"disabled":true}}`).status(200)
		// The first of all makes rows that others find.
		w.do("", "POST /api/auth/forgot", form{"username": "first"}).status(201)
		answer, statements := "", int64(0)
		for i, name := range []string{"nobody", "student", "other", "STUDENT "} {
			r := w.request("", "POST /api/auth/forgot", form{"username": name})
			ctx, n := db.Counting(r.Context(), nil)
			got := w.send(r.WithContext(ctx), name).status(201).Body.String()
			if i > 0 && (got != answer || n.N() != statements) {
				t.Errorf("%s: %q with %d statements, others %q with %d", name, got, n.N(), answer, statements)
			}
			answer, statements = got, n.N()
		}
		emails := delivered()
		if len(emails) != 1 || emails["student"] == nil {
			t.Fatalf("emails to %v", emails)
		}
		w.do("admin", "POST /api/users", map[string]any{"user": newUser("fresh", "Student")["user"],
			"send_mail": true}).status(201)
		if emails := delivered(); len(emails) != 1 || !strings.HasPrefix(emails["fresh"].Header.Get("Subject"),
			"Welcome") {
			t.Errorf("no welcome: %v", emails)
		}
		w.do("", "POST /api/auth/forgot", `{}`).status(400)
	})
}

func TestAskingForPasswordsIsThrottled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.post(t)
		for _, name := range []string{"student", "nobody"} {
			for range 5 {
				w.do("", "POST /api/auth/forgot", form{"username": name}).status(201)
			}
			got := w.do("", "POST /api/auth/forgot", form{"username": name}).status(429)
			if got.Header().Get("Retry-After") == "" {
				t.Error("no word of when to come back")
			}
		}
		for i := range 20 {
			w.do("", "POST /api/auth/forgot", form{"username": fmt.Sprintf("guess%d", i)}).status(201)
		}
		w.do("", "POST /api/auth/forgot", form{"username": "mate"}).status(429) // the address has asked too often
	})
}

func TestUnsubscribeByTheLinkInAnEmail(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		m, delivered := w.post(t)
		err := w.db.Tx(t.Context(), func(q db.Q) error { return m.FeedbackReady(t.Context(), q, w.id["task"]) })
		if err != nil {
			t.Fatal(err)
		}
		email := delivered()["student"]
		if email == nil {
			t.Fatal("no email")
		}
		link := strings.TrimPrefix(strings.Trim(email.Header.Get("List-Unsubscribe"), "<>"),
			"https://learn.example.edu")
		// Looking does nothing: programs open links.
		if got := w.do("", "GET "+link, nil).status(200).Body.String(); !strings.Contains(got,
			"Nothing has changed yet") {
			t.Error(got)
		}
		if w.count("users WHERE NOT receive_feedback_notifications") != 0 {
			t.Fatal("a look unsubscribed")
		}
		w.do("", "POST "+link, form{"List-Unsubscribe": "One-Click"}).status(200)
		if w.count("users WHERE NOT receive_feedback_notifications") != 1 ||
			w.count("users WHERE NOT receive_feedback_notifications AND id = $1", w.id["student"]) != 1 {
			t.Error("not unsubscribed")
		}
		w.do("", "POST "+link+"x", nil).status(404)
		w.do("", "GET "+link+"x", nil).status(404)
	})
}
