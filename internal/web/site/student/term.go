package student

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/week"
	"lectern/internal/usecase"
)

// orders are the ways to sort tasks.
var orders = map[string]func(a, b usecase.TermTask) int{
	"due":   func(a, b usecase.TermTask) int { return a.DueDate.Compare(b.DueDate.Time) },
	"start": func(a, b usecase.TermTask) int { return a.Definition.StartDate.Compare(b.Definition.StartDate.Time) },
	"name": func(a, b usecase.TermTask) int {
		return strings.Compare(a.Definition.Abbreviation, b.Definition.Abbreviation)
	},
}

// Orders names the ways to sort.
func (v *termPage) Orders() []string { return slices.Sorted(maps.Keys(orders)) }

// Views names the ways to show tasks.
func (v *termPage) Views() []string { return []string{"list", "weeks"} }

// taskGroup is some tasks under a heading: those that are due in one week, or all.
type taskGroup struct {
	Title, Days string // both empty where there is but one group
	Tasks       []usecase.TermTask
}

// clean replaces what the address does not say, or says wrongly, by what is usual: a
// list of all tasks by date.
func (v *termPage) clean() {
	if orders[v.Sort] == nil {
		v.Sort = "due"
	}
	if v.View != "weeks" {
		v.View = "list"
	}
	if v.Show != "open" {
		v.Show = ""
	}
	if !slices.Contains(v.Statuses(), status.Status(v.Status)) {
		v.Status = ""
	}
	if g, err := strconv.Atoi(v.Grade); err != nil || !grade.Grade(g).Target() {
		v.Grade = ""
	}
}

// Statuses are the states that tasks of the term have, in their order.
func (v *termPage) Statuses() (out []status.Status) {
	for _, s := range status.All {
		if slices.ContainsFunc(v.Tasks, func(t usecase.TermTask) bool { return t.Status == s }) {
			out = append(out, s)
		}
	}
	return out
}

// For tells whether only the tasks for a grade are shown.
func (v *termPage) For(g grade.Grade) bool { return v.Grade == strconv.Itoa(int(g)) }

// Filtered tells whether some tasks are left out.
func (v *termPage) Filtered() bool { return v.Show != "" || v.Status != "" || v.Grade != "" }

// With is the address of this page with one choice made otherwise.
func (v *termPage) With(key, value string) string {
	q := url.Values{"view": {v.View}, "sort": {v.Sort}, "show": {v.Show}, "status": {v.Status}, "grade": {v.Grade}}
	q.Set(key, value)
	maps.DeleteFunc(q, func(_ string, values []string) bool { return values[0] == "" })
	return "?" + q.Encode()
}

// Plain is the address of this page with no task left out.
func (v *termPage) Plain() string {
	return "?" + url.Values{"view": {v.View}, "sort": {v.Sort}}.Encode()
}

// shows tells whether the address lets a task be seen.
func (v *termPage) shows(t usecase.TermTask) bool {
	return (v.Show == "" || !slices.Contains(over, t.Status)) && (v.Status == "" || v.Status == string(t.Status)) &&
		(v.Grade == "" || v.For(t.Definition.TargetGrade))
}

// over are the states after which there is nothing left to do.
var over = []status.Status{status.Complete, status.Fail, status.FeedbackExceeded}

// arrange sorts the tasks and puts each where it belongs.
func (v *termPage) arrange() {
	v.clean()
	today := clock.Day(v.now.Time)
	tasks := slices.Clone(v.Tasks)
	slices.SortStableFunc(tasks, orders[v.Sort])
	var begun, later []usecase.TermTask
	for _, t := range tasks {
		switch {
		case !v.shows(t):
		case !t.Aimed:
			v.Beyond = append(v.Beyond, t)
		case t.Definition.StartDate.After(today) && t.Status == status.NotStarted:
			later = append(later, t)
		default:
			begun = append(begun, t)
		}
	}
	v.Now, v.Later = v.grouped(begun), v.grouped(later)
	v.Next = nextThings(v.Tasks, today)
}

// grouped puts tasks into one group, or into one for each week they are due in.
func (v *termPage) grouped(tasks []usecase.TermTask) (out []taskGroup) {
	if v.View != "weeks" {
		if len(tasks) > 0 {
			out = []taskGroup{{Tasks: tasks}}
		}
		return out
	}
	by := map[clock.Date][]usecase.TermTask{}
	for _, t := range tasks {
		monday := week.MondayOf(t.DueDate)
		by[monday] = append(by[monday], t)
	}
	for _, monday := range slices.SortedFunc(maps.Keys(by), func(a, b clock.Date) int { return a.Compare(b.Time) }) {
		out = append(out, taskGroup{v.words.weekTitle(v.Weeks, monday), v.words.weekDays(monday), by[monday]})
	}
	return out
}

// weekTitle names the week from a Monday on: by its number, or as a break.
func (l language) weekTitle(weeks week.Calendar, monday clock.Date) string {
	if p := weeks.Position(monday); p.Break == 0 {
		return l.Word("project.week", p.Week)
	}
	return l.Word("project.break")
}

func (l language) weekDays(monday clock.Date) string {
	return l.Date("short", monday.Time) + " – " + l.Date("brief", monday.AddDays(6).Time)
}

// nextThings are the three tasks to do next: what waits for the student, by the
// day it is due.
func nextThings(tasks []usecase.TermTask, today clock.Date) (out []usecase.TermTask) {
	for _, t := range tasks {
		if t.Aimed && !t.Definition.StartDate.After(today) && slices.Contains(usecase.ToDo, t.Status) {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, orders["due"])
	return out[:min(len(out), 3)]
}
