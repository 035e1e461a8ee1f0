package db

import "context"

type insideKey struct{}

// Inside gives a context under which whatever only reads, through Pool or View, reads through
// q: what a transaction decides by is then what it finds, and no second connection is waited
// for while it holds its own.
func Inside(ctx context.Context, q Q) context.Context { return context.WithValue(ctx, insideKey{}, q) }

// inside gives what a context reads through, nil where that is a connection of its own.
func inside(ctx context.Context) Q {
	q, _ := ctx.Value(insideKey{}).(Q)
	return q
}

// AlsoGuarded is Guarded that keeps the guard there is, which is asked first.
func AlsoGuarded(ctx context.Context, ask func(ctx context.Context, q Q) error) context.Context {
	first, _ := ctx.Value(guardKey{}).(func(context.Context, Q) error)
	return Guarded(ctx, func(ctx context.Context, q Q) error {
		if first != nil {
			if err := first(ctx, q); err != nil {
				return err
			}
		}
		return ask(ctx, q)
	})
}
