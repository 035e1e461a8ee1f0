package demo

import (
	"cmp"
	"slices"
	"time"

	"lectern/internal/platform/db"
)

// action is something a person did at a moment of the past.
type action struct {
	when time.Time
	do   func(q db.Q) error
}

// plan notes an action; what would lie in the future is left out.
func (b *builder) plan(when time.Time, do func(q db.Q) error) {
	if when.Before(b.q.Now().Time) {
		b.actions = append(b.actions, action{when, do})
	}
}

// replay does all actions in the order in which they happened, through the same
// functions as everybody's, so that histories, comments, receipts and statistics
// agree with each other.
func (b *builder) replay() {
	slices.SortStableFunc(b.actions, func(x, y action) int { return cmp.Compare(x.when.UnixNano(), y.when.UnixNano()) })
	for _, d := range b.actions {
		if b.err == nil {
			b.err = d.do(db.At(b.q, d.when))
		}
	}
}
