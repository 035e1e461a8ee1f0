package fault

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fields collects what is wrong with the fields of a record, so that a person
// can put everything right at once. Its zero value is ready for use.
type Fields struct {
	reasons map[string]string
	outside bool // a value is outside its set, which makes the whole Invalid
}

// Add notes what is wrong with a field, in words that go on after its name. Of
// two flaws of one field the later counts.
func (f *Fields) Add(name, format string, args ...any) {
	if f.reasons == nil {
		f.reasons = map[string]string{}
	}
	f.reasons[name] = fmt.Sprintf(format, args...)
}

// Outside notes a value that is outside the set it must be of, which is Invalid
// whatever the other flaws are.
func (f *Fields) Outside(name, format string, args ...any) {
	f.Add(name, format, args...)
	f.outside = true
}

// When adds a flaw where wrong is true.
func (f *Fields) When(wrong bool, name, format string, args ...any) {
	if wrong {
		f.Add(name, format, args...)
	}
}

// Len is how many fields have a flaw.
func (f *Fields) Len() int { return len(f.reasons) }

// Err makes one Error of all that was added, with a text that lists it; nil
// when there was nothing.
func (f *Fields) Err(k Kind) error {
	if len(f.reasons) == 0 {
		return nil
	}
	return &Error{Kind: f.kind(k), Text: f.String(), Fields: f.reasons, lists: true}
}

func (f *Fields) kind(k Kind) Kind {
	if f.outside {
		return Invalid
	}
	return k
}

// ErrSaying is Err with a text of its own.
func (f *Fields) ErrSaying(k Kind, text string) error {
	if len(f.reasons) == 0 {
		return nil
	}
	return &Error{Kind: f.kind(k), Text: text, Fields: f.reasons}
}

// String lists the fields and what is wrong with each, in a fixed order.
func (f *Fields) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f.reasons)) {
		parts = append(parts, name+" "+f.reasons[name])
	}
	return strings.Join(parts, ". ")
}

// Renamed gives the error with other names for its fields, in a text that lists
// them, too. The domain names a field of its own; whoever shows the error knows
// what the field is called there.
func (e *Error) Renamed(name func(field string) string) *Error {
	named := Fields{reasons: make(map[string]string, len(e.Fields))}
	for field, reason := range e.Fields {
		named.reasons[name(field)] = reason
	}
	out := *e
	out.Fields = named.reasons
	if e.lists {
		out.Text = named.String()
	}
	return &out
}
