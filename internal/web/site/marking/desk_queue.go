package marking

import (
	"time"

	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/status"
)

// deskChip is something that the queue is narrowed to, and the queue without it.
type deskChip struct{ Text, Href string }

// Chips are what the queue is narrowed to beside the reader's classes.
func (v *deskPage) Chips() (list []deskChip) {
	add := func(text string, without func(*deskIn)) {
		in := deskIn{UnitID: v.UnitID, queueIn: v.queueIn, View: v.View}
		without(&in)
		list = append(list, deskChip{text, in.address(0)})
	}
	if v.Task != 0 {
		add(v.named(func(r *queue.Row) (string, bool) { return r.Abbreviation, r.DefinitionID == v.Task }),
			func(in *deskIn) { in.Task = 0 })
	}
	if v.Tutorial != 0 {
		add(v.named(func(r *queue.Row) (string, bool) {
			if r.TutorialID == nil || r.Tutorial == nil {
				return "", false
			}
			return *r.Tutorial, *r.TutorialID == v.Tutorial
		}), func(in *deskIn) { in.Tutorial = 0 })
	}
	if st, ok := status.Parse(v.Status); ok {
		add(v.words.Status(st), func(in *deskIn) { in.Status = "" })
	}
	switch v.kind() {
	case queue.ToMark:
		add(v.words.Word("queue.to-mark"), func(in *deskIn) { in.Kind = "" })
	case queue.ToAnswer:
		add(v.words.Word("queue.to-answer"), func(in *deskIn) { in.Kind = "" })
	}
	if v.queueIn.Over {
		add(v.words.Word("home.overdue"), func(in *deskIn) { in.Over = false })
	}
	if v.Tutor != 0 {
		add(v.words.Word("promise.tutor"), func(in *deskIn) { in.Tutor = 0 })
	}
	if v.Text != "" {
		add("“"+v.Text+"”", func(in *deskIn) { in.Text = "" })
	}
	return list
}

// named finds the name of something that the queue is narrowed to on one of its rows, which all
// have it; where there are none it has a name of its own.
func (v *deskPage) named(of func(*queue.Row) (string, bool)) string {
	for i := range v.Rows {
		if name, ok := of(&v.Rows[i]); ok {
			return name
		}
	}
	return v.words.Word("desk.filter")
}

// SimilarText tells how similar the work of a row is to another, as far as that is known.
func (v *deskPage) SimilarText(taskID int64) string {
	if pct, ok := v.similar[taskID]; ok {
		return v.words.Word("desk.similar-pct", pct)
	}
	return v.words.Word("desk.alike")
}

// IsLate tells whether the work of a row that waits to be marked came after its time.
func (v *deskPage) IsLate(r queue.Row) bool {
	return r.Status == status.ReadyForFeedback && !r.Dates().OnTime(r.WaitingSince.Time)
}

// Over is within how many days the unit promises feedback, where a row to mark waits longer;
// 0: it does not, or nothing is promised.
func (v *deskPage) Over(r queue.Row) int64 {
	if v.Unit == nil || v.Unit.FeedbackDays == nil || r.Kind != queue.ToMark {
		return 0
	}
	days := *v.Unit.FeedbackDays
	if v.now.Sub(r.WaitingSince.Time) <= time.Duration(days)*24*time.Hour {
		return 0
	}
	return days
}

// NextName is whose work comes next in the queue.
func (v *deskPage) NextName() string {
	for i := range v.Rows {
		if v.Rows[i].ID == v.Now.After {
			return v.Rows[i].FirstName + " " + v.Rows[i].LastName
		}
	}
	return ""
}
