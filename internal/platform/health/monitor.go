package health

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Check looks at one part of the service.
type Check struct {
	Name string
	// Look tells what there is to see. It should heed the end of its context; one that does not is
	// told of as one that does not answer.
	Look   func(context.Context) []Finding
	Every  time.Duration // how old what is known may be before a reader has it looked at anew; 20 s when 0
	Within time.Duration // how long a look may take; 10 s when 0
}

const (
	every  = 20 * time.Second
	within = 10 * time.Second
	// first is how long the first reader of a process waits for what nobody knows yet.
	first = time.Second
	// grace is what a look has to tell that its time is over, which says more than its silence.
	grace = time.Second
	// pause is how soon after a look somebody can have the next one.
	pause = 2 * time.Second
)

// Result is what a check found last.
type Result struct {
	Name     string
	Findings []Finding
	At       time.Time // when it was found; zero: nothing is known yet
	Checking bool      // it is being looked at anew
}

// Monitor keeps what checks found, and has them look again while somebody reads. It never waits for a
// check longer than a reader may be kept.
type Monitor struct {
	now    func() time.Time
	mu     sync.Mutex
	checks []*kept
}

// kept is a check with what it found last.
type kept struct {
	Check
	found []Finding
	at    time.Time
	busy  bool          // a look is under way, or never came back
	told  chan struct{} // closed when the look that is under way has told, or was given up
}

// New makes a monitor of checks, in the order in which they are shown.
func New(now func() time.Time, checks ...Check) *Monitor {
	m := &Monitor{now: now}
	for _, c := range checks {
		if c.Every == 0 {
			c.Every = every
		}
		if c.Within == 0 {
			c.Within = within
		}
		m.checks = append(m.checks, &kept{Check: c})
	}
	return m
}

// Known gives what is known, and has looked at anew what has grown old, without waiting for it. Only
// who asks first, before anything is known, waits for a moment.
func (m *Monitor) Known(ctx context.Context) []Result {
	m.mu.Lock()
	known := len(m.checks) == 0
	now := m.now()
	for _, k := range m.checks {
		known = known || !k.at.IsZero()
		if now.Sub(k.at) >= k.Every {
			m.begin(ctx, k)
		}
	}
	m.mu.Unlock()
	if !known {
		m.wait(ctx, first)
	}
	return m.results()
}

// Fresh has everything looked at anew, but what was just now, and waits for it as long as it may. What
// takes longer is told as it was known, and as being checked.
func (m *Monitor) Fresh(ctx context.Context, patience time.Duration) []Result {
	m.mu.Lock()
	now := m.now()
	for _, k := range m.checks {
		if now.Sub(k.at) >= pause {
			m.begin(ctx, k)
		}
	}
	m.mu.Unlock()
	m.wait(ctx, patience)
	return m.results()
}

// begin starts a look, unless one is under way; m.mu is held. It goes on when the reader who asked for
// it has left: others read what it tells.
func (m *Monitor) begin(ctx context.Context, k *kept) {
	if k.busy {
		return
	}
	k.busy, k.told = true, make(chan struct{})
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), k.Within)
	over := time.NewTimer(k.Within + grace)
	found := make(chan []Finding, 1)
	go func() {
		found <- k.look(ctx)
	}()
	go func() {
		defer stop()
		defer over.Stop()
		select {
		case list := <-found:
			m.tell(k, list)
		case <-over.C:
			m.tell(k, []Finding{k.silent()})
			<-found // whoever does not come back is not asked again
		}
		m.mu.Lock()
		k.busy = false
		m.mu.Unlock()
	}()
}

// look looks, and makes a finding of a panic: a check that is broken brings nothing down.
func (c *Check) look(ctx context.Context) (list []Finding) {
	defer func() {
		if p := recover(); p != nil {
			list = []Finding{{What: c.Name, Saw: fmt.Sprintf("the check failed: %v", p), Bad: true}}
		}
	}()
	return c.Look(ctx)
}

// silent is what is found of what does not answer.
func (c *Check) silent() Finding {
	return Finding{What: c.Name, Saw: fmt.Sprintf("there was no answer within %s", c.Within), Bad: true,
		Advice: "Check that what it asks runs, and the network on the way."}
}

func (m *Monitor) tell(k *kept, list []Finding) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k.found, k.at = list, m.now()
	close(k.told)
}

// wait waits until all looks that are under way have told.
func (m *Monitor) wait(ctx context.Context, patience time.Duration) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	m.mu.Lock()
	var open []chan struct{}
	for _, k := range m.checks {
		if k.busy {
			open = append(open, k.told)
		}
	}
	m.mu.Unlock()
	for _, told := range open {
		select {
		case <-told:
		case <-ctx.Done():
			return
		}
	}
}

func (m *Monitor) results() []Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]Result, len(m.checks))
	for i, k := range m.checks {
		list[i] = Result{k.Name, slices.Clone(k.found), k.at, k.busy && !isClosed(k.told)}
	}
	return list
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
