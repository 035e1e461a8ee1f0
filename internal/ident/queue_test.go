package ident

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// While many guess at an account, its owner is next as soon as a hash is done,
// from where they signed in before.
func TestOwnersGoFirst(t *testing.T) {
	each(t, Limits{Hashes: 1, Waiting: 30, Patience: time.Minute}, func(h *house) {
		h.person("ann", h.light().seal("correct horse"))
		home := Entry{From: netip.MustParseAddr("203.0.113.5")}
		owner := Try{Username: "ann", Password: "correct horse", Entry: home}
		if _, _, err := h.SignIn(h.Context(), owner); err != nil {
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
				_, _, _ = h.SignIn(h.Context(), Try{Username: "ann", Password: "wrong horse", Entry: from})
			})
		}
		h.wait("the guesses wait", func() bool { return len(h.queue.waiting[stranger]) == 29 })
		wg.Go(func() {
			if _, _, err := h.SignIn(h.Context(), owner); err != nil {
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
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		h.queue.mu.Lock()
		ok := holds()
		h.queue.mu.Unlock()
		if ok {
			return
		}
	}
	h.Fatal("never came true: " + what)
}
