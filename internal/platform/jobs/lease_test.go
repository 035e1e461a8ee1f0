package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
)

func change(t *testing.T, d *db.DB, text string, args ...any) {
	t.Helper()
	err := d.Tx(t.Context(), func(q db.Q) error { _, err := db.Exec(t.Context(), q, text, args...); return err })
	if err != nil {
		t.Fatal(err)
	}
}

func TestLapsedLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueue(t, d, 1, jobs.Options{})
		enqueue(t, d, 2, jobs.Options{MaxAttempts: 1})
		change(t, d, `UPDATE jobs SET state = 'running', attempt = 1, worker = 'gone', lease_until = $1`,
			clock.At(d.Now().Add(-time.Millisecond)))
		var attempt atomic.Int64
		start(t, d, hasty, func(_ context.Context, job jobs.Job, n note) error {
			if n.N == 2 {
				t.Error("a job was run beyond its last try")
			}
			attempt.Store(int64(job.Attempt))
			return nil
		})
		waittest.Until(t, "both are over", func() bool { return count(t, d, jobs.Done) == 1 && count(t, d, jobs.Dead) == 1 })
		if attempt.Load() != 2 {
			t.Errorf("attempt %d", attempt.Load())
		}
	})
}

func TestLiveLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		lease := func() string {
			at, err := db.All[clock.Time](t.Context(), d.Pool(), `SELECT lease_until FROM jobs WHERE state = 'running'`)
			if err != nil || len(at) == 0 {
				return ""
			}
			return at[0].String()
		}
		var runs atomic.Int64
		hold := make(chan bool)
		f := func(ctx context.Context, _ jobs.Job, _ note) error {
			runs.Add(1)
			<-hold
			return ctx.Err()
		}
		c := brisk
		c.Lease = 2 * time.Second
		start(t, d, c, f)
		start(t, d, c, f)
		enqueue(t, d, 1, jobs.Options{})
		for range 3 {
			before := lease()
			waittest.Until(t, "the lease is renewed", func() bool { return lease() > before })
		}
		close(hold)
		waittest.Until(t, "it is done", func() bool { return count(t, d, jobs.Done) == 1 })
		if runs.Load() != 1 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

func TestLostLeaseCannotFinish(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		change(t, d, `CREATE TABLE IF NOT EXISTS results (n BIGINT NOT NULL)`)
		begun, ended := make(chan bool), make(chan error, 1)
		start(t, d, hasty, func(ctx context.Context, job jobs.Job, _ note) error {
			begun <- true
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), jobs.ErrLost) {
				t.Errorf("cancelled because %v", context.Cause(ctx))
			}
			ended <- d.Tx(context.WithoutCancel(ctx), func(q db.Q) error {
				if _, err := db.Exec(t.Context(), q, `INSERT INTO results VALUES (1)`); err != nil {
					return err
				}
				return job.Done(t.Context(), q)
			})
			return nil
		})
		enqueue(t, d, 1, jobs.Options{})
		<-begun
		change(t, d, `UPDATE jobs SET worker = 'thief', attempt = attempt + 1, lease_until = $1`,
			clock.At(d.Now().Add(time.Hour)))
		if err := <-ended; !errors.Is(err, jobs.ErrLost) {
			t.Errorf("finished after all: %v", err)
		}
		n, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM results`)
		if r := get(t, d); err != nil || *n != 0 || r.State != jobs.Running {
			t.Errorf("%d results, %v: %+v", *n, err, r)
		}
	})
}

func TestDoneBelongsToTheTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		var runs atomic.Int64
		start(t, d, brisk, func(ctx context.Context, job jobs.Job, _ note) error {
			n := runs.Add(1)
			err := d.Tx(ctx, func(q db.Q) error {
				if err := job.Done(ctx, q); err != nil || n > 1 {
					return err
				}
				return errors.New("rolled back")
			})
			if err != nil {
				return err
			}
			return errors.New("too late to matter")
		})
		enqueue(t, d, 1, jobs.Options{})
		waittest.Until(t, "it is done", func() bool { return count(t, d, jobs.Done) == 1 })
		if r := get(t, d); runs.Load() != 2 || r.Attempt != 2 || *r.Error != "rolled back" {
			t.Errorf("%d runs: %+v", runs.Load(), r)
		}
	})
}

func TestStopWaits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		begun, hold, stopped := make(chan bool), make(chan bool), make(chan error, 1)
		qu := jobs.New(d, quiet, brisk)
		jobs.Register(qu, func(ctx context.Context, _ jobs.Job, _ note) error {
			begun <- true
			<-hold
			return ctx.Err()
		}, jobs.Limits{})
		qu.Start(t.Context())
		enqueue(t, d, 1, jobs.Options{})
		<-begun
		go func() { stopped <- qu.Stop(context.Background()) }()
		enqueue(t, d, 2, jobs.Options{RunAt: time.Now().Add(time.Hour)})
		close(hold)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if n := count(t, d, jobs.Done); n != 1 {
			t.Errorf("%d done", n)
		}
		change(t, d, `UPDATE jobs SET run_at = created_at`)
		qu.Wake()
		if n := count(t, d, jobs.Available); n != 1 {
			t.Error("a stopped queue claimed a job")
		}
	})
}

func TestStopGivesBack(t *testing.T) {
	t.Parallel()
	for name, heeds := range map[string]bool{"heeds its context": true, "does not": false} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, d *db.DB) {
				stopGivesBack(t, d, heeds)
			})
		})
	}
}

func stopGivesBack(t *testing.T, d *db.DB, heeds bool) {
	// A claim that was under way when Stop began may begin the job once more.
	begun, hold, over := make(chan bool, 9), make(chan bool), make(chan bool)
	c := brisk
	if !heeds {
		c = hasty // the lease tells how long Stop waits for it
	}
	qu := jobs.New(d, quiet, c)
	jobs.Register(qu, func(ctx context.Context, _ jobs.Job, _ note) error {
		begun <- true
		<-ctx.Done()
		if !heeds {
			<-hold
			defer close(over)
		}
		return ctx.Err()
	}, jobs.Limits{})
	qu.Start(t.Context())
	enqueue(t, d, 1, jobs.Options{})
	<-begun
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := qu.Stop(ended); (err == nil) != heeds {
		t.Errorf("stopped with %v", err)
	}
	check := func() {
		t.Helper()
		r := get(t, d)
		if r.State != jobs.Available || heeds != (r.Attempt == 0) || heeds != (r.Error == nil) {
			t.Errorf("not given back: %+v", r)
		}
	}
	check()
	if !heeds {
		close(hold)
		<-over
		check()
	}
	start(t, d, brisk, func(context.Context, jobs.Job, note) error { return nil })
	waittest.Until(t, "another has done it", func() bool { return count(t, d, jobs.Done) == 1 })
}

func TestPeriodicOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := newFakeClock()
			d := dbtest.New(t, engine, c.now)
			run := func() *jobs.Queue {
				qu := jobs.New(d, quiet, jobs.Config{Poll: time.Millisecond})
				qu.Every("nightly", jobs.DailyAt(5, 0), note{1})
				qu.Start(t.Context())
				return qu
			}
			one, two := run(), run()
			waittest.Until(t, "the schedule is known", func() bool {
				n, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM job_schedules`)
				return err == nil && *n == 1
			})
			for day := range int64(30) {
				if n := count(t, d, ""); n != day {
					t.Fatalf("%d jobs on day %d", n, day)
				}
				c.advance(24 * time.Hour)
				waittest.Until(t, "it is enqueued", func() bool { return count(t, d, "") > day })
			}
			stop(t, one)
			stop(t, two)
			c.advance(3 * 24 * time.Hour)
			one, two = run(), run()
			waittest.Until(t, "the last of those missed is made good", func() bool { return count(t, d, "") > 30 })
			stop(t, one)
			stop(t, two)
			if n := count(t, d, ""); n != 31 {
				t.Errorf("%d jobs, want 31", n)
			}
		})
	}
}

func TestSchedules(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse("2006-01-02 15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		s         jobs.Schedule
		now, want string
	}{
		{jobs.DailyAt(5, 0), "2026-03-01 04:59", "2026-02-28 05:00"},
		{jobs.DailyAt(5, 0), "2026-03-01 05:00", "2026-03-01 05:00"},
		{jobs.DailyAt(23, 30), "2026-01-01 00:00", "2025-12-31 23:30"},
		{jobs.Each(30 * time.Minute), "2026-03-01 05:29", "2026-03-01 05:00"},
		{jobs.Each(30 * time.Minute), "2026-03-01 05:30", "2026-03-01 05:30"},
	} {
		if got := c.s(at(c.now)); !got.Equal(at(c.want)) {
			t.Errorf("at %s: %v, want %s", c.now, got, c.want)
		}
	}
}

func TestTidy(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		for i := range 4 {
			enqueue(t, d, i, jobs.Options{})
		}
		old := clock.At(d.Now().AddDate(0, 0, -8))
		change(t, d, `UPDATE jobs SET state = 'done', finished_at = $1 WHERE args = '{"n":0}'`, old)
		change(t, d, `UPDATE jobs SET state = 'done', finished_at = $1 WHERE args = '{"n":1}'`, d.Now())
		change(t, d, `UPDATE jobs SET state = 'dead', finished_at = $1 WHERE args = '{"n":2}'`, old)
		change(t, d, `UPDATE jobs SET run_at = $1 WHERE args = '{"n":3}'`, old)
		var log bytes.Buffer
		qu := jobs.New(d, slog.New(slog.NewTextHandler(&log, nil)), brisk)
		if err := jobs.Tidy(qu, t.Context()); err != nil {
			t.Fatal(err)
		}
		if done, all := count(t, d, jobs.Done), count(t, d, ""); done != 1 || all != 3 {
			t.Errorf("%d done of %d", done, all)
		}
		if !strings.Contains(log.String(), "kind=note jobs=1") {
			t.Errorf("unknown kind not reported: %s", log.String())
		}
	})
}

func TestIdleQueueOnlyReads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		texts := make(chan string, 1000)
		ctx, _ := db.Counting(t.Context(), func(text string) {
			select {
			case texts <- text:
			default:
			}
		})
		qu := jobs.New(d, quiet, jobs.Config{Poll: time.Millisecond, Lease: 3 * time.Millisecond})
		jobs.Register(qu, func(context.Context, jobs.Job, note) error { return nil }, jobs.Limits{})
		qu.Start(ctx)
		for range 30 {
			if text := <-texts; strings.Contains(text, "UPDATE") || strings.Contains(text, "INSERT") {
				t.Errorf("an idle queue wrote: %s", text)
			}
		}
		stop(t, qu)
	})
}
