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

// addressArgs ask for an email about a change of address. Unlike other emails it
// goes to the address it names, whatever the account's is by then.
type addressArgs struct {
	UserID  int64  `json:"user_id"`
	To      string `json:"to"`
	Confirm bool   `json:"confirm"` // To is the new address, which must confirm
	Pending bool   `json:"pending"` // To is the old address, and stays until then
}

// Kind implements jobs.Args.
func (addressArgs) Kind() string { return "address_mail" }

// AddressMoved tells the old address of a user what became of it, and lets a new
// one that must confirm do so.
func (m *Mailer) AddressMoved(ctx context.Context, q db.Q, user int64, moved ident.Moved) error {
	if !m.Sends() || moved == (ident.Moved{}) {
		return nil
	}
	emails := []addressArgs{{UserID: user, To: moved.From, Pending: moved.Pending}}
	if moved.Pending {
		emails = append(emails, addressArgs{UserID: user, To: moved.To, Confirm: true})
	}
	for _, a := range emails { // two at most
		if _, err := jobs.Enqueue(ctx, q, a, jobs.Options{MaxAttempts: 5}); err != nil {
			return err
		}
	}
	return nil
}

// sendAddress sends the email. The link to confirm is made only now, so that no
// token waits in the database.
func (m *Mailer) sendAddress(ctx context.Context, job jobs.Job, a addressArgs) error {
	if !m.Sends() {
		return nil
	}
	var u *ident.User
	link, token := links.Home, ""
	err := m.db.Tx(ctx, func(q db.Q) (err error) {
		if a.Confirm {
			if token, err = ident.AddAddressLink(ctx, q, a.UserID, a.To); err != nil {
				return err
			}
			link = links.With(links.ConfirmAddress, token)
		}
		u, err = ident.ByID(ctx, q, a.UserID)
		return err
	})
	if err != nil || a.Confirm && token == "" {
		return err
	}
	words, err := mail.Render(mail.Address{Frame: m.frame(reader{name: greeting(u.FirstName, &u.Nickname)}, None, link),
		Username: u.Username, Confirm: a.Confirm, Pending: a.Pending, Validity: ident.ConfirmLife})
	if err != nil {
		return err
	}
	if err := m.deliver(ctx, mail.Message{To: a.To, ToName: u.FirstName + " " + u.LastName, From: m.from(),
		FromName: m.product, Subject: words.Subject, Text: words.Text, HTML: words.HTML,
		ID: fmt.Sprintf("address-%d-%d%s", job.ID, job.Attempt, m.idEnd())}); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return m.db.Tx(ctx, func(q db.Q) error { return job.Done(ctx, q) })
}
