package app

import (
	"context"
	"time"

	"lectern/internal/blob"
	"lectern/internal/db"
	"lectern/internal/ident"
	"lectern/internal/jobs"
)

// work registers the kinds of background jobs and when the regular ones run.
func (a *App) work() {
	jobs.Register(a.jobs, a.tidy, jobs.Limits{Timeout: 30 * time.Minute, Concurrency: 1})
	a.jobs.Every("tidy", jobs.DailyAt(3, 30), tidyArgs{})
}

// tidyArgs ask for the nightly removal of what nobody needs any more.
type tidyArgs struct{}

// Kind implements jobs.Args.
func (tidyArgs) Kind() string { return "tidy" }

// abandoned is when an upload that never finished is given up.
const abandoned = 24 * time.Hour

func (a *App) tidy(ctx context.Context, _ jobs.Job, _ tidyArgs) error {
	if _, err := a.files.Sweep(ctx, abandoned); err != nil {
		return err
	}
	if _, err := blob.Sweep(ctx, a.db, a.files); err != nil {
		return err
	}
	return a.db.Tx(ctx, func(q db.Q) error {
		_, err := ident.Prune(ctx, q)
		return err
	})
}
