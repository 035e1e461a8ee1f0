package events

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"lectern/internal/db"
)

// Hub numbers new events and hands them to the subscribers in this process. It
// reads each event once, however many subscribers there are.
type Hub struct {
	db   *db.DB
	log  *slog.Logger
	poll time.Duration
	stop context.CancelFunc
	over sync.WaitGroup

	mu   sync.Mutex
	subs map[*Subscription]bool
}

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
		if err := h.look(ctx, &seen); err != nil && ctx.Err() == nil {
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
	behind  bool // waiting is not all there is: read the database
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.subs, s)
}

// Next waits for events and gives at least one, in order, each once. It fails
// when ctx ends or the database cannot be read; calling it again goes on where
// it was.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) {
	for {
		list, behind := s.take()
		if behind {
			var err error
			if list, err = s.catchUp(ctx); err != nil {
				return nil, err
			}
		}
		if list = s.advance(list); len(list) > 0 {
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
func (s *Subscription) take() (list []Event, behind bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, behind = s.waiting, s.behind
	s.waiting, s.behind = nil, false
	return list, behind
}

// put hands the events of the filter over, as far as there is room.
func (s *Subscription) put(list []Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range list {
		if s.behind {
			break
		}
		if !s.filter.Matches(&list[i]) {
			continue
		}
		if len(s.waiting) == room {
			s.waiting, s.behind = nil, true
			break
		}
		s.waiting = append(s.waiting, list[i])
	}
	if s.behind || len(s.waiting) > 0 {
		s.ring()
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
