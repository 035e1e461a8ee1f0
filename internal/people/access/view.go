package access

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// View is a look of one of the staff at a project as its student sees it. A caller
// with one is the student for whatever is read of that project, and nobody anywhere
// else; see Permit.
type View struct {
	ID                  int64
	UnitID, ProjectID   int64
	FirstName, LastName string // of the student
	ExpiresAt           clock.Time
	ViewerID            int64       // who looks
	ViewerRole          policy.Role // in the system
}

// Actor is who acts: the caller or, where one looks as a student does, who looks.
func (c *Caller) Actor() int64 {
	if c.View != nil {
		return c.View.ViewerID
	}
	return c.ID
}

// looks refuses a view what it does not reach: anything but its own project, and there
// whatever the one who looks may not do as who they are. Their standing is asked for
// each time, so a role that is taken away ends the look at once.
func (c *Caller) looks(ctx context.Context, q db.Q, s Scope, r policy.Rule) error {
	if c.View == nil {
		return nil
	}
	if c.ProjectID != c.View.ProjectID {
		return fault.New(fault.Denied, "You are viewing one project as its student. Leave the view to open anything "+
			"else.")
	}
	viewer, err := Resolve(ctx, q, Caller{ID: c.View.ViewerID, Role: c.View.ViewerRole}, s)
	if err != nil {
		return err
	}
	if err := viewer.Must(policy.SeeAsStudent); err != nil {
		return err
	}
	return viewer.Must(r.On(viewer.about()))
}

// errLooksOnly refuses what a view would write.
func errLooksOnly() error {
	return fault.New(fault.Denied, "You are viewing this as the student, so nothing can be changed. Leave the view "+
		"first.")
}
