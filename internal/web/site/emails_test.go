package site_test

import (
	"context"
	"errors"
	"html"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones must be there wherever the tests run

	nethtml "golang.org/x/net/html"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/waittest"
	"lectern/internal/ground/words/wordstest"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
	"lectern/internal/platform/mail/mailtest"
	"lectern/internal/teaching/trash"
	"lectern/internal/teaching/work"
)

// asked is a job of the mailer that the clock would ask for.
type asked string

func (a asked) Kind() string               { return string(a) }
func (asked) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// mailed sends an email of every kind, by a real mail server, to whom it concerns, in a language; nil is
// what the service speaks.
func (w *world) mailed(l *mail.Language) []mailtest.Arrived {
	w.Helper()
	server := mailtest.Listen(w.T)
	sender, err := mail.NewSMTP("smtp://" + server.Addr + "?tls=never")
	if err != nil {
		w.Fatal(err)
	}
	m, err := notify.NewMailer(w.Context(), w.db, slog.New(slog.DiscardHandler), notify.Config{Sender: sender,
		Product: "Lectern", PublicURL: w.public, From: "lectern@example.edu", Words: l})
	if err != nil {
		w.Fatal(err)
	}
	w.hostile()
	w.person("ada", policy.Admin)
	w.person("con", policy.Convenor)
	w.exec(`INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at) SELECT u.id, p.id, 3, $1, $1
		FROM units u, users p WHERE p.username = 'con'`, w.db.Now())
	w.exec(`UPDATE units SET time_zone = 'Australia/Melbourne'`)
	w.exec(`UPDATE users SET time_zone = 'Asia/Kolkata' WHERE username = 'ann'`)
	w.exec(`UPDATE users SET email_pending = 'newann@example.edu' WHERE username = 'ann'`)
	w.exec(`INSERT INTO tasks (unit_id, project_id, task_definition_id, status, created_at, updated_at)
		SELECT p.unit_id, p.id, d.id, 'fix_and_resubmit', $1, $1 FROM projects p JOIN task_definitions d
		ON d.unit_id = p.unit_id`, w.db.Now())
	w.exec(`INSERT INTO event_cursors (name, seq, at) VALUES ('mail digest', 0, $1)`,
		clock.At(w.db.Now().Add(-2*time.Hour)))
	w.tx(func(ctx context.Context, q db.Q) error { return w.post(ctx, q, m) })
	qu := jobs.New(w.db, slog.New(slog.DiscardHandler), jobs.Config{Workers: 2, Poll: 2 * time.Millisecond,
		Backoff: func(int) time.Duration { return 10 * time.Millisecond }})
	m.Register(qu)
	qu.Start(w.Context())
	waittest.Until(w, "the emails are sent", func() bool {
		n, err := db.One[int64](w.Context(), w.db.Pool(), `SELECT count(*) FROM jobs
			WHERE state IN ('available', 'running') AND (run_at <= $1 OR attempt > 0)`, w.db.Now())
		return err == nil && *n == 0
	})
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := qu.Stop(ctx); err != nil {
		w.Fatal(err)
	}
	return server.Emails(w.T)
}

// post asks for all the emails.
func (w *world) post(ctx context.Context, q db.Q, m *notify.Mailer) error {
	id := map[string]int64{}
	for _, name := range []string{"ann", "tom", "eve", "ada"} {
		u, err := ident.ByUsername(ctx, q, name)
		if err != nil {
			return err
		}
		id[name] = u.ID
	}
	at := w.ids()
	project, definition, task := number(w, at[0]), number(w, at[1]), number(w, at[3])
	_, said := work.Say(ctx, q, nil, work.Reader{UserID: id["tom"], Staff: true},
		work.TaskRef{ProjectID: project, DefinitionID: definition}, work.NewComment{Text: "Look at line 4."})
	gone := notify.Deletion{Kind: trash.Definition, Name: "1.1P", Until: clock.On(2998, 1, 1)}
	back := gone
	back.Restored = true
	_, weekly := jobs.Enqueue(ctx, q, asked("weekly_mails"), jobs.Options{})
	_, digest := jobs.Enqueue(ctx, q, asked("digest"), jobs.Options{})
	return errors.Join(said, weekly, digest, m.FeedbackReady(ctx, q, task), m.PDFFailed(ctx, q, "It is empty.", task),
		m.PortfolioReady(ctx, q, project, true), m.PortfolioFailed(ctx, q, project, "A file is broken."),
		m.WorkDeleted(ctx, q, gone, []int64{project}), m.WorkDeleted(ctx, q, back, []int64{project}),
		m.Invite(ctx, q, []int64{id["eve"]}), m.Welcome(ctx, q, id["ada"]), m.Forgotten(ctx, q, id["tom"]),
		m.AddressMoved(ctx, q, id["ann"], ident.Moved{From: "ann@example.edu", To: "newann@example.edu", Pending: true}),
		m.AddressMoved(ctx, q, id["tom"], ident.Moved{From: "tom@example.edu", To: "elsewhere@example.edu"}))
}

// everyEmail is whom which emails are for, by parts of their subjects.
var everyEmail = []string{"ann: feedback on ", "ann: submit <b>1</b> again", "ann: your portfolio is ready",
	"ann: your portfolio could not be created", "ann: the task 1.1P was deleted", "ann: the task 1.1P was restored",
	"ann: your week", "ann: 1 new comment", "tom: your teaching week", "con: your teaching week",
	"eve: Welcome to Lectern", "ada: Welcome to Lectern", "tom: Set a new password", "newann: Confirm your email address",
	"ann: A change of your email address", "tom: Your email address at Lectern was changed"}

// The button of every email leads whom it is for, signed in, to a page that is there.
func TestTheButtonOfEveryEmailLeadsToAPage(t *testing.T) {
	each(t, func(w *world) {
		got := map[string]bool{}
		for _, e := range w.mailed(nil) {
			for _, one := range everyEmail {
				to, subject, _ := strings.Cut(one, ": ")
				got[one] = got[one] || to == e.To && strings.Contains(e.Subject, subject)
			}
			path, ours := strings.CutPrefix(e.Button(w.T), w.public)
			if a := w.as(strings.TrimPrefix(e.To, "new")).do(path, nil); !ours || a.Code != 200 {
				t.Errorf("the button of %q to %s leads to %s: %d", e.Subject, e.To, path, a.Code)
			}
		}
		for _, one := range everyEmail {
			if !got[one] {
				t.Errorf("no email %s", one)
			}
		}
	})
}

// written are texts of the emails that people wrote, or the domain put on record.
var written = strings.NewReplacer("Look at line 4.", "", "It is empty.", "", "A file is broken.", "", "1.1P", "",
	"<b>Person</b>", "", "eve", "", "ada", "", "con", "", "Kolkata", "", "Melbourne", "")

var address = regexp.MustCompile(`http://lectern\.test/\S*`)

// Every email that is sent speaks the language of the service, names of statuses, grades and of what was
// deleted included, and says nothing else but what people wrote.
func TestEmailsSpeakTheLanguageOfTheService(t *testing.T) {
	w := newWorld(t, "sqlite", "http://lectern.test")
	seen := 0
	for _, e := range w.mailed(mail.NewLanguage(wordstest.Marked(t, os.DirFS("../../platform/mail")))) {
		seen++
		root, err := nethtml.Parse(strings.NewReader(e.HTML))
		if err != nil {
			t.Fatal(err)
		}
		said := []string{e.Subject, e.Text}
		for n := range root.Descendants() {
			if n.Type == nethtml.TextNode && n.Parent.Data != "style" {
				said = append(said, n.Data)
			}
		}
		for _, text := range said {
			rest := written.Replace(address.ReplaceAllString(wordstest.Unmarked(text), ""))
			if rest = foreign(rest); rest != "" {
				t.Errorf("%q to %s says %q", e.Subject, e.To, rest)
			}
		}
	}
	if seen < len(everyEmail) {
		t.Errorf("only %d emails were sent", seen)
	}
}

var foot = regexp.MustCompile(`<a href="http://lectern\.test(/unsubscribe\?[^"]+)">unsubscribe from this kind</a>`)

// An email tells what is due on the clock of its reader, with the unit's beside it, and its foot
// leads to where its kind is turned off: by whoever has the email, once they say so.
func TestEmailsTellTimesAndCanBeTurnedOff(t *testing.T) {
	each(t, func(w *world) {
		for _, e := range w.mailed(nil) {
			if e.To != "ann" || !strings.Contains(e.Subject, "feedback on") {
				continue
			}
			for _, text := range []string{e.Text, e.HTML} {
				if !strings.Contains(text, "23:59 Melbourne time)") || !strings.Contains(text, "Times are in Kolkata time.") ||
					!strings.Contains(text, "ate submissions until") {
					t.Errorf("no times of two clocks, or no deadline, in %s", text)
				}
			}
			found := foot.FindStringSubmatch(e.HTML)
			if found == nil || e.Header.Get("List-Unsubscribe") == "" {
				t.Fatalf("no way to unsubscribe: %s", e.HTML)
			}
			path := html.UnescapeString(found[1])
			w.do(path, nil).status(200).says("Unsubscribe")
			if w.one(`SELECT count(*) FROM users WHERE NOT receive_feedback_notifications`) != "0" {
				t.Error("looking at the page turned emails off")
			}
			_, token, _ := strings.Cut(path, "token=")
			w.do("/unsubscribe", url.Values{"token": {token}}).status(200).says("no more emails of this kind")
			if w.one(`SELECT username FROM users WHERE NOT receive_feedback_notifications`) != "ann" {
				t.Error("not turned off for Ann alone")
			}
			return
		}
		t.Error("no email about feedback")
	})
}
