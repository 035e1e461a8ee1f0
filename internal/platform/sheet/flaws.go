package sheet

import (
	"errors"
	"strings"

	"lectern/internal/ground/fault"
)

// Flaws collects what is wrong with a row, so that whoever wrote it can put all of it right at once.
type Flaws []error

// Add notes what is wrong, if anything.
func (f *Flaws) Add(err error) {
	if err != nil {
		*f = append(*f, err)
	}
}

// Say notes what is wrong with a row in words, which also tell what to do.
func (f *Flaws) Say(format string, args ...any) { f.Add(fault.New(fault.Refused, format, args...)) }

// Err is one error of all of them, nil where there is none. Several are told in a sentence each, none of
// which gets a capital letter: it may begin with a heading or with a name of the sheet.
func (f Flaws) Err() error {
	if len(f) < 2 {
		return errors.Join(f...)
	}
	told := make([]string, len(f))
	for i, err := range f {
		told[i] = strings.TrimRight(err.Error(), ".") + "."
	}
	return fault.New(fault.Refused, "%s", strings.Join(told, " "))
}
