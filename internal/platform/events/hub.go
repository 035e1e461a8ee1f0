package events

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"lectern/internal/platform/db"
)

// Hub numbers new events and hands them to the subscribers in this process. It
// reads each event once, however many subscribers there are.
type Hub struct {
	db   *db.DB
	log  *slog.Logger
	poll time.Duration
	stop context.CancelFunc
	over sync.WaitGroup

	mu      sync.Mutex
	subs    map[*Subscription]bool
	sources []Source
}

// Source gives what happened since it was last asked and is not kept: events
// without a number, for whoever listens at this moment.
type Source func(context.Context) ([]Event, error)

// Also makes the hub ask a source each time it looks, as long as anybody listens. A
// transaction that has news for the source calls Wake.
func (h *Hub) Also(s Source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sources = append(h.sources, s)
}

// Wake makes the hubs of this process look once q's transaction is committed.
func Wake(q db.Q) { q.Wake(topic) }

// NewHub makes a hub that looks every poll (a second when 0) for events of
// other instances; those of its own it hears of at once.
func NewHub(d *db.DB, log *slog.Logger, poll time.Duration) *Hub {
	if poll == 0 {
		poll = time.Second
	}
	return &Hub{db: d, log: log, poll: poll, subs: map[*Subscription]bool{}}
}

// Start begins to relay, until Stop.
func (h *Hub) Start(ctx context.Context) {
	ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.over.Go(func() { h.run(ctx) })
}

// Stop ends the relay. Subscriptions stay usable, but hear no more.
func (h *Hub) Stop() {
	h.stop()
	h.over.Wait()
}

func (h *Hub) run(ctx context.Context) {
	signals, stopListening := h.db.Listen(topic)
	defer stopListening()
	tick := time.NewTicker(h.poll)
	defer tick.Stop()
	seen := int64(-1) // the last number handed out; unknown before the first look
	for {
		err := errors.Join(h.look(ctx, &seen), h.ask(ctx))
		if err != nil && ctx.Err() == nil {
			h.log.ErrorContext(ctx, "cannot relay events; will try again", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-signals:
		case <-tick.C:
		}
	}
}

// patience is how long one look may take.
const patience = 30 * time.Second

// readAtOnce is how many events are read with one statement.
const readAtOnce = 500

// look numbers what is new and hands out what was not seen yet. What came
// before the first look, the subscribers read by themselves.
func (h *Hub) look(ctx context.Context, seen *int64) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if *seen < 0 {
		last, err := Last(ctx, h.db.Pool())
		if err != nil {
			return err
		}
		*seen = last
		h.lag()
	}
	if err := Relay(ctx, h.db); err != nil {
		return err
	}
	for {
		list, err := Since(ctx, h.db.Pool(), Filter{All: true}, *seen, readAtOnce)
		if err != nil || len(list) == 0 {
			return err
		}
		h.hand(list)
		*seen = list[len(list)-1].Seq
	}
}

// ask hands out what the sources have.
func (h *Hub) ask(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	h.mu.Lock()
	sources := h.sources
	if len(h.subs) == 0 {
		sources = nil
	}
	h.mu.Unlock()
	for _, s := range sources {
		list, err := s(ctx)
		if err != nil {
			return err
		}
		h.hand(list)
	}
	return nil
}

// lag sends all subscribers to the database, for what came before the first look.
func (h *Hub) lag() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.fallBehind()
	}
}

func (h *Hub) hand(list []Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.put(list)
	}
}

// Subscribe gives the events of a filter after a number: Last for those from
// now on, or what a client says it saw last. Close it when done.
func (h *Hub) Subscribe(f Filter, after int64) *Subscription {
	s := &Subscription{hub: h, filter: f, after: after, news: make(chan struct{}, 1)}
	s.fallBehind()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs[s] = true
	return s
}

// room is how many events wait in memory for one subscriber. One that is slower
// reads the rest from the database when it comes to it.
const room = 64

// Subscription is a place in the sequence of events. It is for one goroutine.
type Subscription struct {
	hub    *Hub
	filter Filter
	after  int64 // the last number given
	news   chan struct{}

	mu      sync.Mutex
	waiting []Event
	passing []Event // without a number
	behind  bool    // waiting is not all there is: read the database
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.subs, s)
}

// Next waits for events and gives at least one, in order, each once; last come those
// without a number. It fails
// when ctx ends or the database cannot be read; calling it again goes on where
// it was.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) {
	for {
		list, passing, behind := s.take()
		if behind {
			var err error
			if list, err = s.catchUp(ctx); err != nil {
				return nil, err
			}
		}
		if list = append(s.advance(list), passing...); len(list) > 0 {
			return list, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.news:
		}
	}
}

// catchUp reads from the database. What is handed out meanwhile waits and is
// weeded by advance; what was handed out before is committed, so it is read here.
func (s *Subscription) catchUp(ctx context.Context) ([]Event, error) {
	list, err := Since(ctx, s.hub.db.Pool(), s.filter, s.after, readAtOnce)
	if err != nil || len(list) == readAtOnce {
		s.fallBehind()
	}
	return list, err
}

// advance drops the events that were given before and remembers the last.
func (s *Subscription) advance(list []Event) []Event {
	for len(list) > 0 && list[0].Seq <= s.after {
		list = list[1:]
	}
	if len(list) > 0 {
		s.after = list[len(list)-1].Seq
	}
	return list
}

// take empties the memory.
func (s *Subscription) take() (list, passing []Event, behind bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, passing, behind = s.waiting, s.passing, s.behind
	s.waiting, s.passing, s.behind = nil, nil, false
	return list, passing, behind
}

// put hands the events of the filter over, as far as there is room. Who follows all
// events, as webhooks do, follows those that are kept.
func (s *Subscription) put(list []Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range list {
		if s.filter.Matches(&list[i]) && !(s.filter.All && list[i].Seq == 0) {
			s.add(list[i])
		}
	}
	if s.behind || len(s.waiting)+len(s.passing) > 0 {
		s.ring()
	}
}

// add keeps an event until it is taken. What has no number is dropped where there is
// no room for it: it cannot be read again.
func (s *Subscription) add(e Event) {
	switch {
	case e.Seq == 0 && len(s.passing) < room:
		s.passing = append(s.passing, e)
	case e.Seq == 0 || s.behind:
	case len(s.waiting) == room:
		s.waiting, s.behind = nil, true
	default:
		s.waiting = append(s.waiting, e)
	}
}

func (s *Subscription) fallBehind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting, s.behind = nil, true
	s.ring()
}

func (s *Subscription) ring() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}
