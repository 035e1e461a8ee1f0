package waittest

import (
	"testing"
	"testing/synctest"
	"time"
)

// In a bubble the clock stands still but for the pauses between two looks.
func TestWithinLooksUntilItHoldsOrTheLimitIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if !Within(time.Minute, func() bool { return time.Since(begin) >= time.Second }) {
			t.Error("what came true after a second was not seen")
		}
		if late := time.Since(begin) - time.Second; late > 20*time.Millisecond {
			t.Errorf("it was seen %v late", late)
		}
		begin = time.Now()
		if Within(time.Minute, func() bool { return false }) {
			t.Error("what never holds held")
		}
		if took := time.Since(begin); took < time.Minute || took > time.Minute+time.Second {
			t.Errorf("a limit of a minute took %v", took)
		}
	})
}

// A condition that holds is seen by the first look, without any pause.
func TestWhatHoldsIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, looks := time.Now(), 0
		Until(t, "it is looked at", func() bool { looks++; return true })
		if looks != 1 || time.Since(begin) != 0 {
			t.Errorf("%d looks in %v", looks, time.Since(begin))
		}
	})
}
