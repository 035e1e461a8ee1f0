package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// AddActivityType creates an activity type, for whoever holds policy.EditActivities. It
// refuses a blank name or abbreviation, and with fault.Conflict one that another type has.
func (s *Service) AddActivityType(ctx context.Context, name, abbreviation string) (*course.ActivityType, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.ActivityType, error) {
		return course.AddActivityType(ctx, q, name, abbreviation)
	})
}

// ChangeActivityType sets what c names of an activity type, for whoever holds
// policy.EditActivities. It refuses what AddActivityType refuses.
func (s *Service) ChangeActivityType(ctx context.Context, id int64,
	c course.ActivityTypeChange) (*course.ActivityType, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.ActivityType, error) {
		return course.ChangeActivityType(ctx, q, id, c)
	})
}

// DeleteActivityType removes an activity type, for whoever holds policy.EditActivities. It
// refuses with fault.Conflict one that a tutorial stream uses.
func (s *Service) DeleteActivityType(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return course.DeleteActivityType(ctx, q, id) })
}
