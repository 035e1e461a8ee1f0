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
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

func (s *room) talkRoutes(one string, asks endpoint.Option) {
	page.Form(s.Site, one+"/read", policy.ReadTask, "Mark the conversation read", s.read,
		endpoint.Unaudited("it only notes what was read"), endpoint.Asks(usecase.AsReader...))
	page.Form(s.Site, one+"/comments", policy.Comment, "Say something on a task", s.say, asks,
		endpoint.Unaudited("the comment is kept with its author"), endpoint.Uploads(1, s.Usecases.MostMedia),
		endpoint.Again(func(ctx context.Context, who *access.Caller, in sayIn, wrong error) (endpoint.Drawing, error) {
			return s.retry(ctx, who, in.taskIn, refused{}, wrong)
		}))
	page.Form(s.Site, one+"/extension", policy.RequestExtension, "Ask for more time", s.extend, asks,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
	endpoint.Route(s.Server, "GET "+one+"/comments/{id}", 200, policy.ReadTask, "Attachment of a comment",
		s.attachment)
}

// converse folds what was said long ago, and finds the latest request for more time.
func (v *taskPage) converse() { v.Earlier, v.Recent, v.Asked = taskpart.Folded(v.Talk.Comments) }

func (s *room) read(ctx context.Context, who *access.Caller, in taskIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.ReadComments(ctx, who, in.Ref(), db.Page{})
	return page.Onward{To: in.Path() + "#talk"}, err
}

type sayIn struct {
	taskIn
	Comment    string         `param:"comment" text:"lines"`
	Attachment *params.Upload `param:"attachment"`
}

func (s *room) say(ctx context.Context, who *access.Caller, in sayIn) (endpoint.Drawing, error) {
	var attachment *usecase.Upload
	if in.Attachment != nil && in.Attachment.Size > 0 {
		attachment = new(page.Uploaded(in.Attachment))
	}
	_, err := s.Usecases.Comment(ctx, who, usecase.CommentOn{NewComment: work.NewComment{Text: in.Comment},
		At: in.Ref(), Attachment: attachment})
	if err != nil {
		return s.retry(ctx, who, in.taskIn, refused{Comment: in.Comment}, err)
	}
	return page.Onward{To: in.Path() + "#talk"}, nil
}

type extendIn struct {
	taskIn
	Reason string `param:"reason" text:"lines"`
	Weeks  int    `param:"weeks"`
}

func (s *room) extend(ctx context.Context, who *access.Caller, in extendIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.RequestExtension(ctx, who, in.Ref(),
		work.ExtensionRequest{Reason: in.Reason, Weeks: in.Weeks, Once: true})
	if err != nil {
		return s.retry(ctx, who, in.taskIn, refused{Reason: in.Reason, Weeks: in.Weeks, Tab: "extend"}, err)
	}
	return page.Onward{To: in.Path() + "#talk"}, nil
}

func (s *room) attachment(ctx context.Context, _ *access.Caller, in struct {
	taskIn
	ID int64 `path:"id"`
}) (*endpoint.File, error) {
	m, name, err := work.MediaOf(ctx, s.DB.Pool(), in.Ref(), in.ID)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.Usecases.Files, m.File.Hash, endpoint.File{Name: name, Type: m.Type})
}
