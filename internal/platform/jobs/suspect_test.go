package jobs_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
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

// startUntrusted is start for a kind that is given up when it is broken off twice.
func startUntrusted(t *testing.T, d *db.DB, f work) *jobs.Queue {
	t.Helper()
	qu := jobs.New(d, quiet, brisk)
	jobs.Register(qu, f, jobs.Limits{Untrusted: true})
	qu.Start(t.Context())
	t.Cleanup(func() { stop(t, qu) })
	return qu
}

// crash makes all jobs those of a worker that died in the midst of them, and has them
// rescued.
func crash(t *testing.T, d *db.DB) {
	t.Helper()
	change(t, d, `UPDATE jobs SET state = 'running', attempt = attempt + 1, worker = 'gone', lease_until = $1,
		suspicion = CASE WHEN suspicion = 0 THEN 0 ELSE 2 END`, clock.At(d.Now().Add(-time.Millisecond)))
	if err := jobs.Rescue(jobs.New(d, quiet, brisk), t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A job that does not stop when told to would otherwise be begun afresh at every start.
func TestJobThatDoesNotStopCountsAsAnAttempt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		for attempt := 1; attempt <= 2; attempt++ {
			begun, hold, over := make(chan bool, 9), make(chan bool), make(chan bool)
			c := brisk
			c.Lease = 3 * time.Second
			qu := jobs.New(d, quiet, c)
			jobs.Register(qu, func(context.Context, jobs.Job, note) error {
				defer close(over)
				begun <- true
				<-hold
				return nil
			}, jobs.Limits{})
			qu.Start(t.Context())
			if attempt == 1 {
				enqueue(t, d, 1, jobs.Options{MaxAttempts: 2})
			}
			<-begun
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if err := qu.Stop(ended); err == nil || !strings.Contains(err.Error(), "did not stop") {
				t.Fatal("stopped with ", err)
			}
			close(hold)
			<-over
			if r := get(t, d); r.Attempt != attempt || r.Error == nil || !strings.Contains(*r.Error, "did not stop") ||
				(r.State == jobs.Dead) != (attempt == 2) {
				t.Errorf("after stop %d: %+v", attempt, r)
			}
		}
	})
}

// A job that goes on after its time is up holds its lease no longer: another try begins,
// and it cannot write its end any more.
func TestJobThatOutstaysItsTimeLosesItsLease(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		hold := make(chan bool)
		qu := jobs.New(d, quiet, hasty)
		jobs.Register(qu, func(_ context.Context, job jobs.Job, _ note) error {
			if job.Attempt == 1 {
				<-hold
				return errors.New("too late to matter")
			}
			return nil
		}, jobs.Limits{Timeout: time.Millisecond})
		qu.Start(t.Context())
		enqueue(t, d, 1, jobs.Options{})
		waittest.Until(t, "another try has done it", func() bool { return count(t, d, jobs.Done) == 1 })
		close(hold)
		stop(t, qu)
		if r := get(t, d); r.Attempt < 2 || r.State != jobs.Done || strings.Contains(*r.Error, "too late") {
			t.Errorf("%+v", r)
		}
	})
}

func TestUntrustedJobBrokenOffTwiceIsGivenUpAndCanBeRetried(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		id := enqueue(t, d, 1, jobs.Options{})
		crash(t, d)
		crash(t, d)
		var runs atomic.Int64
		startUntrusted(t, d, func(context.Context, jobs.Job, note) error { runs.Add(1); return nil })
		waittest.Until(t, "it is dead", func() bool { return count(t, d, jobs.Dead) == 1 })
		if r := get(t, d); runs.Load() != 0 || r.Attempt != 2 || r.FinishedAt == nil ||
			!strings.Contains(*r.Error, "given up: twice in a row") {
			t.Errorf("%d runs: %+v, %s", runs.Load(), r, *r.Error)
		}
		if err := d.Tx(t.Context(), func(q db.Q) error { return jobs.Retry(t.Context(), q, id) }); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "it is done", func() bool { return count(t, d, jobs.Done) == 1 })
	})
}

func TestJobBrokenOffOnceIsTriedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueue(t, d, 1, jobs.Options{})
		crash(t, d)
		startUntrusted(t, d, func(context.Context, jobs.Job, note) error { return nil })
		waittest.Until(t, "it is done", func() bool { return count(t, d, jobs.Done) == 1 })
	})
}

// A machine that is switched off again and again costs nobody an email or a document.
func TestTrustedJobsAreTriedAgainHoweverOftenTheyAreBrokenOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueue(t, d, 1, jobs.Options{})
		for range 5 {
			crash(t, d)
		}
		start(t, d, brisk, func(context.Context, jobs.Job, note) error { return nil })
		waittest.Until(t, "it is done", func() bool { return count(t, d, jobs.Done) == 1 })
	})
}

func TestAnEndInOrderBeginsTheCountAnew(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]error{"failed": errors.New("no"), "snoozed": jobs.Snooze(time.Hour)} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, d *db.DB) {
				enqueue(t, d, 1, jobs.Options{})
				crash(t, d)
				c := brisk
				c.Backoff = func(int) time.Duration { return time.Hour }
				qu := jobs.New(d, quiet, c)
				jobs.Register(qu, func(context.Context, jobs.Job, note) error { return end }, jobs.Limits{Untrusted: true})
				qu.Start(t.Context())
				waittest.Until(t, "it is to be run later", func() bool { return get(t, d).RunAt.After(d.Now().Add(time.Minute)) })
				stop(t, qu)
				crash(t, d)
				startUntrusted(t, d, func(context.Context, jobs.Job, note) error { return nil })
				waittest.Until(t, "it is done", func() bool { return count(t, d, jobs.Done) == 1 })
			})
		})
	}
}

// Suspects run one at a time, and hold up none that was never broken off.
func TestSuspectsRunOneAtATime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		const suspects = 3
		for i := range suspects {
			enqueue(t, d, i, jobs.Options{})
		}
		crash(t, d)
		hold := make(chan bool)
		var busy, others atomic.Int64
		startUntrusted(t, d, func(_ context.Context, _ jobs.Job, n note) error {
			if n.N >= suspects {
				others.Add(1)
				return nil
			}
			if n := busy.Add(1); n > 1 {
				t.Errorf("%d at a time", n)
			}
			defer busy.Add(-1)
			<-hold
			return nil
		})
		waittest.Until(t, "one runs", func() bool { return busy.Load() == 1 })
		for i := range 10 {
			enqueue(t, d, suspects+i, jobs.Options{})
		}
		waittest.Until(t, "the others have run", func() bool { return others.Load() == 10 })
		close(hold)
		waittest.Until(t, "all are done", func() bool { return count(t, d, jobs.Done) == suspects+10 })
	})
}

// A job that brings its worker down whenever it is run does so twice. Those that died
// with it are not given up.
func TestOnlyTheJobThatBringsItsWorkerDownIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			addr := dbtest.Address(t, engine)
			d, err := db.Open(addr, db.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			change(t, d, `CREATE TABLE IF NOT EXISTS results (n BIGINT NOT NULL)`)
			enqueueBatch(t, d, 0, hasty.Workers)
			downBy(t, deadlyWorker(t, addr, "all"))
			downBy(t, deadlyWorker(t, addr, "alone"))
			last := deadlyWorker(t, addr, "alone")
			waittest.Until(t, "all are over", func() bool {
				return count(t, d, jobs.Done) == int64(hasty.Workers)-1 && count(t, d, jobs.Dead) == 1
			})
			last.Process.Kill()
			last.Wait()
			list, _, err := jobs.List(t.Context(), d.Pool(), jobs.Dead, 10, 0)
			if err != nil || string(list[0].Args) != `{"n":0}` || list[0].Attempt != 2 {
				t.Errorf("%v: %+v", err, list)
			}
		})
	}
}

func deadlyWorker(t *testing.T, addr, how string) *exec.Cmd {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+addr, leaseVariable+"=3s", deadlyVariable+"="+how)
	child.Stderr = os.Stderr
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	return child
}

// downBy waits until the deadly job has brought its worker down.
func downBy(t *testing.T, child *exec.Cmd) {
	t.Helper()
	if err := child.Wait(); child.ProcessState.ExitCode() != deadlyCode {
		t.Fatal("the worker ended otherwise: ", err)
	}
}
