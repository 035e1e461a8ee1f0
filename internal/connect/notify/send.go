package notify

import (
	"context"
	"errors"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
)

// Register makes the mailer the worker of its jobs and sets when the regular
// ones run. A mailer that sends none takes them all the same, to let them go.
func (m *Mailer) Register(qu *jobs.Queue) {
	// One email at a time: a mail server that is slow must not keep the workers
	// of everything else waiting.
	outward := jobs.Limits{Timeout: 2 * time.Minute, Concurrency: 1, Outside: true}
	jobs.Register(qu, m.send, outward)
	jobs.Register(qu, m.sendPassword, outward)
	jobs.Register(qu, m.sendInvitation, outward)
	jobs.Register(qu, m.sendAddress, outward)
	jobs.Register(qu, m.weekly, jobs.Limits{Concurrency: 1})
	jobs.Register(qu, m.unitWeek, jobs.Limits{Concurrency: 1})
	jobs.Register(qu, m.digest, jobs.Limits{Concurrency: 1})
	jobs.Register(qu, m.announcement, jobs.Limits{Concurrency: 1})
	jobs.Register(qu, m.grades, jobs.Limits{Concurrency: 1})
	if m.way != nil { // whether it sends may change while it runs
		qu.Every("weekly mails", jobs.WeeklyAt(time.Monday, 7, 0), weeklyArgs{})
		qu.Every("digests", jobs.Each(time.Hour), digestArgs{})
	}
}

// errNoWay ends a try while no emails are sent: they are tried again, as somebody may have taken the
// mail server out of the settings for a moment.
var errNoWay = errors.New("no mail server is set")

// hand gives a message to whoever sends it now.
func (m *Mailer) hand(ctx context.Context, msg mail.Message) error {
	sender, _ := m.way()
	if sender == nil {
		return errNoWay
	}
	return sender.Send(ctx, msg)
}

// posted is an email on its way with whom it is for.
type posted struct {
	Name       string      `db:"name"`
	Preference Preference  `db:"preference"`
	ReplyTo    string      `db:"reply_to"`
	Subject    string      `db:"subject"`
	Text       string      `db:"body_text"`
	HTML       string      `db:"body_html"`
	SentAt     *clock.Time `db:"sent_at"`
	UserID     int64       `db:"user_id"`
	Email      string      `db:"email"`
	FirstName  string      `db:"first_name"`
	LastName   string      `db:"last_name"`
	Disabled   bool        `db:"disabled"`
	Task       bool        `db:"receive_task_notifications"`
	Portfolio  bool        `db:"receive_portfolio_notifications"`
	Feedback   bool        `db:"receive_feedback_notifications"`

	Announcement bool `db:"receive_announcement_notifications"`
}

// wanted asks again when the email goes out: its reader may have unsubscribed
// since it was written.
func (p *posted) wanted() bool {
	return p.SentAt == nil && !p.Disabled && map[Preference]bool{
		None: true, Task: p.Task, Portfolio: p.Portfolio, Feedback: p.Feedback, Announcement: p.Announcement}[p.Preference]
}

// send sends one email. It is marked sent in the transaction that ends the
// job; should that fail after the server took the email, it goes out again
// with the same Message-ID.
func (m *Mailer) send(ctx context.Context, job jobs.Job, a sendArgs) error {
	if !m.Sends() {
		return nil
	}
	p, err := db.One[posted](ctx, m.db.Pool(), `SELECT l.name, l.preference, l.reply_to, l.subject, l.body_text,
		l.body_html, l.sent_at,
			u.id AS user_id, u.email, u.first_name, u.last_name, u.disabled_at IS NOT NULL AS disabled,
			u.receive_task_notifications, u.receive_portfolio_notifications, u.receive_feedback_notifications,
			u.receive_announcement_notifications
		FROM mails l JOIN users u ON u.id = l.user_id WHERE l.id = $1`, a.MailID)
	if fault.Is(err, fault.Missing) {
		return nil
	}
	if err != nil || !p.wanted() {
		return err
	}
	if err := m.deliver(ctx, p.message(m)); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // the server has it: this must be known
	return m.db.Tx(ctx, func(q db.Q) error {
		if _, err := db.Exec(ctx, q, `UPDATE mails SET sent_at = $2, body_text = '', body_html = '' WHERE id = $1`,
			a.MailID, q.Now()); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

func (p *posted) message(m *Mailer) mail.Message {
	out := mail.Message{To: p.Email, ToName: p.FirstName + " " + p.LastName, From: m.from(), FromName: m.product,
		ReplyTo: p.ReplyTo,
		Subject: p.Subject, Text: p.Text, HTML: p.HTML, ID: p.Name + m.idEnd()}
	if p.Preference != None {
		out.Unsubscribe = m.public + "/api/unsubscribe/" + token(m.key, p.UserID, p.Preference)
	}
	return out
}

// deliver gives a message to the server; what it refuses for good is not tried
// again.
func (m *Mailer) deliver(ctx context.Context, msg mail.Message) error {
	err := m.hand(ctx, msg)
	if err != nil && mail.Permanent(err) {
		return jobs.Discard(err)
	}
	return err
}

// keep is how long emails are remembered, so that none is written twice.
const keep = 60 * 24 * time.Hour

// Prune forgets old emails, a bounded number. It tells how many: call it again,
// in a new transaction, until that is 0.
func Prune(ctx context.Context, q db.Q) (int64, error) {
	return db.Exec(ctx, q, `DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE created_at < $1
		ORDER BY created_at LIMIT 1000)`,
		clock.At(q.Now().Add(-keep)))
}
