package student

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

// reviewAsks are the rights that the page of the reviews of a task asks for.
var reviewAsks = endpoint.Asks(policy.SeeReviews, policy.AskReview, policy.AnswerReview,
	policy.ReadSubmission, policy.ListStudents)

func (s *room) reviewRoutes(one string) {
	page.Show(s.Site, one+"/review", policy.ReadTask, "The reviews asked for on a task", s.review, reviewAsks)
	page.Form(s.Site, one+"/review", policy.AskReview, "Ask for a review", s.askReview, reviewAsks,
		endpoint.Audited(audit.Review))
	page.Form(s.Site, one+"/review/{review_id}", policy.AnswerReview, "Answer a review", s.answerReview, reviewAsks,
		endpoint.Audited(audit.Review))
}

// reviewPage is where a review is asked for and answered.
type reviewPage struct {
	*taskpart.Reviews
	Task    string // its abbreviation and name
	At      string // of the task's page
	Refused string // what was typed, to be mended
	For     int64  // the review it was the answer to; 0: the reason
}

// Typed is what was typed into the form of a review, or for the reason of a new one.
func (v *reviewPage) Typed(id int64) string {
	if v.For == id {
		return v.Refused
	}
	return ""
}

func (s *room) review(ctx context.Context, who *access.Caller, in taskIn) (*page.Page, error) {
	v := &reviewPage{At: in.Path()}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		d, err := usecase.TaskByID(ctx, q, who, in.Ref())
		if err != nil {
			return err
		}
		v.Task = d.Definition.Abbreviation + " " + d.Definition.Name
		v.Reviews, err = taskpart.ReviewsOf(ctx, q, who, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	title := s.Word("review.title")
	if v.Ask != nil {
		title = s.Word("review.ask")
	}
	return s.Titled(who, "review", title, v), nil
}

type askReviewIn struct {
	taskIn
	Reason    string `param:"reason" text:"lines"`
	VerdictID int64  `param:"verdict"`
}

func (s *room) askReview(ctx context.Context, who *access.Caller, in askReviewIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.AskReview(ctx, who, in.Ref(),
		work.ReviewRequest{Reason: in.Reason, VerdictID: &in.VerdictID, Once: true})
	if err != nil {
		return s.reviewAgain(ctx, who, in.taskIn, 0, in.Reason, err)
	}
	return page.Onward{To: in.Path() + "#reviews"}, nil
}

type answerReviewIn struct {
	taskIn
	ID     int64  `path:"review_id"`
	Answer string `param:"answer" text:"lines"`
}

func (s *room) answerReview(ctx context.Context, who *access.Caller, in answerReviewIn) (endpoint.Drawing, error) {
	if _, err := s.Usecases.AnswerReview(ctx, who, in.Ref(), in.ID, in.Answer); err != nil {
		return s.reviewAgain(ctx, who, in.taskIn, in.ID, in.Answer, err)
	}
	return page.Onward{To: in.Path() + "#reviews"}, nil
}

// reviewAgain draws the page again with what was wrong with a form of it.
func (s *room) reviewAgain(ctx context.Context, who *access.Caller, in taskIn, id int64, typed string,
	err error) (endpoint.Drawing, error) {
	p, drawn := s.review(ctx, who, in)
	if drawn != nil {
		return nil, drawn
	}
	v := p.Data.(*reviewPage)
	v.For, v.Refused = id, typed
	return s.Again(p, err)
}
