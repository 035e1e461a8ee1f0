package portfolio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/pdf"
)

// Compiler makes the PDF of a portfolio, as a worker of the job queue.
type Compiler struct {
	DB          *db.DB
	Files       files.Store
	Institution string   // as the title page names it
	Fonts       []string // see pdf.Document

	// Ready and Failed, if not nil, are called in the transaction that makes the
	// outcome known.
	Ready  func(ctx context.Context, q db.Q, projectID int64, automatic bool) error
	Failed func(ctx context.Context, q db.Q, projectID int64, reason string) error
}

// JobLimits bound a compilation: two at once leave room for submissions. Units and
// students take turns.
var JobLimits = jobs.Limits{Timeout: 5 * time.Minute, Concurrency: 2, Fair: true}

// wait is how long to wait for the document of a submission still being made.
const wait = 3 * time.Second

// errPending says that it is too early.
var errPending = errors.New("a document is still being made")

// Compile is the worker of Args. A portfolio that nobody wants any more is left
// alone; one that was asked for again meanwhile is started over. After the last
// try the student hears that it failed.
func (p *Compiler) Compile(ctx context.Context, job jobs.Job, a Args) error {
	err := p.compile(ctx, job, a.ProjectID)
	switch {
	case errors.Is(err, errAgain):
		return jobs.Snooze(0)
	case errors.Is(err, errPending):
		return jobs.Snooze(wait)
	case err != nil && job.Last():
		ctx := context.WithoutCancel(ctx) // it may be the end of it that failed the job
		return errors.Join(err, p.DB.Tx(ctx, func(q db.Q) error { return p.giveUp(ctx, q, a.ProjectID) }))
	}
	return err
}

func (p *Compiler) compile(ctx context.Context, job jobs.Job, projectID int64) error {
	var c *content
	err := p.DB.View(ctx, func(q db.Q) (err error) {
		c, err = read(ctx, q, projectID)
		return err
	})
	if fault.Is(err, fault.Missing) {
		return jobs.Discard(err) // the student's project is gone
	}
	if err != nil {
		return err
	}
	if !c.owner.Wanted {
		return p.DB.Tx(ctx, func(q db.Q) error { return job.Done(ctx, q) })
	}
	if c.pending() {
		return errPending
	}
	file, err := p.render(ctx, c)
	if err != nil {
		return fmt.Errorf("compile the portfolio of project %d: %w", projectID, err)
	}
	return p.DB.Tx(ctx, func(q db.Q) error {
		if err := blob.Keep(ctx, q, p.Files, file); err != nil {
			return err
		}
		if err := p.publish(ctx, q, projectID, c.owner.AskedAt, file); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

// render makes the document and stores it while it is written.
func (p *Compiler) render(ctx context.Context, c *content) (files.Info, error) {
	at := p.DB.Now().Time
	if c.owner.AskedAt != nil {
		at = c.owner.AskedAt.Time // the same wish gives the same bytes
	}
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := pdf.Render(ctx, c.document(p, ctx, at), w, pdf.Limits{})
		w.CloseWithError(err)
		done <- err
	}()
	file, err := p.Files.Put(ctx, r)
	r.CloseWithError(io.ErrClosedPipe)
	if failed := <-done; failed != nil && !errors.Is(failed, io.ErrClosedPipe) {
		return file, failed
	}
	return file, err
}

// GenerateDue asks for the portfolios of units whose day of automatic generation
// has come. It is the worker of GenerateArgs.
func (p *Compiler) GenerateDue(ctx context.Context, _ jobs.Job, _ GenerateArgs) error {
	_, err := Generate(ctx, p.DB)
	return err
}
