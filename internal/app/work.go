package app

import (
	"context"
	"errors"
	"time"

	"lectern/internal/connect/notify"
	"lectern/internal/connect/webhook"
	"lectern/internal/people/ident"
	"lectern/internal/people/sso/saml"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/platform/jobs"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/stats"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/trash"
	"lectern/internal/teaching/verdict"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/usecase/privacy"
)

// work registers the kinds of background jobs and when the regular ones run.
func (a *App) work() {
	jobs.Register(a.jobs, a.tidy, jobs.Limits{Timeout: 30 * time.Minute, Concurrency: 1})
	a.jobs.Every("tidy", jobs.DailyAt(3, 30), tidyArgs{})
	jobs.Register(a.jobs, a.checkStats, jobs.Limits{Timeout: 30 * time.Minute, Concurrency: 1})
	a.jobs.Every("check_stats", jobs.DailyAt(4, 30), checkStatsArgs{})
	jobs.Register(a.jobs, a.noteErasures, jobs.Limits{Concurrency: 1, Outside: true})
	a.mailer.Register(a.jobs)
	jobs.Register(a.jobs, a.usecases.CarryOutRetirement, usecase.RetirementLimits)
	a.usecases.RegisterVerification(a.jobs, jobs.Limits{Timeout: 6 * time.Hour, Concurrency: 1})
	deliverer := &webhook.Deliverer{DB: a.db, Hub: a.events, Log: a.log, Guard: a.guard(), Live: a.live}
	deliverer.Register(a.deliveries)
	docs := &submit.Documents{DB: a.db, Files: a.files, Institution: a.ExternalName, Fonts: a.Fonts,
		Made: documentMade, Failed: a.mailer.PDFFailed}
	jobs.Register(a.jobs, docs.Make, submit.JobLimits)
	jobs.Register(a.jobs, (&source.Highlighting{DB: a.db, Files: a.files}).Do, source.HighlightLimits)
	jobs.Register(a.jobs, func(ctx context.Context, _ jobs.Job, _ watchArgs) error { return docs.GiveUpDead(ctx) },
		jobs.Limits{Timeout: time.Minute, Concurrency: 1})
	a.jobs.Every("watch documents", jobs.Each(time.Hour), watchArgs{})
	press := &portfolio.Compiler{DB: a.db, Files: a.files, Institution: a.ExternalName, Fonts: a.Fonts,
		Ready: a.mailer.PortfolioReady, Failed: a.mailer.PortfolioFailed}
	jobs.Register(a.jobs, press.Compile, portfolio.JobLimits)
	jobs.Register(a.jobs, press.GenerateDue, jobs.Limits{Concurrency: 1})
	archives := &privacy.Exporter{DB: a.db, Files: a.files}
	jobs.Register(a.jobs, archives.Make, privacy.ArchiveLimits)
	jobs.Register(a.jobs, archives.MakeForAdmin, privacy.ArchiveLimits)
	jobs.Register(a.jobs, (&privacy.Eraser{DB: a.db}).Do, privacy.ErasureLimits)
	jobs.Register(a.jobs, a.similarity.Compare, similarity.JobLimits)
	jobs.Register(a.jobs, a.similarity.Refresh, jobs.Limits{Timeout: 10 * time.Minute, Concurrency: 1})
	jobs.Register(a.jobs, a.similarity.Remake, jobs.Limits{Timeout: 6 * time.Hour, Concurrency: 1})
	a.jobs.Every("similarity remake", jobs.Each(time.Hour), similarity.RemakeArgs{})
	jobs.Register(a.jobs, a.similarity.Renew, jobs.Limits{Timeout: time.Hour, Concurrency: 1})
	a.jobs.Every("portfolios_due", jobs.DailyAt(8, 0), portfolio.GenerateArgs{})
}

// documentMade is what follows in the transaction that makes a document known. Source files are highlighted from here,
// not from the hand-in, which many do at once: whoever reads a file before sees it plain.
func documentMade(ctx context.Context, q db.Q, d submit.Document) error {
	if err := portfolio.Made(ctx, q, d); err != nil {
		return err
	}
	return source.EnqueueHighlights(ctx, q, d.SubmissionID)
}

func (a *App) guard() webhook.Guard { return webhook.Guard{AllowPrivate: a.AllowPrivateWebhooks} }

// tidyArgs ask for the nightly removal of what nobody needs any more.
type tidyArgs struct{}

// Kind implements jobs.Args.
func (tidyArgs) Kind() string { return "tidy" }

// watchArgs ask for a look at documents whose making ended without a word.
type watchArgs struct{}

// Kind implements jobs.Args.
func (watchArgs) Kind() string { return "watch documents" }

// abandoned is when an upload that never finished is given up.
const abandoned = 24 * time.Hour

func (a *App) tidy(ctx context.Context, _ jobs.Job, _ tidyArgs) error {
	if _, err := a.files.Sweep(ctx, abandoned); err != nil {
		return err
	}
	if _, err := blob.Sweep(ctx, a.db, a.files); err != nil {
		return err
	}
	if _, err := events.Prune(ctx, a.db); err != nil {
		return err
	}
	if err := a.tidyAudit(ctx); err != nil {
		return err
	}
	if err := pdf.Sweep(time.Now().Add(-abandoned)); err != nil {
		return err
	}
	if err := webhook.Ensure(ctx, a.db); err != nil {
		return err
	}
	for _, prune := range []func(context.Context, db.Q) (int64, error){ident.Prune, notify.Prune, notify.PruneInvitations, submit.Prune,
		saml.Prune, a.similarity.Prune, assess.Prune, trash.Prune, verdict.Prune, course.PruneVersions,
		privacy.PruneArchives, privacy.PruneExports, webhook.Prune} {
		if err := a.untilNone(ctx, prune); err != nil {
			return err
		}
	}
	return nil
}

const day = 24 * time.Hour

// tidyAudit forgets the network addresses beside the audit log, and removes old
// entries where the settings say so.
func (a *App) tidyAudit(ctx context.Context) error {
	if _, err := audit.Forget(ctx, a.db, time.Duration(a.AuditAddressDays)*day); err != nil || a.AuditDays == 0 {
		return err
	}
	s, err := a.signer(ctx)
	if err != nil {
		return err
	}
	_, err = audit.Prune(ctx, a.db, s, time.Duration(a.AuditDays)*day)
	return err
}

// untilNone repeats a removal of a bounded number of rows, each time in a
// transaction of its own, until none is left.
func (a *App) untilNone(ctx context.Context, prune func(context.Context, db.Q) (int64, error)) error {
	for n := int64(1); n > 0; {
		err := a.db.Tx(ctx, func(q db.Q) (err error) {
			n, err = prune(ctx, q)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkStatsArgs ask for the nightly check of the students' statistics, of their last
// activity and of the numbers of new comments.
type checkStatsArgs struct{}

// Kind implements jobs.Args.
func (checkStatsArgs) Kind() string { return "check_stats" }

// checkStats lets a difference stay on record as a dead job: a second try would
// find nothing and hide it.
func (a *App) checkStats(ctx context.Context, _ jobs.Job, _ checkStatsArgs) error {
	err := errors.Join(stats.Check(ctx, a.db), work.CheckNews(ctx, a.db), work.CheckActivity(ctx, a.db))
	if errors.Is(err, stats.ErrWrong) || errors.Is(err, work.ErrNews) || errors.Is(err, work.ErrActivity) {
		a.log.ErrorContext(ctx, "some change forgot what is kept of students: their statistics, what is new to them "+
			"or when they were last active", "err", err)
		return jobs.Discard(err)
	}
	return err
}
