package student

import (
	"context"
	"net/url"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

func (s *room) changesRoutes(one string) {
	page.Show(s.Site, one+"/versions/{timestamp}/changes", policy.ReadSubmission, "What changed between two versions",
		s.changes, endpoint.Asks(usecase.AsReader...), endpoint.Asks(policy.Comment), endpoint.Costs(endpoint.Readings))
	page.Form(s.Site, one+"/done", policy.Comment, "Say that a comment on the work is done, or open it again", s.tick,
		endpoint.Asks(usecase.AsReader...), endpoint.Unaudited("who ticked it is kept with the comment"))
}

// changesPage shows what changed from a version to another.
type changesPage struct {
	*taskpart.Changes
	Task string // its name
	Desk string // where the staff mark it; empty for others
}

type changesIn struct {
	versionIn
	taskpart.ChangesIn
}

func (s *room) changes(ctx context.Context, who *access.Caller, in changesIn) (*page.Page, error) {
	at := func(look taskpart.ChangesIn) string {
		v := look.Values(url.Values{})
		path := in.Path() + "/versions/" + in.Timestamp + "/changes"
		if len(v) == 0 {
			return path
		}
		return path + "?" + v.Encode()
	}
	c, err := taskpart.ChangesOf(ctx, s.Site, who, in.taskIn, in.Timestamp, in.ChangesIn, at)
	if err != nil {
		return nil, err
	}
	v := &changesPage{Changes: c}
	d, err := taskdef.DefinitionByID(ctx, s.DB.Pool(), in.DefinitionID)
	if err != nil {
		return nil, err
	}
	v.Task = d.Abbreviation + " " + d.Name
	if who.May(policy.GradeTask) {
		likes, err := ident.PreferencesOf(ctx, s.DB.Pool(), who.ID)
		if err != nil {
			return nil, err
		}
		now, err := work.Refresh(ctx, s.DB.Pool(), in.ProjectID, in.DefinitionID)
		if err != nil {
			return nil, err
		}
		if v.Desk = links.DeskAt(who.UnitID, now.TaskID); likes.Shortcuts {
			c.Use()
		}
	}
	p := s.Titled(who, "changes", s.Word("changes.title", c.Number), v)
	p.Within = &page.Crumb{Words: d.Abbreviation, Path: in.Path()}
	return p, nil
}

type tickIn struct {
	taskIn
	CommentID int64  `param:"comment_id"`
	Done      bool   `param:"done"`
	Back      string `param:"back" text:"any"`
}

func (s *room) tick(ctx context.Context, who *access.Caller, in tickIn) (endpoint.Drawing, error) {
	if _, err := s.Usecases.TickComment(ctx, who, in.Ref(), in.CommentID, in.Done); err != nil {
		return nil, err
	}
	return page.Onward{To: backTo(in.taskIn, who.UnitID, in.Back)}, nil
}

// backTo is where a form on the work leads to: the page it stands on, which is one of the task or the desk of its
// unit; else the conversation.
func backTo(in taskIn, unitID int64, back string) string {
	u, err := url.Parse(back)
	if err == nil && u.Scheme == "" && u.Host == "" && u.Opaque == "" && u.User == nil && !strings.Contains(back, `\`) &&
		(u.Path == in.Path() || strings.HasPrefix(u.Path, in.Path()+"/versions/") ||
			u.Path == links.To(links.Desk, unitID)) && !strings.Contains(u.Path, "..") {
		return u.String()
	}
	return in.Path() + "#talk"
}
