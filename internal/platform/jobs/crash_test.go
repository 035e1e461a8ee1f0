package jobs_test

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
)

// childVariable makes the test binary a worker on the database it names.
const childVariable = "LECTERN_TEST_JOBS_CHILD"

// leaseVariable is the lease of that worker.
const leaseVariable = "LECTERN_TEST_JOBS_LEASE"

// fairVariable, when set, makes the kind of that worker a fair one.
const fairVariable = "LECTERN_TEST_JOBS_FAIR"

// deadlyVariable, when set, makes the kind of that worker an untrusted one, of which the
// first note brings the worker down: alone, or "all" with as many others as it can run.
const deadlyVariable = "LECTERN_TEST_JOBS_DEADLY"

// deadly ends the process for the first note. To take all others with it, it waits for
// them, and they do not end before.
func deadly(how string) func(n note) {
	var others atomic.Int64
	return func(n note) {
		if how == "" {
			return
		}
		others.Add(1)
		for how == "all" && (n.N != 0 || others.Load() < int64(hasty.Workers)) {
			runtime.Gosched()
		}
		if n.N == 0 {
			os.Exit(deadlyCode)
		}
	}
}

const deadlyCode = 3

// workUntilKilled works notes: each writes one row and ends in one transaction.
// It prints a line when the first begins, and ends with its parent.
func workUntilKilled(addr string) {
	d, err := db.Open(addr, db.Options{})
	if err != nil {
		panic(err)
	}
	nap := func() { time.Sleep(rand.N(3 * time.Millisecond)) }
	c := hasty
	if c.Lease, err = time.ParseDuration(os.Getenv(leaseVariable)); err != nil {
		panic(err)
	}
	qu := jobs.New(d, quiet, c)
	how := os.Getenv(deadlyVariable)
	kill := deadly(how)
	jobs.Register(qu, func(ctx context.Context, job jobs.Job, n note) error {
		os.Stdout.WriteString("begun\n")
		kill(n)
		nap()
		return d.Tx(ctx, func(q db.Q) error {
			if _, err := db.Exec(ctx, q, `INSERT INTO results (n) VALUES ($1)`, n.N); err != nil {
				return err
			}
			nap()
			return job.Done(ctx, q)
		})
	}, jobs.Limits{Fair: os.Getenv(fairVariable) != "", Untrusted: how != ""})
	qu.Start(context.Background())
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// kill starts a worker process, lets it begin jobs and kills it at a random moment.
func kill(t *testing.T, addr, fair string) {
	t.Helper()
	child := worker(t, addr, fair, hasty.Lease)
	time.Sleep(rand.N(15 * time.Millisecond))
	child.Process.Kill()
	child.Wait()
}

// worker starts a worker process and waits until it has begun a job.
func worker(t *testing.T, addr, fair string, lease time.Duration) *exec.Cmd {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+addr, leaseVariable+"="+lease.String(),
		fairVariable+"="+fair)
	child.Stderr = os.Stderr
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal("the worker ended without a job: ", err)
	}
	go io.Copy(io.Discard, lines)
	return child
}

// TestKilledWorkers kills workers, two of which run at a time, a hundred times
// without warning: every job must leave exactly one result.
func TestKilledWorkers(t *testing.T) {
	t.Parallel()
	killWorkers(t, "", 100)
}

// TestKilledWorkersOfAFairKind does the same where jobs take turns.
func TestKilledWorkersOfAFairKind(t *testing.T) {
	t.Parallel()
	killWorkers(t, "yes", 40)
}

func killWorkers(t *testing.T, fair string, kills int) {
	t.Helper()
	const batch = 8
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			addr := dbtest.Address(t, engine)
			d, err := db.Open(addr, db.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			err = d.Tx(t.Context(), func(q db.Q) error {
				_, err := db.Exec(t.Context(), q, `CREATE TABLE IF NOT EXISTS results (n BIGINT NOT NULL)`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			var lanes sync.WaitGroup
			for lane := range 2 {
				lanes.Go(func() {
					for round := lane; round < kills && !t.Failed(); round += 2 {
						enqueueBatch(t, d, round*batch, batch)
						kill(t, addr, fair)
					}
				})
			}
			lanes.Wait()
			checkOneResultEach(t, d, addr, fair, int64(kills*batch))
		})
	}
}

func enqueueBatch(t *testing.T, d *db.DB, from, n int) {
	t.Helper()
	err := d.Tx(t.Context(), func(q db.Q) error {
		for i := range n {
			if _, err := jobs.Enqueue(t.Context(), q, note{from + i}, jobs.Options{MaxAttempts: 1000,
				For: jobs.For{Unit: int64(i % 3), Person: int64(i % 2)}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkOneResultEach lets a last worker finish and counts.
func checkOneResultEach(t *testing.T, d *db.DB, addr, fair string, want int64) {
	t.Helper()
	enqueueBatch(t, d, int(want), 1)
	want++
	// Longer, so that on a busy machine it does not lose what it works on.
	child := worker(t, addr, fair, 3*time.Second)
	waittest.Until(t, "all are done", func() bool { return count(t, d, jobs.Done) == want })
	child.Process.Kill()
	child.Wait()
	type sum struct {
		Rows     int64 `db:"rows"`
		Distinct int64 `db:"different"`
		Again    int64 `db:"again"`
	}
	got, err := db.One[sum](t.Context(), d.Pool(), `SELECT count(*) AS rows, count(DISTINCT n) AS different,
		(SELECT count(*) FROM jobs WHERE attempt > 1) AS again FROM results`)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d jobs, %d of them begun again after a kill", want, got.Again)
	if got.Rows != want || got.Distinct != want {
		t.Errorf("%d results of %d jobs, want %d", got.Rows, got.Distinct, want)
	}
	if got.Again < 10 {
		t.Errorf("only %d kills struck a job at work: this test shows little", got.Again)
	}
}
