package student

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) tutorialRoutes() {
	const one = "/projects/{project_id}/tutorials/{tutorial_id}"
	asks := endpoint.Asks(policy.ReadUnit, policy.ListStudents, policy.ExceedCapacity, policy.ChangeTutorial)
	page.Show(s.Site, links.Tutorials, policy.ReadProject, "Tutorials", s.tutorials, asks)
	page.Form(s.Site, one+"/join", policy.ChangeTutorial, "Join a tutorial", s.joinTutorial, asks,
		endpoint.Audited(audit.Tutorial))
	page.Form(s.Site, one+"/leave", policy.ChangeTutorial, "Leave a tutorial", s.leaveTutorial, asks,
		endpoint.Audited(audit.Tutorial))
}

// tutorialsPage shows the classes of a unit and what a student can do about them.
type tutorialsPage struct {
	Project   *enrol.ProjectDetail
	Path      string
	Own       []enrol.Choice // where the student is
	Others    []enrol.Choice
	Campus    *course.Campus // of the student; nil: none
	MayChange bool
}

// Switches tells whether joining a class gives up another one.
func (v *tutorialsPage) Switches(c enrol.Choice) bool {
	for _, o := range v.Own {
		if c.Stream == nil || o.Stream == nil || *c.Stream == *o.Stream {
			return true
		}
	}
	return false
}

// Left is how many places of a class are free, where that is limited.
func (v *tutorialsPage) Left(c enrol.Choice) int64 { return opt.Or(c.PlacesLeft, 0) }

type tutorialsIn struct {
	ID int64 `path:"id" scope:"project"`
}

func (s *room) tutorials(ctx context.Context, who *access.Caller, in tutorialsIn) (*page.Page, error) {
	v := &tutorialsPage{Path: links.To(links.Tutorials, in.ID), MayChange: who.May(policy.ChangeTutorial)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Project, err = usecase.ProjectRecord(ctx, q, who, in.ID); err != nil {
			return err
		}
		if id := v.Project.CampusID; id != nil {
			if v.Campus, err = course.CampusByID(ctx, q, *id); err != nil {
				return err
			}
		}
		list, err := usecase.TutorialChoices(ctx, q, who, in.ID)
		for _, c := range list {
			if c.Enrolled {
				v.Own = append(v.Own, c)
			} else {
				v.Others = append(v.Others, c)
			}
		}
		return err
	})
	return s.Page(who, "tutorials", v), err
}

type tutorialIn struct {
	ProjectID  int64 `path:"project_id" scope:"project"`
	TutorialID int64 `path:"tutorial_id" scope:"tutorial"`
}

func (in tutorialIn) place() usecase.TutorialPlace {
	return usecase.TutorialPlace{ProjectID: in.ProjectID, TutorialID: in.TutorialID}
}

// tutorialChanged leads back to the page, or draws it with what was wrong.
func (s *room) tutorialChanged(ctx context.Context, who *access.Caller, in tutorialIn, err error) (endpoint.Drawing,
	error) {
	if err == nil {
		return endpoint.Redirect{To: links.To(links.Tutorials, in.ProjectID)}, nil
	}
	p, drawn := s.tutorials(ctx, who, tutorialsIn{in.ProjectID})
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}

func (s *room) joinTutorial(ctx context.Context, who *access.Caller, in tutorialIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.JoinTutorial(ctx, who, in.place())
	return s.tutorialChanged(ctx, who, in, err)
}

func (s *room) leaveTutorial(ctx context.Context, who *access.Caller, in tutorialIn) (endpoint.Drawing, error) {
	return s.tutorialChanged(ctx, who, in, s.Usecases.LeaveTutorial(ctx, in.place()))
}
