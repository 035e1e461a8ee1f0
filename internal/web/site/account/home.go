package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/week"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) homeRoutes() {
	page.Show(s.Site, links.Home, policy.SignedIn, "Home", s.home, endpoint.Asks(policy.ReadTask, policy.CreateUnits,
		policy.SeeService))
}

const (
	mostFeedback = 5 // comments that home shows: the newest of all units
	mostOfAGroup = 4 // tasks that are shown under one heading: the rest is folded
	mostLater    = 3 // tasks of later weeks, where nothing is to do sooner
)

// homePage is what waits for somebody.
type homePage struct {
	*usecase.Home
	staffHome
	adminHome
	Groups   []todoGroup        // what is to do in the units they study
	Count    int                // how many tasks are in the groups
	Closed   []usecase.NextTask // whose deadline has passed
	Feedback []work.Feedback
	Today    clock.Date
	Week     []homeDay
	Classes  []homeClass
	Creates  bool // units
}

// todoGroup is some of what is to do, under what makes it urgent.
type todoGroup struct {
	Words string
	Tasks []usecase.NextTask
	More  []usecase.NextTask // too many to show at once
}

// homeDay is a day of this week.
type homeDay struct {
	Date  clock.Date
	Name  string // of the day, in short
	Today bool
	Due   int
}

// homeClass is a meeting of a tutorial this week.
type homeClass struct {
	Date clock.Date
	insight.MonthClass
}

type homeIn struct {
	Answered int64 `param:"answered"` // a request for more time that was just answered here
}

func (s *room) home(ctx context.Context, who *access.Caller, in homeIn) (*page.Page, error) {
	v := homePage{Creates: who.May(policy.CreateUnits)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Home, err = usecase.HomeOf(ctx, q, who); err != nil {
			return err
		}
		v.Today = clock.Day(q.Now().Time)
		if len(v.Studies) > 0 {
			if err = v.study(ctx, q, who, s.words); err != nil {
				return err
			}
		}
		if len(v.Teaches) == 0 {
			return nil
		}
		return v.teach(ctx, q, who, v.Home, in.Answered)
	})
	if err == nil {
		err = s.administer(ctx, who, &v.adminHome)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(v.Teaches, func(a, b usecase.Teaching) int { // what is most urgent comes first
		return cmp.Or(cmp.Compare(b.Overdue, a.Overdue), cmp.Compare(b.ToMark, a.ToMark),
			cmp.Compare(b.ToAnswer, a.ToAnswer))
	})
	return s.Page(who, "home", &v), nil
}

// study adds what a student sees: what is to do, what was said, and this week.
func (v *homePage) study(ctx context.Context, q db.Q, who *access.Caller, words language) (err error) {
	v.group(words)
	if v.Feedback, err = usecase.NewFeedback(ctx, q, who, mostFeedback); err != nil {
		return err
	}
	monday := week.MondayOf(v.Today)
	days, err := insight.DaysOf(ctx, q, who.ID, monday, monday.AddDays(6))
	if err != nil {
		return err
	}
	for i := range 7 {
		day := monday.AddDays(i)
		v.Week = append(v.Week, homeDay{Date: day, Name: words.Word(fmt.Sprint("weekday-short.", i+1)), Today: day == v.Today})
	}
	for _, d := range days.Days {
		at := d.Date.DaysSince(monday)
		for _, t := range d.Due {
			if t.ProjectID != nil {
				v.Week[at].Due++
			}
		}
		for _, c := range d.Classes {
			v.Classes = append(v.Classes, homeClass{d.Date, c})
		}
	}
	return nil
}

// group puts what is to do under what makes it urgent. What is due after this week is there only
// where nothing comes before it.
func (v *homePage) group(words language) {
	by := map[usecase.Turn][]usecase.NextTask{}
	for _, t := range v.ToDo {
		by[t.Turn] = append(by[t.Turn], t)
	}
	if soon := len(by[usecase.TurnLate]) + len(by[usecase.TurnToday]) + len(by[usecase.TurnWeek]); soon > 0 {
		by[usecase.TurnLater] = nil
	}
	by[usecase.TurnLater] = by[usecase.TurnLater][:min(len(by[usecase.TurnLater]), mostLater)]
	for _, g := range []struct {
		turn  usecase.Turn
		words string
	}{{usecase.TurnLate, words.Word("home.late")}, {usecase.TurnToday, words.Word("home.today")},
		{usecase.TurnAnswer, words.Word("home.answer")}, {usecase.TurnWeek, words.Word("home.week")},
		{usecase.TurnLater, words.Word("home.later")}} {
		if tasks := by[g.turn]; len(tasks) > 0 {
			most := min(len(tasks), mostOfAGroup)
			v.Groups = append(v.Groups, todoGroup{g.words, tasks[:most], tasks[most:]})
			v.Count += len(tasks)
		}
	}
	v.Closed = by[usecase.TurnClosed]
}

// todoRow is a task on the list of what is to do: one action, where to, and how urgent it looks.
type todoRow struct {
	usecase.NextTask
	Path, Act, To string
	Look          page.Look
	InClass       bool // it is talked about there, whatever day it was due
}

// todo draws a task of the list.
func (l language) todo(t usecase.NextTask) todoRow {
	r := todoRow{NextTask: t, Path: links.To(links.Task, t.ProjectID, t.DefinitionID), Look: page.LookOf(t.Status)}
	r.To = r.Path
	switch {
	case t.Turn == usecase.TurnClosed:
		r.Act = l.Word("home.open")
	case t.Status == status.FixAndResubmit || t.Status == status.Redo:
		r.Act, r.To = l.Word("home.read"), r.Path+"#talk"
	case t.Status == status.Discuss || t.Status == status.Demonstrate:
		r.Act, r.InClass = l.Word("home.prepare"), true
	case t.NewComments > 0:
		r.Act, r.To = l.Word("home.reply"), r.Path+"#talk"
	case t.Status == status.NotStarted && !t.Late:
		r.Act = l.Word("home.begin")
	default:
		r.Act, r.To = l.Word("home.submit"), r.Path+"#submit"
	}
	if t.Late {
		r.Look = page.Look{Family: "red", Icon: page.Icon("circle-alert")}
	}
	return r
}

// said is where a comment is read.
func said(f work.Feedback) string {
	return fmt.Sprintf("%s#comment-%d", links.To(links.Task, f.ProjectID, f.DefinitionID), f.ID)
}
