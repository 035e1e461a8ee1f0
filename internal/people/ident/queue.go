package ident

import (
	"context"
	"slices"
	"sync"
	"time"

	"lectern/internal/ground/fault"
)

// queue bounds the work of sign-ins: so many hashes at once, since each takes a
// core and 19 MiB, so many requests waiting, each for so long. Beyond that a
// request is told to come back, and everything else goes on being served. Whoever
// comes from where their account was signed in to before goes first and has
// places of their own, so that those who guess keep nobody else waiting: one hash
// is kept for them where there are several.
type queue struct {
	mu       sync.Mutex
	free     int
	kept     int                // of those that are free, for familiar ones only
	waiting  [2][]chan struct{} // by class
	inside   [2]int
	most     int
	patience time.Duration
	turns    turns
	slow     lanes
}

// class is how a request stands in the queue.
type class int

const (
	familiar class = iota
	stranger
)

func newQueue(l Limits) *queue {
	return &queue{free: l.Hashes, kept: min(l.Hashes-1, 1), most: l.Hashes + l.Waiting, patience: l.Patience,
		turns: turns{held: map[string]*turn{}}, slow: lanes{next: map[string]time.Time{}, pace: l.Pace}}
}

func busy() error {
	return &fault.Error{Kind: fault.Unavailable, Wait: 5 * time.Second, Text: "Too many people are signing in right " +
		"now. Try again in a few seconds."}
}

// enter lets a request into the queue. The context it gives bounds waiting.
func (q *queue) enter(ctx context.Context, c class) (context.Context, func(), error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inside[c] >= q.most {
		return nil, nil, busy()
	}
	q.inside[c]++
	wait, stop := context.WithTimeout(ctx, q.patience)
	return wait, func() {
		stop()
		q.mu.Lock()
		defer q.mu.Unlock()
		q.inside[c]--
	}, nil
}

// hash runs f, which hashes, when there is room.
func (q *queue) hash(wait context.Context, c class, f func() error) error {
	if err := q.acquire(wait, c); err != nil {
		return err
	}
	defer q.release()
	return f()
}

func (q *queue) acquire(wait context.Context, c class) error {
	q.mu.Lock()
	if q.room(c) {
		q.free--
		q.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	q.waiting[c] = append(q.waiting[c], mine)
	q.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-wait.Done():
		q.mu.Lock()
		i := slices.Index(q.waiting[c], mine)
		if i >= 0 {
			q.waiting[c] = slices.Delete(q.waiting[c], i, i+1)
		}
		q.mu.Unlock()
		if i < 0 { // it was given the place at the same moment
			q.release()
		}
		return busy()
	}
}

// room tells whether a hash is free for a class.
func (q *queue) room(c class) bool {
	if c == stranger {
		return q.free > q.kept
	}
	return q.free > 0
}

// release gives a place to whoever waits first, familiar ones before others.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	for c := range q.waiting {
		if len(q.waiting[c]) > 0 && q.room(class(c)) {
			q.free--
			close(q.waiting[c][0])
			q.waiting[c] = q.waiting[c][1:]
			return
		}
	}
}

// turns lets one request per name go at a time, so that someone who signs in
// several times at once is not taken for someone who guesses.
type turns struct {
	mu   sync.Mutex
	held map[string]*turn
}

type turn struct {
	room  chan struct{}
	users int
}

func (t *turns) take(wait context.Context, name string) (func(), error) {
	t.mu.Lock()
	one := t.held[name]
	if one == nil {
		one = &turn{room: make(chan struct{}, 1)}
		t.held[name] = one
	}
	one.users++
	t.mu.Unlock()
	select {
	case one.room <- struct{}{}:
		return func() { <-one.room; t.leave(name, one) }, nil
	case <-wait.Done():
		t.leave(name, one)
		return nil, busy()
	}
}

func (t *turns) leave(name string, one *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(t.held, name)
	}
}

// lanes slow names down: one try each pace.
type lanes struct {
	mu   sync.Mutex
	next map[string]time.Time // when the next try of a name may go
	pace time.Duration
}

// mostLanes bounds the memory of lanes: beyond it those nobody uses are dropped.
const mostLanes = 1000

// slowed is how many tries of a name that is slowed down wait for their turn. More
// would hold connections for those who guess.
const slowed = 2

// enter waits for the turn of a name. Whoever comes while enough others wait is
// refused at once, and told when to come back.
func (l *lanes) enter(wait context.Context, name string) error {
	now := time.Now()
	l.mu.Lock()
	if len(l.next) > mostLanes {
		for n, at := range l.next {
			if at.Before(now) {
				delete(l.next, n)
			}
		}
	}
	at := l.next[name]
	if at.Before(now) {
		at = now
	}
	if ahead := at.Sub(now); ahead > slowed*l.pace {
		l.mu.Unlock()
		return &fault.Error{Kind: fault.Throttled, Wait: ahead, Text: "Sign-ins are slowed down here after many " +
			"failed attempts. Try again in a few seconds."}
	}
	l.next[name] = at.Add(l.pace)
	l.mu.Unlock()
	timer := time.NewTimer(at.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-wait.Done():
		return busy()
	}
}
