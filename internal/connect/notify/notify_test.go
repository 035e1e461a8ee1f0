package notify

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
	"lectern/internal/platform/mail/mailtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// monday is when the tests take place: in the midst of their unit.
var monday = time.Date(2026, 5, 4, 7, 0, 0, 0, time.UTC)

// campus is a small university with a mailer and a real mail server.
type campus struct {
	*testing.T
	db     *db.DB
	now    time.Time
	mailer *Mailer
	server server
	id     map[string]int64
}

func each(t *testing.T, f func(t *testing.T, c *campus)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { f(t, newCampus(t, engine)) })
	}
}

func newCampus(t *testing.T, engine string) *campus {
	t.Helper()
	c := &campus{T: t, now: monday, id: map[string]int64{}, server: server{mailtest.Listen(t)}}
	c.db = dbtest.New(t, engine, func() time.Time { return c.now })
	sender, err := mail.NewSMTP("smtp://" + c.server.Addr + "?tls=never")
	if err != nil {
		t.Fatal(err)
	}
	c.mailer, err = NewMailer(t.Context(), c.db, slog.New(slog.DiscardHandler),
		Config{Sender: sender, Product: "Lectern",
			PublicURL: "https://learn.example.edu", From: "lectern@example.edu"})
	if err != nil {
		t.Fatal(err)
	}
	c.tx(c.seed)
	return c
}

func (c *campus) tx(f func(q db.Q)) {
	c.Helper()
	if err := c.db.Tx(c.Context(), func(q db.Q) error { f(q); return nil }); err != nil {
		c.Fatal(err)
	}
}

// add writes a row and gives its id, which it remembers by a name.
func (c *campus) add(q db.Q, name, into string, values ...any) int64 {
	c.Helper()
	list, args := db.List(nil, values)
	id, err := db.One[int64](c.Context(), q, "INSERT INTO "+into+" VALUES "+list+" RETURNING id", args...)
	if err != nil {
		c.Fatalf("%s: %v", into, err)
	}
	if name != "" {
		c.id[name] = *id
	}
	return *id
}

func (c *campus) set(text string, args ...any) {
	c.Helper()
	c.tx(func(q db.Q) {
		if _, err := db.Exec(c.Context(), q, text, args...); err != nil {
			c.Fatal(err)
		}
	})
}

// seed makes a unit with a convenor, a tutor and two students in the tutor's
// class, who share a group; a third student has no class.
func (c *campus) seed(q db.Q) {
	for name, role := range map[string]int{"convenor": 3, "tutor": 2, "eve": 1, "mate": 1, "lone": 1} {
		c.person(q, name, role)
	}
	start := clock.On(2026, 3, 2)
	unit := c.add(q, "unit", "units (code, name, description, start_date, end_date, created_at, updated_at)", "SIT101",
		"Unit", "About", start, start.AddDays(97), q.Now(), q.Now())
	role := func(name string, r int, main bool) int64 {
		return c.add(q, "role:"+name, "unit_roles (unit_id, user_id, role, is_main, created_at, updated_at)", unit,
			c.id[name], r, main, q.Now(), q.Now())
	}
	role("convenor", 3, true)
	tutor := role("tutor", 2, false)
	room := c.add(q, "room", "tutorials (unit_id, unit_role_id, abbreviation, meeting_day, meeting_time, "+
		"meeting_location)", unit, tutor, "LA1", "Monday", "10:00", "X")
	for i, d := range []struct {
		abbr  string
		grade int
		days  int // from the start to the target
	}{{"1P", 0, 7}, {"2P", 0, 14}, {"3P", 0, 49}, {"4C", 1, 28}, {"5P", 0, 67}, {"6P", 0, 90}, {"7D", 2, 7}} {
		c.add(q, "def:"+d.abbr, "task_definitions (unit_id, name, abbreviation, description, weighting, "+
			"target_grade, start_date, target_date)",
			unit, fmt.Sprintf("Task %d", i+1), d.abbr, "", 1, d.grade, start, start.AddDays(d.days))
	}
	for _, name := range []string{"eve", "mate", "lone"} {
		p := c.add(q, "project:"+name, "projects (unit_id, user_id, target_grade, created_at, updated_at)", unit,
			c.id[name], 1, q.Now(), q.Now())
		if name != "lone" {
			c.add(q, "", "tutorial_enrolments (project_id, tutorial_id)", p, room)
		}
	}
}

func (c *campus) person(q db.Q, name string, role int) {
	c.add(q, name, "users (username, username_key, email, email_key, first_name, last_name, role, created_at, "+
		"updated_at)",
		name, name, name+"@example.edu", name+"@example.edu", strings.ToUpper(name[:1])+name[1:], "Person", role,
		q.Now(), q.Now())
}

// task makes a task of a student.
func (c *campus) task(student, abbr, status string) (id int64) {
	c.tx(func(q db.Q) {
		id = c.add(q, "task:"+student+abbr, "tasks (project_id, task_definition_id, unit_id, status, created_at, "+
			"updated_at)",
			c.id["project:"+student], c.id["def:"+abbr], c.id["unit"], status, q.Now(), q.Now())
	})
	return id
}

// run works jobs until none is left that could run now.
func (c *campus) run() {
	c.Helper()
	qu := jobs.New(c.db, slog.New(slog.DiscardHandler), jobs.Config{Workers: 4, Poll: 2 * time.Millisecond,
		Backoff: func(int) time.Duration { return time.Hour }})
	c.mailer.Register(qu)
	qu.Start(c.Context())
	defer func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if err := qu.Stop(ctx); err != nil {
			c.Error(err)
		}
	}()
	c.until("the jobs are done", func() bool {
		return c.count("jobs WHERE state = 'running' OR state = 'available' AND run_at <= $1", clock.At(c.now)) == 0
	})
}

func (c *campus) until(what string, ok func() bool) {
	c.Helper()
	waittest.Until(c, what, ok)
}

func (c *campus) count(from string, args ...any) int64 {
	c.Helper()
	n, err := db.One[int64](context.Background(), c.db.Pool(), "SELECT count(*) FROM "+from, args...)
	if err != nil {
		c.Fatal(err)
	}
	return *n
}

// server is a real SMTP server that keeps what it is sent.
type server struct{ *mailtest.Server }

// emails gives what arrived since the last time, sorted by recipient.
func (s server) emails(t *testing.T) []arrived {
	t.Helper()
	out := []arrived{}
	for _, e := range s.Emails(t) {
		a := arrived{to: e.To, subject: e.Subject, text: e.Text, html: e.HTML, header: e.Header}
		leads(t, e)
		if !bytes.HasPrefix(e.Picture, []byte("\x89PNG")) {
			t.Errorf("the email %q has no mark", e.Subject)
		}
		out = append(out, a)
	}
	return out
}

// arrived is an email as a mail program sees it.
type arrived struct {
	to, subject, text, html string
	header                  netmail.Header
}

// leads fails when the email has not one button, when it leads to no page of the service, or
// when the text does not lead there, too.
func leads(t *testing.T, e mailtest.Arrived) {
	t.Helper()
	to := e.Button(t)
	path, ours := strings.CutPrefix(to, "https://learn.example.edu")
	r, err := http.NewRequest(http.MethodGet, path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if _, page := pages.Handler(r); !ours || page == "" {
		t.Errorf("the button of %q leads to %q", e.Subject, to)
	}
}

// pages are those that emails may lead to; a test of the site shows that they stand there.
var pages = func() *http.ServeMux {
	mux := http.NewServeMux()
	for _, page := range links.All {
		mux.HandleFunc("GET "+page, func(http.ResponseWriter, *http.Request) {})
	}
	return mux
}()

func (a arrived) says(t *testing.T, words ...string) {
	t.Helper()
	text := strings.Join(strings.Fields(a.text), " ")
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("the email to %s does not say %q:\n%s", a.to, w, a.text)
		}
	}
}

func names(list []arrived) string {
	var out []string
	for _, a := range list {
		out = append(out, a.to)
	}
	return strings.Join(out, " ")
}
