package site

import (
	"context"
	"fmt"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) discussionRoutes(task string) {
	one := task + "/discussions/{id}"
	asks := endpoint.Asks(policy.ReplyDiscussion, policy.GradeTask)
	page(s, one, policy.ReadTask, "A discussion", s.discussion, asks)
	form(s, one+"/begin", policy.ReplyDiscussion, "Begin a discussion", s.beginDiscussion,
		endpoint.Unaudited("it only notes what was heard"), endpoint.Asks(policy.GradeTask))
	form(s, one+"/answer", policy.ReplyDiscussion, "Answer a discussion", s.answerDiscussion, asks,
		endpoint.Unaudited("what people say is kept with the task"), endpoint.Uploads(1, s.mostMedia),
		endpoint.Again(func(ctx context.Context, who *access.Caller, in answerIn, wrong error) (endpoint.Drawing, error) {
			return s.discussionAgain(ctx, who, in.discussionIn, wrong)
		}))
	endpoint.Route(s.Server, "GET "+one+"/prompts/{number}", 200, policy.ReadTask, "A question of a discussion",
		s.prompt, asks)
	endpoint.Route(s.Server, "GET "+one+"/response", 200, policy.ReadTask, "The answer in a discussion", s.response,
		endpoint.Asks(policy.GradeTask))
}

type discussionIn struct {
	taskIn
	ID int64 `path:"id"`
}

func (in discussionIn) path() string {
	return fmt.Sprintf("%s/discussions/%d", in.taskIn.path(), in.ID)
}

// discussionPage shows a discussion. Its questions are there once it began.
type discussionPage struct {
	Path, Task string
	Comment    *work.Comment
	Prompts    []int // their numbers
	Begins     bool  // to hear the questions begins it for the reader
	MayAnswer  bool
}

func (s *Server) discussion(ctx context.Context, who *access.Caller, in discussionIn) (*Page, error) {
	v := &discussionPage{Path: in.path(), Task: in.taskIn.path()}
	err := s.DB.View(ctx, func(q db.Q) error {
		first, err := work.Prompt(ctx, q, usecase.Reader(who), in.ref(), in.ID, 0)
		if err != nil {
			return err
		}
		v.MayAnswer = who.May(policy.ReplyDiscussion) && who.ID == who.OwnerID
		v.Begins = first.Begins && v.MayAnswer
		v.Comment, err = work.FindComment(ctx, q, usecase.Reader(who), in.ref(), in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	for n := range v.Comment.Prompts {
		v.Prompts = append(v.Prompts, n)
	}
	return s.page(who, "discussion", v), nil
}

func (s *Server) beginDiscussion(ctx context.Context, who *access.Caller, in discussionIn) (endpoint.Drawing, error) {
	_, f, err := s.usecases.HearPrompt(ctx, who, in.ref(), in.ID, 0)
	if err != nil {
		return nil, err
	}
	f.Close()
	return onward{in.path()}, nil
}

// prompt gives a question to be heard and notes nothing: for the student it is there
// only once they began the discussion.
func (s *Server) prompt(ctx context.Context, who *access.Caller, in struct {
	discussionIn
	Number int64 `path:"number"`
}) (*endpoint.File, error) {
	r, err := work.Prompt(ctx, s.DB.Pool(), usecase.Reader(who), in.ref(), in.ID, in.Number)
	if err != nil {
		return nil, err
	}
	if r.Begins && who.May(policy.ReplyDiscussion) {
		return nil, fault.New(fault.Conflict, "Begin the discussion on its page first: then the questions can be heard.")
	}
	return s.sound(ctx, r)
}

func (s *Server) response(ctx context.Context, who *access.Caller, in discussionIn) (*endpoint.File, error) {
	r, err := work.Response(ctx, s.DB.Pool(), usecase.Reader(who), in.ref(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.sound(ctx, r)
}

func (s *Server) sound(ctx context.Context, r *work.Recording) (*endpoint.File, error) {
	return endpoint.FromStore(ctx, s.usecases.Files, r.File.Hash, endpoint.File{Name: r.Name, Type: r.Type})
}

type answerIn struct {
	discussionIn
	Attachment *params.Upload `param:"attachment"`
}

func (s *Server) answerDiscussion(ctx context.Context, who *access.Caller, in answerIn) (endpoint.Drawing, error) {
	err := fault.Field(fault.Invalid, "attachment", "is required: record your answer, or choose a recording")
	if in.Attachment != nil {
		_, err = s.usecases.AnswerDiscussion(ctx, who, in.ref(), in.ID, uploaded(in.Attachment))
	}
	if err == nil {
		return onward{in.discussionIn.path()}, nil
	}
	return s.discussionAgain(ctx, who, in.discussionIn, err)
}

// discussionAgain draws the page again with what was wrong; a script shows it itself.
func (s *Server) discussionAgain(ctx context.Context, who *access.Caller, in discussionIn, wrong error) (
	endpoint.Drawing, error) {
	if !endpoint.FromForm(ctx) {
		return nil, wrong
	}
	p, drawn := s.discussion(ctx, who, in)
	if drawn != nil {
		return nil, drawn
	}
	return s.again(p, wrong)
}
