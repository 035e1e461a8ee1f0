package usecase

import (
	"context"

	"lectern/internal/connect/notify"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// Mail tells how emails are doing: never what they say, nor anybody's address.
type Mail struct {
	Sends   bool                 `json:"sends" doc:"whether emails reach anybody"`
	Figures *notify.Figures      `json:"figures" doc:"how many were sent, wait and failed"`
	Days    []notify.Posted      `json:"days" doc:"the emails of the last seven days, the newest day first"`
	Failed  []notify.FailedEmail `json:"failed" doc:"the newest emails that were given up, at most 100 of a kind"`
}

// mostFailedEmails bounds how many emails of a kind are told of that were given up.
const mostFailedEmails = 100

// MailOf tells how emails are doing, for whoever holds policy.SeeMail.
func (s *Service) MailOf(ctx context.Context) (*Mail, error) {
	m := &Mail{Sends: s.Mailer.Sends()}
	return m, s.DB.View(ctx, func(q db.Q) (err error) {
		if m.Figures, err = notify.FiguresOf(ctx, q); err != nil {
			return err
		}
		if m.Days, err = notify.PostedOf(ctx, q); err != nil {
			return err
		}
		m.Failed, err = notify.FailedEmails(ctx, q, db.Part(mostFailedEmails, 0))
		return err
	})
}

// SendMailNow has all emails tried at once that wait for another try or were given up, for whoever holds
// policy.ManageMail.
func (s *Service) SendMailNow(ctx context.Context) (*notify.Resent, error) {
	total := &notify.Resent{}
	for {
		some, err := changeAlone(ctx, s.DB, func(q db.Q) (*notify.Resent, error) {
			some, err := notify.SendNow(ctx, q)
			if err != nil || some.Hastened+some.Retried == 0 {
				return some, err
			}
			return some, audit.Add(ctx, q, audit.Entry{Kind: audit.Job, Action: "emails_retried"})
		})
		if err != nil {
			return nil, err
		}
		total.Hastened += some.Hastened
		if total.Retried += some.Retried; some.Retried < jobs.RetryAtOnce {
			return total, nil
		}
	}
}
