package site

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
)

func (s *Server) talkRoutes(one string, asks endpoint.Option) {
	form(s, one+"/read", policy.ReadTask, "Mark the conversation read", s.read,
		endpoint.Unaudited("it only notes what was read"), endpoint.Asks(policy.GradeTask))
	form(s, one+"/comments", policy.Comment, "Say something on a task", s.say, asks,
		endpoint.Unaudited("the comment is kept with its author"), endpoint.Uploads(1, s.mostMedia),
		endpoint.Again(func(ctx context.Context, who *access.Caller, in sayIn, wrong error) (endpoint.Drawing, error) {
			return s.retry(ctx, who, in.taskIn, refused{}, wrong)
		}))
	form(s, one+"/extension", policy.RequestExtension, "Ask for more time", s.extend, asks,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
	endpoint.Route(s.Server, "GET "+one+"/comments/{id}", 200, policy.ReadTask, "Attachment of a comment",
		s.attachment)
}

// recent is how many comments of a conversation are shown at once: the rest is folded.
const recent = 40

// converse folds what was said long ago, and finds the latest request for more time.
func (v *taskPage) converse() { v.Earlier, v.Recent, v.Asked = folded(v.Talk.Comments) }

// folded parts a conversation into what was said long ago and the rest, and finds the
// latest request for more time.
func folded(all []*work.Comment) (earlier, latest []*work.Comment, asked *work.Comment) {
	cut := max(0, len(all)-recent)
	for cut > 0 && all[cut].IsNew { // what is new is never folded
		cut--
	}
	for _, c := range all {
		if c.Type == "extension" {
			asked = c
		}
	}
	return all[:cut], all[cut:], asked
}

func (s *Server) read(ctx context.Context, who *access.Caller, in taskIn) (endpoint.Drawing, error) {
	_, err := s.usecases.ReadComments(ctx, who, in.ref(), db.Page{})
	return onward{in.path() + "#talk"}, err
}

type sayIn struct {
	taskIn
	Comment    string         `param:"comment" text:"lines"`
	Attachment *params.Upload `param:"attachment"`
}

func (s *Server) say(ctx context.Context, who *access.Caller, in sayIn) (endpoint.Drawing, error) {
	var attachment *usecase.Upload
	if in.Attachment != nil && in.Attachment.Size > 0 {
		attachment = new(uploaded(in.Attachment))
	}
	_, err := s.usecases.Comment(ctx, who, in.ref(), work.NewComment{Text: in.Comment}, attachment)
	if err != nil {
		return s.retry(ctx, who, in.taskIn, refused{Comment: in.Comment}, err)
	}
	return onward{in.path() + "#talk"}, nil
}

// uploaded is a file of the request as use cases take it.
func uploaded(u *params.Upload) usecase.Upload {
	return usecase.Upload{Name: u.Name, Size: u.Size, Open: u.Open}
}

type extendIn struct {
	taskIn
	Reason string `param:"reason" text:"lines"`
	Weeks  int    `param:"weeks"`
}

func (s *Server) extend(ctx context.Context, who *access.Caller, in extendIn) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error {
		_, err := work.RequestExtension(ctx, q, usecase.Reader(who), in.ref(),
			work.Wish{Reason: in.Reason, Weeks: in.Weeks, Once: true})
		return err
	})
	if err != nil {
		return s.retry(ctx, who, in.taskIn, refused{Reason: in.Reason, Weeks: in.Weeks}, err)
	}
	return onward{in.path() + "#talk"}, nil
}

func (s *Server) attachment(ctx context.Context, _ *access.Caller, in struct {
	taskIn
	ID int64 `path:"id"`
}) (*endpoint.File, error) {
	m, name, err := work.MediaOf(ctx, s.DB.Pool(), in.ref(), in.ID)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.usecases.Files, m.File.Hash, endpoint.File{Name: name, Type: m.Type})
}
