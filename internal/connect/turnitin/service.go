// Package turnitin sends documents that students hand in to the outside similarity
// service, and brings back what it found: who agreed to that, what is to be done at the
// service and how far each of it is, and what the service tells of its own accord.
//
// No request waits for the service. What is to be done is an action, a row with a job
// of its own, that goes from call to call and writes down each result before the next:
// whenever it is killed, another goes on from there. The address at which somebody
// looks at a report is the one exception; it is asked for while they wait.
package turnitin

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/tca"
)

// Config says how Lectern uses the service.
type Config struct {
	Client     *tca.Client // nil: the service is not configured
	Key        string      // of the integration; a fingerprint of it is kept where the service refuses it
	SigningKey string      // of what the service sends
	PublicURL  string      // where the service reaches Lectern, and what makes our ids there our own
	Index      bool        // work may be added to what the service compares others with
	// Pace is how long calls are apart in the long run; below zero they are not held
	// apart. Wait is how long to wait after so many tries that came to nothing.
	Pace time.Duration
	Wait func(tries int) time.Duration
}

// Service does what is to be done at the outside service. All methods that a request
// calls leave the network alone, but for ViewerURL.
type Service struct {
	Config
	DB    *db.DB
	Files files.Store
	Log   *slog.Logger
}

// Workers is how many actions run at a time in one instance.
const Workers = 4

// pace keeps an installation well below the hundred calls a minute the service takes.
const pace = 750 * time.Millisecond

// New makes a Service.
func New(d *db.DB, store files.Store, log *slog.Logger, c Config) *Service {
	if c.Pace == 0 {
		c.Pace = pace
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	return &Service{Config: c, DB: d, Files: store, Log: log}
}

// Enabled tells whether the service is configured.
func (s *Service) Enabled() bool { return s != nil && s.Client != nil }

// wait is half a minute at first, then doubles up to half an hour, so that 48 tries
// span about a day.
func wait(tries int) time.Duration {
	d := min(30*time.Second<<min(max(tries-1, 0), 7), 30*time.Minute)
	return d - d/10 + rand.N(d/5) //nolint:gosec // nobody gains by guessing it
}

// runArgs ask for an action to be run.
type runArgs struct {
	ActionID int64 `json:"action_id"`
}

// Kind implements jobs.Args.
func (runArgs) Kind() string { return "tii_action" }

// reconcileArgs ask for a look at what has changed here and is to change there.
type reconcileArgs struct{}

// Kind implements jobs.Args.
func (reconcileArgs) Kind() string { return "tii_tend" }

func jobKey(id int64) string { return fmt.Sprintf("tii action %d", id) }

// enqueue gives an action its job, or hastens the one it has.
func enqueue(ctx context.Context, q db.Q, id int64) error {
	_, err := jobs.Enqueue(ctx, q, runArgs{id}, jobs.Options{Unique: jobKey(id), MaxAttempts: math.MaxInt32})
	if err != nil {
		return err
	}
	return jobs.Hasten(ctx, q, jobKey(id))
}

// Register makes the Service the worker of its jobs. Give it a queue of its own: then a
// service that is slow delays nothing else.
func (s *Service) Register(qu *jobs.Queue) {
	if !s.Enabled() {
		return
	}
	jobs.Register(qu, s.run, jobs.Limits{Timeout: 20 * time.Minute, Outside: true})
	jobs.Register(qu, s.reconcile, jobs.Limits{Timeout: 10 * time.Minute, Concurrency: 1, Outside: true})
	qu.Every("tii_tend", jobs.Each(time.Minute), reconcileArgs{})
}

// Look has what changed here looked at soon, after a task or its resources were
// changed.
func (s *Service) Look(ctx context.Context, q db.Q) error {
	if !s.Enabled() {
		return nil
	}
	_, err := jobs.Enqueue(ctx, q, reconcileArgs{}, jobs.Options{})
	return err
}

// remoteID makes the id that something of ours has at the service: always the same for
// the same thing of the same installation.
func (s *Service) remoteID(kind string, id int64) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", s.PublicURL, kind, id))
	b := h[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80 // a UUID of version 8: made by a rule of our own
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
