package db

import (
	"context"
	"fmt"
	"sync/atomic"
)

// A Counter counts the statements run under its context.
type Counter struct {
	n      atomic.Int64
	see    func(text string, args []any)
	failAt int64 // 0: never
}

type counterKey struct{}

// Counting gives a context whose statements are counted: a list endpoint must
// take as many for a thousand rows as for ten. See, when given, hears each text.
func Counting(ctx context.Context, see func(text string)) (context.Context, *Counter) {
	if see == nil {
		return Watching(ctx, nil)
	}
	return Watching(ctx, func(text string, _ []any) { see(text) })
}

// Watching is Counting for who wants to hear the arguments, too.
func Watching(ctx context.Context, see func(text string, args []any)) (context.Context, *Counter) {
	c := &Counter{see: see}
	return context.WithValue(ctx, counterKey{}, c), c
}

// N tells how many statements there were.
func (c *Counter) N() int64 { return c.n.Load() }

var total atomic.Int64

// Statements tells how many statements this process has run.
func Statements() int64 { return total.Load() }

// Failing gives a context whose nth statement, counted from 1, fails before it
// reaches the engine: how a test proves that a change cut short at any step
// leaves nothing behind. The counter tells how far it came.
func Failing(ctx context.Context, n int64) (context.Context, *Counter) {
	c := &Counter{failAt: n}
	return context.WithValue(ctx, counterKey{}, c), c
}

func count(ctx context.Context, text string, args []any) error {
	total.Add(1)
	c, ok := ctx.Value(counterKey{}).(*Counter)
	if !ok {
		return nil
	}
	n := c.n.Add(1)
	if c.see != nil {
		c.see(text, args)
	}
	if n == c.failAt {
		return fmt.Errorf("statement %d was made to fail", n)
	}
	return nil
}
