// Package notify tells people by mail what concerns them: it knows who wants to
// hear of what, writes the emails and sees that each is sent, once.
package notify

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"lectern/internal/ground/links"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
)

// Mailer writes and sends emails. That of an installation that sends none drops
// them: what asks it to tell somebody does nothing. There is always one, so that
// nothing is left unsaid only because nobody handed it on.
type Mailer struct {
	db      *db.DB
	log     *slog.Logger
	way     func() (mail.Sender, string) // out, and the address of the sender
	product string
	public  string
	key     []byte
	pace    int // of invitations, a minute
	words   *mail.Language
}

// Config is what a Mailer needs.
type Config struct {
	Sender    mail.Sender
	Product   string // what the service calls itself
	PublicURL string // for links; no slash at its end
	From      string // address of the sender
	// Way tells how emails go out now, and their sender's address, where that may change while the
	// service runs; nil: as Sender and From say. A nil Sender sends none.
	Way func() (mail.Sender, string)

	InvitationsPerMinute int // 60 when 0

	Words *mail.Language // what emails speak; nil is what the service does
}

// NewMailer makes a Mailer. It reads, or makes, the key of the installation
// that links to unsubscribe are signed with.
func NewMailer(ctx context.Context, d *db.DB, log *slog.Logger, c Config) (*Mailer, error) {
	key, err := db.InstallationKey(ctx, d, keyName)
	if err != nil {
		return nil, err
	}
	if c.Way == nil {
		c.Way = func() (mail.Sender, string) { return c.Sender, c.From }
	}
	return &Mailer{db: d, log: log, way: c.Way, product: c.Product, public: c.PublicURL, key: key,
		pace: c.InvitationsPerMinute, words: cmp.Or(c.Words, mail.Spoken)}, nil
}

// from is the address of the sender.
func (m *Mailer) from() string {
	_, from := m.way()
	return from
}

// idEnd is how the Message-IDs of this installation end.
func (m *Mailer) idEnd() string { return idEnd(m.key, m.from()) }

// idEnd is how Message-IDs end: with what tells this installation from others that send for the
// same host, and that host.
func idEnd(key []byte, from string) string {
	_, host, _ := strings.Cut(from, "@")
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("Message-ID"))
	return "." + hex.EncodeToString(mac.Sum(nil)[:8]) + "@" + host
}

// Disabled gives the Mailer of an installation that sends no mails.
func Disabled() *Mailer { return &Mailer{} }

// Sends tells whether emails reach anybody: where not, what waits for an answer to
// one must not be asked for.
func (m *Mailer) Sends() bool {
	if m.way == nil {
		return false
	}
	sender, _ := m.way()
	return sender != nil
}

// Preference is which of a person's settings lets an email through.
type Preference string

// The preferences. Emails without one are those a person just asked for, and that
// their own work was deleted.
const (
	None      Preference = ""
	Task      Preference = "task"
	Portfolio Preference = "portfolio"
	Feedback  Preference = "feedback"

	Announcement Preference = "announcement"
)

// email is an email before it is posted.
type email struct {
	name       string // unique among emails; random when empty
	userID     int64
	preference Preference
	replyTo    string
	content    mail.Content
}

// sendArgs name an email to send.
type sendArgs struct {
	MailID int64 `json:"mail_id"`
}

// Kind implements jobs.Args.
func (sendArgs) Kind() string { return "mail" }

// postAtOnce bounds the size of one statement: an email is some kilobytes.
const postAtOnce = 200

// post writes emails down and enqueues a job for each, in the caller's
// transaction. An email whose name was used before is not written again.
func (m *Mailer) post(ctx context.Context, q db.Q, list []email) error {
	for len(list) > 0 {
		n := min(len(list), postAtOnce)
		if err := m.postSome(ctx, q, list[:n]); err != nil {
			return fmt.Errorf("post emails: %w", err)
		}
		list = list[n:]
	}
	return nil
}

func (m *Mailer) postSome(ctx context.Context, q db.Q, list []email) error {
	rows := make([][]any, len(list))
	for i, l := range list {
		words, err := mail.Render(l.content)
		if err != nil {
			return err
		}
		if l.name == "" {
			l.name = strings.ToLower(rand.Text())
		}
		rows[i] = []any{l.name, l.userID, l.preference, l.replyTo, clean(words.Subject), clean(words.Text),
			clean(words.HTML)}
	}
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"name TEXT", "user_id BIGINT", "preference TEXT",
		"reply_to TEXT",
		"subject TEXT", "body_text TEXT", "body_html TEXT"}, rows)
	if err != nil {
		return err
	}
	ids, err := db.All[int64](ctx, q, `INSERT INTO mails (name, user_id, preference, reply_to, subject, body_text,
		body_html, created_at)
		SELECT v.name, v.user_id, v.preference, v.reply_to, v.subject, v.body_text, v.body_html, $1 FROM `+from+
		` v WHERE TRUE
		ON CONFLICT (name) DO NOTHING RETURNING id`, args...)
	if err != nil {
		return err
	}
	sends := make([]sendArgs, len(ids))
	for i, id := range ids {
		sends[i] = sendArgs{id}
	}
	return jobs.EnqueueAll(ctx, q, sends)
}

// clean takes out what PostgreSQL does not store.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// reader is whom an email is for.
type reader struct {
	id   int64
	name string         // as it greets them
	zone *time.Location // of their account, else of the unit it is about; nil where there is none
}

// frame is what stands around the words to a person.
func (m *Mailer) frame(to reader, p Preference, link string) mail.Frame {
	f := mail.Frame{Product: m.product, Name: to.name, Link: m.public + link, Now: m.db.Now().Time, Zone: to.zone,
		Words: m.words}
	if p != None {
		f.Settings = m.public + links.ProfileEmail
		f.Unsubscribe = m.public + links.With(links.Unsubscribe, token(m.key, to.id, p))
	}
	return f
}
