package status

import "testing"

func spread(from Task, m Move, member Task, owns bool) (Plan, bool) {
	m.At = now
	return Propagate(from, m, member, owns)
}

func TestPropagateByStatus(t *testing.T) {
	for _, to := range All {
		for _, s := range All {
			task := dueIn(5, 20)
			p, ok := spread(task, Move{Word: string(to), By: Staff}, task.at(s), false)
			want := to != NeedHelp && to != WorkingOnIt && s != Complete && s != FeedbackExceeded && s != Fail
			if ok != want || ok && p.After.Status != to {
				t.Errorf("staff, %s onto %s: %v %s", to, s, ok, p.After.Status)
			}
			for _, e := range p.Entries {
				if e.Comment {
					t.Errorf("%s onto %s: a comment on a member's task", to, s)
				}
			}
		}
	}
	for _, s := range All {
		task := dueIn(5, 20)
		if _, ok := spread(task, Move{Word: "rff", By: Student}, task.at(s), false); ok == Closed.Has(s) {
			t.Errorf("student, onto %s: %v", s, ok)
		}
	}
}

func TestPropagateTakesTheLargerExtension(t *testing.T) {
	for _, c := range []struct {
		from, member, want int
		status             Status
	}{
		{0, 2, 2, ReadyForFeedback}, {2, 0, 2, ReadyForFeedback}, {1, 1, 1, TimeExceeded}, {0, 0, 0, TimeExceeded},
	} {
		from, member := dueIn(-10, 20), dueIn(-10, 20).with(graded)
		from.Extensions, member.Extensions = c.from, c.member
		p, ok := spread(from, Move{Word: "rff", By: Student}, member, false)
		if !ok || p.After.Extensions != c.want || p.After.Status != c.status {
			t.Errorf("%+v: %v %+v", c, ok, p.After)
		}
		if late := p.After.Grade != nil; late != (c.status == TimeExceeded) {
			t.Errorf("%+v: graded %v", c, late)
		}
	}
}

func TestPropagateNeverReachesTheMoversOwnTask(t *testing.T) {
	task := dueIn(5, 20).with(graded)
	for _, m := range []Move{{Word: "complete", Grade: given(3)}, {Grade: given(3)}, {Word: "redo"}} {
		m.By = Staff
		if p, ok := spread(task, m, task, true); ok {
			t.Errorf("%q reached it: %+v", m.Word, p)
		}
	}
}

func TestPropagateMarks(t *testing.T) {
	task := dueIn(5, 20).with(graded).with(rated)
	p, ok := spread(task, Move{Grade: given(2), By: Staff}, task.at(Redo), false)
	if !ok || *p.After.Grade != 2 || p.After.Status != Redo || p.Entries != nil {
		t.Errorf("grade alone: %v %+v", ok, p)
	}
	p, ok = spread(task, Move{Word: "complete", Grade: given(2), Quality: mark(4), By: Staff}, task.at(Complete), false)
	if !ok || *p.After.Grade != 2 || p.After.Quality != 4 || p.Entries != nil {
		t.Errorf("onto a complete task: %v %+v", ok, p)
	}
	from := task
	from.Grade, from.Quality = given(1), 3
	p, ok = spread(from, Move{Word: "complete", By: Staff}, task, false)
	if !ok || p.After.Grade == nil || *p.After.Grade != 1 || p.After.Quality != 3 || p.After.Status != Complete {
		t.Errorf("marks the first task had: %v %+v", ok, p)
	}
}

func TestPropagateUploads(t *testing.T) {
	from := dueIn(5, 20).with(needsFiles)
	for _, s := range All {
		p, ok := spread(from, Move{Word: "rff", By: Student, Upload: true}, from.at(s), false)
		if ok == Closed.Has(s) {
			t.Errorf("onto %s: %v", s, ok)
		}
		if ok && (p.After.UploadedAt == nil || p.After.Status != ReadyForFeedback) {
			t.Errorf("onto %s: %+v", s, p.After)
		}
	}
	p, ok := spread(from, Move{Word: "rff", By: Student, Upload: true}, from.at(FixAndResubmit).with(restricted), false)
	if !ok || p.After.Status != FixAndResubmit || p.After.UploadedAt == nil {
		t.Errorf("restricted: %v %+v", ok, p.After)
	}
}

func TestPropagateGivesTheSameTimeToAll(t *testing.T) {
	from := dueIn(1, 30)
	from.WeeksOnResubmit = 2
	first := decide(t, from, Move{Word: "fix", By: Staff})
	p, _ := spread(from, Move{Word: "fix", By: Staff}, from, false)
	if p.After.Extensions != 2 || first.After.Extensions != 2 {
		t.Errorf("%d and %d weeks", first.After.Extensions, p.After.Extensions)
	}
}
