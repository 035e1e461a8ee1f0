package student

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
	"lectern/internal/web/site/page"
)

func (s *room) discussionRoutes(task string) {
	one := task + "/discussions/{id}"
	reads, answers := endpoint.Asks(usecase.AsReader...), endpoint.Asks(policy.ReplyDiscussion)
	page.Show(s.Site, one, policy.ReadTask, "A discussion", s.discussion, reads, answers)
	page.Form(s.Site, one+"/begin", policy.ReplyDiscussion, "Begin a discussion", s.beginDiscussion,
		endpoint.Unaudited("it only notes what was heard"), reads)
	page.Form(s.Site, one+"/answer", policy.ReplyDiscussion, "Answer a discussion", s.answerDiscussion, reads, answers,
		endpoint.Unaudited("what people say is kept with the task"), endpoint.Uploads(1, s.Usecases.MostMedia),
		endpoint.Again(func(ctx context.Context, who *access.Caller, in answerIn, wrong error) (endpoint.Drawing, error) {
			return s.discussionAgain(ctx, who, in.discussionIn, wrong)
		}))
	endpoint.Route(s.Server, "GET "+one+"/prompts/{number}", 200, policy.ReadTask, "A question of a discussion",
		s.prompt, reads, answers)
	endpoint.Route(s.Server, "GET "+one+"/response", 200, policy.ReadTask, "The answer in a discussion", s.response,
		reads)
}

type discussionIn struct {
	taskIn
	ID int64 `path:"id"`
}

func (in discussionIn) path() string {
	return fmt.Sprintf("%s/discussions/%d", in.taskIn.Path(), in.ID)
}

// discussionPage shows a discussion. Its questions are there once it began.
type discussionPage struct {
	Path, Task string
	Comment    *work.Comment
	Prompts    []int // their numbers
	Begins     bool  // to hear the questions begins it for the reader
	MayAnswer  bool
}

func (s *room) discussion(ctx context.Context, who *access.Caller, in discussionIn) (*page.Page, error) {
	v := &discussionPage{Path: in.path(), Task: in.taskIn.Path()}
	err := s.DB.View(ctx, func(q db.Q) error {
		first, err := work.Prompt(ctx, q, usecase.Reader(who), in.Ref(), in.ID, 0)
		if err != nil {
			return err
		}
		v.MayAnswer = who.May(policy.ReplyDiscussion) && who.ID == who.OwnerID
		v.Begins = first.Begins && v.MayAnswer
		v.Comment, err = work.FindComment(ctx, q, usecase.Reader(who), in.Ref(), in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	for n := range v.Comment.Prompts {
		v.Prompts = append(v.Prompts, n)
	}
	return s.Page(who, "discussion", v), nil
}

func (s *room) beginDiscussion(ctx context.Context, who *access.Caller, in discussionIn) (endpoint.Drawing, error) {
	_, f, err := s.Usecases.HearPrompt(ctx, who, in.Ref(), in.ID, 0)
	if err != nil {
		return nil, err
	}
	f.Close()
	return page.Onward{To: in.path()}, nil
}

// prompt gives a question to be heard and notes nothing: for the student it is there
// only once they began the discussion.
func (s *room) prompt(ctx context.Context, who *access.Caller, in struct {
	discussionIn
	Number int64 `path:"number"`
}) (*endpoint.File, error) {
	r, err := work.Prompt(ctx, s.DB.Pool(), usecase.Reader(who), in.Ref(), in.ID, in.Number)
	if err != nil {
		return nil, err
	}
	if r.Begins && who.May(policy.ReplyDiscussion) {
		return nil, fault.New(fault.Conflict, "Start the discussion on its page first, then you can play the "+
			"questions.")
	}
	return s.sound(ctx, r)
}

func (s *room) response(ctx context.Context, who *access.Caller, in discussionIn) (*endpoint.File, error) {
	r, err := work.Response(ctx, s.DB.Pool(), usecase.Reader(who), in.Ref(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.sound(ctx, r)
}

func (s *room) sound(ctx context.Context, r *work.Recording) (*endpoint.File, error) {
	return endpoint.FromStore(ctx, s.Usecases.Files, r.File.Hash, endpoint.File{Name: r.Name, Type: r.Type})
}

type answerIn struct {
	discussionIn
	Attachment *params.Upload `param:"attachment"`
}

func (s *room) answerDiscussion(ctx context.Context, who *access.Caller, in answerIn) (endpoint.Drawing, error) {
	err := fault.Field(fault.Invalid, "attachment", "is required: record your answer, or choose a recording")
	if in.Attachment != nil {
		_, err = s.Usecases.AnswerDiscussion(ctx, who, in.Ref(), in.ID, page.Uploaded(in.Attachment))
	}
	if err == nil {
		return page.Onward{To: in.discussionIn.path()}, nil
	}
	return s.discussionAgain(ctx, who, in.discussionIn, err)
}

// discussionAgain draws the page again with what was wrong; a script shows it itself.
func (s *room) discussionAgain(ctx context.Context, who *access.Caller, in discussionIn, wrong error) (
	endpoint.Drawing, error) {
	if !endpoint.FromForm(ctx) {
		return nil, wrong
	}
	p, drawn := s.discussion(ctx, who, in)
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, wrong)
}
