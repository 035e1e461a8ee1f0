package work

import (
	"context"
	"errors"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/work/worktest"
)

// crowd is a unit full of students, with what the tests of this package fill it with.
type crowd struct{ *worktest.Crowd }

func newCrowd(t testing.TB, d *db.DB, students, definitions int64) *crowd {
	t.Helper()
	return &crowd{worktest.New(t, d, students, definitions)}
}

// fillInbox is FillInbox, after which somebody counts what is new.
func (c *crowd) fillInbox() {
	c.Helper()
	c.FillInbox()
	if err := CheckNews(context.Background(), c.DB); !errors.Is(err, ErrNews) {
		c.Fatalf("nobody had counted what is new, but: %v", err)
	}
}
