package jobs

import (
	"context"
	"errors"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// A worker that dies takes all its jobs with it, and nobody can tell which one was to
// blame. Most kinds are simply tried again, MaxAttempts times: what they do was promised
// to somebody, and must not be lost because a machine is switched off again and again.
//
// Kinds that run or read what strangers made (Limits.Untrusted) are different: whoever
// finds a way to bring a worker down with such a job would do so at every restart. There a
// job is given up after two tries in a row that were broken off: the worker died in the
// midst of it, or it did not stop when told to. An end in order, also a failure, clears it.
//
// To be fair to those that only ran beside the one to blame, an instance runs the jobs that
// were broken off once, the suspects, one at a time; others of the kind run on beside
// them. A suspect is marked when it is begun, so that one that was only about to be begun
// when the worker died again stays what it was.

// What is held against a job; see the column.
const (
	unsuspected = iota
	brokenOff   // once
	begunAgain  // since it was broken off
)

var errGivenUp = errors.New("it was given up: twice in a row its worker died in the midst of it, or it did not stop " +
	"when told to; find out why before you retry it")

// admit lets a job be run, or tells what becomes of one that is not to be run now. Dismiss
// an admitted job when it is over.
func (qu *Queue) admit(ctx context.Context, r *run) (o outcome, ok bool) {
	if !qu.kinds[r.Kind].Untrusted || r.suspicion == unsuspected {
		return o, true
	}
	o = outcome{attempt: r.Attempt - 1, suspicion: r.suspicion}
	if r.suspicion == begunAgain {
		o.state, o.runAt, o.err = Dead, qu.now(), errGivenUp
		return o, false
	}
	o.state, o.runAt = Available, clock.At(qu.now().Add(qu.conf.Poll))
	if !qu.nextSuspect(r) {
		return o, false
	}
	if o.err = r.mark(ctx); o.err != nil {
		qu.dismiss(r)
		return o, false
	}
	return o, true
}

// nextSuspect makes r the suspect that runs, if there is none.
func (qu *Queue) nextSuspect(r *run) bool {
	qu.mu.Lock()
	defer qu.mu.Unlock()
	if qu.suspect != nil && !qu.suspect.stubborn() {
		return false
	}
	qu.suspect = r
	return true
}

// dismiss lets the next suspect run.
func (qu *Queue) dismiss(r *run) {
	qu.mu.Lock()
	defer qu.mu.Unlock()
	if qu.suspect == r {
		qu.suspect = nil
	}
}

// mark notes that a suspect is begun again.
func (r *run) mark(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	return r.queue.db.Brief(ctx, func(q db.Q) error {
		n, err := db.Exec(ctx, q, `UPDATE jobs SET suspicion = $1 WHERE id = $2 AND worker = $3 AND attempt = $4
			AND state = 'running'`, begunAgain, r.ID, r.queue.name, r.Attempt)
		if err == nil && n == 0 {
			err = ErrLost
		}
		return err
	})
}

// stubborn tells whether the job goes on although its context ended a lease ago. Its
// lease is then left to lapse, so that the try counts and somebody else has the next.
func (r *run) stubborn() bool {
	ended := r.ended.Load()
	return ended != nil && time.Since(*ended) > r.queue.conf.Lease
}
