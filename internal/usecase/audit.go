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

// RetryPlan tells what RetryJobs would do.
type RetryPlan struct {
	Jobs    int64         `json:"jobs" doc:"how many failed jobs are tried again"`
	Reasons []jobs.Reason `json:"reasons" doc:"why they failed, the most frequent reason first, ten at most"`
}

// PlanRetry tells which failed jobs of a kind, and of a unit where one is named, would be tried again, for
// whoever holds policy.SeeJobs.
func (s *Service) PlanRetry(ctx context.Context, kind string, unit int64) (*RetryPlan, error) {
	f := jobs.Filter{State: jobs.Dead, Kind: kind, Unit: unit}
	return view(ctx, s.DB, func(q db.Q) (*RetryPlan, error) {
		n, err := jobs.Count(ctx, q, f)
		if err != nil {
			return nil, err
		}
		reasons, err := jobs.Reasons(ctx, q, f)
		return &RetryPlan{n, reasons}, err
	})
}

// RetryJobs gives all failed jobs of a kind, and of a unit where one is named, another round of tries and
// tells how many, for whoever holds policy.ManageJobs. Jobs whose purpose another one serves already stay.
func (s *Service) RetryJobs(ctx context.Context, kind string, unit int64) (total int64, err error) {
	for {
		n, err := changeAlone(ctx, s.DB, func(q db.Q) (int64, error) {
			n, err := jobs.RetrySome(ctx, q, kind, unit)
			if err != nil || n == 0 {
				return 0, err
			}
			return n, audit.Add(ctx, q, audit.Entry{Kind: audit.Job, Action: "kind_retried", UnitID: unit, Fields: []string{kind}})
		})
		if total += n; err != nil || n < jobs.RetryAtOnce {
			return total, err
		}
	}
}
