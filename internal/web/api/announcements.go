package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/announce"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

const (
	announcementsPath = "/api/units/{unit_id}/announcements"
	copiesPath        = "/api/projects/{id}/announcements"

	// usualAnnouncements is how many are listed where the caller names no limit.
	usualAnnouncements = 50
)

func (s *Server) announcementRoutes() {
	all := endpoint.Asks(policy.SeeRecipients)
	endpoint.Route(s.Server, "GET "+announcementsPath, 200, policy.SeeAnnouncements, "List the announcements of a unit, "+
		"newest first: all for convenors; for tutors those to everybody, to their tutorials and their own",
		s.listAnnouncements, all)
	endpoint.Route(s.Server, "POST "+announcementsPath, 201, policy.Announce, "Write to all students of a unit, to a "+
		"tutorial or to a selection: one copy a person, who sees none of the others", s.announce,
		endpoint.Audited(audit.Announcement), endpoint.Location(announcementsPath+"/{.id}"),
		endpoint.Also(409, "the key was used for another one, or the recipients are others than expected"),
		endpoint.Also(422, "nobody would get it, or the tutorial or a student is not of this unit"),
		endpoint.Also(429, "there were too many in this unit within an hour; Retry-After says how long to wait"))
	endpoint.Route(s.Server, "POST "+announcementsPath+"/recipients", 200, policy.Announce, "Tell whom an announcement "+
		"would go to, and send nothing", s.planAnnouncement, endpoint.Unaudited("a plan changes nothing"),
		endpoint.Also(422, "the tutorial or a student is not of this unit"))
	endpoint.Route(s.Server, "GET "+announcementsPath+"/{id}", 200, policy.SeeAnnouncements, "Get an announcement of a "+
		"unit", s.getAnnouncement, all)
	endpoint.Route(s.Server, "GET "+announcementsPath+"/{id}/recipients", 200, policy.SeeAnnouncements, "List who got an "+
		"announcement, by name: for its writer and convenors", s.listRecipients, all)
	endpoint.Route(s.Server, "GET "+copiesPath, 200, policy.ReadCopies, "List the announcements that a student has, "+
		"newest first", s.listCopies, all)
	endpoint.Route(s.Server, "GET "+copiesPath+"/{announcement_id}", 200, policy.ReadCopies, "Get an announcement that a "+
		"student has", s.getCopy, all)
}

type listAnnouncementsIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	paging
}

func (s *Server) listAnnouncements(ctx context.Context, who *access.Caller,
	in listAnnouncementsIn) (endpoint.List[announce.Sent], error) {
	p, err := in.bounded(usualAnnouncements)
	if err != nil {
		return endpoint.List[announce.Sent]{}, err
	}
	return view(ctx, s.db, func(q db.Q) (endpoint.List[announce.Sent], error) {
		list, total, err := announce.Of(ctx, q, in.UnitID, usecase.AnnouncementReader(who), p)
		return endpoint.Listed(list, total), err
	})
}

// audienceIn says whom an announcement is for.
type audienceIn struct {
	UnitID     int64             `path:"unit_id" scope:"unit"`
	Audience   announce.Audience `param:"audience,required" enum:"" doc:"whom it is for"`
	TutorialID int64             `param:"tutorial_id" doc:"the tutorial, where it is for one"`
	ProjectIDs []int64           `param:"project_ids" doc:"the students, where it is for a selection; at most 2000"`
}

func (in audienceIn) audience() announce.New {
	return announce.New{UnitID: in.UnitID, Audience: in.Audience, TutorialID: in.TutorialID, ProjectIDs: in.ProjectIDs}
}

type announceIn struct {
	audienceIn
	Title    string            `param:"title,required" doc:"one line of at most 200 characters"`
	Text     string            `param:"text,required" text:"lines" doc:"at most 20,000 characters"`
	Expected params.Opt[int64] `param:"expected" doc:"how many would get it, as you saw it; else nobody does"`
	Key      string            `header:"Idempotency-Key" doc:"makes a repeated request the same announcement"`
}

func (s *Server) announce(ctx context.Context, who *access.Caller, in announceIn) (*announce.Announcement, error) {
	n := in.audience()
	n.Title, n.Text, n.Expected, n.Key = in.Title, in.Text, in.Expected.Ptr(), in.Key
	return s.usecases.Announce(ctx, who, n)
}

type planAnnouncementIn struct {
	audienceIn
	paging
}

type planAnnouncementOut struct {
	Total      int64                `json:"total" doc:"how many would get it"`
	LeftOut    int64                `json:"left_out" doc:"how many of the selection are withdrawn, and would not"`
	Recipients []announce.Recipient `json:"recipients" doc:"a part of them, by name"`
}

func (s *Server) planAnnouncement(ctx context.Context, _ *access.Caller,
	in planAnnouncementIn) (*planAnnouncementOut, error) {
	p, err := in.bounded(usualAnnouncements)
	if err != nil {
		return nil, err
	}
	plan, err := s.usecases.PlanAnnouncement(ctx, in.audience(), p)
	if err != nil {
		return nil, err
	}
	return &planAnnouncementOut{plan.Total, plan.LeftOut, plan.People}, nil
}

type announcementIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	ID     int64 `path:"id"`
}

func (s *Server) getAnnouncement(ctx context.Context, who *access.Caller,
	in announcementIn) (*announce.Announcement, error) {
	return announce.ByID(ctx, s.db.Pool(), in.UnitID, in.ID, usecase.AnnouncementReader(who))
}

type listRecipientsIn struct {
	announcementIn
	paging
}

func (s *Server) listRecipients(ctx context.Context, who *access.Caller,
	in listRecipientsIn) (endpoint.List[announce.Recipient], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]announce.Recipient, int64, error) {
		a, err := announce.ByID(ctx, q, in.UnitID, in.ID, usecase.AnnouncementReader(who))
		if err != nil {
			return nil, 0, err
		}
		if !usecase.MaySeeRecipients(who, a) {
			return nil, 0, who.Must(policy.SeeRecipients)
		}
		return announce.RecipientsOf(ctx, q, a.ID, p)
	})
}

type listCopiesIn struct {
	ProjectID int64 `path:"id" scope:"project"`
	paging
}

func (s *Server) listCopies(ctx context.Context, who *access.Caller, in listCopiesIn) (endpoint.List[announce.Copy],
	error) {
	p, err := in.bounded(usualAnnouncements)
	if err != nil {
		return endpoint.List[announce.Copy]{}, err
	}
	return view(ctx, s.db, func(q db.Q) (endpoint.List[announce.Copy], error) {
		by, err := usecase.CopyReader(ctx, q, who)
		if err != nil {
			return endpoint.List[announce.Copy]{}, err
		}
		list, total, err := announce.CopiesOf(ctx, q, in.ProjectID, by, p)
		return endpoint.Listed(list, total), err
	})
}

type copyIn struct {
	ProjectID int64 `path:"id" scope:"project"`
	ID        int64 `path:"announcement_id"`
}

func (s *Server) getCopy(ctx context.Context, who *access.Caller, in copyIn) (*announce.WholeCopy, error) {
	return view(ctx, s.db, func(q db.Q) (*announce.WholeCopy, error) {
		by, err := usecase.CopyReader(ctx, q, who)
		if err != nil {
			return nil, err
		}
		return announce.CopyByID(ctx, q, in.ProjectID, in.ID, by)
	})
}
