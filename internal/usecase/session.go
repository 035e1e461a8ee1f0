package usecase

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// StartSession opens a session for somebody whom another service vouched for and who
// has the account that is found, and gives its token.
func (s *Service) StartSession(ctx context.Context, account ident.Matching, e ident.Entry) (*ident.SignedIn, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*ident.SignedIn, error) {
		u, err := account(q)
		if err != nil {
			return nil, err
		}
		token, err := ident.Open(ctx, q, u, e)
		return &ident.SignedIn{User: u, Token: token}, err
	})
}

// AddTicket is StartSession for a browser that goes on to a client on another site: it
// gives a ticket that TradeTicket takes once, and whose it is.
func (s *Service) AddTicket(ctx context.Context, account ident.Matching) (u *ident.User, ticket string, err error) {
	err = s.DB.Tx(ctx, func(q db.Q) error {
		if u, err = account(q); err != nil {
			return err
		}
		ticket, err = ident.NewTicket(ctx, q, u.ID)
		return err
	})
	return u, ticket, err
}

// TradeTicket opens a session for the one whom a ticket of AddTicket is for. It is used
// up by it, also when it was brought with the wrong name, which is fault.Unknown.
func (s *Service) TradeTicket(ctx context.Context, username, ticket string, e ident.Entry) (*ident.SignedIn, error) {
	u, token, err := ident.Trade(ctx, s.DB, username, ticket, e)
	if err != nil {
		return nil, err
	}
	return &ident.SignedIn{User: u, Token: token}, nil
}

// ExtendSession lets the caller's session last as long as a new one would, as
// ident.Passwords.Extend allows.
func (s *Service) ExtendSession(ctx context.Context, who *access.Caller, remember bool) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return s.Passwords.Extend(ctx, q, who, remember) })
}

// EndSession ends the session that the caller is in; their others go on.
func (s *Service) EndSession(ctx context.Context, who *access.Caller) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return ident.End(ctx, q, who.SessionID) })
}

// EndOwnSession ends a session of the caller's own, whichever it is.
func (s *Service) EndOwnSession(ctx context.Context, who *access.Caller, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return ident.EndOwn(ctx, q, who, id) })
}

// EndOtherSessions ends all sessions of the caller but the one they are in.
func (s *Service) EndOtherSessions(ctx context.Context, who *access.Caller) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return ident.EndOthers(ctx, q, who) })
}

// LiveTicket stands for the caller's session once, to hear events.
type LiveTicket struct {
	Ticket    string     `json:"ticket"`
	ExpiresAt clock.Time `json:"expires_at"`
}

// AddLiveTicket gives a ticket by which the caller hears events where they cannot say
// who they are.
func (s *Service) AddLiveTicket(ctx context.Context, who *access.Caller) (*LiveTicket, error) {
	return change(ctx, s.DB, func(q db.Q) (*LiveTicket, error) {
		ticket, err := ident.NewLiveTicket(ctx, q, who)
		return &LiveTicket{ticket, clock.At(q.Now().Add(ident.LiveTicketLife))}, err
	})
}

// UseLiveTicket gives the caller whom a ticket of AddLiveTicket stands for, and uses it
// up. One that was used or has expired is fault.Unknown.
func (s *Service) UseLiveTicket(ctx context.Context, ticket string) (*access.Caller, error) {
	return change(ctx, s.DB, func(q db.Q) (*access.Caller, error) { return ident.UseLiveTicket(ctx, q, ticket) })
}
