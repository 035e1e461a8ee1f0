// Package bell wakes the goroutines of this process that wait for something to
// appear in the database, so that they need not wait for their next poll.
package bell

import "sync"

// Bell wakes everyone who listens. Its zero value is ready for use.
type Bell struct {
	mu   sync.Mutex
	ears map[chan struct{}]bool
}

// Ring wakes all listeners and never waits. Rings that come while a listener is
// busy become one: a ring says "look", not how often.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ear := range b.ears {
		select {
		case ear <- struct{}{}:
		default:
		}
	}
}

// Listen gives the rings from now on, until stop is called.
func (b *Bell) Listen() (rings <-chan struct{}, stop func()) {
	ear := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ears == nil {
		b.ears = map[chan struct{}]bool{}
	}
	b.ears[ear] = true
	return ear, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.ears, ear)
	}
}
