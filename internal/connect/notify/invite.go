package notify

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/mail"
)

// InvitationState is how far the invitation of somebody is.
type InvitationState string

// The states of invitations.
const (
	Waiting  InvitationState = "waiting"  // for its turn
	Sending  InvitationState = "sending"  // the mail server is spoken with
	Sent     InvitationState = "sent"     // the mail server has it
	Unsure   InvitationState = "unsure"   // it was broken off: the mail server may have it
	Failed   InvitationState = "failed"   // the mail server does not take it
	Needless InvitationState = "needless" // the account was opened, or disabled, meanwhile
)

// Enum gives all states, for the documentation of the API.
func (InvitationState) Enum() []string {
	return []string{string(Waiting), string(Sending), string(Sent), string(Unsure), string(Failed), string(Needless)}
}

// inviteArgs ask for the next email that invites somebody. One job sends them all, one at a
// run, so that they go at one pace however many instances there are.
type inviteArgs struct{}

// Kind implements jobs.Args.
func (inviteArgs) Kind() string { return "invitations" }

const (
	// invitations is the key of the one job, and of what holds the list still.
	invitations = "invitations"
	// mostTries is how often an email is tried that the server does not take yet.
	mostTries = 10
	// DefaultPace is how many emails a minute invite people where nothing else is said.
	DefaultPace = 60
)

// Uninvited gives those of some users who have not come in and hold no invitation: none was
// asked for, or the email could not be sent, or nobody knows whether it was.
func (m *Mailer) Uninvited(ctx context.Context, q db.Q, users []int64) ([]int64, error) {
	rows := make([][]any, len(users))
	for i, id := range users {
		rows[i] = []any{id}
	}
	list, args, err := db.Rows(q, []any{Waiting, Sending, Sent}, []string{"id BIGINT"}, rows)
	if err != nil {
		return nil, err
	}
	return db.All[int64](ctx, q, `SELECT u.id FROM users u WHERE u.id IN (SELECT id FROM `+list+` r)
		AND u.opened_at IS NULL AND u.password_hash IS NULL AND u.disabled_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM invitations i WHERE i.user_id = u.id AND i.state IN ($1, $2, $3))
		ORDER BY u.id`, args...)
}

// Invite asks for an email to each of some users whom Uninvited gives. They go out in that
// order, at the pace of the installation, whatever becomes of this process.
func (m *Mailer) Invite(ctx context.Context, q db.Q, users []int64) error {
	if len(users) == 0 {
		return nil
	}
	// Held, so that the job does not end while there is something new for it.
	if err := db.LockName(ctx, q, invitations); err != nil {
		return err
	}
	rows := make([][]any, len(users))
	for i, id := range users {
		rows[i] = []any{id, Waiting, q.Now(), q.Now()}
	}
	if err := db.Insert(ctx, q, `invitations (user_id, state, asked_at, next_at)`, `ON CONFLICT (user_id) DO UPDATE
		SET state = excluded.state, asked_at = excluded.asked_at, next_at = excluded.next_at, tries = 0, error = NULL
		WHERE invitations.state NOT IN ('waiting', 'sending', 'sent')`, rows); err != nil {
		return fmt.Errorf("ask for %d invitations: %w", len(users), err)
	}
	if _, err := jobs.Enqueue(ctx, q, inviteArgs{}, jobs.Options{Unique: invitations,
		MaxAttempts: 1_000_000}); err != nil {
		return err
	}
	return jobs.Hasten(ctx, q, invitations) // it may wait for somebody's next try
}

// InviteAgain asks for another email to somebody who has not come in, whatever became of an earlier one. It
// goes out in its turn. One that waits already is fault.Conflict. It is for holders of
// policy.ManageAccounts, who know that the account is not open.
func (m *Mailer) InviteAgain(ctx context.Context, q db.Q, user int64) error {
	if err := db.LockName(ctx, q, invitations); err != nil {
		return err
	}
	under, err := db.All[int64](ctx, q, `SELECT user_id FROM invitations WHERE user_id = $1 AND state IN ($2, $3)`, user,
		Waiting, Sending)
	if err == nil && len(under) > 0 {
		err = fault.New(fault.Conflict, "An invitation of this person is waiting to be sent already.")
	}
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM invitations WHERE user_id = $1`, user); err != nil {
		return err
	}
	return m.Invite(ctx, q, []int64{user})
}

// InvitationOf tells how far the invitation of somebody is; nil: none is remembered.
func InvitationOf(ctx context.Context, q db.Q, user int64) (*PersonInvitation, error) {
	i, err := db.One[PersonInvitation](ctx, q, `SELECT state, asked_at, coalesce(error, '') AS error FROM invitations
		WHERE user_id = $1`, user)
	if fault.Is(err, fault.Missing) {
		return nil, nil //nolint:nilnil // that there is none is no failure
	}
	return i, err
}

// PersonInvitation is how far the invitation of somebody is.
type PersonInvitation struct {
	State   InvitationState `db:"state" json:"state"`
	AskedAt clock.Time      `db:"asked_at" json:"asked_at" doc:"when it was asked for"`
	Error   string          `db:"error" json:"error" doc:"why it was not sent; empty: nothing is known"`
}

// invitation is an email that is about to be sent.
type invitation struct {
	UserID int64 `db:"user_id"`
	Tries  int   `db:"tries"`
	user   *ident.User
	link   string
}

// sendInvitation sends the email whose turn it is, and comes back for the next. Who is being
// written to is written down before the server is spoken with, so that nobody is sent a second
// email by a worker that knows nothing of the first.
func (m *Mailer) sendInvitation(ctx context.Context, job jobs.Job, _ inviteArgs) error {
	if !m.Sends() {
		return jobs.Snooze(time.Hour) // until mails are sent again
	}
	var next *invitation
	var wait time.Duration
	err := m.db.Tx(ctx, func(q db.Q) (err error) {
		next, wait, err = m.nextInvitation(ctx, q)
		if err == nil && next == nil && wait < 0 {
			err = job.Done(ctx, q)
		}
		return err
	})
	switch {
	case err != nil || wait < 0:
		return err
	case next == nil:
		return jobs.Snooze(wait)
	}
	err = m.deliverInvitation(ctx, job, next)
	ctx = context.WithoutCancel(ctx) // what became of it must be known
	if err := m.db.Tx(ctx, func(q db.Q) error { return next.end(ctx, q, err) }); err != nil {
		return err
	}
	if err != nil {
		m.log.WarnContext(ctx, "an invitation was not sent", "user", next.UserID, "try", next.Tries, "err", err)
	}
	return jobs.Snooze(0)
}

// nextInvitation takes the email whose turn it is and makes its link. Where there is none, it
// tells how long to wait, and less than 0 where nobody waits any more.
func (m *Mailer) nextInvitation(ctx context.Context, q db.Q) (*invitation, time.Duration, error) {
	if err := db.LockName(ctx, q, invitations); err != nil {
		return nil, 0, err
	}
	if _, err := db.Exec(ctx, q, `UPDATE invitations SET state = $1, error = $2 WHERE state = $3`, Unsure,
		"it was interrupted; whether the mail server took the email is not known", Sending); err != nil {
		return nil, 0, err
	}
	list, err := db.All[struct {
		UserID int64      `db:"user_id"`
		Tries  int        `db:"tries"`
		NextAt clock.Time `db:"next_at"`
	}](ctx, q, `SELECT user_id, tries, next_at FROM invitations WHERE state = $1 ORDER BY next_at, user_id LIMIT 1`,
		Waiting)
	if err != nil || len(list) == 0 {
		return nil, -1, err
	}
	if wait := list[0].NextAt.Sub(q.Now().Time); wait > 0 {
		return nil, wait, nil
	}
	if wait, err := m.paced(ctx, q); err != nil || wait > 0 {
		return nil, wait, err
	}
	next := &invitation{UserID: list[0].UserID, Tries: list[0].Tries + 1}
	if err := next.begin(ctx, q); err != nil || next.link == "" {
		return nil, 0, err
	}
	return next, 0, nil
}

// paced tells how long the next email has to wait: of as many as go in ten seconds, no more
// are begun in that time. What was begun stands in the database, so a restart hastens nothing.
func (m *Mailer) paced(ctx context.Context, q db.Q) (time.Duration, error) {
	pace := m.pace
	if pace <= 0 {
		pace = DefaultPace
	}
	most := (pace + 5) / 6
	within := time.Duration(most) * time.Minute / time.Duration(pace)
	list, err := db.All[clock.Time](ctx, q, `SELECT begun_at FROM invitations WHERE begun_at > $1
		ORDER BY begun_at DESC LIMIT 1 OFFSET $2`, clock.At(q.Now().Add(-within)), most-1)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].Add(within).Sub(q.Now().Time), nil
}

// begin writes down that somebody is being written to, and makes the link of the email; none
// for who has come in or may not any more.
func (i *invitation) begin(ctx context.Context, q db.Q) (err error) {
	// Held, so that no link goes to an address that is being changed.
	if err := db.Lock(ctx, q, "users", i.UserID); err != nil {
		return err
	}
	if i.user, err = ident.ByID(ctx, q, i.UserID); err != nil {
		return err
	}
	if *i.user.Disabled || i.user.Opened {
		_, err = db.Exec(ctx, q, `UPDATE invitations SET state = $2 WHERE user_id = $1`, i.UserID, Needless)
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE invitations SET state = $2, tries = $3, begun_at = $4, error = NULL
		WHERE user_id = $1`, i.UserID, Sending, i.Tries, q.Now()); err != nil {
		return err
	}
	i.link, err = ident.AddLink(ctx, q, i.UserID, true)
	return err
}

func (m *Mailer) deliverInvitation(ctx context.Context, job jobs.Job, i *invitation) error {
	msg, err := m.passwordEmail(i.user, i.link, true)
	if err != nil {
		return err
	}
	msg.ID = fmt.Sprintf("invitation-%d-%d-%d%s", job.ID, i.UserID, i.Tries, m.idEnd())
	return m.hand(ctx, msg)
}

// end writes down what became of the email. One that the server did not take for now is tried
// again after a while, twice as long each time.
func (i *invitation) end(ctx context.Context, q db.Q, err error) error {
	state, text, next := Sent, (*string)(nil), q.Now()
	if err != nil {
		said := mail.HideAddresses(err.Error())
		text = &said
		switch {
		case mail.Unsure(err):
			state = Unsure
		case mail.Permanent(err) || i.Tries >= mostTries:
			state = Failed
		default:
			state, next = Waiting, clock.At(next.Add(30*time.Second<<(i.Tries-1)))
		}
	}
	// Another worker may have taken it for broken off meanwhile.
	_, err = db.Exec(ctx, q, `UPDATE invitations SET state = $2, error = $3, next_at = $4
		WHERE user_id = $1 AND tries = $5 AND state IN ($6, $7)`, i.UserID, state, text, next, i.Tries, Sending, Unsure)
	return err
}
