package usecase

import (
	"context"

	"lectern/internal/db"
	"lectern/internal/presence"
	"lectern/internal/work"
)

// QueueRow is a task that waits, with who else on the staff looks at it now.
type QueueRow struct {
	work.QueueRow
	Looking []presence.Looker `json:"looking"`
}

// QueueOf gives a page of a queue and how many wait in all, as work.Queue does.
func QueueOf(ctx context.Context, q db.Q, w work.Queue) ([]QueueRow, int64, error) {
	rows, total, err := w.Rows(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	lookers, err := presence.Of(ctx, q, w.CallerID, ids)
	out := make([]QueueRow, len(rows))
	for i, r := range rows {
		out[i] = QueueRow{r, lookers[r.ID]}
		if out[i].Looking == nil {
			out[i].Looking = []presence.Looker{}
		}
	}
	return out, total, err
}
