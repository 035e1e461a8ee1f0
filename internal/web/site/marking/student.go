package marking

import (
	"context"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

func (s *room) studentPageRoutes() {
	page.Show(s.Site, links.Student, policy.ListStudents, "One student of a unit", s.student,
		endpoint.Asks(policy.ReadTask, policy.SeeAsStudent, policy.TakeNotes, policy.EditNotes))
}

type studentIn struct {
	UnitID    int64 `path:"unit_id" scope:"unit"`
	ProjectID int64 `path:"project_id" scope:"project"`
}

// studentPage is one student as the staff of the unit see them.
type studentPage struct {
	*usecase.Term
	Tutorials  []enrol.Tutorial // those the student is in
	Campus     *course.Campus   // nil: none
	Groups     []enrol.Group
	Recent     []work.ProjectEntry
	LastActive *clock.Time
	Burndown   *insight.Burndown
	MaySeeAs   bool
	Notes      *noteList // nil: the reader takes none
	now        clock.Time
	words      language
}

func (s *room) student(ctx context.Context, who *access.Caller, in studentIn) (*page.Page, error) {
	v := &studentPage{words: s.words, now: s.DB.Now(), MaySeeAs: who.May(policy.SeeAsStudent)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Term, err = usecase.TermOf(ctx, q, who, in.ProjectID); err != nil {
			return err
		}
		if v.LastActive, err = enrol.LastActiveOf(ctx, q, in.ProjectID); err != nil {
			return err
		}
		latest := db.Part(taskpart.LatestEntries, 0)
		if v.Recent, _, err = work.ProjectHistory(ctx, q, in.ProjectID, latest); err != nil {
			return err
		}
		if v.Burndown, err = insight.BurndownOf(ctx, q, in.ProjectID, nil); err != nil {
			return err
		}
		if who.May(policy.TakeNotes) {
			if v.Notes, err = notesOn(ctx, q, who, 0, links.To(links.Student, in.UnitID, in.ProjectID)); err != nil {
				return err
			}
		}
		return v.classes(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(v.Tasks, func(a, b usecase.TermTask) int { return a.DueDate.Compare(b.DueDate.Time) })
	return s.Titled(who, "student", v.Project.FirstName+" "+v.Project.LastName, v), nil
}

// classes adds where the student studies and with whom.
func (v *studentPage) classes(ctx context.Context, q db.Q) (err error) {
	if id := v.Project.CampusID; id != nil {
		if v.Campus, err = course.CampusByID(ctx, q, *id); err != nil {
			return err
		}
	}
	if v.Groups, err = enrol.GroupsOfProject(ctx, q, v.Project.ID); err != nil {
		return err
	}
	all, err := enrol.TutorialsOf(ctx, q, v.Project.UnitID)
	if err != nil {
		return err
	}
	own, err := enrol.EnrolmentsOf(ctx, q, v.Project.ID)
	for _, t := range all {
		if slices.ContainsFunc(own, func(e enrol.Enrolment) bool { return e.TutorialID == t.ID }) {
			v.Tutorials = append(v.Tutorials, t)
		}
	}
	return err
}

// Waits tells whether a task waits for feedback.
func (v *studentPage) Waits(t usecase.TermTask) bool {
	return slices.Contains(status.Awaiting, t.Status)
}

// Late tells whether a task that waits for its student should have come already.
func (v *studentPage) Late(t usecase.TermTask) bool {
	return t.Aimed && status.Set(usecase.ToDo).Has(t.Status) && t.SubmittedAt == nil && v.now.After(t.Why.Ends.Time)
}
