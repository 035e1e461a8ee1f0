package ident

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// ticketLife is how long a browser has to bring its ticket.
const ticketLife = 30 * time.Second

// NewTicket gives a token that Trade takes once. A browser that signed in elsewhere carries it
// in an address, where a session's own token must not be. It is for those who have just proven
// at their institution who they are.
func NewTicket(ctx context.Context, q db.Q, user int64) (string, error) {
	token := newToken()
	_, err := db.Exec(ctx, q, `INSERT INTO sign_in_tickets (user_id, token_hash, expires_at) VALUES ($1, $2, $3)`,
		user, HashToken(token), clock.At(q.Now().Add(ticketLife)))
	return token, err
}

var errTicket = fault.New(fault.Unknown, "This sign-in has been used or has expired. Sign in again.")

// Trade takes a ticket for a remembered session. The ticket is gone afterwards, also when it
// was brought with the wrong name. It is for whoever has the ticket. One that was used, has
// expired or is of another name is fault.Unknown.
func Trade(ctx context.Context, d *db.DB, username, ticket string, e Entry) (u *User, token string, err error) {
	err = d.Tx(ctx, func(q db.Q) error {
		u = nil
		ids, err := db.All[int64](ctx, q, `DELETE FROM sign_in_tickets WHERE token_hash = $1
			AND expires_at > $2 RETURNING user_id`,
			HashToken(ticket), q.Now())
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := db.Lock(ctx, q, "users", ids[0]); err != nil {
			return err
		}
		found, err := ByID(ctx, q, ids[0])
		if err != nil || fold(found.Username) != fold(username) || *found.Disabled {
			return err
		}
		u = found
		e.Remember = true
		token, err = Open(ctx, q, u, e)
		return err
	})
	if err == nil && u == nil {
		err = errTicket
	}
	return u, token, err
}
