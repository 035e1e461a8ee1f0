// Package fault holds the kinds of failure the service tells its callers
// about. A fault carries words meant for a person; anything that is not a
// fault is the service's own trouble and is only logged.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Kind is a class of failure. The HTTP face gives each its status.
type Kind uint8

// The kinds, in the order of the statuses they become.
const (
	Internal    Kind = iota // not the caller's doing; its text is only logged
	Invalid                 // the request cannot be used as it is (400)
	Unknown                 // no, wrong or expired credentials (401)
	Denied                  // the caller may not do this (403)
	Missing                 // no such thing, or not under that parent (404)
	TooSlow                 // the body did not come in time (408)
	Conflict                // the present state forbids it (409)
	Stale                   // what it was asked of is another by now (412)
	TooLarge                // more than the service takes (413)
	Unsupported             // not an accepted type of content (415)
	Refused                 // well formed, but a rule of the domain says no (422)
	Throttled               // too many tries; wait (429)
	Upstream                // an outside service failed (502)
	Unavailable             // not configured, or not ready (503)
)

// slugs are the stable codes a program may rely on.
var slugs = [...]string{"internal", "invalid", "unauthenticated", "forbidden", "not_found", "too_slow", "conflict",
	"stale", "too_large", "unsupported_type", "refused", "throttled", "upstream_failed", "unavailable"}

// Slug is the stable code of a kind on the wire.
func (k Kind) Slug() string { return slugs[k] }

// Error is a failure with words meant for the caller.
type Error struct {
	Kind   Kind
	Text   string            // a sentence a person can act on
	Code   string            // what a program tells it from others of its kind by; the kind's own when empty
	Fields map[string]string // what is wrong with which field, for Invalid and Refused
	Wait   time.Duration     // how long to wait, for Throttled
	Stands any               // what stands instead of what was asked for, for Conflict; shown as it encodes
	Err    error             // what caused it, if anything; never shown

	lists bool   // Text is the list of Fields
	own   string // Text for the person it is about
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Text
	}
	return e.Text + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Sentence gives the text as a person reads it: with a capital letter, unless it
// begins with the name of a field or a file, and with a full stop.
func (e *Error) Sentence() string {
	text := strings.TrimSpace(e.Text)
	if text == "" {
		return text
	}
	word, _, _ := strings.Cut(text, " ")
	_, named := e.Fields[word]
	first, size := utf8.DecodeRuneInString(text)
	if plain := strings.IndexFunc(strings.TrimRight(word, ",:;."), notLetter) < 0; plain && !named {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }

// New makes an Error from a format.
func New(k Kind, format string, args ...any) error {
	return &Error{Kind: k, Text: fmt.Sprintf(format, args...)}
}

// About makes an Error about somebody, with a text for others and one for themselves,
// both made from the same values.
func About(k Kind, others, own string, args ...any) error {
	return &Error{Kind: k, Text: fmt.Sprintf(others, args...), own: fmt.Sprintf(own, args...)}
}

// ToThemselves gives err as the person it is about reads it.
func ToThemselves(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.own == "" {
		return err
	}
	told := *e
	told.Text = e.own
	return &told
}

// Field makes an Error about one field: its text reads "name reason".
func Field(k Kind, name, format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	return &Error{Kind: k, Text: name + " " + reason, Fields: map[string]string{name: reason}, lists: true}
}

// KindOf gives the kind of err, Internal when it has none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is tells whether err is a fault of kind k.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }
