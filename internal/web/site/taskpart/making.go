package taskpart

import (
	"context"
	"strings"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
)

// Making is how far the document of a submission has come.
type Making struct {
	Path   string // of the submission
	Task   string // path of its task
	Label  string // what to call the document
	State  submit.State
	Done   int
	Parts  int
	Ahead  int // documents that are made first
	Reason string
	Mine   bool // the reader handed it in, and may have it made again
}

// Going tells whether the document is still on its way.
func (m *Making) Going() bool { return m.State == submit.Queued || m.State == submit.Processing }

// NotShown is what the document of a submission does not show of its files, a line for each.
func (m *Making) NotShown() []string {
	if m.State != submit.Ready || m.Reason == "" {
		return nil
	}
	return strings.Split(m.Reason, "\n")
}

// MakingOf tells how far the document of a version is.
func MakingOf(ctx context.Context, q db.Q, who *access.Caller, in In, v *submit.Version) (m *Making, err error) {
	m = &Making{Path: in.Path() + "/versions/" + v.At.String(), Task: in.Path(), Label: v.Abbreviation, State: v.State,
		Done: v.Done, Parts: v.Parts, Mine: who.ID == who.OwnerID}
	if v.Reason != nil {
		m.Reason = *v.Reason
	}
	if v.State == submit.Queued {
		m.Ahead, err = submit.Ahead(ctx, q, v.ID)
	}
	return m, err
}
