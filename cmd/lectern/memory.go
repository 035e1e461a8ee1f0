package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A sign-in takes 19 MB for a moment, more than all that the service keeps. Go would let
// garbage grow to as much as was in use then; held to a limit it collects it sooner. Only
// while there is room: near a limit the collector would do nothing else.
const (
	usual   = 64 << 20 // the limit
	toLimit = 48 << 20 // in use at most for the limit to make sense
)

// holdMemory keeps garbage from growing, unless GOMEMLIMIT or GOGC say what to do.
func holdMemory() {
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		afterEachCollection(limitTo())
	}
}

// afterEachCollection calls f when the collector has run.
func afterEachCollection(f func()) {
	f()
	mark := new([16]byte) // of no use to anybody, so the next collection finds it
	runtime.AddCleanup(mark, func(f func()) { afterEachCollection(f) }, f)
}

// limitTo gives what sets the limit by what was in use at the last collection.
func limitTo() func() {
	var now int64
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	return func() {
		metrics.Read(live)
		if limit := limitFor(live[0].Value.Uint64()); limit != now {
			debug.SetMemoryLimit(limit)
			now = limit
		}
	}
}

func limitFor(live uint64) int64 {
	if live > toLimit {
		return math.MaxInt64
	}
	return usual
}
