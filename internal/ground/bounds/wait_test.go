package bounds

import (
	"testing"
	"time"
)

func TestWaitIsToldInWordsAndNeverTooShort(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "one second", time.Millisecond: "one second", time.Second: "one second",
		1001 * time.Millisecond: "2 seconds", 59 * time.Second: "59 seconds", 59*time.Second + 1: "one minute",
		time.Minute: "one minute", time.Minute + 1: "2 minutes", 14*time.Minute + 3*time.Second: "15 minutes",
		59 * time.Minute: "59 minutes", 59*time.Minute + 1: "one hour", time.Hour: "one hour", time.Hour + 1: "2 hours",
		24 * time.Hour: "24 hours"} {
		if got := WaitText(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
