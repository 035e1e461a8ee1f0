package notify

import (
	"context"
	"fmt"

	"lectern/internal/ground/links"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
)

// passwordArgs ask for an email by which a user sets a password. The link is
// made when the email is, so that no token waits in the database. User 0 is
// somebody who does not exist: the job does nothing, which nobody can see.
type passwordArgs struct {
	UserID int64 `json:"user_id"`
	New    bool  `json:"new"`
}

// Kind implements jobs.Args.
func (passwordArgs) Kind() string { return "password_mail" }

// Welcome invites the user of a new account to choose a password.
func (m *Mailer) Welcome(ctx context.Context, q db.Q, user int64) error {
	return m.password(ctx, q, passwordArgs{user, true})
}

// Forgotten lets a user choose another password. For user 0, who does not
// exist, it does the same work and sends nothing: neither answer nor time tells who has an account.
func (m *Mailer) Forgotten(ctx context.Context, q db.Q, user int64) error {
	return m.password(ctx, q, passwordArgs{user, false})
}

func (m *Mailer) password(ctx context.Context, q db.Q, a passwordArgs) error {
	if !m.Sends() {
		return nil
	}
	_, err := jobs.Enqueue(ctx, q, a, jobs.Options{MaxAttempts: 5})
	return err
}

// sendPassword sends the email. Each try makes a link of its own, and so an
// email of its own: its Message-ID names the try, lest a receiver that knows
// the first keeps the one whose link works.
func (m *Mailer) sendPassword(ctx context.Context, job jobs.Job, a passwordArgs) error {
	if !m.Sends() || a.UserID == 0 {
		return nil
	}
	var u *ident.User
	var link string
	err := m.db.Tx(ctx, func(q db.Q) (err error) {
		// Held, so that no link goes to an address that is being changed.
		if err := db.Lock(ctx, q, "users", a.UserID); err != nil {
			return err
		}
		if u, err = ident.ByID(ctx, q, a.UserID); err != nil || *u.Disabled {
			return err
		}
		link, err = ident.AddLink(ctx, q, a.UserID, a.New)
		return err
	})
	if err != nil || *u.Disabled {
		return err
	}
	msg, err := m.passwordEmail(u, link, a.New)
	if err != nil {
		return err
	}
	msg.ID = fmt.Sprintf("password-%d-%d%s", job.ID, job.Attempt, m.idEnd())
	if err := m.deliver(ctx, msg); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return m.db.Tx(ctx, func(q db.Q) error { return job.Done(ctx, q) })
}

// passwordEmail is the email by which somebody sets a password, without its id.
func (m *Mailer) passwordEmail(u *ident.User, link string, isNew bool) (mail.Message, error) {
	content := mail.Password{Frame: m.frame(reader{name: greeting(u.FirstName, &u.Nickname)}, None,
		links.With(links.Password, link)), Username: u.Username, New: isNew, Validity: ident.ResetLife}
	if isNew {
		content.Validity = ident.LinkLife
	}
	words, err := mail.Render(content)
	return mail.Message{To: u.Email, ToName: u.FirstName + " " + u.LastName, From: m.from(), FromName: m.product,
		Subject: words.Subject, Text: words.Text, HTML: words.HTML}, err
}

// greeting is how an email addresses somebody.
func greeting(first string, nickname *string) string {
	if nickname != nil && *nickname != "" {
		return *nickname
	}
	return first
}
