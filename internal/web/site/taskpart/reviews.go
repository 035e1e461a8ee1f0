package taskpart

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

// Reviews are the reviews that students asked for on a task, and what the reader may do.
type Reviews struct {
	List   []work.Review
	Path   string           // of the page where they are asked for and answered
	Ask    *work.Reviewable // what its student may ask a review of now; nil: nothing
	Answer bool             // the reader may answer
}

// Open are those that nobody has answered.
func (r *Reviews) Open() (list []work.Review) {
	for _, one := range r.List {
		if one.Open() {
			list = append(list, one)
		}
	}
	return list
}

// ReviewsOf reads the reviews of a task for its student, and for whoever holds policy.SeeReviews;
// for others there are none. The staff see those of a whole group, which they mark together.
func ReviewsOf(ctx context.Context, q db.Q, who *access.Caller, in In) (*Reviews, error) {
	r := &Reviews{Path: in.Path() + "/review"}
	staff := who.May(policy.SeeReviews)
	if !staff && who.ID != who.OwnerID {
		return r, nil
	}
	r.Answer = staff && who.May(policy.AnswerReview)
	var err error
	if r.List, err = work.ReviewsOf(ctx, q, in.Ref(), r.Answer); err != nil || !who.May(policy.AskReview) {
		return r, err
	}
	now, err := work.ReviewableNow(ctx, q, in.Ref())
	if err == nil && now.Now() {
		r.Ask = now
	}
	return r, err
}
