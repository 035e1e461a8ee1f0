package endpoint

import (
	"fmt"
	"sync"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
)

// Allowance bounds how often one person may use the expensive endpoints that
// share it: so many at once, and one more every so often. It is far above what
// people do, and there to stop a program that runs wild.
type Allowance struct {
	Name  string
	Most  int
	Every time.Duration
}

// The allowances of expensive endpoints. All others have none.
var (
	Imports   = &Allowance{"imports", 60, 10 * time.Second}
	Exports   = &Allowance{"exports", 120, 5 * time.Second}
	Readings  = &Allowance{"readings of documents", 200, 2 * time.Second}
	Rollovers = &Allowance{"rollovers", 20, 30 * time.Second}
	Emails    = &Allowance{"emails", 60, 10 * time.Second}
	Lookups   = &Allowance{"searches for people", 200, 2 * time.Second}
)

// Costs says that whoever uses the endpoint draws on an allowance, and is answered
// 429 with Retry-After when it is used up. A refused request costs nothing.
func Costs(a *Allowance) Option {
	return func(i *Info) {
		i.Allowance = a
		Also(429, "too many "+a.Name+" by this person; Retry-After says how long to wait")(i)
	}
}

// mustKnowWhom panics where visitors could draw on an allowance, as it is kept by
// person.
func (i *Info) mustKnowWhom() {
	if i.Allowance != nil && i.Right.Allows(policy.Visitor) {
		panic(fmt.Sprintf("endpoint: %s %s costs, but visitors may use it", i.Method, i.Path))
	}
}

// ledger keeps what each person has used. It is kept by process, not in the
// database: it guards the processor and the memory of this process, of which every
// further instance brings its own, and on SQLite a count would wait for the import
// that it is there to bound.
type ledger struct {
	now   clock.Clock
	mu    sync.Mutex
	paid  map[account]time.Time // when all that was used will be made up for
	sweep int                   // how many accounts there may be before settled ones are removed
}

type account struct {
	user      int64
	allowance *Allowance
}

func newLedger(now clock.Clock) *ledger {
	if now == nil {
		now = clock.Real
	}
	return &ledger{now: now, paid: map[account]time.Time{}, sweep: 1000}
}

// check refuses whoever has nothing left, before more of the request is read than is brief.
func (l *ledger) check(user int64, a *Allowance) error {
	if a == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refuse(account{user, a}, l.now())
}

// spend takes one use of the allowance.
func (l *ledger) spend(user int64, a *Allowance) error {
	if a == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now, who := l.now(), account{user, a}
	if err := l.refuse(who, now); err != nil {
		return err
	}
	from := l.paid[who]
	if from.Before(now) {
		from = now
	}
	l.paid[who] = from.Add(a.Every)
	l.tidy(now)
	return nil
}

func (l *ledger) refuse(who account, now time.Time) error {
	a, used := who.allowance, l.paid[who]
	if used.IsZero() {
		return nil
	}
	wait := used.Sub(now) - time.Duration(a.Most-1)*a.Every
	if wait <= 0 {
		return nil
	}
	return &fault.Error{Kind: fault.Throttled, Wait: wait, Text: fmt.Sprintf("There were too many %s in a short "+
		"time. Wait %s and try again.", a.Name, bounds.WaitText(wait))}
}

// tidy forgets who has made up for everything, now and then.
func (l *ledger) tidy(now time.Time) {
	if len(l.paid) < l.sweep {
		return
	}
	for who, until := range l.paid {
		if !until.After(now) {
			delete(l.paid, who)
		}
	}
	l.sweep = 2*len(l.paid) + 1000
}
