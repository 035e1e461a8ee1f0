package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// AddCampus creates a campus, for whoever holds policy.EditCampuses. It refuses a blank name
// or abbreviation, and with fault.Conflict one that another campus has.
func (s *Service) AddCampus(ctx context.Context, c course.Campus) (*course.Campus, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.Campus, error) { return course.AddCampus(ctx, q, c) })
}

// ChangeCampus sets what c names of a campus, for whoever holds policy.EditCampuses. It
// refuses what AddCampus refuses.
func (s *Service) ChangeCampus(ctx context.Context, id int64, c course.CampusChange) (*course.Campus, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*course.Campus, error) { return course.ChangeCampus(ctx, q, id, c) })
}

// DeleteCampus removes a campus, for whoever holds policy.EditCampuses. It refuses with
// fault.Conflict one that a student or a tutorial uses: they would be left without.
func (s *Service) DeleteCampus(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return course.DeleteCampus(ctx, q, id) })
}
