package unit

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) publishRoutes() {
	at := links.Grades + "/publish"
	page.Show(s.Site, at, policy.ListStudents, "What publishing the final grades comes to", s.showPublication,
		endpoint.Asks(policy.PublishGrades))
	page.Form(s.Site, at, policy.PublishGrades, "Publish the final grades", s.publishGrades,
		endpoint.Audited(audit.Grade))
	page.Form(s.Site, at+"/undo", policy.PublishGrades, "Take the final grades back", s.takeGradesBack,
		endpoint.Audited(audit.Grade))
}

// publishPage is whether students see their final grades, and who would see what.
type publishPage struct {
	*enrol.Publication
	Unit                *course.Unit
	None                []enrol.FinalGradeRow // the first of those without a grade,
	Fresh               []enrol.FinalGradeRow // of those who see one for the first time,
	Other               []enrol.FinalGradeRow // and of those who see another
	MayPublish          bool
	Mails               bool
	NoneMore, FreshMore int64 // how many more there are
	OtherMore           int64
}

// mostNamed is how many students a plan names of each kind; the grid lists them all.
const mostNamed = 20

// Path is where the grid stands.
func (v *publishPage) Path() string { return links.To(links.Grades, v.Unit.ID) }

func (s *room) readPublication(ctx context.Context, who *access.Caller, unitID int64) (*publishPage, error) {
	v := &publishPage{MayPublish: who.May(policy.PublishGrades), Mails: s.Usecases.Mailer.Sends()}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, unitID); err != nil {
			return err
		}
		if v.Publication, err = enrol.PublicationOf(ctx, q, unitID); err != nil {
			return err
		}
		for _, part := range []struct { // three
			show enrol.GradeShow
			list *[]enrol.FinalGradeRow
			more *int64
		}{{enrol.ShowWithout, &v.None, &v.NoneMore}, {enrol.ShowChanged, &v.Other, &v.OtherMore},
			{enrol.ShowFirst, &v.Fresh, &v.FreshMore}} {
			var total int64
			*part.list, total, err = enrol.GradeQuery{UnitID: unitID, CallerID: who.ID, Show: part.show,
				Page: db.Part(mostNamed, 0)}.List(ctx, q)
			if err != nil {
				return err
			}
			*part.more = total - int64(len(*part.list))
		}
		return nil
	})
	v.Mails = v.Mails && err == nil && v.Unit.SendNotifications
	return v, err
}

func (s *room) showPublication(ctx context.Context, who *access.Caller, in unitGrades) (*page.Page, error) {
	v, err := s.readPublication(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	return s.publishTitled(who, v), nil
}

func (s *room) publishTitled(who *access.Caller, v *publishPage) *page.Page {
	title := "grades.publication" // who may do nothing about it is told how it stands
	switch {
	case !v.MayPublish:
	case v.PublishedAt != nil:
		title = "grades.take-back"
	default:
		title = "grades.publish"
	}
	return s.Titled(who, "grade-publish", s.Word(title), v)
}

func (s *room) publishGrades(ctx context.Context, who *access.Caller, in struct {
	unitGrades
	Plan string `param:"plan"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.PublishGrades(ctx, who, in.ID, in.Plan)
	return s.afterPublishing(ctx, who, in.ID, "published", err)
}

func (s *room) takeGradesBack(ctx context.Context, who *access.Caller, in unitGrades) (endpoint.Drawing, error) {
	_, err := s.Usecases.TakeGradesBack(ctx, who, in.ID)
	return s.afterPublishing(ctx, who, in.ID, "taken-back", err)
}

// afterPublishing leads to the grid, or shows the plan again with what was wrong.
func (s *room) afterPublishing(ctx context.Context, who *access.Caller, unitID int64, done string,
	wrong error) (endpoint.Drawing, error) {
	if wrong == nil {
		return page.Onward{To: links.To(links.Grades, unitID) + "?done=" + done}, nil
	}
	v, err := s.readPublication(ctx, who, unitID)
	if err != nil {
		return nil, err
	}
	return s.Again(s.publishTitled(who, v), wrong)
}
