package student

import (
	"cmp"
	"fmt"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

// step is what a student is told to do with a task now: the one banner of its page, made of the
// status, the dates and the last words, and the one action.
type step struct {
	Look  page.Look
	Kind  string // of the words
	Dated bool   // the banner says by when
	Last  *work.Comment
	More  *action // beside the main one
	Act   *action // what to do; nil: nothing
}

// action leads to what is done with a press.
type action struct {
	Words, Href string
	Icon        page.Icon
}

// kinds are those of the banner by status, where no date says more.
var kinds = map[status.Status]string{status.NotStarted: "start", status.WorkingOnIt: "working",
	status.FixAndResubmit: "fix", status.Redo: "redo", status.NeedHelp: "help", status.ReadyForFeedback: "waiting",
	status.Discuss: "discuss", status.Demonstrate: "demonstrate", status.Complete: "complete", status.Fail: "fail",
	status.FeedbackExceeded: "exceeded", status.TimeExceeded: "time"}

// stepKinds are all kinds of the banner.
func stepKinds() []string {
	list := []string{"late", "closed", "time-extend"}
	for _, kind := range kinds {
		list = append(list, kind)
	}
	slices.Sort(list)
	return list
}

// Over tells whether the deadline of the task has passed.
func (v *taskPage) Over() bool { return v.Due.Dates.Over(v.now.Time) }

// Owed tells whether the task waits for work of its student.
func (v *taskPage) Owed() bool { return usecase.Owed(v.Now.Status, v.Now.SubmittedAt != nil) }

// TooLate tells whether what is handed in now is not on time: it becomes Time exceeded at once.
func (v *taskPage) TooLate() bool {
	return !status.Closed.Has(v.Now.Status) && !v.Due.Dates.OnTime(v.now.Time)
}

// nextStep works out what its student has to do.
func (v *taskPage) nextStep() *step {
	s := &step{Look: page.LookOf(v.Now.Status), Kind: kinds[v.Now.Status], Dated: v.Owed()}
	switch {
	case v.Late() && v.Over():
		s.Kind, s.Look = "closed", page.Look{Family: "red", Icon: page.Icon("circle-alert")}
	case v.Late():
		s.Kind, s.Look = "late", page.Look{Family: "orange", Icon: page.Icon("circle-alert")}
	case v.Now.Status == status.TimeExceeded && v.MayExtend:
		s.Kind = "time-extend"
	}
	if s.Look.Family == "grey" {
		s.Look.Family = "blue"
	}
	s.Last = lastWords(v.Talk.Comments)
	s.Act, s.More = v.mainAction(), v.otherAction(s)
	return s
}

// lastWords is the newest comment that says something.
func lastWords(all []*work.Comment) *work.Comment {
	for _, c := range slices.Backward(all) {
		if c.Type == "text" && c.Text != "" {
			return c
		}
	}
	return nil
}

// mainAction is the one thing to do: to hand in what is owed, to answer what was asked, else to
// go on with the next task.
func (v *taskPage) mainAction() *action {
	if v.Form != nil && v.Owed() && !status.Closed.Has(v.Now.Status) {
		return &action{v.words.Word("task.hand-in"), "#submit", page.Icon("upload")}
	}
	if open := slices.IndexFunc(v.Talk.Comments, func(c *work.Comment) bool {
		return c.Type == "discussion" && c.CompletedAt == nil
	}); open >= 0 && v.Form != nil {
		return &action{v.words.Word("now.answer"), fmt.Sprintf("%s/discussions/%d", v.Path, v.Talk.Comments[open].ID),
			page.Icon("messages-square")}
	}
	if v.After != nil {
		return &action{v.words.Word("task.next-task"), v.beside(v.After.ID), page.Icon("chevron-right")}
	}
	return nil
}

// otherAction is what helps before the main one.
func (v *taskPage) otherAction(s *step) *action {
	switch {
	case v.MayExtend && slices.Contains([]string{"late", "time-extend"}, s.Kind):
		return &action{v.words.Word("task.extend"), v.Path + "?tab=extend", page.Icon("calendar-plus")}
	case s.Last != nil && slices.Contains([]string{"fix", "redo", "late", "closed"}, s.Kind):
		return &action{v.words.Word("now.feedback"), "#talk", ""}
	}
	return nil
}

// beside is the page of another task of the project.
func (v *taskPage) beside(definitionID int64) string {
	return fmt.Sprintf("/projects/%d/tasks/%d", v.Project.ID, definitionID)
}

// Neighbour is the page of the task before or after.
func (v *taskPage) Neighbour(id int64) string { return v.beside(id) }

// Waits tells whether a request for more time of the student waits for a decision.
func (v *taskPage) Waits() bool { return v.Asked != nil && !v.Asked.Assessed }

// Least is how many weeks have to be asked for, so that they do not end in the past; 0: none can.
func (v *taskPage) Least() int {
	return work.LeastWeeks(v.Due.Dates, v.Now.Status, v.Now.SubmittedAt, v.now.Time)
}

// Weeks are what the form for more time offers first.
func (v *taskPage) Weeks() int { return cmp.Or(v.Refused.Weeks, v.Least()) }

// Ends is the last moment on time with so many more weeks.
func (v *taskPage) Ends(weeks int) clock.Time {
	d := v.Due.Dates
	d.Extensions += weeks
	return clock.At(d.Ends())
}

// tab is one of the views of a task.
type tab struct {
	Text, Href, Count, Colour string
	Current                   bool
}

// Tabs are the views of the task that there are.
func (v *taskPage) Tabs() (out []tab) {
	add := func(name, words string, there bool) {
		if there {
			href := v.Path
			if name != "" {
				href += "?tab=" + name
			}
			out = append(out, tab{Text: words, Href: href, Current: name == v.Tab})
		}
	}
	add("", v.words.Word("task.tab-work"), true)
	add("sheet", v.words.Word("task.sheet"), v.Definition.SheetHash != nil || v.Definition.Description != "")
	add("resources", v.words.Word("task.resources"), v.Definition.ResourcesHash != nil)
	add("tests", v.words.Word("tests.title"), v.Tests != nil)
	if v.Tests != nil {
		last := &out[len(out)-1]
		last.Count, last.Colour = v.words.Word("tests."+string(v.Tests.Latest.Status)), "grey"
		if v.Tests.Latest.Status == assess.Failed {
			last.Colour = "red"
		}
	}
	add("history", v.words.Word("history.what"), true)
	if v.Tab == "extend" {
		add("extend", v.words.Word("task.extend"), true)
	}
	return out
}

// chosen is the view that the address names; the first one where it names none that is there.
func (v *taskPage) chosen(name string) string {
	v.Tab = name
	for _, t := range v.Tabs() {
		if t.Current && (name != "extend" || v.MayExtend) {
			return name
		}
	}
	return ""
}

// Follows tells whether a version of the list, which begins with the newest, came after another.
func (v *taskPage) Follows(i int) bool { return i+1 < len(v.Versions) }
