package live

import (
	"context"
	"sync"
	"time"

	"lectern/internal/ground/fault"
)

// MostStreams bounds how many event streams one user has open on an instance:
// more than anybody's windows, and too few to be a burden.
const MostStreams = 20

// openStreams counts the event streams of each user.
type openStreams struct {
	mu sync.Mutex
	by map[int64]int
}

// enter counts a stream until leave is called or ctx ends, or refuses one too
// many.
func (o *openStreams) enter(ctx context.Context, user int64) (leave func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by[user] >= MostStreams {
		return nil, &fault.Error{Kind: fault.Throttled, Wait: 30 * time.Second, Text: "Too many of your windows or " +
			"programs are connected at once. Close some and try again."}
	}
	if o.by == nil {
		o.by = map[int64]int{}
	}
	o.by[user]++
	leave = sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.by[user]--; o.by[user] == 0 {
			delete(o.by, user)
		}
	})
	context.AfterFunc(ctx, leave) // should nobody read the answer
	return leave, nil
}
