package verdict

import (
	"errors"
	"fmt"

	"lectern/internal/ground/fault"
	"lectern/internal/teaching/work"
)

// fitting is the verdict as a batch gives it on a task: one grade, one number of points and
// the levels of one rubric are for those tasks alone that have a place for them. Marks without a move are all that
// such a verdict says, so they stay, and are refused where they have no place.
func (v Verdict) fitting(own *work.HeldTask) Verdict {
	if v.Trigger == nil {
		return v
	}
	if !own.Graded {
		v.Grade = nil
	}
	if own.MaxQuality == 0 {
		v.Quality = nil
	}
	if v.picked != nil && v.picked.DefinitionID != own.DefinitionID {
		v.picked, v.Rubric = nil, nil
	}
	return v
}

// The marks that a verdict can miss, as the API calls them.
const (
	gradeMark   = "grade"
	qualityMark = "quality_pts"
)

// missing are the marks that a verdict which was refused for one of them needs.
func (v Verdict) missing(own *work.HeldTask, e *fault.Error) []string {
	needs := []string{}
	if e.Fields[gradeMark] == "" && e.Fields[qualityMark] == "" {
		return needs
	}
	if own.Graded && own.Grade == nil && v.Grade == nil {
		needs = append(needs, gradeMark)
	}
	if own.MaxQuality > 0 && (e.Fields[qualityMark] != "" || own.Quality < 0 && v.Quality == nil) {
		needs = append(needs, qualityMark)
	}
	return needs
}

// refuse notes on the row of a batch why the verdict is not given on its task, and what to
// do about it; echo tells that its words are the last that were said. What is no refusal
// is given back.
func (r *BatchRow) refuse(v Verdict, own *work.HeldTask, echo bool, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind == fault.Internal {
		return err
	}
	r.Needs = v.missing(own, e)
	text := e.Sentence()
	now, conflicts := e.Stands.(*TaskNow)
	switch {
	case conflicts:
		text = fmt.Sprintf("This task %s. Look at it, and mark it on its own if you still want to.", now.since())
	case echo:
		text = "Your last comment there already says exactly this. Change the comment, or leave it out."
	case e.Fields[gradeMark] != "" && own.Graded:
		text = "This task needs a grade. Choose one for the tasks that need it, or mark it on its own."
	case e.Fields[gradeMark] != "":
		text = "This task is not graded. Choose a status as well, or leave this task out."
	case e.Fields[qualityMark] != "" && own.MaxQuality > 0:
		text = fmt.Sprintf("This task needs quality points from 0 to %d. Set them for the tasks that need them, or "+
			"mark it on its own.", own.MaxQuality)
	case e.Fields[qualityMark] != "":
		text = "This task has no quality points. Choose a status as well, or leave this task out."
	}
	r.Refused = &text
	return nil
}

// since tells what became of a task, and by whom, after somebody looked at it.
func (n *TaskNow) since() string {
	text := "has changed since you opened it: its status is now " + n.Status.Name()
	if n.FirstName != nil {
		text += fmt.Sprintf(", set by %s %s", *n.FirstName, *n.LastName)
	}
	return text
}
