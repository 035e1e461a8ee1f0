package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

// AskReview asks the staff to look again at what they gave on a task, for whoever holds
// policy.AskReview on it. It refuses with fault.Conflict as work.AskReview does.
func (s *Service) AskReview(ctx context.Context, who *access.Caller, at work.TaskRef,
	w work.ReviewRequest) (*work.Review, error) {
	return change(ctx, s.DB, func(q db.Q) (*work.Review, error) {
		return work.AskReview(ctx, q, who.ID, at, w)
	})
}

// AnswerReview answers a review request, which closes it, for whoever holds policy.AnswerReview
// on the task. It refuses with fault.Conflict one that is answered already.
func (s *Service) AnswerReview(ctx context.Context, who *access.Caller, at work.TaskRef, id int64,
	words string) (*work.Review, error) {
	return change(ctx, s.DB, func(q db.Q) (*work.Review, error) {
		return work.AnswerReview(ctx, q, who.ID, at, id, words)
	})
}
