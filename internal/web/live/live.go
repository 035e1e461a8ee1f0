// Package live tells those who listen what happens, as it happens. The API and the pages
// stream the same events to the same people by it.
package live

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/presence"
	"lectern/internal/web/endpoint"
)

// queuePlaces is the name of what tells a listener where their jobs stand in line.
const queuePlaces = "queue"

// Names are those of all that Listen may tell beside the greeting: every kind of event, who
// looks at a task, and the places of jobs in line.
func Names() []string {
	return append(events.Kind("").Enum(), string(presence.Kind), queuePlaces)
}

// heartbeat is how often a client that hears nothing is told that the line is
// up, and how soon it learns of a role it has gained or lost.
const heartbeat = 20 * time.Second

// Config is what listening stands on.
type Config struct {
	DB        *db.DB
	Hub       *events.Hub
	Until     context.Context // ends when the service stops, and all listening with it; nil never does
	Heartbeat time.Duration   // 20 seconds when 0
}

// Events streams what happens to those who may hear it.
type Events struct {
	Config
	streams openStreams
}

// New makes an Events.
func New(c Config) *Events {
	if c.Until == nil {
		c.Until = context.Background()
	}
	c.Heartbeat = cmp.Or(c.Heartbeat, heartbeat)
	return &Events{Config: c}
}

// Listen gives what a signed-in caller may hear, after the number of the header
// Last-Event-ID, or else after last. It ends with the caller's session, and refuses
// more streams at once than anybody needs.
func (s *Events) Listen(ctx context.Context, who *access.Caller, last string) (endpoint.Live, error) {
	var err error
	l := &listening{Events: s, who: who, queue: queued{look: time.Now().Add(lookEvery)}}
	if l.units, err = access.Teaches(ctx, s.DB.Pool(), who); err != nil {
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
		defer context.AfterFunc(s.Until, stop)()
		l.sub = s.Hub.Subscribe(l.filter(), l.after)
		defer func() { l.sub.Close() }()
		if l.greet(yield) && l.tellQueue(ctx, yield) {
			l.run(ctx, yield)
		}
	}, nil
}

// listening is one client's place in the stream.
type listening struct {
	*Events
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
	first, last, err := events.Range(ctx, l.DB.Pool())
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
			units, err = access.Teaches(ctx, l.DB.Pool(), l.who)
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
			l.sub = l.Hub.Subscribe(l.filter(), l.after)
		}
	}
}

// next waits for events, at most for a heartbeat.
func (l *listening) next(ctx context.Context) ([]events.Event, error) {
	wait, stop := context.WithTimeout(ctx, l.queue.wait(l.Heartbeat))
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
