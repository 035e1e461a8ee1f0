package db

import (
	"context"
	"time"
)

type heldKey struct{}

// Holding tells f how long each write transaction of ctx lasts, from its beginning to
// the end of its commit: on SQLite nobody else can write meanwhile. It is for
// measurements. One that others share is told as a whole.
func Holding(ctx context.Context, f func(time.Duration)) context.Context {
	return context.WithValue(ctx, heldKey{}, f)
}

func tellHeld(ctx context.Context, d time.Duration) {
	if f, ok := ctx.Value(heldKey{}).(func(time.Duration)); ok {
		f(d)
	}
}
