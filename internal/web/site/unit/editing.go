package unit

import (
	"errors"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/web/site/page"
)

// editing is the fields of one record, as they are typed.
type editing[T any] struct {
	ID    int64 // 0: it is new
	Typed T
	fill  bool // nobody typed yet: the fields hold what the record has
	seen  *T   // what they held when they were read; nil: as they are
	wrong map[string]string
	clash bool                     // somebody else changed what is wrong
	now   func(name string) string // what a field holds by now, in words
	words *page.Language
}

// hold fills the fields with what the record has where nobody typed.
func (e *editing[T]) hold(now T) {
	if e.fill {
		e.Typed = now
	}
	if e.seen == nil {
		e.seen = &now
	}
}

// Seen is what the fields held when they were read, for the form to send back.
func (e *editing[T]) Seen() (string, error) { return packSeen(e.seen) }

// refused tells what is wrong with the fields. What somebody else changed meanwhile is told with both
// values, and saving once more takes what is typed.
func (e *editing[T]) refused(p *page.Page, why error, now T) {
	if f, ok := errors.AsType[*fault.Error](why); ok {
		e.wrong = f.Fields
	}
	if len(e.wrong) == 0 {
		return
	}
	p.Wrong.Text = e.words.Word("task-setup.refused")
	if e.clash = fault.Is(why, fault.Conflict) && e.ID != 0; e.clash {
		e.Typed = onto(e.Typed, *e.seen, now)
		e.seen = &now
	}
}

// Error tells what is wrong with a field, and what it holds by now where somebody else changed it.
func (e *editing[T]) Error(name string) string {
	why := e.wrong[name]
	switch {
	case why == "":
		return ""
	case e.clash:
		return e.words.Word("task-setup.clash", e.now(name))
	}
	return strings.ToUpper(why[:1]) + why[1:] + "."
}

// flag tells in words whether something is on.
func (e *editing[T]) flag(on bool) string {
	if on {
		return e.words.Word("task-setup.on")
	}
	return e.words.Word("task-setup.off")
}

// again draws a page once more with what is wrong with the fields that are typed.
func again[T any](s *room, p *page.Page, e *editing[T], why error, now T) (*page.Page, error) {
	p, err := s.Again(p, why)
	if err == nil {
		e.refused(p, why, now)
	}
	return p, err
}
