package student

import (
	"strings"

	"lectern/internal/ground/grade"
	"lectern/internal/teaching/status"
	"lectern/internal/usecase"
)

// hubStep is a step of the portfolio in the list of all, with how far it is.
type hubStep struct {
	Name, Text, Href, Note string
	Done, Current          bool
	optional               bool // nothing is missing without it
}

// hub lists the steps.
func (v *portfolioPage) hub(l language) []hubStep {
	out := []hubStep{
		{Name: stepGrade, Text: l.Word("portfolio.grade"), Note: v.claimed(l), Done: v.Term.Project.SubmittedGrade != nil},
		{Name: stepSummary, Text: l.Word("portfolio.summary"), Note: v.summarised(l), Done: v.Summary != nil},
		{Name: stepFiles, Text: l.Word("portfolio.files"), Note: l.Word("portfolio.none-optional"), Done: len(v.Files) > 0,
			optional: true},
		{Name: stepTasks, Text: l.Word("portfolio.tasks"), Note: l.Word("portfolio.chosen", v.Included, len(v.Tasks)),
			Done: v.Included > 0},
		{Name: stepOutcomes, Text: l.Word("portfolio.outcomes"),
			Note: l.Word("portfolio.explained", v.Explained(), len(v.Outcomes)),
			Done: v.Explained() == len(v.Outcomes), optional: true},
		{Name: stepCompile, Text: l.Word("portfolio.compile"), Note: l.Word("portfolio.state-" + string(v.Progress.State)),
			Done: v.Progress.ReadyAt != nil, optional: true},
	}
	if n := len(v.Files); n > 0 {
		out[2].Note = l.Word("portfolio.some-files", n)
	}
	for i := range out {
		out[i].Href, out[i].Current = "?step="+out[i].Name, out[i].Name == v.Step
	}
	return out
}

// claimed tells which grade is claimed, and what speaks against it.
func (v *portfolioPage) claimed(l language) string {
	if v.Term.Project.SubmittedGrade == nil {
		return l.Word("portfolio.missing")
	}
	words := l.Grade(v.Claim())
	if n := len(v.Against(v.Claim())); n > 0 {
		words += ", " + l.Word("portfolio.against", n)
	}
	return words
}

func (v *portfolioPage) summarised(l language) string {
	switch {
	case v.Summary == nil:
		return l.Word("portfolio.missing")
	case v.Summary.Typed():
		return l.Word("portfolio.summary-typed")
	}
	return l.Word("portfolio.summary-sent")
}

// Explained is how many outcomes the student has said something of.
func (v *portfolioPage) Explained() (n int) {
	for _, o := range v.Outcomes {
		if len(o.Own) > 0 {
			n++
		}
	}
	return n
}

// StepsDone is how many steps are done.
func (v *portfolioPage) StepsDone() (n int) {
	for _, s := range v.Hub {
		if s.Done {
			n++
		}
	}
	return n
}

// Missing are the steps without which a portfolio says too little.
func (v *portfolioPage) Missing() (out []hubStep) {
	for _, s := range v.Hub {
		if !s.Done && !s.optional {
			out = append(out, s)
		}
	}
	return out
}

// MissingWords names them.
func (v *portfolioPage) MissingWords() string {
	var names []string
	for _, s := range v.Missing() {
		names = append(names, s.Text)
	}
	return strings.Join(names, ", ")
}

// Heading is the name of the step that is open.
func (v *portfolioPage) Heading() string { return v.Hub[v.At()-1].Text }

// Before is the step before this one, "" at the first.
func (v *portfolioPage) Before() string {
	if at := v.At(); at > 1 {
		return v.Hub[at-2].Name
	}
	return ""
}

// At is the place of the step that is open, from 1 on.
func (v *portfolioPage) At() int {
	for i, s := range v.Hub {
		if s.Current {
			return i + 1
		}
	}
	return 1
}

// Asked is how many tasks a grade asks for.
func (v *portfolioPage) Asked(g grade.Grade) (n int) {
	for _, t := range v.Term.Tasks {
		if t.Definition.TargetGrade <= g {
			n++
		}
	}
	return n
}

// Against are the tasks of a grade that are not complete: what speaks against claiming it.
func (v *portfolioPage) Against(g grade.Grade) (out []usecase.TermTask) {
	for _, t := range v.Term.Tasks {
		if t.Definition.TargetGrade <= g && t.Status != status.Complete {
			out = append(out, t)
		}
	}
	return out
}

// Unmarked is how many of them wait for a mark.
func (v *portfolioPage) Unmarked(g grade.Grade) (n int) {
	for _, t := range v.Against(g) {
		if t.Status == status.ReadyForFeedback {
			n++
		}
	}
	return n
}
