package db

import "sync"

// topics wakes the goroutines of this process that wait for something to
// appear in the database, so that they need not wait for their next poll. The
// zero value is ready for use.
type topics struct {
	mu        sync.Mutex
	listeners map[string]map[chan struct{}]bool
}

// wake wakes all listeners of a topic and never waits. Calls that come while a
// listener is busy become one: they say "look", not how often.
func (t *topics) wake(topic string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for listener := range t.listeners[topic] {
		select {
		case listener <- struct{}{}:
		default:
		}
	}
}

// Listen gives a signal whenever a transaction on d that called Wake with the
// topic is committed, from now on until stop is called. Only transactions of
// this process count: what others write is found by polling.
func (d *DB) Listen(topic string) (signals <-chan struct{}, stop func()) {
	t := &d.topics
	listener := make(chan struct{}, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.listeners == nil {
		t.listeners = map[string]map[chan struct{}]bool{}
	}
	if t.listeners[topic] == nil {
		t.listeners[topic] = map[chan struct{}]bool{}
	}
	t.listeners[topic][listener] = true
	return listener, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.listeners[topic], listener)
	}
}
