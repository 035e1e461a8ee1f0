package jobs_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(childVariable); addr != "" {
		workUntilKilled(addr)
	}
	// The test server's pool of connections lives as long as the tests.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// note is the job of these tests.
type note struct {
	N int `json:"n"`
}

func (note) Kind() string { return "note" }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// brisk is a configuration for tests with short waits, and hasty one with short
// leases too, which a busy machine may let lapse.
var (
	brisk = jobs.Config{Workers: 4, Lease: 30 * time.Second, Poll: 5 * time.Millisecond,
		Backoff: func(int) time.Duration { return time.Millisecond }}
	hasty = jobs.Config{Workers: 4, Lease: 300 * time.Millisecond, Poll: brisk.Poll, Backoff: brisk.Backoff}
)

// each runs f on both engines, beside other tests: they mostly wait.
func each(t *testing.T, f func(t *testing.T, d *db.DB)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f(t, dbtest.New(t, engine, nil))
		})
	}
}

type work = func(ctx context.Context, job jobs.Job, n note) error

// start runs a queue whose notes are worked by f, until the test ends.
func start(t *testing.T, d *db.DB, c jobs.Config, f work) *jobs.Queue {
	t.Helper()
	qu := jobs.New(d, quiet, c)
	jobs.Register(qu, f, jobs.Limits{})
	qu.Start(t.Context())
	t.Cleanup(func() { stop(t, qu) })
	return qu
}

func stop(t *testing.T, qu *jobs.Queue) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := qu.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func enqueue(t *testing.T, d *db.DB, n int, o jobs.Options) int64 {
	t.Helper()
	var id int64
	err := d.Tx(t.Context(), func(q db.Q) (err error) {
		id, err = jobs.Enqueue(t.Context(), q, note{n}, o)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func count(t *testing.T, d *db.DB, s jobs.State) int64 {
	t.Helper()
	_, n, err := jobs.List(t.Context(), d.Pool(), s, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// get gives the record of the only job.
func get(t *testing.T, d *db.DB) jobs.Record {
	t.Helper()
	list, _, err := jobs.List(t.Context(), d.Pool(), "", 10, 0)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d jobs, %v", len(list), err)
	}
	return list[0]
}

func TestRolledBackLeavesNoJob(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		broken := errors.New("broken")
		err := d.Tx(t.Context(), func(q db.Q) error {
			if _, err := jobs.Enqueue(t.Context(), q, note{1}, jobs.Options{}); err != nil {
				return err
			}
			return broken
		})
		if n := count(t, d, ""); !errors.Is(err, broken) || n != 0 {
			t.Fatalf("%d jobs after %v", n, err)
		}
	})
}

func TestEachJobOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		const n = 200
		var mu sync.Mutex
		seen := map[int]int{}
		busy, most := 0, 0
		f := func(_ context.Context, _ jobs.Job, a note) error {
			mu.Lock()
			seen[a.N]++
			busy++
			most = max(most, busy)
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			busy--
			mu.Unlock()
			return nil
		}
		err := d.Tx(t.Context(), func(q db.Q) error {
			for i := range n {
				if _, err := jobs.Enqueue(t.Context(), q, note{i}, jobs.Options{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		start(t, d, brisk, f)
		waittest.Until(t, "all are done", func() bool { return count(t, d, jobs.Done) == n })
		for i := range n {
			if seen[i] != 1 {
				t.Errorf("job %d was run %d times", i, seen[i])
			}
		}
		if most < 2 || most > brisk.Workers {
			t.Errorf("%d at a time, with %d workers", most, brisk.Workers)
		}
	})
}

func TestInstancesShare(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		var mu sync.Mutex
		seen := map[int]int{}
		var by [2]atomic.Int64
		for i := range by {
			start(t, d, brisk, func(_ context.Context, _ jobs.Job, a note) error {
				mu.Lock()
				defer mu.Unlock()
				seen[a.N]++
				by[i].Add(1)
				return nil
			})
		}
		n := 0
		waittest.Until(t, "both have worked", func() bool {
			n++
			enqueue(t, d, n, jobs.Options{})
			return by[0].Load() > 5 && by[1].Load() > 5
		})
		waittest.Until(t, "all are done", func() bool { return count(t, d, jobs.Done) == int64(n) })
		for i, times := range seen {
			if times != 1 {
				t.Errorf("job %d was run %d times", i, times)
			}
		}
	})
}

func TestFailThenDeadThenRetriedByHand(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		var tries, last atomic.Int64
		var mended atomic.Bool
		start(t, d, brisk, func(_ context.Context, job jobs.Job, _ note) error {
			tries.Add(1)
			if job.Last() {
				last.Add(1)
			}
			if mended.Load() {
				return nil
			}
			if job.Attempt == 2 {
				panic("at the disco")
			}
			return errors.New("no\x00 \xff" + strings.Repeat("ä", 3000))
		})
		id := enqueue(t, d, 1, jobs.Options{MaxAttempts: 3})
		waittest.Until(t, "it is dead", func() bool { return count(t, d, jobs.Dead) == 1 })
		r := get(t, d)
		if tries.Load() != 3 || last.Load() != 1 || r.Attempt != 3 || r.FinishedAt == nil {
			t.Errorf("%d tries, %d last: %+v", tries.Load(), last.Load(), r)
		}
		if n := len([]rune(*r.Error)); n != 2000 || !strings.HasPrefix(*r.Error, "no\uFFFD \uFFFDä") {
			t.Errorf("error of %d characters: %.20q", n, *r.Error)
		}
		mended.Store(true)
		retry := func(id int64) error {
			return d.Tx(t.Context(), func(q db.Q) error { return jobs.Retry(t.Context(), q, id) })
		}
		if err := retry(id); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "it is done", func() bool { return count(t, d, jobs.Done) == 1 })
		if err := retry(id); !fault.Is(err, fault.Conflict) {
			t.Errorf("a done job was retried: %v", err)
		}
		if err := retry(id + 1); !fault.Is(err, fault.Missing) {
			t.Errorf("a job that is not there was retried: %v", err)
		}
	})
}

func TestPanicIsKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		start(t, d, brisk, func(context.Context, jobs.Job, note) error { panic("at the disco") })
		enqueue(t, d, 1, jobs.Options{MaxAttempts: 1})
		waittest.Until(t, "it is dead", func() bool { return count(t, d, jobs.Dead) == 1 })
		if r := get(t, d); *r.Error != "panic: at the disco" {
			t.Error(*r.Error)
		}
	})
}

func TestBackoffGrows(t *testing.T) {
	for attempt := 1; attempt < 10; attempt++ {
		want := time.Duration(attempt*attempt*attempt*attempt) * time.Second
		for range 50 {
			if got := jobs.Backoff(attempt); got < want*9/10 || got > want*11/10 {
				t.Fatalf("%v after attempt %d", got, attempt)
			}
		}
	}
	if got := jobs.Backoff(1000); got > 7*time.Hour || got < 5*time.Hour {
		t.Errorf("%v after a thousand", got)
	}
}

func TestFailedWaits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		c := brisk
		c.Backoff = func(attempt int) time.Duration { return time.Duration(attempt) * time.Hour }
		start(t, d, c, func(context.Context, jobs.Job, note) error { return errors.New("no") })
		enqueue(t, d, 1, jobs.Options{})
		waittest.Until(t, "it failed", func() bool { return get(t, d).Error != nil })
		r := get(t, d)
		if wait := r.RunAt.Sub(r.CreatedAt.Time); r.State != jobs.Available || r.Attempt != 1 || wait < time.Hour ||
			wait > time.Hour+time.Minute {
			t.Errorf("%+v waits %v", r, wait)
		}
	})
}

func TestSnoozeAndDiscard(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		var naps atomic.Int64
		start(t, d, brisk, func(_ context.Context, job jobs.Job, _ note) error {
			if job.Attempt != 1 {
				t.Errorf("attempt %d", job.Attempt)
			}
			if naps.Add(1) < 5 {
				return jobs.Snooze(time.Millisecond)
			}
			return jobs.Discard(errors.New("hopeless"))
		})
		enqueue(t, d, 1, jobs.Options{MaxAttempts: 2})
		waittest.Until(t, "it is dead", func() bool { return count(t, d, jobs.Dead) == 1 })
		if r := get(t, d); naps.Load() != 5 || r.Attempt != 1 || *r.Error != "hopeless" {
			t.Errorf("%d runs: %+v", naps.Load(), r)
		}
	})
}

// Whoever changes what a job works on hastens it. Where the job runs just then, with what
// it read before the change, and would wait for long, it runs again at once.
func TestAJobHastenedWhileItRunsDoesNotWait(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		begun, hold := make(chan int, 2), make(chan error)
		start(t, d, brisk, func(_ context.Context, job jobs.Job, _ note) error {
			begun <- job.Attempt
			return <-hold
		})
		enqueue(t, d, 1, jobs.Options{Unique: "x"})
		<-begun
		if err := d.Tx(t.Context(), func(q db.Q) error { return jobs.Hasten(t.Context(), q, "x") }); err != nil {
			t.Fatal(err)
		}
		hold <- jobs.Snooze(time.Hour)
		waittest.Until(t, "it runs again", func() bool { return len(begun) == 1 })
		hold <- jobs.Snooze(time.Hour)
		waittest.Until(t, "it waits", func() bool { return count(t, d, jobs.Available) == 1 })
		if r := get(t, d); time.Until(r.RunAt.Time) < 50*time.Minute {
			t.Errorf("hastened once, it runs at %v", r.RunAt)
		}
	})
}

func TestUnique(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		first := enqueue(t, d, 1, jobs.Options{Unique: "x"})
		if again := enqueue(t, d, 2, jobs.Options{Unique: "x"}); again != first {
			t.Error("a second one while the first was available")
		}
		if other := enqueue(t, d, 3, jobs.Options{Unique: "y", RunAt: time.Now().Add(time.Hour)}); other == first {
			t.Error("another key gave the same job")
		}
		hold, begun := make(chan error), make(chan bool, 1)
		start(t, d, brisk, func(context.Context, jobs.Job, note) error { begun <- true; return <-hold })
		<-begun
		if again := enqueue(t, d, 2, jobs.Options{Unique: "x"}); again != first {
			t.Error("a second one while the first was running")
		}
		hold <- jobs.Discard(errors.New("no"))
		waittest.Until(t, "it is over", func() bool { return count(t, d, jobs.Dead) == 1 })
		if again := enqueue(t, d, 2, jobs.Options{Unique: "x"}); again == first {
			t.Error("no second one after the first was over")
		}
		<-begun
		err := d.Tx(t.Context(), func(q db.Q) error { return jobs.Retry(t.Context(), q, first) })
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("a dead job was retried beside its successor: %v", err)
		}
		hold <- nil
	})
}

func TestUniqueUnderConcurrency(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { enqueue(t, d, 1, jobs.Options{Unique: "x"}) })
		}
		wg.Wait()
		if n := count(t, d, ""); n != 1 {
			t.Errorf("%d jobs", n)
		}
	})
}

func TestConcurrencyLimit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		qu := jobs.New(d, quiet, brisk)
		var busy atomic.Int64
		jobs.Register(qu, func(context.Context, jobs.Job, note) error {
			if n := busy.Add(1); n > 2 {
				t.Errorf("%d at a time", n)
			}
			time.Sleep(2 * time.Millisecond)
			busy.Add(-1)
			return nil
		}, jobs.Limits{Concurrency: 2})
		for i := range 20 {
			enqueue(t, d, i, jobs.Options{})
		}
		qu.Start(t.Context())
		defer stop(t, qu)
		waittest.Until(t, "all are done", func() bool { return count(t, d, jobs.Done) == 20 })
	})
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		qu := jobs.New(d, quiet, brisk)
		jobs.Register(qu, func(ctx context.Context, _ jobs.Job, _ note) error {
			<-ctx.Done()
			return ctx.Err()
		}, jobs.Limits{Timeout: time.Millisecond})
		qu.Start(t.Context())
		defer stop(t, qu)
		enqueue(t, d, 1, jobs.Options{MaxAttempts: 1})
		waittest.Until(t, "it is dead", func() bool { return count(t, d, jobs.Dead) == 1 })
		if r := get(t, d); !strings.HasPrefix(*r.Error, "it took longer than 1ms") {
			t.Error(*r.Error)
		}
	})
}

type stranger struct{}

func (stranger) Kind() string { return "stranger" }

func TestUnknownKindStays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		err := d.Tx(t.Context(), func(q db.Q) error {
			_, err := jobs.Enqueue(t.Context(), q, stranger{}, jobs.Options{})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		start(t, d, brisk, func(context.Context, jobs.Job, note) error { return nil })
		enqueue(t, d, 1, jobs.Options{})
		waittest.Until(t, "the other is done", func() bool { return count(t, d, jobs.Done) == 1 })
		if n := count(t, d, jobs.Available); n != 1 {
			t.Errorf("%d available", n)
		}
	})
}

func TestLater(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newFakeClock()
			d := dbtest.New(t, engine, c.now)
			start(t, d, brisk, func(context.Context, jobs.Job, note) error { return nil })
			enqueue(t, d, 1, jobs.Options{RunAt: c.now().Add(time.Hour)})
			enqueue(t, d, 2, jobs.Options{})
			waittest.Until(t, "the other is done", func() bool { return count(t, d, jobs.Done) == 1 })
			c.advance(time.Hour)
			waittest.Until(t, "both are done", func() bool { return count(t, d, jobs.Done) == 2 })
		})
	}
}

// fakeClock is a clock that tests move.
type fakeClock struct{ at atomic.Int64 }

func newFakeClock() *fakeClock {
	c := &fakeClock{}
	c.at.Store(time.Date(2026, 3, 2, 4, 59, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *fakeClock) now() time.Time          { return time.UnixMilli(c.at.Load()).UTC() }
func (c *fakeClock) advance(d time.Duration) { c.at.Add(d.Milliseconds()) }

var _ clock.Clock = (*fakeClock)(nil).now
