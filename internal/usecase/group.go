package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// CreateGroup makes a group in a set of the caller's unit, for whoever holds
// policy.CreateGroups. Places beyond the set's capacity are for policy.SteerGroup to give. A
// student joins the group they make, and is refused when they are in another of the set: they
// would leave it unawares.
func (s *Service) CreateGroup(ctx context.Context, who *access.Caller, setID int64, n enrol.NewGroup) (*enrol.Group,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Group, error) { return createGroup(ctx, q, who, setID, n) })
}

func createGroup(ctx context.Context, q db.Q, who *access.Caller, setID int64, n enrol.NewGroup) (*enrol.Group, error) {
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

// ChangeGroup changes a group of the caller's unit, for whoever holds policy.EditGroup; what
// is more than its name takes policy.SteerGroup. It refuses a name that is taken, and a
// tutorial to which a member cannot move, and values that are no longer what was seen.
func (s *Service) ChangeGroup(ctx context.Context, who *access.Caller, setID, id int64,
	c enrol.GroupChange) (*enrol.Group, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Group, error) {
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
	})
}

// Membership is a student's place in a group of a set.
type Membership struct {
	SetID, GroupID, ProjectID int64
	Within                    bool   // a full group is refused to those who may exceed it, too
	Seen                      *int64 // the group they were seen in, 0: none; nil: it does not matter
}

// JoinGroup makes a student a member of a group, and takes them out of the one of the same
// set they were in, for whoever holds policy.ChangeGroup. A full group takes them only if
// the caller holds policy.OverfillGroup and does not want it kept within its places. It refuses
// a locked one, a student who is not in the tutorial the group stays in, and one who is in
// another group by now than the caller saw.
func (s *Service) JoinGroup(ctx context.Context, who *access.Caller, m Membership) (*enrol.Member, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Member, error) {
		return enrol.JoinGroup(ctx, q, enrol.Joining{SetID: m.SetID, GroupID: m.GroupID, ProjectID: m.ProjectID,
			Exceed: who.May(policy.OverfillGroup) && !m.Within, Seen: m.Seen})
	})
}

// LeaveGroup takes a student out of a group, for whoever holds policy.ChangeGroup. It refuses
// a locked one, and with fault.Missing a student who is not in it.
func (s *Service) LeaveGroup(ctx context.Context, m Membership) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return enrol.LeaveGroup(ctx, q, m.SetID, m.GroupID, m.ProjectID) })
}
