// Package submit takes in work that students hand in: every submission is kept
// as a version with its files, is answered with a signed receipt, and becomes
// one PDF that can be read and marked.
package submit

import (
	"fmt"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/taskdef"
)

// MostFile is how large a file may be unless the settings say otherwise.
const MostFile = 10 * bounds.MB

// File is one of a submission: what was asked for, and what was sent.
type File struct {
	Position int                `db:"position"`
	Key      string             `db:"key"`
	Title    string             `db:"title"` // of the requirement
	Kind     taskdef.UploadKind `db:"kind"`
	Name     string             `db:"name"` // as the sender calls it; of one that came in a zip its path there
	Hash     files.Hash         `db:"hash"`
	Size     int64              `db:"size"`
	Zipped   bool               `db:"zipped" json:",omitempty"` // it came in a zip
	Checked  bool               // as the requirement says, of work that is just handed in
}

// Heading is what the file is called among all of a submission: what was asked for or, of one of
// a zip, its path there.
func (f File) Heading() string {
	if f.Zipped {
		return f.Name
	}
	return f.Title
}

// StoredName is the name of the file in archives: its number, its kind and an
// ending that is safe on every system, as in 000-code.py. What came in a zip lies as it lay there,
// in a folder of the requirement's: such paths were checked when they came in.
func (f File) StoredName() string {
	if f.Zipped {
		return f.Key + "/" + f.Name
	}
	return fmt.Sprintf("%03d-%s%s", f.Position, f.Kind, f.Kind.Ending(f.Name))
}

// Match tells which of the sent files, known by their keys, meets which
// requirement; all that are missing or not asked for are named at once.
func Match(wanted taskdef.Requirements, sent []string) error {
	var wrong fault.Fields
	var words []string // in the order of the requirements
	flaw := func(key, reason string) {
		wrong.Add(key, "%s", reason)
		words = append(words, key+" "+reason)
	}
	left := map[string]bool{}
	for _, key := range sent {
		left[key] = true
	}
	for _, r := range wanted {
		if !left[r.Key] {
			flaw(r.Key, fmt.Sprintf("is required: %s (%s)", r.Name, r.Type))
		}
		delete(left, r.Key)
	}
	for _, key := range sent {
		if left[key] {
			flaw(key, "is not asked for by this task")
			delete(left, key)
		}
	}
	return wrong.ErrSaying(fault.Invalid, strings.Join(words, ". "))
}
