package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// CreateGroup makes a group in a set of the caller's unit. Places beyond the
// set's capacity are for staff to give. A student joins the group they make,
// and is refused when they are in another of the set: they would leave it
// unawares.
func CreateGroup(ctx context.Context, q db.Q, who *access.Caller, setID int64, n enrol.NewGroup) (*enrol.Group, error) {
	if n.CapacityAdjustment != 0 {
		if err := who.Must(policy.SteerGroup); err != nil {
			return nil, err
		}
	}
	g, err := enrol.AddGroup(ctx, q, who.UnitID, setID, n)
	if err != nil || who.May(policy.SteerGroup) {
		return g, err
	}
	project, err := enrol.ProjectOfUser(ctx, q, who.UnitID, who.ID)
	if err != nil {
		return nil, err
	}
	g.StudentCount = 1
	return g, enrol.JoinFirst(ctx, q, setID, g.ID, project)
}

// ChangeGroup changes a group of the caller's unit. What is more than its name
// is for staff to change.
func ChangeGroup(ctx context.Context, q db.Q, who *access.Caller, setID, id int64, c enrol.GroupChange) (*enrol.Group,
	error) {
	g, err := enrol.LockGroup(ctx, q, setID, id)
	if err != nil {
		return nil, err
	}
	if c.Steers(g) {
		if err := who.Must(policy.SteerGroup); err != nil {
			return nil, err
		}
	}
	return enrol.ChangeGroup(ctx, q, who.UnitID, g, c)
}
