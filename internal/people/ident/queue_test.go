package ident

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/waittest"
)

// While many guess at an account, its owner is next as soon as a hash is done,
// from where they signed in before.
func TestOwnersGoFirst(t *testing.T) {
	each(t, Limits{Hashes: 1, Waiting: 30, Patience: time.Minute}, func(h *house) {
		h.person("ann", h.light().seal("correct horse"))
		home := Entry{From: netip.MustParseAddr("203.0.113.5")}
		owner := Credentials{Username: "ann", Password: "correct horse", Entry: home}
		if _, err := h.SignIn(h.Context(), owner); err != nil {
			h.Fatal(err)
		}
		light, order, goOn := h.derive, make(chan string, 100), make(chan struct{})
		h.derive = func(password, salt []byte, c cost) []byte {
			order <- string(password)
			<-goOn
			return light(password, salt, c)
		}
		var wg sync.WaitGroup
		for i := range 30 {
			from := Entry{From: netip.MustParseAddr(fmt.Sprintf("198.51.100.%d", i))}
			wg.Go(func() {
				_, _ = h.SignIn(h.Context(), Credentials{Username: "ann", Password: "wrong horse", Entry: from})
			})
		}
		h.wait("the guesses wait", func() bool { return len(h.queue.waiting[stranger]) == 29 })
		wg.Go(func() {
			if _, err := h.SignIn(h.Context(), owner); err != nil {
				h.Error(err)
			}
		})
		h.wait("the owner waits", func() bool { return len(h.queue.waiting[familiar]) == 1 })
		close(goOn)
		wg.Wait()
		if first, second := <-order, <-order; first != "wrong horse" || second != "correct horse" {
			h.Errorf("%s, then %s", first, second)
		}
	})
}

// wait waits until a condition on the queue holds.
func (h *house) wait(what string, holds func() bool) {
	h.Helper()
	waittest.Until(h, what, func() bool {
		h.queue.mu.Lock()
		defer h.queue.mu.Unlock()
		return holds()
	})
}

// Where several are hashed at once, one place is kept for owners: they wait for
// no guess at all.
func TestOnePlaceIsKeptForOwners(t *testing.T) {
	q := newQueue(Limits{Hashes: 2, Waiting: 10, Patience: time.Minute}.withDefaults())
	if err := q.acquire(t.Context(), stranger); err != nil {
		t.Fatal(err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if err := q.acquire(gone, stranger); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a second guess is hashed beside the first: %v", err)
	}
	if err := q.acquire(gone, familiar); err != nil {
		t.Errorf("an owner waits for a guess: %v", err)
	}
	q.release()
	q.release()
	if q.free != 2 {
		t.Errorf("%d places are free", q.free)
	}
}

// A try that is slowed down waits for a few others at most; the rest hear at once
// when to come back.
func TestSlowedTriesAreRefusedAtOnce(t *testing.T) {
	l := lanes{next: map[string]time.Time{}, pace: time.Hour}
	ctx, stop := context.WithCancel(t.Context())
	stop() // so that nobody waits for an hour
	for i := range slowed + 1 {
		if err := l.enter(ctx, "name"); i > 0 && !fault.Is(err, fault.Unavailable) {
			t.Fatalf("try %d does not wait: %v", i, err)
		}
	}
	for range 2 {
		f, ok := errors.AsType[*fault.Error](l.enter(ctx, "name"))
		if !ok || f.Kind != fault.Throttled || f.Wait <= slowed*time.Hour || f.Wait > (slowed+1)*time.Hour {
			t.Fatalf("got %v", f)
		}
	}
	if err := l.enter(t.Context(), "another name"); err != nil {
		t.Error(err)
	}
}
