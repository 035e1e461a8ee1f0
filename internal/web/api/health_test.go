package api

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/health"
	"lectern/internal/usecase"
)

var _ = rights(rightRow{"GET /api/admin/health", "", "admin", nil})

// The health of the service tells versions, what checks found with remedies and their age, and how
// jobs, emails, webhooks, the disk and backups are doing.
func TestTheHealthOfTheService(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var looks atomic.Int64
		started := time.Now().Add(-time.Hour)
		w.api.usecases.Program = usecase.Program{Version: "1.2.3", Started: started,
			Disk: func() (*usecase.Disk, error) { return &usecase.Disk{Free: 25, Total: 100}, nil }}
		w.api.usecases.Checks = health.New(time.Now, health.Check{Name: "mail", Every: time.Hour,
			Look: func(context.Context) []health.Finding {
				looks.Add(1)
				return []health.Finding{{What: "mail", Saw: "nobody listens", Advice: "Start it.", Names: []string{"a"},
					Bad: true}, {What: "disk", Saw: "empty"}}
			}})
		at := clock.At(w.now)
		w.set(`INSERT INTO jobs (kind, args, state, max_attempts, run_at, created_at) VALUES
			('mail', '{}', 'dead', 1, $1, $1), ('document', '{}', 'available', 1, $2, $1), ('mail', '{}', 'available', 1, $1, $1)`,
			at, clock.At(w.now.Add(-11*time.Minute)))
		w.set(`INSERT INTO webhooks (url, secret, kinds, active, last_seq, failures, created_at, updated_at) VALUES
			('https://example.edu', 'x', '[]', TRUE, 0, 3, $1, $1), ('https://example.edu', 'x', '[]', FALSE, 0, 0, $1, $1)`, at)
		var h usecase.Health
		w.do("admin", "GET /api/admin/health", nil).status(200).into(&h)
		switch {
		case h.Version != "1.2.3" || h.Schema.Applied != h.Schema.Newest || h.Schema.Applied == 0:
			t.Errorf("versions: %+v", h)
		case h.Well || len(h.Findings) != 2 || h.Findings[0].Advice != "Start it." || h.Findings[0].OK ||
			h.Findings[0].CheckedAt == nil || !h.Findings[1].OK || h.Checking:
			t.Errorf("findings: %+v", h.Findings)
		case h.Jobs.Dead != 1 || h.Jobs.Waiting != 2 || h.Jobs.Stuck != 1 || h.Jobs.Oldest == nil:
			t.Errorf("jobs: %+v", h.Jobs)
		case h.Emails.Waiting != 1 || h.Emails.Failed != 1 || h.Emails.Sent != 0:
			t.Errorf("emails: %+v", h.Emails)
		case h.Webhooks.Active != 1 || h.Webhooks.Paused != 1 || h.Webhooks.Failing != 1:
			t.Errorf("webhooks: %+v", h.Webhooks)
		case h.Disk.Free != 25 || h.Backups == nil:
			t.Errorf("disk and backups: %+v", h)
		}
		w.do("admin", "GET /api/admin/health", nil).status(200)
		if looks.Load() != 1 {
			t.Errorf("what is young was looked at %d times", looks.Load())
		}
		w.do("admin", "GET /api/admin/health?again=perhaps", nil).status(400)
	})
}
