package status

import (
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/fault"
)

func TestWords(t *testing.T) {
	for want, all := range map[Status]string{
		NotStarted:       "not_started,not started,ns",
		Complete:         "complete,completed",
		NeedHelp:         "need_help,need help",
		WorkingOnIt:      "working_on_it,working on it,in_progress",
		FixAndResubmit:   "fix_and_resubmit,fix and resubmit,fix,f",
		FeedbackExceeded: "feedback_exceeded,feedback exceeded,do_not_resubmit,do not resubmit",
		Redo:             "redo",
		Discuss:          "discuss,d",
		ReadyForFeedback: "ready_for_feedback,ready for feedback,ready_to_mark,ready to mark,rtm,rff",
		Demonstrate:      "demonstrate,demo",
		Fail:             "fail",
		TimeExceeded:     "time_exceeded,time exceeded",
	} {
		for word := range strings.SplitSeq(all, ",") {
			for _, w := range []string{word, strings.ToUpper(word), "  " + word + "\n"} {
				if got, ok := Parse(w); !ok || got != want {
					t.Errorf("%q is %q, want %q", w, got, want)
				}
			}
		}
		if got, ok := Parse(want.Name()); !ok || got != want {
			t.Errorf("the name %q is not read back", want.Name())
		}
	}
	for _, w := range []string{"", " ", "done", "completes", "13", "working-on-it"} {
		if got, ok := Parse(w); ok {
			t.Errorf("%q is %q", w, got)
		}
	}
}

func TestNoWordMeansTwoThings(t *testing.T) {
	n := len(table)
	for _, r := range table {
		if r.words != "" {
			n += len(strings.Split(r.words, ", "))
		}
	}
	if len(words) != n {
		t.Errorf("%d words for %d entries of the table", len(words), n)
	}
}

func TestNumbersAndNames(t *testing.T) {
	want := []string{"Not Started", "Complete", "Need Help", "Working On It", "Fix and Resubmit", "Feedback Exceeded",
		"Redo", "Discuss", "Ready for Feedback", "Demonstrate", "Fail", "Time Exceeded"}
	for i, name := range want {
		s, ok := FromID(i + 1)
		if !ok || s.Name() != name || s.ID() != i+1 || All[i] != s {
			t.Errorf("status %d is %q (%d), want %q", i+1, s.Name(), s.ID(), name)
		}
	}
	for _, id := range []int{-1, 0, 13} {
		if s, ok := FromID(id); ok {
			t.Errorf("%d is %q", id, s)
		}
	}
}

func TestSets(t *testing.T) {
	for name, c := range map[string]struct{ got, want Set }{
		"closed":   {Closed, Set{Complete, FeedbackExceeded, Discuss, Demonstrate, Fail}},
		"awaiting": {Awaiting, Set{NeedHelp, ReadyForFeedback}},
		"staff assigned": {StaffAssigned, Set{FixAndResubmit, FeedbackExceeded, Redo, Discuss, ReadyForFeedback,
			Demonstrate,
			Fail, TimeExceeded}},
		"ready or complete": {ReadyOrComplete, Set{Complete, Discuss, ReadyForFeedback, Demonstrate}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

func TestColoursAndWeights(t *testing.T) {
	for _, c := range []struct {
		colour Colour
		weight float64
		all    Set
	}{
		{Red, 0, Set{Fail}}, {Red, 0.1, Set{FeedbackExceeded}}, {Red, 0.5, Set{TimeExceeded}},
		{Orange, 0.1, Set{Redo}}, {Orange, 0, Set{NeedHelp}}, {Orange, 0.3, Set{FixAndResubmit}},
		{Green, 0.8, Set{Discuss, Demonstrate}}, {Green, 1, Set{Complete}},
		{Blue, 0.7, Set{ReadyForFeedback}}, {Grey, 0, Set{NotStarted, WorkingOnIt}},
	} {
		for _, s := range c.all {
			if s.Colour() != c.colour || s.Weight() != c.weight {
				t.Errorf("%s is %s and weighs %v", s, s.Colour(), s.Weight())
			}
		}
	}
}

func TestOnUpload(t *testing.T) {
	for word, want := range map[string]Status{
		"need_help": NeedHelp, `"need_help"`: NeedHelp, "'Need Help'": NeedHelp, "": ReadyForFeedback,
		"ready_for_feedback": ReadyForFeedback, " ": ReadyForFeedback, `""`: ReadyForFeedback,
	} {
		if got, err := OnUpload(word, Student); got != want || err != nil {
			t.Errorf("%q asks for %s and %v, want %s", word, got, err, want)
		}
	}
	for word, want := range map[string]fault.Kind{"complete": fault.Denied, "nonsense": fault.Invalid,
		"needs_help": fault.Invalid, "working_on_it": fault.Invalid} {
		if got, err := OnUpload(word, Student); got != "" || fault.KindOf(err) != want {
			t.Errorf("%q asks for %s and %v", word, got, err)
		}
	}
	if _, err := OnUpload("complete", Staff); fault.KindOf(err) != fault.Invalid {
		t.Errorf("staff hand in complete: %v", err)
	}
}
