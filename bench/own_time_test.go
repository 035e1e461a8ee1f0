package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lectern/internal/platform/db"
)

// worked is how long this process, and those of PostgreSQL that serve it, have had a processor. What else the machine
// does is not in it. False: somebody else's machine runs PostgreSQL.
func (u *university) worked(backends []int64) (time.Duration, bool) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, false
	}
	sum := time.Duration(r.Utime.Nano() + r.Stime.Nano())
	for _, pid := range backends {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			return 0, false
		}
		var ran int64
		if _, err := fmt.Sscan(strings.TrimSpace(string(text)), &ran); err != nil {
			return 0, false
		}
		sum += time.Duration(ran)
	}
	return sum, true
}

// backends are the processes of PostgreSQL that serve the university; none on SQLite.
func (u *university) backends() []int64 {
	if !u.db.Postgres() {
		return nil
	}
	var list []int64
	if err := u.db.View(u.Context(), func(q db.Q) (err error) {
		list, err = db.All[int64](u.Context(), q, `SELECT CAST(pid AS BIGINT) FROM pg_stat_activity
			WHERE datname = current_database()`)
		return err
	}); err != nil {
		u.Fatal(err)
	}
	return list
}

// quick fails where a page takes longer than most in more than one of twenty times. A request takes what passes until
// its answer, or the processor time that it needs where the machine had other things to do; and a moment of a busy
// machine is not held against it: it has three tries.
func (u *university) quick(most time.Duration, who, path, what string) {
	u.Helper()
	const tries, asks = 3, 25
	for try := range tries {
		backends := u.backends()
		var passed, own []time.Duration
		for range asks {
			start := time.Now()
			before, known := u.worked(backends)
			u.ask(who, path)
			wall := time.Since(start)
			took := wall
			if after, _ := u.worked(backends); known {
				took = min(wall, after-before)
			}
			passed, own = append(passed, wall), append(own, took)
		}
		p95 := percentile(own, 95)
		u.Logf("%s: p50 %v, p95 %v; until the answer p50 %v, p95 %v", what, percentile(own, 50), p95,
			percentile(passed, 50), percentile(passed, 95))
		if p95 <= most {
			return
		}
		if try == tries-1 {
			u.Errorf("%s takes %v, more than %v", what, p95, most)
		}
	}
}

// percentile is the time within which so many hundredths of all lie.
func percentile(times []time.Duration, hundredths int) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)*hundredths/100].Round(10 * time.Microsecond)
}

// A page that sleeps takes no processor, and one that counts does.
func TestOwnTimeIsOfTheProcessor(t *testing.T) {
	u := &university{TB: t}
	for start := time.Now(); time.Since(start) < time.Millisecond; {
	}
	before, known := u.worked(nil)
	time.Sleep(50 * time.Millisecond)
	slept, _ := u.worked(nil)
	for n, last := 0, slept; known && last-slept < 20*time.Millisecond; n++ {
		if last, _ = u.worked(nil); n > 1e8 {
			t.Fatal("counting takes no processor")
		}
	}
	if slept-before > 25*time.Millisecond {
		t.Errorf("sleeping takes %v of a processor", slept-before)
	}
}
