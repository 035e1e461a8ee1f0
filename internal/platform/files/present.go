package files

import (
	"context"
	"sync"
)

// atOnce is how many files are looked at beside each other: a bucket takes its time for
// each, but not for all together.
const atOnce = 16

// StatAll describes files in the order of their hashes as they are given, with the error
// of each.
func StatAll(ctx context.Context, store Store, hashes []Hash) ([]Info, []error) {
	infos, errs := make([]Info, len(hashes)), make([]error, len(hashes))
	places := make(chan int)
	var all sync.WaitGroup
	for range min(atOnce, len(hashes)) {
		all.Go(func() {
			for i := range places {
				infos[i], errs[i] = store.Stat(ctx, hashes[i])
			}
		})
	}
	for i := range hashes {
		places <- i
	}
	close(places)
	all.Wait()
	return infos, errs
}

// Present fails with the first error there is in describing the files: fault.Missing where
// one is lost. What packs many files asks before it begins, when it can still say so.
func Present(ctx context.Context, store Store, hashes []Hash) error {
	_, errs := StatAll(ctx, store, hashes)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
