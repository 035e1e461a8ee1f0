package marking

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity"
	"lectern/internal/web/endpoint"
)

// deskSimilarity leads to where both works are seen beside each other. The address is good
// for a minute and for the caller only.
func (s *room) deskSimilarity(ctx context.Context, who *access.Caller, in struct {
	deskTaskIn
	ID int64 `path:"similarity_id"`
}) (endpoint.Redirect, error) {
	var r *similarity.Record
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		r, err = similarity.ByID(ctx, q, who, in.TaskID, in.ID)
		return err
	})
	if err != nil {
		return endpoint.Redirect{}, err
	}
	if outside, ok := r.OutsideID(); ok {
		to, err := s.Usecases.OutsideReport(ctx, who, outside)
		return endpoint.Redirect{To: to}, err
	}
	signer, err := s.Usecases.Keys.Signer(ctx)
	if err != nil {
		return endpoint.Redirect{}, err
	}
	token, err := similarity.Seal(signer, who, in.TaskID, in.ID, s.DB.Now())
	return endpoint.Redirect{To: "/api/similarity_pages/" + token}, err
}
