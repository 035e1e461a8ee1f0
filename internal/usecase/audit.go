package usecase

import (
	"context"

	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// Exported writes down that records of many people were handed out, before they
// are. What names the download, as a word of the program.
func (s *Service) Exported(ctx context.Context, what string) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		return audit.Add(ctx, q, audit.Entry{Kind: audit.Export, Action: what})
	})
}

// RetryJob gives a dead job another round of tries, for whoever holds policy.ManageJobs. It
// refuses with fault.Conflict a job that is not dead.
func (s *Service) RetryJob(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := jobs.Retry(ctx, q, id); err != nil {
			return err
		}
		return audit.Add(ctx, q, audit.Entry{Kind: audit.Job, Action: "retried", RecordID: id})
	})
}
