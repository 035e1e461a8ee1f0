package marking

import (
	"time"

	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
)

// acrossNumbers are how many of all enrolled students stand where on a task, whatever the list shows.
type acrossNumbers struct{ Students, Submitted, Ready, Complete, NotStarted, Overdue int64 }

func (n *acrossNumbers) count(all []work.AlikeStudents, now time.Time) {
	for _, s := range all {
		n.Students += s.Count
		if s.Submitted {
			n.Submitted += s.Count
		}
		if s.Aimed && usecase.Overdue(s.Status, s.Submitted, s.Dates, now) {
			n.Overdue += s.Count
		}
		switch s.Status {
		case status.ReadyForFeedback:
			n.Ready += s.Count
		case status.Complete:
			n.Complete += s.Count
		case status.NotStarted:
			n.NotStarted += s.Count
		}
	}
}

// acrossNumber is one of the numbers on top, with the address of those it counts; empty: they are not listed.
type acrossNumber struct {
	Name, Href string
	Count      int64
	Late       bool
}

// Tops are the numbers on top.
func (v *unitTaskPage) Tops() []acrossNumber {
	n := v.Numbers
	at := func(s status.Status, count int64) acrossNumber {
		return acrossNumber{Name: v.words.Status(s), Href: "?status=" + string(s), Count: count}
	}
	return []acrossNumber{
		{Name: v.words.Word("unit-task.submitted"), Href: "?handed=yes", Count: n.Submitted},
		at(status.ReadyForFeedback, n.Ready), at(status.Complete, n.Complete), at(status.NotStarted, n.NotStarted),
		{Name: v.words.Word("students.overdue"), Count: n.Overdue, Late: n.Overdue > 0},
	}
}
