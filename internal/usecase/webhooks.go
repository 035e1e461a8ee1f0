package usecase

import (
	"context"
	"log/slog"

	"lectern/internal/connect/webhook"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// AddWebhook registers an address that hears of what happens from now on, for whoever holds
// policy.ManageWebhooks. Its secret is shown only now. It refuses an address that may not be
// used and a secret that is too short, and with fault.Conflict one webhook too many.
func (s *Service) AddWebhook(ctx context.Context, c webhook.Change) (*webhook.Webhook, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*webhook.Webhook, error) { return webhook.Add(ctx, q, s.Hooks, c) })
}

// ChangeWebhook changes a webhook, for whoever holds policy.ManageWebhooks. Deliveries that
// wait after failures are tried at once. It refuses what AddWebhook refuses.
func (s *Service) ChangeWebhook(ctx context.Context, id int64, c webhook.Change) (*webhook.Webhook, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*webhook.Webhook, error) {
		return webhook.Alter(ctx, q, s.Hooks, id, c)
	})
}

// DeleteWebhook removes a webhook, and with it what waits to be delivered, for whoever holds
// policy.ManageWebhooks.
func (s *Service) DeleteWebhook(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return webhook.Delete(ctx, q, id) })
}

// RetryWebhook sends what a webhook's receiver did not take again at once, for whoever holds
// policy.ManageWebhooks. It fails with fault.Missing where there is no such webhook, and with fault.Conflict
// where nothing waits after a failure, or the webhook is paused.
func (s *Service) RetryWebhook(ctx context.Context, id int64) (*webhook.Webhook, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*webhook.Webhook, error) { return webhook.Retry(ctx, q, id) })
}

// TryWebhook sends a webhook one delivery about nothing and tells what became of it, for whoever holds
// policy.ManageWebhooks. It fails with fault.Missing where there is no such webhook, and with
// fault.Unavailable while the installation is paused and calls nobody.
func (s *Service) TryWebhook(ctx context.Context, id int64) (*webhook.Tried, error) {
	err := s.DB.Tx(ctx, func(q db.Q) error {
		why, err := db.Paused(ctx, q)
		if err == nil && why != "" {
			err = fault.New(fault.Unavailable, "This installation is paused and calls no other service.")
		}
		if err != nil {
			return err
		}
		if _, err := webhook.ByID(ctx, q, id); err != nil {
			return err
		}
		return audit.Add(ctx, q, audit.Entry{Kind: audit.Webhook, Action: "tested", RecordID: id})
	})
	if err != nil {
		return nil, err
	}
	return webhook.Try(ctx, s.DB, slog.New(slog.DiscardHandler), s.Hooks, id)
}
