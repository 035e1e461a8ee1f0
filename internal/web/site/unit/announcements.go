package unit

import (
	"context"
	"fmt"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/announce"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) announcementRoutes() {
	page.Show(s.Site, links.Announcements, policy.SeeAnnouncements, "What was written to the students of a unit",
		s.announcements, endpoint.Asks(policy.SeeRecipients, policy.Announce))
	page.Show(s.Site, links.Announcement, policy.SeeAnnouncements, "An announcement, and who got it", s.announcement,
		endpoint.Asks(policy.SeeRecipients))
	s.newAnnouncementRoutes()
}

// announcementsOnPage and namesOnPage are how many announcements, and how many names of who gets one,
// stand on a page.
const (
	announcementsOnPage = 25
	namesOnPage         = 100
)

// part is which rows a page of a list shows, and where the others are.
type part struct {
	Page, On, Total int64
	Path            string
	With            string // what the address says beside the page, as a query; empty: nothing
}

func (p part) rows() db.Page { return db.Part(p.On, (p.Page-1)*p.On) }

// clean replaces a number of a page that there is not by the first.
func (p *part) clean() { p.Page = min(max(p.Page, 1), 1e6) }

// First is the number of the first row on the page, and Last that of the last.
func (p part) First() int64 { return min((p.Page-1)*p.On+1, p.Total) }

// Last is the number of the last row on the page.
func (p part) Last() int64 { return min(p.Page*p.On, p.Total) }

// Back is the address of the page before; empty: there is none.
func (p part) Back() string {
	if p.Page <= 1 {
		return ""
	}
	return p.at(p.Page - 1)
}

// Next is the address of the page after; empty: there is none.
func (p part) Next() string {
	if p.Last() >= p.Total {
		return ""
	}
	return p.at(p.Page + 1)
}

func (p part) at(page int64) string {
	if p.With != "" {
		return fmt.Sprintf("%s?%s&page=%d", p.Path, p.With, page)
	}
	return fmt.Sprintf("%s?page=%d", p.Path, page)
}

// Several tells whether the list goes on elsewhere.
func (p part) Several() bool { return p.Total > p.On }

type announcementsIn struct {
	UnitID int64 `path:"id" scope:"unit"`
	Page   int64 `param:"page"`
}

// announcementsPage lists what was written to the students of a unit.
type announcementsPage struct {
	part
	List     []announce.Sent
	MayWrite bool
	words    *page.Language
}

func (s *room) announcements(ctx context.Context, who *access.Caller, in announcementsIn) (*page.Page, error) {
	v := &announcementsPage{MayWrite: who.May(policy.Announce), words: s.Words, part: part{Page: in.Page,
		On: announcementsOnPage, Path: links.To(links.Announcements, in.UnitID)}}
	v.clean()
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		v.List, v.Total, err = announce.Of(ctx, q, in.UnitID, usecase.AnnouncementReader(who), v.rows())
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "announcements", s.Word("announce.title"), v), nil
}

// To says in words whom an announcement is for.
func (v *announcementsPage) To(a announce.Sent) string { return audience(v.words, &a) }

func audience(l *page.Language, a *announce.Sent) string {
	switch {
	case a.Audience == announce.All:
		return l.Word("announce.everyone")
	case a.Audience == announce.Tutorial && a.Tutorial != nil:
		return l.Word("announce.tutorial-of", *a.Tutorial)
	}
	return l.Word("announce.selected")
}

type announcementIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	ID     int64 `path:"announcement_id"`
	Page   int64 `param:"page"`
	Sent   bool  `param:"sent"` // it was, just now
}

// announcementPage is one announcement with who got it.
type announcementPage struct {
	part
	*announce.Announcement
	To       string
	Shown    bool // who got it
	People   []announce.Recipient
	JustSent bool
}

func (s *room) announcement(ctx context.Context, who *access.Caller, in announcementIn) (*page.Page, error) {
	v := &announcementPage{JustSent: in.Sent, part: part{Page: in.Page, On: namesOnPage,
		Path: links.To(links.Announcement, in.UnitID, in.ID)}}
	v.clean()
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		v.Announcement, err = announce.ByID(ctx, q, in.UnitID, in.ID, usecase.AnnouncementReader(who))
		if err != nil {
			return err
		}
		if v.Shown = usecase.MaySeeRecipients(who, v.Announcement); !v.Shown {
			return nil
		}
		v.People, v.Total, err = announce.RecipientsOf(ctx, q, in.ID, v.rows())
		return err
	})
	if err != nil {
		return nil, err
	}
	v.To = audience(s.Words, &v.Sent)
	return s.Titled(who, "announcement", v.Title, v), nil
}
