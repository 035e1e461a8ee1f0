package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"sync"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Config tunes a Queue; what is zero takes the default.
type Config struct {
	Workers int                             // jobs at a time in this instance; 4
	Lease   time.Duration                   // how long a silent worker keeps its job; 15 s
	Poll    time.Duration                   // how often to look for jobs of other instances and of later; 1 s
	Backoff func(attempt int) time.Duration // the wait after a failed attempt, 1 being the first; Backoff
	Keep    time.Duration                   // how long done jobs stay to be seen; 7 days
}

// Beside names the other queues of this process, so that none warns of jobs which
// they have the workers for. Call it before Start.
func (qu *Queue) Beside(others ...*Queue) { qu.beside = others }

// Backoff waits about the fourth power of the attempt in seconds: 1 s, 16 s,
// 81 s and so on, so that ten tries span four hours. Jobs that failed together
// come back up to a tenth apart.
func Backoff(attempt int) time.Duration {
	n := time.Duration(attempt)
	d := min(n*n*n*n*time.Second, 6*time.Hour)
	return d - d/10 + mathrand.N(d/5) //nolint:gosec // nobody gains by guessing it
}

// Queue works the jobs of a database. Any number of instances may share one.
type Queue struct {
	db       *db.DB
	log      *slog.Logger
	conf     Config
	name     string // of this instance, never used twice
	kinds    map[string]*kind
	periodic []*periodic
	wake     chan struct{}
	quit     chan struct{} // closed when no more jobs are to be claimed
	fetched  chan struct{} // closed when none will be any more
	jobs     sync.WaitGroup
	keeper   sync.WaitGroup
	end      context.CancelFunc // of all but the jobs

	beside   []*Queue // the others of this process
	last     string   // the kind whose turn it was last; only fetch's goroutine touches it
	mu       sync.Mutex
	running  map[*run]bool
	suspect  *run // the one that runs, of the jobs that were broken off before
	stopping bool // jobs are to end, also one whose claim was under way
}

type kind struct {
	Limits
	work func(ctx context.Context, job Job, args []byte) error
}

// Limits bound a kind of job in one instance.
type Limits struct {
	Timeout     time.Duration // after which the job's context ends; 15 minutes when zero
	Concurrency int           // jobs of this kind at a time; no limit but Config.Workers when zero
	Fair        bool          // units take turns, and inside a unit people; by the moment alone when false
	Untrusted   bool          // it runs or reads what strangers made: given up when broken off twice in a row
	Outside     bool          // it reaches others, by email or a call: not run while the installation is paused
}

// New makes a queue. Register the kinds, then Start it.
func New(d *db.DB, log *slog.Logger, c Config) *Queue {
	c.Workers = cmp.Or(c.Workers, 4)
	c.Lease = cmp.Or(c.Lease, 15*time.Second)
	c.Poll = cmp.Or(c.Poll, time.Second)
	c.Keep = cmp.Or(c.Keep, 7*24*time.Hour)
	if c.Backoff == nil {
		c.Backoff = Backoff
	}
	host, _ := os.Hostname()
	return &Queue{
		db: d, log: log, conf: c,
		name:    fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:10]),
		kinds:   map[string]*kind{},
		wake:    make(chan struct{}, 1),
		quit:    make(chan struct{}),
		fetched: make(chan struct{}),
		running: map[*run]bool{},
	}
}

// Register gives the jobs of A's kind to f. It panics on a kind that is already
// taken. Jobs of kinds that nobody registered stay available, for an instance
// that knows them.
func Register[A Args](qu *Queue, f func(ctx context.Context, job Job, a A) error, l Limits) {
	var zero A
	name := zero.Kind()
	if qu.kinds[name] != nil {
		panic("two workers for the jobs of kind " + name)
	}
	l.Timeout = cmp.Or(l.Timeout, 15*time.Minute)
	l.Concurrency = cmp.Or(l.Concurrency, qu.conf.Workers)
	qu.kinds[name] = &kind{l, func(ctx context.Context, job Job, args []byte) error {
		var a A
		if err := json.Unmarshal(args, &a); err != nil {
			return fmt.Errorf("read the arguments: %w", err)
		}
		return f(ctx, job, a)
	}}
}

// Start begins to work. The values of ctx reach the jobs, but its end does not
// stop them: Stop does, in good order.
func (qu *Queue) Start(ctx context.Context) {
	ctx, qu.end = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(qu.fetched)
		qu.fetch(ctx)
	}()
	qu.keeper.Go(func() { qu.keepLeases(ctx) })
}

// Wake makes the queue look for jobs now.
func (qu *Queue) Wake() {
	select {
	case qu.wake <- struct{}{}:
	default:
	}
}

// Stop claims no more jobs and waits for the running ones. When ctx ends first,
// it cancels them and gives them back, so that another instance takes them at
// once; that try is not counted. It fails if a job has not heeded its context
// after a third of a lease: that try counts, or a job that never stops would be
// begun afresh at every start.
func (qu *Queue) Stop(ctx context.Context) error {
	defer qu.keeper.Wait()
	defer qu.end()
	close(qu.quit)
	idle := make(chan struct{})
	go func() {
		<-qu.fetched
		qu.jobs.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return qu.abandon(context.WithoutCancel(ctx), idle)
	}
}

// abandon cancels the running jobs. Those that return give themselves back.
func (qu *Queue) abandon(ctx context.Context, idle <-chan struct{}) error {
	qu.mu.Lock()
	qu.stopping = true
	for r := range qu.running {
		r.cancel(errStopping)
	}
	qu.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-time.After(qu.conf.Lease / 3):
	}
	left := qu.held()
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := qu.release(ctx, left); err != nil {
		return fmt.Errorf("give back %d jobs: %w", len(left), err)
	}
	return fmt.Errorf("%d jobs did not stop when told to; that counts as a failed try of each", len(left))
}

// patience is how long a statement of the queue may wait for the database.
const patience = 30 * time.Second

// fetch claims jobs when it is woken, when a job is over, and every Poll.
func (qu *Queue) fetch(ctx context.Context) {
	signals, stopListening := qu.db.Listen(topic)
	defer stopListening()
	tick := time.NewTicker(qu.conf.Poll)
	defer tick.Stop()
	for {
		select {
		case <-qu.quit:
			return
		default:
		}
		qu.enqueueDue(ctx)
		if n, err := qu.claim(ctx); err != nil {
			qu.log.ErrorContext(ctx, "cannot claim jobs; will try again", "err", err)
		} else if n > 0 {
			continue
		}
		select {
		case <-qu.quit:
			return
		case <-qu.wake:
		case <-signals:
		case <-tick.C:
		}
	}
}

// now is the moment by the database's clock.
func (qu *Queue) now() clock.Time { return qu.db.Now() }
