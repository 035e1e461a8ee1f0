package jobs

import (
	"context"

	"lectern/internal/platform/db"
)

// List gives the jobs in a state (in any when it is empty), the newest first, and how many there are.
func List(ctx context.Context, q db.Q, state State, limit, offset int64) ([]Record, int64, error) {
	n, err := Count(ctx, q, Filter{State: state})
	if err != nil {
		return nil, 0, err
	}
	list, err := Find(ctx, q, Filter{State: state}, db.Part(limit, offset))
	return list, n, err
}

// Tidy does at once what a queue does every minute.
var Tidy = (*Queue).tidy

// Claim lets a queue look for jobs once.
var Claim = (*Queue).claim

// Rescue lets a queue look for lapsed leases once.
var Rescue = (*Queue).rescue
