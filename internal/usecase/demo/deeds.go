package demo

import (
	"cmp"
	"slices"
	"time"

	"lectern/internal/platform/db"
)

// deed is something a person did at a moment of the past.
type deed struct {
	when time.Time
	do   func(q db.Q) error
}

// plan notes a deed; what would lie in the future is left out.
func (b *builder) plan(when time.Time, do func(q db.Q) error) {
	if when.Before(b.q.Now().Time) {
		b.deeds = append(b.deeds, deed{when, do})
	}
}

// live does all deeds in the order in which they happened, through the same
// functions as everybody's, so that histories, comments, receipts and statistics
// agree with each other.
func (b *builder) live() {
	slices.SortStableFunc(b.deeds, func(x, y deed) int { return cmp.Compare(x.when.UnixNano(), y.when.UnixNano()) })
	for _, d := range b.deeds {
		if b.err == nil {
			b.err = d.do(db.At(b.q, d.when))
		}
	}
}
