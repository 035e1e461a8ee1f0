package editing

import (
	"errors"

	"lectern/internal/ground/fault"
	"lectern/internal/web/site/page"
)

// Record is the fields of one record, as they are typed.
type Record[T any] struct {
	ID     int64 // 0: it is new
	Typed  T
	Fill   bool // nobody typed yet: the fields hold what the record has
	Before *T   // what they held when they were read; nil: as they are
	wrong  map[string]string
	clash  bool                     // somebody else changed what is wrong
	Now    func(name string) string // what a field holds by now, in words
	Words  *page.Language
}

// Hold fills the fields with what the record has where nobody typed.
func (e *Record[T]) Hold(now T) {
	if e.Fill {
		e.Typed = now
	}
	if e.Before == nil {
		e.Before = &now
	}
}

// Seen is what the fields held when they were read, for the form to send back.
func (e *Record[T]) Seen() (string, error) { return Pack(e.Before) }

// Refused tells what is wrong with the fields. What somebody else changed meanwhile is told with both
// values, and saving once more takes what is typed.
func (e *Record[T]) Refused(p *page.Page, why error, now T) {
	if f, ok := errors.AsType[*fault.Error](why); ok {
		e.wrong = f.Fields
	}
	if len(e.wrong) == 0 {
		return
	}
	p.Wrong.Text = e.Words.Word("task-setup.refused")
	if e.clash = fault.Is(why, fault.Conflict) && e.ID != 0; e.clash {
		e.Typed = Onto(e.Typed, *e.Before, now)
		e.Before = &now
	}
}

// Error tells what is wrong with a field, and what it holds by now where somebody else changed it.
func (e *Record[T]) Error(name string) string {
	why := e.wrong[name]
	switch {
	case why == "":
		return ""
	case e.clash:
		return e.Words.Word("task-setup.clash", e.Now(name))
	}
	return Sentence(why)
}

// Flag tells in words whether something is on.
func (e *Record[T]) Flag(on bool) string {
	if on {
		return e.Words.Word("task-setup.on")
	}
	return e.Words.Word("task-setup.off")
}

// Again draws a page once more with what is wrong with the fields that are typed.
func Again[T any](s *page.Site, p *page.Page, e *Record[T], why error, now T) (*page.Page, error) {
	p, err := s.Again(p, why)
	if err == nil {
		e.Refused(p, why, now)
	}
	return p, err
}
