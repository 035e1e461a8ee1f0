package ident

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"lectern/internal/fault"
)

// queue bounds the work of sign-ins: so many hashes at once, since each takes a
// core and 19 MiB, so many requests waiting, each for so long. Beyond that a
// request is told to come back, and everything else goes on being served.
type queue struct {
	slots    chan struct{}
	inside   atomic.Int64
	most     int64
	patience time.Duration
	accounts turns
}

func newQueue(l Limits) *queue {
	return &queue{slots: make(chan struct{}, l.Hashes), most: int64(l.Hashes + l.Waiting), patience: l.Patience,
		accounts: turns{held: map[string]*turn{}}}
}

func busy() error {
	return &fault.Error{Kind: fault.Unavailable, Wait: 5 * time.Second, Text: "Too many people are signing in just " +
		"now. Try again in a few seconds."}
}

// enter lets a request into the queue. The context it gives bounds waiting.
func (q *queue) enter(ctx context.Context) (context.Context, func(), error) {
	if q.inside.Add(1) > q.most {
		q.inside.Add(-1)
		return nil, nil, busy()
	}
	wait, stop := context.WithTimeout(ctx, q.patience)
	return wait, func() { stop(); q.inside.Add(-1) }, nil
}

// hash runs f, which hashes, when there is room.
func (q *queue) hash(wait context.Context, f func() error) error {
	select {
	case q.slots <- struct{}{}:
		defer func() { <-q.slots }()
		return f()
	case <-wait.Done():
		return busy()
	}
}

// turns lets one request an account go at a time, so that someone who signs in
// from several places at once is not taken for someone who guesses.
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
