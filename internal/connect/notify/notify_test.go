package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net"
	netmail "net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
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
	server *server
	id     map[string]int64
}

func each(t *testing.T, f func(t *testing.T, c *campus)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { f(t, newCampus(t, engine)) })
	}
}

func newCampus(t *testing.T, engine string) *campus {
	t.Helper()
	c := &campus{T: t, now: monday, id: map[string]int64{}, server: listen(t)}
	c.db = dbtest.New(t, engine, func() time.Time { return c.now })
	sender, err := mail.NewSMTP("smtp://" + c.server.addr + "?tls=never")
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
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			c.Fatal("never happened: " + what)
		}
	}
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
type server struct {
	addr   string
	mu     sync.Mutex
	got    []delivery
	refuse error
	taken  func() // runs after a letter was taken
}

type delivery struct {
	to   []string
	data []byte
}

func listen(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: l.Addr().String()}
	srv := smtp.NewServer(s)
	srv.Domain, srv.ErrorLog = "localhost", quiet{}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() { srv.Close(); l.Close(); <-done })
	return s
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

func (s *server) answer(err error, taken func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse, s.taken = err, taken
}

// letters gives what arrived since the last time, sorted by recipient.
func (s *server) letters(t *testing.T) []arrived {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []arrived{}
	for _, d := range s.got {
		out = append(out, read(t, d))
	}
	s.got = nil
	slices.SortFunc(out, func(a, b arrived) int { return strings.Compare(a.to, b.to) })
	return out
}

type session struct {
	server *server
	to     []string
}

func (*session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}
func (s *session) Reset()      { s.to = nil }
func (*session) Logout() error { return nil }
func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.refuse != nil {
		return s.server.refuse
	}
	s.server.got = append(s.server.got, delivery{s.to, data})
	if s.server.taken != nil {
		s.server.taken()
	}
	return nil
}

// arrived is a letter as a mail program sees it.
type arrived struct {
	to, subject, text, html string
	header                  netmail.Header
}

func read(t *testing.T, d delivery) arrived {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(d.data))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.to) != 1 {
		t.Errorf("the letter goes to %v", d.to)
	}
	a := arrived{to: strings.TrimSuffix(d.to[0], "@example.edu"), header: m.Header}
	a.subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	_, params, _ := mime.ParseMediaType(m.Header.Get("Content-Type"))
	parts := multipart.NewReader(m.Body, params["boundary"])
	for err == nil {
		var p *multipart.Part
		if p, err = parts.NextPart(); err == nil {
			body, _ := io.ReadAll(p)
			if strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
				a.html = string(body)
			} else {
				a.text = string(body)
			}
		}
	}
	if !errors.Is(err, io.EOF) || a.text == "" || a.html == "" {
		t.Errorf("the letter lacks a part: %v", err)
	}
	return a
}

func (a arrived) says(t *testing.T, words ...string) {
	t.Helper()
	text := strings.Join(strings.Fields(a.text), " ")
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("the letter to %s does not say %q:\n%s", a.to, w, a.text)
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
