package student

import (
	"context"
	"fmt"

	"lectern/internal/ground/opt"
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

// conversation is what was said on a task, the oldest first, and what is being answered.
type conversation struct {
	Earlier, Recent []*taskpart.Line
	Reply           *work.Comment // what the next comment answers; nil: nothing
}

// converse folds what was said long ago, and finds the latest request for more time.
func (v *taskPage) converse(who *access.Caller) {
	v.Earlier, v.Recent, v.Asked = taskpart.Folded(v.Talk.Comments, v.Versions, who.ID)
	if v.Making != nil {
		taskpart.Spots([][]*taskpart.Line{v.Earlier, v.Recent}, v.spot)
	}
}

// spot leads from a comment to where it stands in the latest version, which is found out there.
func (v *taskPage) spot(c *work.Comment) *taskpart.Spot {
	s := &taskpart.Spot{Where: c.Place.Where(), Page: c.Place.Page, Then: fmt.Sprintf("%s#comment-%d", v.Path, c.ID),
		Href: fmt.Sprintf("%s/work?note=%d#note-%d", v.Making.Path, c.ID, c.ID)}
	if c.Place.Version != len(v.Versions) {
		s.Where = c.Place.WhereThen()
	}
	if v.MayComment {
		s.Tick = v.Path + "/done"
	}
	return s
}

// OpenPlaces is how many comments point at the work that nobody ticked.
func (v *taskPage) OpenPlaces() (sum int) {
	for _, c := range v.Talk.Comments {
		if c.Place != nil && c.Place.DoneAt == nil {
			sum++
		}
	}
	return sum
}

// ReplyPath is where a comment is answered, but for its number; empty where none may be.
func (v *taskPage) ReplyPath() string {
	if !v.MayComment {
		return ""
	}
	return v.Path + "?reply="
}

// answer makes the next comment a reply to one of the conversation.
func (v *taskPage) answer(id int64) {
	for _, c := range v.Talk.Comments {
		if c.ID == id && v.MayComment {
			v.Reply = c
		}
	}
}

// taskToAnswer shows a task, with the comment that is to be answered where one is named.
func (s *room) taskToAnswer(ctx context.Context, who *access.Caller, in struct {
	taskViewIn
	Reply int64 `param:"reply"`
}) (*page.Page, error) {
	p, err := s.task(ctx, who, in.taskViewIn)
	if err == nil {
		p.Data.(*taskPage).answer(in.Reply)
	}
	return p, err
}

func (s *room) read(ctx context.Context, who *access.Caller, in taskIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.ReadComments(ctx, who, in.Ref(), db.Page{})
	return page.Onward{To: in.Path() + "#talk"}, err
}

type sayIn struct {
	taskIn
	Comment    string            `param:"comment" text:"lines"`
	Attachment *params.Upload    `param:"attachment"`
	ReplyTo    params.Opt[int64] `param:"reply_to_id"`
	Back       string            `param:"back" text:"any"`
}

func (s *room) say(ctx context.Context, who *access.Caller, in sayIn) (endpoint.Drawing, error) {
	var attachment *usecase.Upload
	if in.Attachment != nil && in.Attachment.Size > 0 {
		attachment = new(page.Uploaded(in.Attachment))
	}
	_, err := s.Usecases.Comment(ctx, who, usecase.CommentOn{NewComment: work.NewComment{Text: in.Comment,
		ReplyTo: in.ReplyTo.Ptr()}, At: in.Ref(), Attachment: attachment})
	if err != nil {
		out, err := s.retry(ctx, who, in.taskIn, refused{Comment: in.Comment}, err)
		if p, ok := out.(*page.Page); ok {
			p.Data.(*taskPage).answer(opt.Or(in.ReplyTo.Ptr(), 0))
		}
		return out, err
	}
	return page.Onward{To: backTo(in.taskIn, who.UnitID, in.Back)}, nil
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
