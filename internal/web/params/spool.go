package params

import (
	"sync"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
)

// Spool bounds what uploads on their way hold of the disk, all together and those
// of each sender. A nil Spool, and a bound of 0, are none.
type Spool struct {
	All, Each int64 // bytes

	mu   sync.Mutex
	used int64
	by   map[int64]int64
}

// account is what the uploads of one request hold.
type account struct {
	spool  *Spool
	sender int64
	held   int64
}

// take asks for room for n more bytes. Too much of all senders is
// fault.Unavailable, too much of this one fault.Throttled.
func (a *account) take(n int64) error {
	s := a.spool
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Each > 0 && s.by[a.sender]+n > s.Each {
		return &fault.Error{Kind: fault.Throttled, Wait: time.Minute, Text: "You are uploading more than " +
			bounds.SizeText(s.Each) + " at once. Wait until your other uploads are complete, and send this again."}
	}
	if s.All > 0 && s.used+n > s.All {
		return &fault.Error{Kind: fault.Unavailable, Wait: time.Minute,
			Text: "Too many uploads are running right now. Send this again in a minute."}
	}
	if s.by == nil {
		s.by = map[int64]int64{}
	}
	s.used, s.by[a.sender], a.held = s.used+n, s.by[a.sender]+n, a.held+n
	return nil
}

// giveBack lets go of all that was taken.
func (a *account) giveBack() {
	s := a.spool
	if s == nil || a.held == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= a.held
	if s.by[a.sender] -= a.held; s.by[a.sender] == 0 {
		delete(s.by, a.sender)
	}
	a.held = 0
}
