package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) discussionRoutes() {
	const one = aTask + "/comments/{task_comment_id}/discussion_comment"
	endpoint.Route(s.Server, "POST "+aTask+"/discussion_comments", 201, policy.StartDiscussion,
		"Start a discussion with recorded questions",
		s.startDiscussion,
		endpoint.Unaudited("what people say is kept with the task"),
		endpoint.Uploads(work.MaxPrompts, s.usecases.MostMedia), endpoint.Location(aTask+"/comments"),
		tooLarge, notAccepted, endpoint.Asks(usecase.AsReader...))
	endpoint.Route(s.Server, "GET "+one+"/prompt_number/{prompt_number}", 200, policy.ReadTask,
		"Hear a question of a discussion", s.getPrompt, sendsRecording, endpoint.Asks(usecase.AsReader...),
		endpoint.Asks(policy.ReplyDiscussion))
	endpoint.Route(s.Server, "POST "+one+"/reply", 201, policy.ReplyDiscussion, "Answer a discussion by a recording",
		s.answerDiscussion,
		endpoint.Unaudited("what people say is kept with the task"),
		endpoint.Uploads(1, s.usecases.MostMedia), endpoint.Location(aTask+"/comments"), tooLarge, notAccepted,
		endpoint.Also(409, "it is answered already"),
		endpoint.Asks(usecase.AsReader...))
	endpoint.Route(s.Server, "GET "+one+"/response", 200, policy.ReadTask, "Hear the answer in a discussion",
		s.getResponse, sendsRecording, endpoint.Asks(usecase.AsReader...))
}

type startDiscussionIn struct {
	taskIn
	Attachments []*params.Upload `param:"attachments,required" doc:"1 to 10 recordings"`
}

func (s *Server) startDiscussion(ctx context.Context, who *access.Caller, in startDiscussionIn) (*work.Comment, error) {
	questions := make([]usecase.Upload, len(in.Attachments))
	for i, u := range in.Attachments {
		questions[i] = uploaded(u)
	}
	return s.usecases.StartDiscussion(ctx, who, in.place(), questions)
}

type discussionIn struct {
	taskIn
	ID int64 `path:"task_comment_id"`
}

type promptIn struct {
	discussionIn
	Number       int64 `path:"prompt_number"`
	AsAttachment bool  `param:"as_attachment" doc:"to be saved rather than played"`
}

func (s *Server) getPrompt(ctx context.Context, who *access.Caller, in promptIn) (*endpoint.File, error) {
	r, f, err := s.usecases.HearPrompt(ctx, who, in.place(), in.ID, in.Number)
	if err != nil {
		return nil, err
	}
	return &endpoint.File{Content: f, Name: r.Name, Type: r.Type, ETag: `"` + string(r.File.Hash) + `"`,
		Attachment: in.AsAttachment}, nil
}

type responseIn struct {
	discussionIn
	AsAttachment bool `param:"as_attachment" doc:"to be saved rather than played"`
}

func (s *Server) getResponse(ctx context.Context, who *access.Caller, in responseIn) (*endpoint.File, error) {
	r, err := view(ctx, s.db, func(q db.Q) (*work.Recording, error) {
		return work.Response(ctx, q, usecase.Reader(who), in.place(), in.ID)
	})
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.files, r.File.Hash, endpoint.File{Name: r.Name, Type: r.Type,
		Attachment: in.AsAttachment})
}

type answerDiscussionIn struct {
	discussionIn
	Attachment *params.Upload `param:"attachment,required" doc:"a recording"`
}

func (s *Server) answerDiscussion(ctx context.Context, who *access.Caller, in answerDiscussionIn) (*work.Comment,
	error) {
	return s.usecases.AnswerDiscussion(ctx, who, in.place(), in.ID, uploaded(in.Attachment))
}
