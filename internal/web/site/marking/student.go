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
		endpoint.Asks(policy.ReadTask, policy.SeeAsStudent, policy.TakeNotes, policy.EditNotes, policy.ReadSubmission))
}

type studentIn struct {
	UnitID    int64 `path:"unit_id" scope:"unit"`
	ProjectID int64 `path:"project_id" scope:"project"`

	All string `param:"tasks"` // all: every task; else the first ones
	Tab string `param:"tab"`   // activity or notes; else the tasks
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
	Tab        string             // that is shown
	All        bool               // every task is
	Portfolio  bool               // the reader may open it
	Notes      *noteList          // nil: the reader takes none
	List       []usecase.TermTask // of the tasks those that are shown, what calls for somebody first
	More       int                // that are not
	Overdue    int                // tasks that should have come
	now        clock.Time
	words      language
}

func (s *room) student(ctx context.Context, who *access.Caller, in studentIn) (*page.Page, error) {
	v := &studentPage{words: s.words, now: s.DB.Now(), MaySeeAs: who.May(policy.SeeAsStudent), All: in.All == "all",
		Portfolio: who.May(policy.ReadSubmission)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Term, err = usecase.TermOf(ctx, q, who, in.ProjectID); err != nil {
			return err
		}
		if v.LastActive, err = enrol.LastActiveOf(ctx, q, in.ProjectID); err != nil {
			return err
		}
		if who.May(policy.TakeNotes) {
			back := links.To(links.Student, in.UnitID, in.ProjectID) + "?tab=" + notesTab
			if v.Notes, err = notesOn(ctx, q, who, 0, back); err != nil {
				return err
			}
		}
		if v.choose(in.Tab); v.Tab == activityTab {
			if err = v.activity(ctx, q); err != nil {
				return err
			}
		}
		return v.classes(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	v.arrange(v.All)
	return s.Titled(who, "student", v.Project.FirstName+" "+v.Project.LastName, v), nil
}

// The tabs beside that of the tasks.
const (
	activityTab = "activity"
	notesTab    = "notes"
)

// newestNotes are how many notes stand beside the tasks.
const newestNotes = 2

// choose opens a tab; what is none opens the tasks.
func (v *studentPage) choose(tab string) {
	if tab == activityTab || tab == notesTab && v.Notes != nil {
		v.Tab = tab
	}
}

// activity adds what the student did last, and how the work left shrinks.
func (v *studentPage) activity(ctx context.Context, q db.Q) (err error) {
	if v.Recent, _, err = work.ProjectHistory(ctx, q, v.Project.ID, db.Part(taskpart.LatestEntries, 0)); err != nil {
		return err
	}
	v.Burndown, err = insight.BurndownOf(ctx, q, v.Project.ID, nil)
	return err
}

// Path is where the page stands.
func (v *studentPage) Path() string { return links.To(links.Student, v.Project.UnitID, v.Project.ID) }

// Tabs are the views of a student.
func (v *studentPage) Tabs() (out []map[string]any) {
	add := func(text, href, tab string, count int) {
		out = append(out, map[string]any{"Text": text, "Href": href, "Current": tab == v.Tab, "Count": count})
	}
	add(v.words.Word("project.tasks"), v.Path(), "", 0)
	add(v.words.Word("student.activity"), v.Path()+"?tab="+activityTab, activityTab, 0)
	if v.Notes != nil {
		add(v.words.Word("notes.section"), v.NotesPath(), notesTab, len(v.Notes.Notes))
	}
	if v.Portfolio {
		add(v.words.Word("portfolio.title"), links.To(links.Portfolio, v.Project.ID), "portfolio", 0)
	}
	if len(v.Groups) > 0 {
		add(v.words.Word("groups.title"), links.To(links.Groups, v.Project.ID), "groups", 0)
	}
	return out
}

// NotesPath is where the notes are.
func (v *studentPage) NotesPath() string { return v.Path() + "?tab=" + notesTab }

// Newest are the notes that stand beside the tasks.
func (v *studentPage) Newest() []noteRow { return v.Notes.Notes[:min(newestNotes, len(v.Notes.Notes))] }

// Ways are the ways to show the tasks.
func (v *studentPage) Ways() []map[string]any {
	return []map[string]any{
		{"Text": v.words.Word("student.calls-first"), "Href": v.Path(), "Current": !v.All},
		{"Text": v.words.Word("student.all-tasks", len(v.Tasks)), "Href": v.Path() + "?tasks=all", "Current": v.All},
	}
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
