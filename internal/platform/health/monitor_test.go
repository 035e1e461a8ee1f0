package health_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lectern/internal/platform/health"
)

// counted is a check that tells how often it was asked.
func counted(n *atomic.Int64) func(context.Context) []health.Finding {
	return func(context.Context) []health.Finding {
		return []health.Finding{{What: "counted", Saw: strings.Repeat("I", int(n.Add(1)))}}
	}
}

// saw is what the check of a number said last.
func saw(list []health.Result, i int) string {
	if len(list[i].Findings) == 0 {
		return ""
	}
	return list[i].Findings[0].Saw
}

// Whoever reads gets what is known at once, and what is old is looked at behind their back.
func TestWhatIsOldIsLookedAtWhileSomebodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var quick, rare atomic.Int64
		m := health.New(time.Now, health.Check{Name: "quick", Look: counted(&quick)},
			health.Check{Name: "rare", Look: counted(&rare), Every: time.Hour})
		if got := m.Known(t.Context()); saw(got, 0) != "I" || saw(got, 1) != "I" {
			t.Fatalf("the first reader is told %v", got)
		}
		time.Sleep(19 * time.Second)
		m.Known(t.Context())
		synctest.Wait()
		if quick.Load() != 1 {
			t.Error("what is young was looked at again")
		}
		time.Sleep(time.Second)
		if got := m.Known(t.Context()); saw(got, 0) != "I" || !got[0].Checking || got[1].Checking {
			t.Errorf("the reader is not told what is known: %v", got)
		}
		synctest.Wait()
		if got := m.Known(t.Context()); saw(got, 0) != "II" || got[0].Checking || rare.Load() != 1 {
			t.Errorf("it was not looked at anew: %v, %d", got, rare.Load())
		}
	})
}

// Asked to, everything is looked at anew, but not twice within a moment.
func TestEverythingIsLookedAtWhenAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rare atomic.Int64
		m := health.New(time.Now, health.Check{Name: "rare", Look: counted(&rare), Every: time.Hour})
		m.Known(t.Context())
		time.Sleep(3 * time.Second)
		if got := m.Fresh(t.Context(), time.Minute); saw(got, 0) != "II" {
			t.Errorf("it was not looked at: %v", got)
		}
		m.Fresh(t.Context(), time.Minute)
		if rare.Load() != 2 {
			t.Errorf("it was looked at %d times", rare.Load())
		}
	})
}

// A check that does not come back holds nobody up, hides nothing of the others, and is not asked again.
func TestACheckThatHangsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, other atomic.Int64
		free := make(chan struct{})
		m := health.New(time.Now, health.Check{Name: "hangs", Look: func(context.Context) []health.Finding {
			asked.Add(1)
			<-free
			return nil
		}}, health.Check{Name: "other", Look: counted(&other)})
		begun := time.Now()
		got := m.Known(t.Context())
		if took := time.Since(begun); took > time.Second || !got[0].Checking || !got[0].At.IsZero() || saw(got, 1) != "I" {
			t.Errorf("after %s: %v", took, got)
		}
		begun = time.Now()
		m.Known(t.Context())
		if took := time.Since(begun); took > 0 {
			t.Errorf("a second reader waits %s", took)
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if got = m.Known(t.Context()); !got[0].Findings[0].Bad || !strings.Contains(saw(got, 0), "no answer within 10s") {
			t.Errorf("its silence is not told: %v", got)
		}
		time.Sleep(time.Minute)
		m.Fresh(t.Context(), 5*time.Second)
		if asked.Load() != 1 || other.Load() < 2 {
			t.Errorf("asked %d times, the other %d times", asked.Load(), other.Load())
		}
		close(free)
		synctest.Wait()
		time.Sleep(time.Minute)
		m.Known(t.Context())
		synctest.Wait()
		if asked.Load() != 2 {
			t.Errorf("it is not asked again after it came back: %d", asked.Load())
		}
	})
}

// A check that is broken is told of, and many readers at once ask once.
func TestABrokenCheckAndManyReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		m := health.New(time.Now, health.Check{Name: "broken", Look: func(context.Context) []health.Finding {
			n.Add(1)
			time.Sleep(time.Millisecond)
			panic("out of order")
		}})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if got := m.Known(t.Context()); !got[0].Findings[0].Bad || !strings.Contains(saw(got, 0), "out of order") {
					t.Errorf("it is told as %v", got)
				}
			})
		}
		all.Wait()
		if n.Load() != 1 {
			t.Errorf("asked %d times", n.Load())
		}
	})
}
