package ident

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
)

// LiveTicketLife is how long a browser has to bring its ticket for events.
const LiveTicketLife = time.Minute

// NewLiveTicket gives a token that stands for the caller's session once, to hear events. It
// opens nothing else, and ends with the session. It is for holders of policy.SignedIn.
func NewLiveTicket(ctx context.Context, q db.Q, who *access.Caller) (string, error) {
	token := newToken()
	_, err := db.Exec(ctx, q, `INSERT INTO live_tickets (session_id, token_hash, expires_at) VALUES ($1, $2, $3)`,
		who.SessionID, HashToken(token), clock.At(q.Now().Add(LiveTicketLife)))
	return token, err
}

// UseLiveTicket gives the caller a ticket stands for, and takes the ticket away. One that was
// used, has expired or never was is fault.Unknown. It is for whoever has the ticket.
func UseLiveTicket(ctx context.Context, q db.Q, ticket string) (*access.Caller, error) {
	ids, err := db.All[int64](ctx, q, `DELETE FROM live_tickets WHERE token_hash = $1 AND expires_at > $2
		RETURNING session_id`, HashToken(ticket), q.Now())
	if err != nil {
		return nil, err
	}
	gone := fault.New(fault.Unknown, "This ticket has been used or has expired.")
	if len(ids) == 0 {
		return nil, gone
	}
	s, err := access.SessionByID(ctx, q, ids[0])
	if fault.Is(err, fault.Missing) || err == nil && (s.DisabledAt != nil || s.Over(q.Now().Time)) {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	return s.Caller(), nil
}
