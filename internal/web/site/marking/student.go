package marking

import (
	"cmp"
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

	All string `param:"tasks"` // all: every task; else the first ones
}

// firstTasks are how many tasks of a student are shown at first.
const firstTasks = 8

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
	Notes      *noteList          // nil: the reader takes none
	List       []usecase.TermTask // of the tasks those that are shown, what calls for somebody first
	More       int                // that are not
	Overdue    int                // tasks that should have come
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
	v.arrange(in.All == "all")
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

// arrange puts the tasks in order: those that wait for the staff, those that are late, the others, each
// by the day they are due; and leaves the first, where not all are asked for.
func (v *studentPage) arrange(all bool) {
	place := func(t usecase.TermTask) int {
		switch {
		case v.Waits(t) || t.NewComments > 0:
			return 0
		case v.Late(t):
			return 1
		case !t.Aimed:
			return 3
		}
		return 2
	}
	v.List = slices.Clone(v.Tasks)
	slices.SortStableFunc(v.List, func(a, b usecase.TermTask) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), a.DueDate.Compare(b.DueDate.Time))
	})
	for _, t := range v.List {
		if v.Late(t) {
			v.Overdue++
		}
	}
	if most := min(firstTasks, len(v.List)); !all {
		v.List, v.More = v.List[:most], len(v.List)-most
	}
}

// Next is the task to mark next; nil: none waits.
func (v *studentPage) Next() *usecase.TermTask {
	for i := range v.List {
		if v.List[i].Status == status.ReadyForFeedback {
			return &v.List[i]
		}
	}
	return nil
}

// Counts are the tasks that the target grade asks for, by status.
func (v *studentPage) Counts() map[status.Status]int {
	out := map[status.Status]int{}
	for _, t := range v.Tasks {
		if t.Aimed {
			out[t.Status]++
		}
	}
	return out
}

// Waits tells whether a task waits for feedback.
func (v *studentPage) Waits(t usecase.TermTask) bool {
	return slices.Contains(status.Awaiting, t.Status)
}

// Late tells whether work that a task waits for should have come already.
func (v *studentPage) Late(t usecase.TermTask) bool {
	return t.Aimed && usecase.Overdue(t.Status, t.SubmittedAt != nil, t.Why.Dates, v.now.Time)
}
