package endpoint

import (
	"context"
	"runtime"
)

// bulk bounds how many long lists are made at once, to half the cores: fifty of
// them would otherwise stand in line for every core before each short request.
// Whoever is sending what is made stands outside, so a slow reader holds no one
// up.
type bulk chan struct{}

func newBulk() bulk { return make(bulk, max(1, runtime.GOMAXPROCS(0)/2)) }

func (b bulk) take(ctx context.Context) error {
	select {
	case b <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b bulk) release() { <-b }

// outside lets others in while f sends. It comes back inside whatever happens,
// so that take and release stay in pairs.
func (b bulk) outside(f func() error) error {
	b.release()
	err := f()
	b <- struct{}{}
	return err
}
