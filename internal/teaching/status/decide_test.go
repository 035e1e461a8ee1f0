package status

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/teaching/due"
)

var (
	now   = clock.At(time.Date(2026, 3, 11, 10, 0, 0, 0, time.UTC))
	today = clock.On(2026, 3, 11)
	hour  = time.Hour
)

func ago(d time.Duration) *clock.Time { t := clock.At(now.Add(-d)); return &t }

func mark(n int) *int { return &n }

func given(g grade.Grade) *grade.Grade { return &g }

// dueIn is a task due in some days, with its deadline some days after today.
func dueIn(target, deadline int) Task {
	return Task{State: Fresh, Due: due.Dates{Target: today.AddDays(target), Deadline: today.AddDays(deadline)}}
}

func (t Task) at(s Status) Task { t.Status = s; return t }

func (t Task) with(change func(*Task)) Task { change(&t); return t }

func restricted(t *Task) { t.Restricted = true }
func graded(t *Task)     { t.Graded = true }
func rated(t *Task)      { t.MaxQuality = 5 }
func needsFiles(t *Task) { t.NeedsFiles = true }
func groupless(t *Task)  { t.Group = true }

func TestRefusals(t *testing.T) {
	open := dueIn(5, 20)
	for _, c := range []struct {
		about string
		task  Task
		move  Move
		kind  fault.Kind
		words string
	}{
		{"unknown word", open, Move{Word: "done", By: Staff}, fault.Invalid, `"done" is not a task status`},
		{"unknown word, student", open, Move{Word: "done", By: Student}, fault.Invalid, "trigger"},
		{"a stranger", open, Move{Word: "need_help", By: None}, fault.Denied, "no part in this task"},
		{"student completes", open, Move{Word: "completed", By: Student}, fault.Denied, "set a task to Complete"},
		{"student sets time exceeded", open, Move{Word: "time_exceeded", By: Student}, fault.Denied, "Time Exceeded"},
		{"group member fails", open, Move{Word: "fail", By: GroupMember}, fault.Denied, "Fail"},
		{"student grades", open.with(graded), Move{Grade: given(3), By: Student}, fault.Denied,
			"teaching staff can grade"},
		{"student grades an ungraded one", open, Move{Word: "need_help", Grade: given(3), By: Student}, fault.Denied,
			"grade"},
		{"student rates", open.with(rated), Move{Quality: mark(3), By: Student}, fault.Denied, "quality"},
		{"student reopens", open.at(Complete), Move{Word: "working_on_it", By: Student}, fault.Conflict,
			"closed (Complete)"},
		{"student submits a failed one", open.at(Fail), Move{Word: "rff", By: Student}, fault.Conflict,
			"closed (Fail)"},
		{"restricted", open.at(Redo).with(restricted), Move{Word: "ns", By: Student}, fault.Conflict,
			"is Redo, and only"},
		{"restricted, waiting", open.at(ReadyForFeedback).with(restricted), Move{Word: "need_help", By: Student},
			fault.Conflict, "Ready"},
		{"no files", open.with(needsFiles), Move{Word: "rtm", By: Student}, fault.Denied, "Upload them"},
		{"no files, staff", open.with(needsFiles), Move{Word: "ready_for_feedback", By: Staff}, fault.Denied,
			"Upload them"},
		{"no group", open.with(groupless), Move{Word: "need_help", By: Student}, fault.Denied, "no group"},
		{"no group, staff", open.with(groupless), Move{Word: "redo", By: Staff}, fault.Denied, "no group"},
		{"no grade", open.with(graded), Move{Word: "complete", By: Staff}, fault.Invalid, "grade is required"},
		{"no grade, discuss", open.with(graded), Move{Word: "d", By: Staff}, fault.Invalid, "Discuss"},
		{"no grade, demonstrate", open.with(graded), Move{Word: "demo", By: Staff}, fault.Invalid, "Demonstrate"},
		{"grade too low", open.with(graded), Move{Word: "complete", Grade: given(-2), By: Staff}, fault.Invalid,
			"from -1"},
		{"grade too high", open.with(graded), Move{Grade: given(4), By: Staff}, fault.Invalid, "to 3"},
		{"no quality", open.with(rated), Move{Word: "complete", By: Staff}, fault.Invalid, "quality_pts is required"},
		{"quality too high", open.with(rated), Move{Word: "complete", Quality: mark(6), By: Staff}, fault.Invalid,
			"0 to 5"},
		{"quality too low", open.with(rated), Move{Word: "complete", Quality: mark(-2), By: Staff}, fault.Invalid,
			"-1 for not rated"},
		{"quality too high alone", open.with(rated), Move{Quality: mark(6), By: Staff}, fault.Invalid, "0 to 5"},
		{"grade without a place", open, Move{Word: "complete", Grade: given(3), By: Staff}, fault.Refused, "not graded"},
		{"quality without a place", open, Move{Quality: mark(3), By: Staff}, fault.Refused, "no quality points"},
	} {
		c.move.At = now
		p, err := Decide(c.task, c.move)
		if !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v (kind %v) does not say %q", c.about, err, fault.KindOf(err).Slug(), c.words)
		}
		if diff := cmp.Diff(Plan{}, p); diff != "" {
			t.Errorf("%s: refused, but plans %s", c.about, diff)
		}
	}
}

// decide runs an allowed move now.
func decide(t *testing.T, task Task, m Move) Plan {
	t.Helper()
	m.At = now
	p, err := Decide(task, m)
	if err != nil {
		t.Fatalf("%s from %s: %v", m.Word, task.Status, err)
	}
	return p
}

func same(t *testing.T, about string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s:\n%s", about, diff)
	}
}

func TestStudentTellsHowItGoes(t *testing.T) {
	task := dueIn(5, 20)
	task.SubmittedAt = ago(2 * hour)
	p := decide(t, task, Move{Word: "need_help", By: Student})
	same(t, "need help", p, Plan{After: task.at(NeedHelp).State, Entries: []Entry{{NeedHelp, Mover, true}}})
	same(t, "again", decide(t, task.at(NeedHelp), Move{Word: "need_help", By: Student}),
		Plan{After: task.at(NeedHelp).State})
}

func TestHandInOnTime(t *testing.T) {
	task := dueIn(0, 20).at(WorkingOnIt)
	p := decide(t, task, Move{Word: "rff", By: Student})
	want := task.at(ReadyForFeedback).State
	want.SubmittedAt = &now
	same(t, "on time", p, Plan{After: want, Entries: []Entry{{ReadyForFeedback, Mover, true}},
		Row: &Row{New: true, SubmittedAt: now}})
}

func TestHandInAgainWithinTheHourIsTheSameSubmission(t *testing.T) {
	for _, c := range []struct {
		last Submission
		new  bool
	}{
		{Submission{At: *ago(59 * time.Minute)}, false},
		{Submission{At: *ago(hour)}, true},
		{Submission{At: *ago(time.Minute), Assessed: true}, true},
	} {
		task := dueIn(5, 20)
		task.Last = &c.last
		p := decide(t, task, Move{Word: "rff", By: Student})
		same(t, "row", p.Row, &Row{New: c.new, SubmittedAt: now})
	}
}

func TestHandInLate(t *testing.T) {
	task := dueIn(-2, 20).with(graded)
	earlier := today.AddDays(-4)
	task.CompletedOn = &earlier
	p := decide(t, task, Move{Word: "rff", By: Student})
	want := State{Status: TimeExceeded, SubmittedAt: &now, AssessedAt: &now, TimesAssessed: 1, Grade: given(-1),
		GradedLate: true, Quality: -1}
	same(t, "late", p, Plan{
		After:   want,
		Entries: []Entry{{ReadyForFeedback, Mover, true}, {TimeExceeded, Tutor, true}},
		Row:     &Row{New: true, SubmittedAt: now, AssessedAt: &now, Outcome: TimeExceeded, Assessor: Nobody},
	})
	task.Grade = given(2)
	same(t, "a grade that is there stays", decide(t, task, Move{Word: "rff", By: Student}).After.Grade, given(2))
	plain := decide(t, dueIn(-2, 20), Move{Word: "rff", By: Student}).After
	if plain.Grade != nil || plain.GradedLate {
		t.Error("an ungraded task was graded")
	}
}

func TestLateCountsOnlyForHandingIn(t *testing.T) {
	for _, word := range []string{"need_help", "working_on_it", "not_started", "complete", "fix"} {
		if p := decide(t, dueIn(-30, -20), Move{Word: word, By: Staff}); p.After.Status == TimeExceeded {
			t.Errorf("%s became time_exceeded", word)
		}
	}
}

func TestStaffAssess(t *testing.T) {
	for _, to := range []Status{Complete, Discuss, Demonstrate, FixAndResubmit, Redo, FeedbackExceeded, Fail,
		TimeExceeded} {
		task := dueIn(30, 40).at(ReadyForFeedback)
		task.SubmittedAt, task.AssessedAt, task.TimesAssessed = ago(hour), ago(5*hour), 1
		task.Last = &Submission{At: *ago(3 * hour)} // files came since, with a call for help
		want := task.at(to).State
		want.AssessedAt, want.TimesAssessed = &now, 2
		if to == Complete || to == Discuss || to == Demonstrate {
			want.CompletedOn = &today
		}
		p := decide(t, task, Move{Word: string(to), By: Staff})
		same(t, string(to), p, Plan{
			After: want, Entries: []Entry{{to, Mover, true}},
			Row: &Row{SubmittedAt: *ago(3 * hour), AssessedAt: &now, Outcome: to, Assessor: Mover},
		})
	}
}

func TestAssessingAgain(t *testing.T) {
	task := dueIn(30, 40).at(Complete)
	earlier := today.AddDays(-1)
	task.SubmittedAt, task.AssessedAt, task.TimesAssessed, task.CompletedOn = ago(3*hour), ago(2*hour), 1, &earlier
	task.Last = &Submission{At: *task.SubmittedAt, Assessed: true}
	p := decide(t, task, Move{Word: "complete", By: Staff})
	if p.After.TimesAssessed != 1 || *p.After.CompletedOn != earlier {
		t.Errorf("assessed %d times, completed on %v", p.After.TimesAssessed, p.After.CompletedOn)
	}
	same(t, "row", p.Row, &Row{New: true, SubmittedAt: *task.SubmittedAt, AssessedAt: &now, Outcome: Complete,
		Assessor: Mover})
	if p := decide(t, task, Move{Word: "redo", By: Staff}); p.After.CompletedOn != nil {
		t.Error("still complete")
	}
}

func TestAssessingWhatWasNeverHandedIn(t *testing.T) {
	p := decide(t, dueIn(30, 40), Move{Word: "complete", By: Staff})
	if p.After.SubmittedAt == nil || *p.After.SubmittedAt != now || p.After.TimesAssessed != 1 {
		t.Errorf("%+v", p.After)
	}
}

func TestMarks(t *testing.T) {
	task := dueIn(30, 40).with(graded).with(rated)
	p := decide(t, task, Move{Word: "discuss", Grade: given(0), Quality: mark(5), By: Staff})
	same(t, "grade", p.After.Grade, given(0))
	same(t, "quality", p.After.Quality, 5)

	task.Grade, task.Quality = given(1), 3
	p = decide(t, task, Move{Word: "complete", By: Staff})
	same(t, "kept grade", p.After.Grade, given(1))
	same(t, "kept quality", p.After.Quality, 3)
	p = decide(t, task, Move{Word: "complete", Quality: mark(-1), By: Staff})
	same(t, "unrated", p.After.Quality, -1)
	p = decide(t, task, Move{Word: "redo", Quality: mark(5), By: Staff})
	same(t, "quality without passing", p.After.Quality, 5)
	p = decide(t, task, Move{Quality: mark(1), By: Staff})
	same(t, "quality alone", p.After.Quality, 1)
	if p.Entries != nil || p.Row != nil || p.After.Status != NotStarted {
		t.Error("a quality alone moved the task")
	}

	p = decide(t, task, Move{Grade: given(3), By: Staff})
	same(t, "grade alone", p.After.Grade, given(3))
	if p.Entries != nil || p.Row != nil || p.After.Status != NotStarted {
		t.Error("a grade alone moved the task")
	}
}

// What the task has already is no wish: whoever sends it back is not refused.
func TestMarksSentBackAreLeftAlone(t *testing.T) {
	plain := dueIn(30, 40)
	same(t, "unrated", decide(t, plain, Move{Quality: mark(-1), By: Staff}), Plan{After: plain.State})
	same(t, "by a student", decide(t, plain, Move{Quality: mark(-1), By: Student}), Plan{After: plain.State})
	task := plain.with(graded).with(rated)
	task.Grade, task.Quality = given(2), 4
	same(t, "marks", decide(t, task, Move{Grade: given(2), Quality: mark(4), By: Student}), Plan{After: task.State})
	task.Graded = false
	same(t, "an old grade", decide(t, task, Move{Grade: given(2), By: Staff}), Plan{After: task.State})
}

func TestNothingAskedChangesNothing(t *testing.T) {
	task := dueIn(-30, 40).at(Complete)
	same(t, "nothing", decide(t, task, Move{By: Student}), Plan{After: task.State})
}

func TestUploads(t *testing.T) {
	for _, c := range []struct {
		about string
		task  Task
		word  string
		by    Actor
		after Status
		moves int
	}{
		{"hand in", dueIn(5, 20).with(needsFiles), "rff", Student, ReadyForFeedback, 1},
		{"ask for help", dueIn(-5, 20).at(NeedHelp), "need_help", Student, NeedHelp, 1},
		{"late", dueIn(-5, 20).with(needsFiles), "rff", Student, TimeExceeded, 2},
		{"new evidence", dueIn(5, 20).at(Complete), "rff", Student, Complete, 0},
		{"new evidence brought by staff", dueIn(5, 20).at(Discuss), "rff", Staff, Discuss, 0},
		{"restricted", dueIn(5, 20).at(FixAndResubmit).with(restricted), "rff", Student, FixAndResubmit, 0},
		{"after lateness", dueIn(5, 20).at(TimeExceeded), "rff", Student, ReadyForFeedback, 1},
	} {
		p := decide(t, c.task, Move{Word: c.word, By: c.by, Upload: true})
		if p.After.Status != c.after || len(p.Entries) != c.moves {
			t.Errorf("%s: %s with %d entries", c.about, p.After.Status, len(p.Entries))
		}
		if p.After.UploadedAt == nil || p.After.SubmittedAt == nil || *p.After.SubmittedAt != now {
			t.Errorf("%s: the upload is not noted", c.about)
		}
	}
	if _, err := Decide(dueIn(5, 20).with(groupless), Move{Word: "rff", By: Student, Upload: true,
		At: now}); !fault.Is(err, fault.Denied) {
		t.Errorf("no group: %v", err)
	}
}

func TestFixGivesTimeOnlyWhenLittleIsLeft(t *testing.T) {
	for _, c := range []struct{ target, deadline, given, want int }{
		{1, 22, 2, 2}, {1, 22, 0, 0}, {1, 4, 3, 1}, {10, 22, 1, 0}, {-30, -20, 1, 1},
	} {
		task := dueIn(c.target, c.deadline)
		task.WeeksOnResubmit = c.given
		if got := decide(t, task, Move{Word: "fix", By: Staff}).After.Extensions; got != c.want {
			t.Errorf("%+v: %d weeks", c, got)
		}
		if got := decide(t, task, Move{Word: "redo", By: Staff}).After.Extensions; got != 0 {
			t.Errorf("redo gave %d weeks", got)
		}
	}
}

func TestCompletedOnTheDayWhereTheUnitIs(t *testing.T) {
	task := dueIn(30, 40)
	task.Due.Zone = time.FixedZone("east", 14*3600)
	p := decide(t, task, Move{Word: "complete", By: Staff})
	if want := today.AddDays(1); *p.After.CompletedOn != want {
		t.Errorf("completed on %v", p.After.CompletedOn)
	}
}

func TestActorOn(t *testing.T) {
	for _, c := range []struct {
		owns, teaches, shares bool
		want                  Actor
	}{
		{true, true, true, Student}, {true, false, false, Student}, {false, true, true, Staff},
		{false, false, true, GroupMember}, {false, false, false, None},
	} {
		if got := ActorOn(c.owns, c.teaches, c.shares); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestWeekEnd(t *testing.T) {
	for _, s := range All {
		p, ok := WeekEnd(dueIn(5, 20).with(graded).at(s), now)
		if ok != (s == Discuss || s == Demonstrate) || ok && p.After.Status != Complete {
			t.Errorf("%s: %v %s", s, ok, p.After.Status)
		}
	}
}

func TestExtended(t *testing.T) {
	late := dueIn(-7, 7).with(graded)
	handed := decide(t, late, Move{Word: "rff", By: Student}).After
	late.State = handed
	if _, ok := Extended(late); ok {
		t.Error("moved without an extension")
	}
	if late.dates().WeeksCanExtend() != 2 || !late.dates().CanApply() {
		t.Error("no room for two weeks")
	}
	late.Extensions = 2
	p, ok := Extended(late)
	want := handed
	want.Status, want.Grade, want.GradedLate, want.Extensions = ReadyForFeedback, nil, false, 2
	if !ok {
		t.Fatal("not moved")
	}
	same(t, "back", p, Plan{After: want, Entries: []Entry{{ReadyForFeedback, Mover, true}}})

	late.Grade, late.GradedLate = given(-1), false
	p, _ = Extended(late)
	same(t, "a fail a person gave stays", p.After.Grade, given(-1))
	for _, s := range All {
		if _, ok := Extended(late.at(s)); ok != (s == TimeExceeded) {
			t.Errorf("%s: %v", s, ok)
		}
	}
	late.SubmittedAt = nil
	if _, ok := Extended(late); ok {
		t.Error("nothing was handed in")
	}
}

func TestWorkOnTimeWithdrawsTheFailOfLateness(t *testing.T) {
	task := dueIn(5, 20).with(graded).at(TimeExceeded)
	task.Grade, task.GradedLate = given(-1), true
	if p := decide(t, task, Move{Word: "rff", By: Student}); p.After.Grade != nil || p.After.GradedLate {
		t.Errorf("%+v", p.After)
	}
	if p := decide(t, task, Move{Word: "complete", Grade: given(-1), By: Staff}); p.After.GradedLate {
		t.Error("the grade is a person's now")
	}
}

func TestUnreadable(t *testing.T) {
	task := dueIn(1, 20)
	task.WeeksOnResubmit = 1
	for _, s := range All {
		p, ok := Unreadable(task.at(s), now)
		if ok == Closed.Has(s) {
			t.Errorf("%s: %v", s, ok)
		}
		if ok && (p.After.Status != FixAndResubmit || p.After.Extensions != 1 || p.Entries[0].By != Tutor ||
			p.Row.Assessor != Tutor) {
			t.Errorf("%s: %+v", s, p)
		}
	}
}
