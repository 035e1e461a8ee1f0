package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// Who keeps much is not held to a limit that the collector could only reach for.
func TestTheLimitLeavesRoom(t *testing.T) {
	if limitFor(10<<20) != usual || limitFor(toLimit+1) != math.MaxInt64 {
		t.Errorf("%d, %d", limitFor(10<<20), limitFor(toLimit+1))
	}
}

func TestTheLimitFollowsWhatIsInUse(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	t.Setenv("GOGC", "")
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	ran := make(chan int64, 100)
	limit := limitTo()
	afterEachCollection(func() {
		limit()
		select {
		case ran <- debug.SetMemoryLimit(-1):
		default:
		}
	})
	if got := <-ran; got != usual {
		t.Fatalf("held to %d at first", got)
	}
	much := make([]byte, 2*toLimit)
	for got := int64(0); got != math.MaxInt64; got = <-ran {
		runtime.GC()
	}
	runtime.KeepAlive(much)
	for got := int64(0); got != usual; got = <-ran {
		runtime.GC()
	}
}
