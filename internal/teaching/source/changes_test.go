package source

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/platform/files"
)

// Whatever two versions hold, they are compared in bounded time and memory. The bounds are many times what was measured
// on a machine that does other work, too: the worst of these takes 1.2 s and 45 MB.
func TestHostileVersionsAreComparedWithinBounds(t *testing.T) {
	store, err := files.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	unlike := func(prefix string, n, long int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "%s%0*d\n", prefix, long, i)
		}
		return b.String()
	}
	few := func(n int, words ...string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(words[i*i%7919%len(words)] + "\n")
		}
		return b.String()
	}
	for about, c := range map[string]struct {
		before, after string
		pairs         int
	}{
		"1 MB without a common line":  {unlike("a", 1_000_000, 10), unlike("b", 1_000_000, 10), 4},
		"short lines, none in common": {unlike("a", 400_000, 4), unlike("b", 400_000, 4), 20},
		"few lines, often":            {few(50_000, "a", "b", "c"), few(50_000, "c", "a", "b", "d"), 20},
		"empty lines":                 {strings.Repeat("\n", 99_000), strings.Repeat("\n", 98_999), 20},
		"600,000 brackets":            {strings.Repeat("(", 600_000), strings.Repeat("(", 599_999) + ")", 6},
		"brackets, a line each":       {strings.Repeat("(\n", 99_000), strings.Repeat(")\n(\n", 49_000), 20},
		"a line of 2 MB":              {strings.Repeat("a", 1_999_990), strings.Repeat("b", 1_999_990), 2},
		"lines of alike words":        {few(2000, strings.Repeat("w ", 400)+"x"), few(2000, strings.Repeat("w ", 400)+"y"), 1},
	} {
		list := func(text string) (out []File) {
			for i := range c.pairs {
				info, err := store.Put(t.Context(), strings.NewReader(text+fmt.Sprint(i)))
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, File{Number: i, Key: fmt.Sprint("file", i), Name: "a.txt", IsText: true, Hash: info.Hash,
					Size: info.Size})
			}
			return out
		}
		before, after := list(c.before), list(c.after)
		began, most := time.Now(), peak(t)
		changes, err := Compare(t.Context(), store, before, after)
		took, used := time.Since(began), most()
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, f := range changes {
			if f.Compared {
				compared++
			}
		}
		all := &Changes{Files: changes}
		all.Fill()
		t.Logf("%s: %d of %d pairs compared in %.2f s with %d MB", about, compared, c.pairs, took.Seconds(), used>>20)
		if compared == 0 {
			t.Errorf("%s: nothing is compared", about)
		}
		if took > 20*time.Second || used > 200<<20 {
			t.Errorf("%s: %s, %d MB", about, took, used>>20)
		}
	}
}

// peak tells the most memory that was in use since, as far as it is seen every millisecond.
func peak(t *testing.T) func() uint64 {
	t.Helper()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	first, most, done := m.HeapAlloc, atomic.Uint64{}, make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most.Store(max(most.Load(), m.HeapAlloc))
			}
		}
	}()
	return func() uint64 {
		close(done)
		<-ended
		if most.Load() < first {
			return 0
		}
		return most.Load() - first
	}
}
