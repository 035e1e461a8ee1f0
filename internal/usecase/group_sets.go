package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// AddGroupSet makes a group set in a unit, for whoever holds policy.EditGroupSets. Without
// other words students make and manage its groups. It refuses with fault.Conflict a name
// that is taken.
func (s *Service) AddGroupSet(ctx context.Context, unitID int64, c enrol.GroupSetChange) (*enrol.GroupSet, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.GroupSet, error) {
		return enrol.AddGroupSet(ctx, q, unitID, c)
	})
}

// ChangeGroupSet changes a group set, for whoever holds policy.EditGroupSets. It refuses with
// fault.Conflict a name that is taken, and to keep groups in their class while a member is
// in another, and values that are no longer what was seen.
func (s *Service) ChangeGroupSet(ctx context.Context, id int64, c enrol.GroupSetChange) (*enrol.GroupSet, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.GroupSet, error) {
		return enrol.ChangeGroupSet(ctx, q, id, c)
	})
}
