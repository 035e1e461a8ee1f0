package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/web/endpoint"
)

// heartbeat is how often a client that hears nothing is told that the line is
// up, and how soon it learns of a role it has gained or lost.
const heartbeat = 20 * time.Second

func (s *Server) liveRoutes() {
	endpoint.Route(s.Server, "POST /api/events/ticket", 201, policy.SignedIn, "Get a ticket for GET /api/events, "+
		"good once and for a minute", s.liveTicket,
		endpoint.Unaudited("a minute of the session that asks"))
	// Open to visitors because a ticket stands for headers; the handler asks
	// for one or the other.
	endpoint.Route(s.Server, "GET /api/events", 200, policy.Anybody,
		"Hear of new comments, changes of status and extensions on your tasks and in the units you teach, and as staff "+
			"of who begins and ceases to look at a task", s.listen,
		endpoint.Also(401, "neither headers nor a good ticket"),
		endpoint.Also(429, "the user listens too often at once"))
}

type ticketOut struct {
	Ticket    string     `json:"ticket"`
	ExpiresAt clock.Time `json:"expires_at"`
}

func (s *Server) liveTicket(ctx context.Context, who *access.Caller, _ none) (*ticketOut, error) {
	return changeBriefly(ctx, s.db, func(q db.Q) (*ticketOut, error) {
		ticket, err := ident.NewLiveTicket(ctx, q, who)
		return &ticketOut{ticket, clock.At(q.Now().Add(ident.LiveTicketLife))}, err
	})
}

type listenIn struct {
	Ticket string `param:"ticket" doc:"instead of the headers Username and Auth_Token"`
	// Text, so that who may not listen hears that first.
	LastEventID string `param:"last_event_id" doc:"the id of the last event seen, where the header Last-Event-ID cannot be sent"`
}

// listen answers with events until the client leaves, the session ends or the
// service stops. Without the number of the last event seen they begin now.
func (s *Server) listen(ctx context.Context, who *access.Caller, in listenIn) (endpoint.Live, error) {
	who, err := s.listener(ctx, who, in.Ticket)
	if err != nil {
		return nil, err
	}
	return s.Listen(ctx, who, in.LastEventID)
}

// Listen gives what a signed-in caller may hear, after the number of the header
// Last-Event-ID, or else after last. It ends with the caller's session, and refuses
// more streams at once than anybody needs.
func (s *Server) Listen(ctx context.Context, who *access.Caller, last string) (endpoint.Live, error) {
	var err error
	l := &listening{Server: s, who: who, queue: queued{look: time.Now().Add(lookEvery)}}
	if l.units, err = access.Teaches(ctx, s.db.Pool(), who); err != nil {
		return nil, err
	}
	if err := l.start(ctx, last); err != nil {
		return nil, err
	}
	leave, err := s.streams.enter(ctx, who.ID)
	if err != nil {
		return nil, err
	}
	return func(yield func(endpoint.Event, error) bool) {
		defer leave()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(s.live, stop)()
		l.sub = s.events.Subscribe(l.filter(), l.after)
		defer func() { l.sub.Close() }()
		if l.greet(yield) && l.tellQueue(ctx, yield) {
			l.run(ctx, yield)
		}
	}, nil
}

// listener is who listens: by headers, or by a ticket.
func (s *Server) listener(ctx context.Context, who *access.Caller, ticket string) (*access.Caller, error) {
	if ticket != "" {
		who, err := changeBriefly(ctx, s.db, func(q db.Q) (*access.Caller, error) {
			return ident.UseLiveTicket(ctx, q, ticket)
		})
		if fault.Is(err, fault.Unknown) {
			err = fault.New(fault.Unknown, "%s Ask for another with POST /api/events/ticket.", err)
		}
		return who, err
	}
	if who.ID == 0 {
		return nil, fault.New(fault.Unknown, "Sign in first: send the headers Username and Auth_Token, or a ticket "+
			"of POST /api/events/ticket.")
	}
	return who, nil
}

// listening is one client's place in the stream.
type listening struct {
	*Server
	who    *access.Caller
	units  []int64 // where the caller teaches
	sub    *events.Subscription
	after  int64 // the last number given
	missed bool  // events after it are gone
	queue  queued
}

// start finds where to begin: after the number the client names, in the header
// it sends when it connects again or in the parameter.
func (l *listening) start(ctx context.Context, param string) error {
	first, last, err := events.Range(ctx, l.db.Pool())
	if err != nil {
		return err
	}
	text := endpoint.LastEventID(ctx)
	if text == "" {
		text = param
	}
	l.after = last
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return fault.Field(fault.Invalid, "last_event_id", "must be the id of an event")
	}
	l.after = min(n, last)
	l.missed = l.after < first-1
	return nil
}

// greet tells the client its place, so that it can come back to it even before
// the first event, or that it has been away for too long to be told all.
func (l *listening) greet(yield func(endpoint.Event, error) bool) bool {
	name := "ready"
	if l.missed {
		name = "missed"
	}
	return yield(endpoint.Event{ID: l.after, Name: name, Data: map[string]int64{"last_event_id": l.after}}, nil)
}

func (l *listening) filter() events.Filter { return events.Filter{UserID: l.who.ID, UnitIDs: l.units} }

// run hands out events as they come. What the caller may hear is asked anew for
// every batch and every heartbeat: a role that was lost tells no more.
func (l *listening) run(ctx context.Context, yield func(endpoint.Event, error) bool) {
	for {
		list, err := l.next(ctx)
		var units []int64
		if err == nil {
			units, err = access.Teaches(ctx, l.db.Pool(), l.who)
		}
		if err != nil {
			if ctx.Err() == nil && !fault.Is(err, fault.Unknown) {
				yield(endpoint.Event{}, err)
			}
			return
		}
		changed := !slices.Equal(units, l.units)
		l.units = units
		if !l.give(list, yield) || !l.tellQueue(ctx, yield) {
			return
		}
		if changed {
			l.sub.Close()
			l.sub = l.events.Subscribe(l.filter(), l.after)
		}
	}
}

// next waits for events, at most for a heartbeat.
func (l *listening) next(ctx context.Context) ([]events.Event, error) {
	wait, stop := context.WithTimeout(ctx, l.queue.wait(l.heartbeat))
	defer stop()
	list, err := l.sub.Next(wait)
	if err != nil && errors.Is(wait.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, nil
	}
	return list, err
}

// give sends a batch, or a heartbeat where there is none.
func (l *listening) give(list []events.Event, yield func(endpoint.Event, error) bool) bool {
	if len(list) == 0 {
		return yield(endpoint.Event{}, nil)
	}
	f := l.filter()
	for i := range list {
		e := &list[i]
		l.after = max(l.after, e.Seq) // what is not kept has no number
		l.queue.noticed(e, l.who.ID)
		if f.Matches(e) && !yield(endpoint.Event{ID: l.after, Name: string(e.Kind), Data: e}, nil) {
			return false
		}
	}
	return true
}
