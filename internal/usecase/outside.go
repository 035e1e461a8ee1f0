package usecase

import (
	"context"

	"lectern/internal/connect/turnitin"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// AcceptAgreement notes that a user agreed to the terms of the outside similarity service,
// for themselves only (policy.AcceptTerms). It is fault.Conflict where there is nothing to
// agree to.
func (s *Service) AcceptAgreement(ctx context.Context, userID int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return s.Outside.Accept(ctx, q, userID) })
}

// RetryOutside has something tried again at the outside similarity service that was given
// up, for whoever holds policy.SteerOutside in the unit; 0: in any. An Admin also lifts a
// stop: whoever asks for a retry has seen to the key. It is fault.Conflict while the action
// waits and when it is done.
func (s *Service) RetryOutside(ctx context.Context, who *access.Caller, id, unitID int64) (*turnitin.Action, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*turnitin.Action, error) {
		return s.Outside.Again(ctx, q, id, unitID, who.Role == policy.Admin)
	})
}

// TakeNotice takes a notification of the outside similarity service, whose signature was
// checked, and has what it is about looked at. It refuses a body that is no JSON object.
func (s *Service) TakeNotice(ctx context.Context, event string, body []byte) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return s.Outside.Notice(ctx, q, event, body) })
}

// SendAttachment has a document of a task's resources sent to the outside similarity service
// again, for whoever holds policy.EditDefinitions. It is fault.Unavailable where no such
// service is configured.
func (s *Service) SendAttachment(ctx context.Context, unitID, definitionID, id int64) (*turnitin.Attachment, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*turnitin.Attachment, error) {
		return s.Outside.SendAttachment(ctx, q, unitID, definitionID, id)
	})
}

// RemoveAttachment takes a document of a task's resources away from the outside similarity
// service, for whoever holds policy.EditDefinitions. It comes back when its content changes.
func (s *Service) RemoveAttachment(ctx context.Context, unitID, definitionID, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		return turnitin.RemoveAttachment(ctx, q, unitID, definitionID, id)
	})
}
