package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/assess"
)

// AddImage adds a container image that assessments run in, for whoever holds
// policy.ManageImages. It refuses a blank name and a tag that is no reference of an image,
// and with fault.Conflict what another image has.
func (s *Service) AddImage(ctx context.Context, i assess.Image) (*assess.Image, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*assess.Image, error) { return assess.AddImage(ctx, q, i) })
}

// ChangeImage changes the name or the tag of a container image, for whoever holds
// policy.ManageImages. It refuses what AddImage refuses, and with fault.Conflict a value that is
// no longer what the change says was seen. With another tag the image counts as not pulled.
func (s *Service) ChangeImage(ctx context.Context, id int64, c assess.ImageChange) (*assess.Image, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*assess.Image, error) {
		return assess.ChangeImage(ctx, q, id, c)
	})
}

// DeleteImage removes a container image, for whoever holds policy.ManageImages. It refuses
// with fault.Conflict one that a unit or a task uses.
func (s *Service) DeleteImage(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return assess.DeleteImage(ctx, q, id) })
}

// PullImage has a job pull a container image, for whoever holds policy.ManageImages; one
// that is being pulled goes on. It refuses with fault.Missing an image that there is not,
// and where no container engine is set up.
func (s *Service) PullImage(ctx context.Context, id int64) error {
	if _, err := assess.ImageByID(ctx, s.DB.Pool(), id); err != nil {
		return err
	}
	if err := s.CheckAssess(); err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(q db.Q) error { return assess.AskPull(ctx, q, id) })
}
