// Package waittest waits in tests for what happens elsewhere: in another goroutine, in
// another process, in the database. Every test that has to look again and again looks by
// this package, so that none of them guesses how long something takes.
package waittest

import (
	"testing"
	"time"
)

// Patience is how long Until waits: far longer than anything takes that works, so that a
// busy machine fails no test.
const Patience = 2 * time.Minute

// Until waits for a condition and ends the test when it has not come true for two minutes.
// What says what is waited for.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !Within(Patience, holds) {
		t.Fatalf("waited in vain until %s", what)
	}
}

// Within waits for a condition and tells whether it came true within a limit. It is for
// those who say themselves what went wrong; others take Until.
func Within(limit time.Duration, holds func() bool) bool {
	pause := time.Millisecond
	for end := time.Now().Add(limit); !holds(); time.Sleep(pause) {
		if time.Now().After(end) {
			return false
		}
		pause = min(2*pause, 20*time.Millisecond)
	}
	return true
}
