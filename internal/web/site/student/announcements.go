package student

import (
	"context"
	"fmt"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/announce"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// seesCopies are the rights by which the staff see what a student was written.
var seesCopies = endpoint.Asks(policy.SeeRecipients, policy.ListStudents)

func (s *room) announcementRoutes() {
	page.Show(s.Site, links.Copies, policy.ReadCopies, "What was announced to a student", s.announcements, seesCopies)
	page.Show(s.Site, links.Copy, policy.ReadCopies, "An announcement to a student", s.announcement, seesCopies)
}

// copiesOnPage is how many announcements stand on a page, and copiesInTerm how many on that of the term.
const (
	copiesOnPage = 25
	copiesInTerm = 3
)

// copiesPage lists the announcements that a student has.
type copiesPage struct {
	Project     *enrol.ProjectDetail
	List        []announce.Copy
	Path        string
	Page, Total int64
}

func (s *room) announcements(ctx context.Context, who *access.Caller, in struct {
	ID   int64 `path:"id" scope:"project"`
	Page int64 `param:"page"`
}) (*page.Page, error) {
	v := &copiesPage{Path: links.To(links.Copies, in.ID), Page: min(max(in.Page, 1), 1e6)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Project, err = usecase.ProjectRecord(ctx, q, who, in.ID); err != nil {
			return err
		}
		by, err := usecase.CopyReader(ctx, q, who)
		if err != nil {
			return err
		}
		v.List, v.Total, err = announce.CopiesOf(ctx, q, in.ID, by, db.Part(copiesOnPage, (v.Page-1)*copiesOnPage))
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "copies", s.Word("announce.title"), v), nil
}

// Newer is the address of the page before; empty: there is none.
func (v *copiesPage) Newer() string { return v.at(v.Page-1, v.Page > 1) }

// Older is the address of the page after; empty: there is none.
func (v *copiesPage) Older() string { return v.at(v.Page+1, v.Page*copiesOnPage < v.Total) }

func (v *copiesPage) at(number int64, there bool) string {
	if !there {
		return ""
	}
	return fmt.Sprintf("%s?page=%d", v.Path, number)
}

// copyPage is an announcement that a student has.
type copyPage struct {
	*announce.WholeCopy
	Path string // of all they have
}

func (s *room) announcement(ctx context.Context, who *access.Caller, in struct {
	ID             int64 `path:"id" scope:"project"`
	AnnouncementID int64 `path:"announcement_id"`
}) (*page.Page, error) {
	v := &copyPage{Path: links.To(links.Copies, in.ID)}
	err := s.DB.View(ctx, func(q db.Q) error {
		by, err := usecase.CopyReader(ctx, q, who)
		if err != nil {
			return err
		}
		v.WholeCopy, err = announce.CopyByID(ctx, q, in.ID, in.AnnouncementID, by)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "copy", v.Title, v), nil
}
