package jobs_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// A queue warns of jobs that nobody in its process can do, not of those that wait
// for the workers of another.
func TestJobsOfTheQueueBesideAreKnown(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		var log bytes.Buffer
		nothing := func(context.Context, jobs.Job, note) error { return nil }
		here := jobs.New(d, slog.New(slog.NewTextHandler(&log, nil)), jobs.Config{})
		beside := jobs.New(d, slog.New(slog.DiscardHandler), jobs.Config{})
		jobs.Register(beside, nothing, jobs.Limits{})
		if err := d.Tx(t.Context(), func(q db.Q) error {
			if _, err := jobs.Enqueue(t.Context(), q, note{}, jobs.Options{}); err != nil {
				return err
			}
			_, err := db.Exec(t.Context(), q, `UPDATE jobs SET run_at = '2020-01-01T00:00:00.000000Z'`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		warned := func() bool {
			log.Reset()
			if err := jobs.Tidy(here, t.Context()); err != nil {
				t.Fatal(err)
			}
			return strings.Contains(log.String(), "does not have")
		}
		if !warned() {
			t.Error("no word of a job that has no worker")
		}
		if here.Beside(beside); warned() {
			t.Errorf("a false alarm: %s", &log)
		}
	})
}
