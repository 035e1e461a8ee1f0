package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) reviewRoutes() {
	endpoint.Route(s.Server, "GET "+aTask+"/reviews", 200, policy.ReadTask,
		"List the reviews asked for on a task, newest first", s.taskReviews, endpoint.Asks(policy.SeeReviews))
	endpoint.Route(s.Server, "POST "+aTask+"/reviews", 201, policy.AskReview,
		"Ask the staff to review the newest status or mark they gave", s.askReview,
		endpoint.Audited(audit.Review), endpoint.Location(aTask+"/reviews"),
		endpoint.Also(409, "the unit takes no such requests, nothing was given, something newer was given, "+
			"or it was asked already"))
	endpoint.Route(s.Server, "PUT "+aTask+"/reviews/{review_id}", 200, policy.AnswerReview,
		"Answer a review in words, which closes it", s.answerReview,
		endpoint.Audited(audit.Review), endpoint.Also(409, "it is answered already"))
	endpoint.Route(s.Server, "GET /api/units/{id}/reviews", 200, policy.SeeReviews,
		"List the reviews asked for in a unit", s.unitReviews)
}

type taskReviewsIn struct {
	taskIn
	paging
}

// taskReviews are for the student who asked, and for the staff.
func (s *Server) taskReviews(ctx context.Context, who *access.Caller, in taskReviewsIn) (endpoint.List[work.Review],
	error) {
	if who.ID != who.OwnerID && !who.May(policy.SeeReviews) {
		return short(in.paging, []work.Review{}, nil)
	}
	list, err := work.ReviewsOf(ctx, s.db.Pool(), in.place(), false)
	return short(in.paging, list, err)
}

type askReviewIn struct {
	taskIn
	Reason    string            `param:"reason,required" text:"lines" doc:"why it should be reviewed, at most 4095 characters; the student and the staff read it, nobody else"`
	VerdictID params.Opt[int64] `param:"verdict_id" doc:"what the student looked at; refused with 409 when something newer was given. Absent: the newest"`
}

func (s *Server) askReview(ctx context.Context, who *access.Caller, in askReviewIn) (*work.Review, error) {
	return s.usecases.AskReview(ctx, who, in.place(), work.ReviewRequest{Reason: in.Reason, VerdictID: in.VerdictID.Ptr()})
}

type answerReviewIn struct {
	taskIn
	ID     int64  `path:"review_id"`
	Answer string `param:"answer,required" text:"lines" doc:"at most 4095 characters; a new status or mark answers it, too"`
}

func (s *Server) answerReview(ctx context.Context, who *access.Caller, in answerReviewIn) (*work.Review, error) {
	return s.usecases.AnswerReview(ctx, who, in.place(), in.ID, in.Answer)
}

type unitReviewsIn struct {
	UnitID   int64 `path:"id" scope:"unit"`
	Answered bool  `param:"answered" doc:"those that were answered, newest first; without it the open ones, oldest first"`
	paging
}

func (s *Server) unitReviews(ctx context.Context, who *access.Caller, in unitReviewsIn) (endpoint.List[work.Review],
	error) {
	l := work.Reviews{UnitID: in.UnitID, CallerID: who.ID, Answered: in.Answered}
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]work.Review, int64, error) {
		l.Page = p
		return l.Rows(ctx, q)
	})
}
