package db

import "context"

type guardKey struct{}

// Guarded gives a context under which every write transaction, each try of it,
// begins with ask, and does nothing else when ask gives an error. It is how
// whoever begins a piece of work makes sure that what allowed it still holds when
// something is written, however long the work took to get there.
func Guarded(ctx context.Context, ask func(ctx context.Context, q Q) error) context.Context {
	return context.WithValue(ctx, guardKey{}, ask)
}

// Unguarded gives a context without the guard, for writing down what has happened already
// and needs no leave any more.
func Unguarded(ctx context.Context) context.Context { return context.WithValue(ctx, guardKey{}, nil) }

// guarded runs f once the context's guard, if it has one, lets it.
func guarded(ctx context.Context, q Q, f func(Q) error) error {
	if ask, ok := ctx.Value(guardKey{}).(func(context.Context, Q) error); ok {
		if err := ask(ctx, q); err != nil {
			return err
		}
	}
	return f(q)
}
