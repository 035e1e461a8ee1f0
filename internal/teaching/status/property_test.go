package status

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/teaching/due"
)

var rules = rapid.Custom(func(t *rapid.T) Rules {
	return Rules{
		Restricted:      rapid.Bool().Draw(t, "restricted"),
		NeedsFiles:      rapid.Bool().Draw(t, "needs files"),
		Graded:          rapid.Bool().Draw(t, "graded"),
		MaxQuality:      rapid.SampledFrom([]int{0, 5}).Draw(t, "max quality"),
		WeeksOnResubmit: rapid.IntRange(0, 3).Draw(t, "weeks on resubmit"),
	}
})

func drawDates(t *rapid.T) due.Dates {
	target := today.AddDays(rapid.IntRange(0, 20).Draw(t, "target"))
	return due.Dates{Target: target, Deadline: target.AddDays(rapid.IntRange(0, 40).Draw(t, "room"))}
}

var (
	grades = rapid.Ptr(rapid.Map(rapid.IntRange(-2, 6), func(n int) grade.Grade { return grade.Grade(n) }), true)
	marks  = rapid.Ptr(rapid.IntRange(-2, 6), true)
)

func later(t *rapid.T, at clock.Time) clock.Time {
	return clock.At(at.Add(time.Duration(rapid.IntRange(1, 72*60).Draw(t, "minutes")) * time.Minute))
}

func drawMove(t *rapid.T, at clock.Time, actors ...Actor) Move {
	return Move{
		Word:    string(rapid.SampledFrom(append(Set{"", "nonsense"}, All...)).Draw(t, "word")),
		By:      rapid.SampledFrom(actors).Draw(t, "by"),
		Upload:  rapid.Bool().Draw(t, "upload"),
		Grade:   grades.Draw(t, "grade"),
		Quality: marks.Draw(t, "quality"),
		At:      at,
	}
}

// The model: what students may never do, said again without the table.
var (
	studentsSet   = map[Status]bool{NotStarted: true, NeedHelp: true, WorkingOnIt: true, ReadyForFeedback: true}
	studentsLeave = map[Status]bool{NotStarted: true, NeedHelp: true, WorkingOnIt: true, ReadyForFeedback: true,
		FixAndResubmit: true, Redo: true, TimeExceeded: true}
	unassigned = map[Status]bool{NotStarted: true, NeedHelp: true, WorkingOnIt: true, Complete: true}
)

func checkStudentsMove(t *rapid.T, before Task, m Move, p Plan) {
	after := p.After
	late := m.Word == string(ReadyForFeedback) && after.Status == TimeExceeded && !before.dates().OnTime(m.At.Time)
	if after.Status != before.Status || len(p.Entries) > 0 {
		switch {
		case !studentsLeave[before.Status]:
			t.Fatalf("a student left %s", before.Status)
		case before.Restricted && !unassigned[before.Status]:
			t.Fatalf("a student left %s of a restricted task", before.Status)
		case !studentsSet[after.Status] && !late:
			t.Fatalf("a student reached %s by %q", after.Status, m.Word)
		}
	}
	// Whoever sends back what they were given has given nothing.
	if m.Grade != nil && !cmp.Equal(m.Grade, before.Grade) || m.Quality != nil && *m.Quality != before.Quality ||
		after.Quality != before.Quality {
		t.Fatal("a student gave marks")
	}
	withdrawn := before.GradedLate && after.Grade == nil && after.Status == ReadyForFeedback
	given := before.Grade == nil && after.GradedLate && late && *after.Grade == -1
	if !cmp.Equal(before.Grade, after.Grade) && !withdrawn && !given {
		t.Fatalf("a student's grade went from %v to %v", before.Grade, after.Grade)
	}
	if after.Extensions != before.Extensions || after.CompletedOn != before.CompletedOn && !late {
		t.Fatal("a student changed what is not theirs")
	}
}

func checkState(t *rapid.T, task Task) {
	if task.Status.ID() == 0 {
		t.Fatalf("%q is no status", task.Status)
	}
	d := task.dates()
	if d.Due().After(d.Deadline) || d.Check() != nil {
		t.Fatalf("%d weeks of extension, deadline %v", task.Extensions, d.Deadline)
	}
	if task.Grade != nil && (!task.Graded || *task.Grade < -1 || *task.Grade > 3) {
		t.Fatalf("graded %d", *task.Grade)
	}
	if task.GradedLate && (task.Grade == nil || *task.Grade != -1) {
		t.Fatal("lateness gave another grade")
	}
	if task.Quality < -1 || task.Quality > max(task.MaxQuality, -1) {
		t.Fatalf("quality %d of %d", task.Quality, task.MaxQuality)
	}
	passed := task.Status == Complete || task.Status == Discuss || task.Status == Demonstrate
	if passed && (task.CompletedOn == nil || task.SubmittedAt == nil || task.AssessedAt == nil || task.Graded &&
		task.Grade == nil) {
		t.Fatalf("%s: %+v", task.Status, task.State)
	}
	if task.TimesAssessed > 0 != (task.AssessedAt != nil) {
		t.Fatalf("assessed %d times, last %v", task.TimesAssessed, task.AssessedAt)
	}
}

// apply is what a caller does with a plan.
func (t Task) apply(p Plan) Task {
	t.State = p.After
	if p.Row != nil {
		t.Last = &Submission{At: p.Row.SubmittedAt, Assessed: p.Row.Outcome != ""}
	}
	return t
}

func checkRecords(t *rapid.T, before Task, p Plan) {
	if n := len(p.Entries); n > 0 && p.Entries[n-1].Status != p.After.Status {
		t.Fatalf("the last entry is %s, the status %s", p.Entries[n-1].Status, p.After.Status)
	}
	if len(p.Entries) == 0 && (p.After.Status != before.Status || p.Row != nil) {
		t.Fatal("moved without an entry")
	}
	if p.Row != nil && !p.Row.New && (before.Last == nil || before.Last.Assessed) {
		t.Fatal("changed a submission that is closed or not there")
	}
}

func TestNoHistoryReachesWhatTheRulesForbid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := Task{State: Fresh, Rules: rules.Draw(t, "rules"), Due: drawDates(t)}
		at := clock.At(today.Time)
		for range rapid.IntRange(1, 25).Draw(t, "moves") {
			at = later(t, at)
			m := drawMove(t, at, None, Student, GroupMember, Staff)
			before := task
			p, err := Decide(task, m)
			if err != nil {
				if k := fault.KindOf(err); k != fault.Invalid && k != fault.Denied && k != fault.Conflict &&
					(k != fault.Refused || m.Grade == nil && m.Quality == nil) {
					t.Fatalf("refused as %s: %v", k.Slug(), err)
				}
				if m.By == Staff && fault.Is(err, fault.Conflict) {
					t.Fatalf("staff may leave any status: %v", err)
				}
				continue
			}
			if m.By == None {
				t.Fatal("a stranger moved the task")
			}
			if m.By != Staff {
				checkStudentsMove(t, before, m, p)
			}
			checkRecords(t, before, p)
			task = task.apply(p)
			checkState(t, task)
			if rapid.IntRange(0, 5).Draw(t, "extend") == 0 && task.dates().CanApply() {
				task.Extensions++
				if p, ok := Extended(task); ok {
					task = task.apply(p)
				}
				checkState(t, task)
			}
		}
	})
}

// Whatever a group and its staff do, every member's task obeys the rules, and
// a tutor who studies in the group never touches their own.
func TestGroupHistoriesStayConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, dates := rules.Draw(t, "rules"), drawDates(t)
		r.Group = true
		group := make([]Task, rapid.IntRange(2, 5).Draw(t, "members"))
		for i := range group {
			group[i] = Task{State: Fresh, Rules: r, Due: dates, InGroup: true}
		}
		at := clock.At(today.Time)
		for range rapid.IntRange(1, 15).Draw(t, "moves") {
			at = later(t, at)
			first := rapid.IntRange(0, len(group)-1).Draw(t, "first")
			m := drawMove(t, at, Student, Staff)
			own := -1 // the task of the member of staff who moves, if they study in the group
			if m.By == Staff && first > 0 {
				own = 0
			}
			if lucky := &group[rapid.IntRange(0, len(group)-1).Draw(t, "lucky")]; lucky.dates().CanApply() {
				lucky.Extensions++
			}
			from := group[first]
			p, err := Decide(from, m)
			if err != nil {
				continue
			}
			group[first] = from.apply(p)
			for i, member := range group {
				if i == first {
					continue
				}
				p, ok := Propagate(from, m, member, i == own)
				if !ok {
					continue
				}
				if i == own {
					t.Fatal("reached the mover's own task")
				}
				checkRecords(t, member, p)
				group[i] = member.apply(p)
				checkMember(t, m, member, group[i], from)
			}
		}
	})
}

func checkMember(t *rapid.T, m Move, before, after, from Task) {
	checkState(t, after)
	if before.Status.row().is(final) && after.Status != before.Status {
		t.Fatalf("%s was moved to %s", before.Status, after.Status)
	}
	if m.By == Student && Closed.Has(before.Status) && !cmp.Equal(before.State, after.State) {
		t.Fatalf("a student of the group changed a closed task")
	}
	if after.Status != before.Status && after.Extensions < max(before.Extensions, from.Extensions) {
		t.Fatalf("extensions of %d and %d became %d", before.Extensions, from.Extensions, after.Extensions)
	}
}
