package usecase

import (
	"context"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/presence"
	"lectern/internal/teaching/queue"
)

// QueueRow is a task that waits, with who else on the staff looks at it now.
type QueueRow struct {
	queue.Row
	Looking []presence.Looker `json:"looking"`
}

// QueueOf gives a page of a queue and how many wait in all, as queue.Queue does.
func QueueOf(ctx context.Context, q db.Q, w queue.Queue) ([]QueueRow, int64, error) {
	rows, total, err := w.Rows(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	out, err := watched(ctx, q, w.CallerID, rows)
	return out, total, err
}

// QueueListing is a page of a queue with its numbers, and who else looks at the rows.
type QueueListing struct {
	queue.Listing
	Rows []QueueRow
}

// OfTutor tells whether a caller may narrow a queue to the tutorials of one tutor, 0 for none: to their own
// everybody may, to those of others whoever sees the pace of tutors.
func OfTutor(who *access.Caller, id int64) error {
	if id == 0 || id == who.ID || who.May(policy.SeeTutorPace) {
		return nil
	}
	return fault.New(fault.Denied, "Only convenors see what waits for one tutor.")
}

// QueueList gives a page of a queue with its numbers, as queue.Queue does.
func QueueList(ctx context.Context, q db.Q, w queue.Queue) (*QueueListing, error) {
	list, err := w.List(ctx, q)
	if err != nil {
		return nil, err
	}
	out, err := watched(ctx, q, w.CallerID, list.Rows)
	return &QueueListing{*list, out}, err
}

// QueuePlace is where a task stands in a queue.
type QueuePlace struct {
	Position int64 `json:"position" doc:"1 is the first; 0 where it does not wait or the filter leaves it out"`
	Total    int64 `json:"total" doc:"how many rows the queue has, with what is only pinned"`
	queue.Tally
	Before []QueueRow `json:"before" doc:"the tasks before it, the nearest first"`
	After  []QueueRow `json:"after" doc:"the tasks after it, the nearest first"`
}

// QueueAround tells where a task stands in a queue, with the rows of up to n tasks on
// either side, as queue.Queue does.
func QueueAround(ctx context.Context, q db.Q, w queue.Queue, taskID int64, n int) (*QueuePlace, error) {
	at, err := w.Around(ctx, q, taskID, n)
	if err != nil {
		return nil, err
	}
	found, err := w.RowsOf(ctx, q, slices.Concat(at.Before, at.After))
	if err != nil {
		return nil, err
	}
	rows, err := watched(ctx, q, w.CallerID, found)
	before := 0
	for before < len(rows) && slices.Contains(at.Before, rows[before].ID) {
		before++
	}
	return &QueuePlace{at.Position, at.Total, at.Tally, rows[:before:before], rows[before:]}, err
}

// watched adds to rows who else looks at them.
func watched(ctx context.Context, q db.Q, callerID int64, rows []queue.Row) ([]QueueRow, error) {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	lookers, err := presence.Of(ctx, q, callerID, ids)
	out := make([]QueueRow, len(rows))
	for i, r := range rows {
		out[i] = QueueRow{r, lookers[r.ID]}
		if out[i].Looking == nil {
			out[i].Looking = []presence.Looker{}
		}
	}
	return out, err
}
