package db

import (
	"context"
	"sync/atomic"
)

// A Counter counts the statements run under its context.
type Counter struct {
	n     atomic.Int64
	texts func(string)
}

type counterKey struct{}

// Counting gives a context whose statements are counted: a list endpoint must
// take as many for a thousand rows as for ten. See, when given, hears each text.
func Counting(ctx context.Context, see func(text string)) (context.Context, *Counter) {
	c := &Counter{texts: see}
	return context.WithValue(ctx, counterKey{}, c), c
}

// N tells how many statements there were.
func (c *Counter) N() int64 { return c.n.Load() }

var total atomic.Int64

// Statements tells how many statements this process has run.
func Statements() int64 { return total.Load() }

func count(ctx context.Context, text string) {
	total.Add(1)
	if c, ok := ctx.Value(counterKey{}).(*Counter); ok {
		c.n.Add(1)
		if c.texts != nil {
			c.texts(text)
		}
	}
}
