package marking

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// unitReviews is where the list stands.
const unitReviews = "/units/{id}/reviews"

func (s *room) reviewRoutes() {
	page.Show(s.Site, unitReviews, policy.SeeReviews, "The reviews asked for in a unit", s.reviews)
}

type reviewsIn struct {
	ID   int64 `path:"id" scope:"unit"`
	From int64 `param:"from"` // how many answered ones to pass over
}

// reviewsPage is what the list of reviews shows.
type reviewsPage struct {
	UnitID   int64
	Open     []work.Review
	All      int64 // that are open
	Answered []work.Review
	Former   int64 // that are answered
	From     int64
}

// Path is where the page stands.
func (v *reviewsPage) Path() string { return links.To(unitReviews, v.UnitID) }

// Desk is where a review is answered beside the work.
func (v *reviewsPage) Desk(taskID int64) string { return links.DeskAt(v.UnitID, taskID) }

// More is where the next answered ones start; 0: there are none.
func (v *reviewsPage) More() int64 {
	if next := v.From + mostDecided; next < v.Former {
		return next
	}
	return 0
}

func (s *room) reviews(ctx context.Context, who *access.Caller, in reviewsIn) (*page.Page, error) {
	v := &reviewsPage{UnitID: in.ID, From: max(in.From, 0)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		l := work.Reviews{UnitID: in.ID, CallerID: who.ID, Page: db.Part(mostOpen, 0)}
		if v.Open, v.All, err = l.Rows(ctx, q); err != nil {
			return err
		}
		l.Answered, l.Page = true, db.Part(mostDecided, v.From)
		v.Answered, v.Former, err = l.Rows(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "reviews", s.Word("reviews.title"), v), nil
}

type deskReviewIn struct {
	deskTaskIn
	ID     int64  `param:"review"`
	Answer string `param:"answer" text:"lines"`
}

// deskReview answers a review on the desk. In a group it may be that of another member than
// whose task lies there: the form says whose.
func (s *room) deskReview(ctx context.Context, who *access.Caller, in deskReviewIn) (endpoint.Drawing, error) {
	at, err := in.ref(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	if _, err := s.Usecases.AnswerReview(ctx, who, at, in.ID, in.Answer); err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "review", Answer: in.Answer}, err)
	}
	return in.stay(), nil
}
