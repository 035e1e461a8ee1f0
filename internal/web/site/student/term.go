package student

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/week"
	"lectern/internal/usecase"
)

// Views names the ways to show tasks.
func (v *termPage) Views() []string { return []string{"weeks", "list"} }

// shows are the filters of the tasks, by what they are called in the address; "" shows all.
var shows = map[string]func(t usecase.TermTask) bool{
	"":         func(usecase.TermTask) bool { return true },
	"todo":     func(t usecase.TermTask) bool { return status.ToDo.Has(t.Status) },
	"waiting":  func(t usecase.TermTask) bool { return status.Awaiting.Has(t.Status) },
	"complete": func(t usecase.TermTask) bool { return t.Status == status.Complete },
}

// showKinds are the filters in the order in which they stand.
var showKinds = []string{"todo", "waiting", "complete", ""}

// mostDays is how long a unit may be for its weeks without a task to be listed.
const mostDays = 366

// weekRow is a week of the unit with its tasks, or several past ones in one line.
type weekRow struct {
	Title, Days string
	Tasks       []usecase.TermTask
	Now         bool // it is this week
	Folded      bool // it is past, and nothing of it is left to do
	Complete    int
}

// clean replaces what the address does not say, or says wrongly, by what is usual: all tasks by
// weeks.
func (v *termPage) clean() {
	if v.View != "list" {
		v.View = "weeks"
	}
	if shows[v.Show] == nil {
		v.Show = ""
	}
	if g, err := strconv.Atoi(v.Grade); err != nil || !grade.Grade(g).Target() {
		v.Grade = ""
	}
}

// For tells whether only the tasks for a grade are shown.
func (v *termPage) For(g grade.Grade) bool { return v.Grade == strconv.Itoa(int(g)) }

// Filtered tells whether some tasks are left out.
func (v *termPage) Filtered() bool { return v.Show != "" || v.Grade != "" }

// With is the address of this page with one choice made otherwise.
func (v *termPage) With(key, value string) string {
	q := url.Values{"view": {v.View}, "show": {v.Show}, "grade": {v.Grade}}
	q.Set(key, value)
	maps.DeleteFunc(q, func(key string, values []string) bool {
		return values[0] == "" || key == "view" && values[0] == "weeks"
	})
	return "?" + q.Encode()
}

// chip is a filter with how many tasks it shows.
type chip struct {
	Text, Href string
	Count      int
	On         bool
}

// Chips are the filters by what is left to do, of the tasks that the target grade asks for.
func (v *termPage) Chips() (out []chip) {
	for _, kind := range showKinds {
		c := chip{Href: v.With("show", kind), On: v.Show == kind}
		if c.Text = v.words.Word("project.show-any"); kind != "" {
			c.Text = v.words.Word("project.show-" + kind)
		}
		for _, t := range v.Tasks {
			if t.Aimed && shows[kind](t) && (v.Grade == "" || v.For(t.Definition.TargetGrade)) {
				c.Count++
			}
		}
		out = append(out, c)
	}
	return out
}

// gradeStep is how many of the tasks for one grade are complete.
type gradeStep struct {
	Grade           grade.Grade
	Complete, Total int
	IsTarget, On    bool
	Href            string
}

// Steps are those of all grades that have tasks.
func (v *termPage) Steps() (out []gradeStep) {
	for _, g := range grade.Targets {
		s := gradeStep{Grade: g, IsTarget: g == v.Project.TargetGrade, On: v.For(g), Href: v.With("grade", strconv.Itoa(int(g)))}
		if s.On {
			s.Href = v.With("grade", "")
		}
		for _, t := range v.Tasks {
			if t.Definition.TargetGrade == g {
				s.Total++
				if t.Status == status.Complete {
					s.Complete++
				}
			}
		}
		if s.Total > 0 {
			out = append(out, s)
		}
	}
	return out
}

// Counts are the tasks that the target grade asks for, by status.
func (v *termPage) Counts() map[status.Status]int {
	out := map[status.Status]int{}
	for _, t := range v.Tasks {
		if t.Aimed {
			out[t.Status]++
		}
	}
	return out
}

// arrange sorts the tasks and puts each where it belongs.
func (v *termPage) arrange() {
	v.clean()
	tasks := slices.Clone(v.Tasks)
	slices.SortStableFunc(tasks, func(a, b usecase.TermTask) int { return a.DueDate.Compare(b.DueDate.Time) })
	for _, t := range tasks {
		switch {
		case !shows[v.Show](t) || v.Grade != "" && !v.For(t.Definition.TargetGrade):
		case !t.Aimed:
			v.Beyond = append(v.Beyond, t)
		default:
			v.List = append(v.List, t)
		}
	}
	if v.View == "weeks" {
		v.Weekly = v.byWeek()
	}
	v.Next = v.nextThings(tasks)
}

// byWeek puts the tasks into the weeks of the unit they are due in. Where nothing is left out, the
// weeks without a task are there, too, and past ones of which nothing is left are one line.
func (v *termPage) byWeek() (out []weekRow) {
	by := map[clock.Date][]usecase.TermTask{}
	for _, t := range v.List {
		by[week.MondayOf(t.DueDate)] = append(by[week.MondayOf(t.DueDate)], t)
	}
	this := week.MondayOf(clock.Day(v.now.Time))
	if !v.Filtered() && len(v.List) > 0 && v.Project.EndDate.DaysSince(v.Project.StartDate) <= mostDays {
		for monday := week.MondayOf(v.Project.StartDate); !monday.After(v.Project.EndDate); monday = monday.AddDays(7) {
			by[monday] = append(by[monday], nil...)
		}
	}
	var fold []clock.Date
	for _, monday := range slices.SortedFunc(maps.Keys(by), func(a, b clock.Date) int { return a.Compare(b.Time) }) {
		if !v.Filtered() && monday.Before(this) && !slices.ContainsFunc(by[monday], v.open) {
			fold = append(fold, monday)
			continue
		}
		out, fold = v.folded(out, fold, by), nil
		out = append(out, weekRow{Title: v.words.weekTitle(v.Weeks, monday), Days: v.words.weekDays(monday),
			Tasks: by[monday], Now: monday == this})
	}
	return v.folded(out, fold, by)
}

// folded adds past weeks as one line.
func (v *termPage) folded(out []weekRow, weeks []clock.Date, by map[clock.Date][]usecase.TermTask) []weekRow {
	if len(weeks) == 0 {
		return out
	}
	first, last := weeks[0], weeks[len(weeks)-1]
	w := weekRow{Title: v.words.weekTitle(v.Weeks, first), Days: v.words.weeksDays(first, last), Folded: true}
	if first != last {
		w.Title = v.words.Word("project.weeks", v.Weeks.Position(first).Week, v.Weeks.Position(last).Week)
		if v.Weeks.Position(first).Break != 0 || v.Weeks.Position(last).Break != 0 {
			w.Title = v.words.Word("project.past")
		}
	}
	for _, monday := range weeks {
		for _, t := range by[monday] {
			w.Tasks = append(w.Tasks, t)
			if t.Status == status.Complete {
				w.Complete++
			}
		}
	}
	return append(out, w)
}

// open tells whether somebody has something to do about a task: its student, as long as work is
// taken, or the staff.
func (v *termPage) open(t usecase.TermTask) bool {
	if status.Awaiting.Has(t.Status) || t.NewComments > 0 {
		return true
	}
	owed := usecase.Owed(t.Status, t.SubmittedAt != nil)
	return status.ToDo.Has(t.Status) && !(owed && t.Why.Dates.Over(v.now.Time))
}

// weekTitle names the week from a Monday on: by its number, or as a break.
func (l language) weekTitle(weeks week.Calendar, monday clock.Date) string {
	if p := weeks.Position(monday); p.Break == 0 {
		return l.Word("project.week", p.Week)
	}
	return l.Word("project.break")
}

func (l language) weekDays(monday clock.Date) string { return l.weeksDays(monday, monday) }

// weeksDays are the days of the weeks from one Monday to another, the month once where it is one.
func (l language) weeksDays(from, to clock.Date) string {
	sunday := to.AddDays(6)
	if from.Month() == sunday.Month() {
		return l.Word("project.days-of-month", from.Day(), l.Date("short", sunday.Time))
	}
	return l.Word("project.days", l.Date("short", from.Time), l.Date("short", sunday.Time))
}

// nextThings are the two tasks to do next, by the day they are due: of what has begun and is still
// taken.
func (v *termPage) nextThings(tasks []usecase.TermTask) (out []usecase.TermTask) {
	today := clock.Day(v.now.Time)
	for _, t := range tasks {
		owed := usecase.Owed(t.Status, t.SubmittedAt != nil)
		if t.Aimed && owed && !t.Definition.StartDate.After(today) && !t.Why.Dates.Over(v.now.Time) {
			out = append(out, t)
		}
	}
	return out[:min(len(out), 2)]
}

// WeekNow names the week that it is, of how many; empty outside the unit's time.
func (v *termPage) WeekNow() string {
	return v.words.WeekOf(clock.Day(v.now.Time), v.Project.StartDate, v.Project.EndDate, v.Weeks)
}

// InClass tells whether a task is talked about in class, whatever day it was due.
func (v *termPage) InClass(t usecase.TermTask) bool {
	return t.Status == status.Discuss || t.Status == status.Demonstrate
}

// Sent tells whether a task waits for feedback on what was handed in.
func (v *termPage) Sent(t usecase.TermTask) bool {
	return t.Status == status.ReadyForFeedback && t.SubmittedAt != nil
}
