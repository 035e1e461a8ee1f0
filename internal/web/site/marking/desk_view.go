package marking

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
	"lectern/internal/web/site/page"
)

// Address is that of a task on the desk.
func (v *deskPage) Address(at int64) string {
	in := v.deskIn
	in.Undo = 0
	return in.address(at)
}

// ReplyPath is where a comment of the task is answered, but for its number; empty where nobody
// may answer: one's own work.
func (v *deskPage) ReplyPath() string {
	if v.Now.Own {
		return ""
	}
	return v.Address(v.Now.ID) + "&reply="
}

// Answered is the comment that is being answered; nil: none is.
func (v *deskPage) Answered() *work.Comment {
	at := slices.IndexFunc(v.Now.Talk.Comments, func(c *work.Comment) bool { return c.ID == v.Reply })
	if at < 0 || v.Now.Own {
		return nil
	}
	return v.Now.Talk.Comments[at]
}

// Action is where a form about the task goes.
func (v *deskPage) Action(name string) string { return v.ActionOn(v.Now.ID, name) }

// ActionOn is where a form about a task goes. What the queue is narrowed to stands
// there as one value: a form has a status of its own.
func (v *deskPage) ActionOn(taskID int64, name string) string {
	filter := v.values()
	if v.View != "" {
		filter.Set("view", v.View)
	}
	if taskID == v.At {
		v.write(filter, true)
		v.write(filter, false)
	}
	path := fmt.Sprintf("/units/%d/desk/tasks/%d/%s", v.UnitID, taskID, name)
	if len(filter) == 0 {
		return path
	}
	return withQuery(path, url.Values{"filter": {filter.Encode()}})
}

// Onward is the address of the task that waits next.
func (v *deskPage) Onward() string { return v.Address(v.Now.After) }

// Inbox is the address of the list with the same filter.
func (v *deskPage) Inbox() string { return withQuery(links.To(links.Inbox, v.UnitID), v.values()) }

// Shown is the address of the same task with its document in another form.
func (v *deskPage) Shown(view string) string {
	in := v.deskIn
	in.View, in.Undo, in.workIn = view, 0, workIn{}
	return in.address(v.Now.ID)
}

// Plain tells whether the document is shown as text.
func (v *deskPage) Plain() bool { return v.View == "text" && v.File == "" }

// OnlyMine tells whether the queue has the students of the reader's own classes only.
func (v *deskPage) OnlyMine() bool { return v.Who == "mine" }

// Mine is the address of the queue of the reader's own classes.
func (v *deskPage) Mine() string {
	return deskIn{UnitID: v.UnitID, queueIn: queueIn{Who: "mine"}, View: v.View}.address(0)
}

// Everybody is the address of the queue of the whole unit.
func (v *deskPage) Everybody() string { return deskIn{UnitID: v.UnitID, View: v.View}.address(0) }

// Narrow tells whether the queue is a part of what waits in the unit.
func (v *deskPage) Narrow() bool { return v.queueIn != (queueIn{Sort: v.Sort}) }

// InAll is how many were to do today: those done and those that wait.
func (v *deskPage) InAll() int64 { return v.Figures.Done + v.Place.Waiting() }

// First is the number of the first row in the queue.
func (v *deskPage) First() int64 { return max(1, v.Place.Position-int64(len(v.Place.Before))) }

// Hidden is how many wait that have no row beside the task.
func (v *deskPage) Hidden() int64 { return max(0, v.Place.Total-int64(len(v.Rows))) }

// Graded tells whether a grade is the one that was written, or that the task has.
func (v *deskPage) Graded(g grade.Grade) bool {
	if v.Typed.Marks {
		return v.Typed.Grade == strconv.Itoa(int(g))
	}
	return v.Now.MarkedTask.Grade != nil && *v.Now.MarkedTask.Grade == g
}

// Points are the points of quality that were written, or that the task has.
func (v *deskPage) Points() string {
	switch {
	case v.Typed.Marks:
		return v.Typed.Quality
	case v.Summed() != "":
		return v.Summed()
	case v.Now.Quality >= 0 && !v.Now.Rubric.summed():
		return strconv.Itoa(v.Now.Quality)
	}
	return ""
}

// Wrong tells why a form of the desk was refused, for the place where it stands; empty: it
// was not.
func (v *deskPage) Wrong(form string) string {
	if v.Typed.Form != form {
		return ""
	}
	return v.Typed.wrong
}

// Has tells whether a box was ticked.
func (t typed) Has(box string) bool { return slices.Contains(t.Ticked, box) }

// Status is the state that was chosen.
func (t typed) Status() status.Status {
	st, _ := status.Parse(t.Word) // what is none is told by the refusal
	return st
}

// Digit is the key of a reusable comment by its place from 0.
func (v *deskPage) Digit(i int) string { return strconv.Itoa(i + 1) }

// Median is how long the reader takes between two verdicts; empty where it is not known.
func (v *deskPage) Median() string { return v.words.Took(v.Figures.Median) }

// GivenTitle names the student and the task of the verdict that can be undone.
func (v *deskPage) GivenTitle() string {
	return v.Given.Abbreviation + " " + v.Given.FirstName + " " + v.Given.LastName
}

// scrolling are keys that scroll the document, as their caps name them, and how.
type scrolling struct{ Keys, Words string }

// Caps are the keys one by one.
func (s scrolling) Caps() []string { return strings.Fields(s.Keys) }

// scrolls are all keys that scroll the document.
func scrolls(l *page.Language) []scrolling {
	return []scrolling{{"Space PgDn PgUp", l.Word("desk.key-screen")}, {"↑ ↓", l.Word("desk.key-line")},
		{"Home End", l.Word("desk.key-ends")}}
}

// Scrolls are the keys that scroll the document.
func (v *deskPage) Scrolls() []scrolling { return scrolls(v.words.Language) }
