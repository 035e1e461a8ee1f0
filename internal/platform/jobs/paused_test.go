package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
)

// call is a job that reaches others, chore one that does not.
type (
	call  struct{}
	chore struct {
		N int `json:"n"`
	}
)

func (call) Kind() string  { return "call" }
func (chore) Kind() string { return "chore" }

// While an installation is paused, what reaches others waits and everything else is done.
func TestAPausedInstallationReachesNobody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		change := func(f func(q db.Q) error) {
			t.Helper()
			if err := d.Tx(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		change(func(q db.Q) error {
			if err := db.Pause(ctx, q, "it is a copy"); err != nil {
				return err
			}
			_, err := jobs.Enqueue(ctx, q, call{}, jobs.Options{})
			return err
		})
		qu := jobs.New(d, quiet, brisk)
		var calls, chores atomic.Int64
		jobs.Register(qu, func(context.Context, jobs.Job, call) error { calls.Add(1); return nil },
			jobs.Limits{Outside: true})
		jobs.Register(qu, func(context.Context, jobs.Job, chore) error { chores.Add(1); return nil }, jobs.Limits{})
		qu.Start(ctx)
		defer qu.Stop(ctx) //nolint:errcheck // nothing runs
		for n := range 3 { // each is claimed after the call could have been
			change(func(q db.Q) error {
				_, err := jobs.Enqueue(ctx, q, chore{n}, jobs.Options{})
				return err
			})
			waittest.Until(t, "the chore is done", func() bool { return chores.Load() == int64(n+1) })
		}
		if calls.Load() != 0 {
			t.Error("somebody was called")
		}
		change(func(q db.Q) error {
			ended, err := db.Resume(ctx, q)
			if !ended {
				t.Error("it was not paused")
			}
			return err
		})
		waittest.Until(t, "the call is made", func() bool { return calls.Load() == 1 })
	})
}
