package site

import (
	"context"
	"crypto/rand"

	"lectern/internal/access"
	"lectern/internal/db"
	"lectern/internal/grade"
	"lectern/internal/status"
	"lectern/internal/submit"
	"lectern/internal/usecase"
	"lectern/internal/work"
)

// deskTask is the task that lies on the desk.
type deskTask struct {
	*usecase.TaskDetail
	*work.MarkedTask
	Path            string // of the task's own page
	Making          *making
	Files           []submit.File
	Earlier, Recent []*work.Comment
	Asked           *work.Comment // a request for more time that waits; nil: there is none
	Tests           *testsOfTask
	Before, After   int64 // the tasks around it in the queue; 0: there is none
	Key             string
}

// Title names the student and the task.
func (t *deskTask) Title() string { return t.Definition.Abbreviation + " " + t.Student() }

// Student is the name of whose work it is.
func (t *deskTask) Student() string { return t.Project.FirstName + " " + t.Project.LastName }

// deskTask reads all that the desk shows of a task; who must be resolved on it.
func (s *Server) deskTask(ctx context.Context, q db.Q, who *access.Caller, v *deskPage) (t *deskTask, err error) {
	t = &deskTask{Key: rand.Text()}
	if t.MarkedTask, err = work.TaskForMarker(ctx, q, who.TaskID, who.ID); err != nil {
		return nil, err
	}
	if t.TaskDetail, err = usecase.TaskByID(ctx, q, who, t.Ref()); err != nil {
		return nil, err
	}
	in := taskIn{t.ProjectID, t.DefinitionID}
	t.Path = in.path()
	if err := s.deskDocument(ctx, q, who, in, t); err != nil {
		return nil, err
	}
	t.Earlier, t.Recent, t.Asked = folded(t.Talk.Comments)
	if t.Asked != nil && t.Asked.Assessed {
		t.Asked = nil
	}
	t.around(v)
	t.Tests, err = s.testsOfTask(ctx, who, in)
	return t, err
}

// deskDocument adds what is known of the latest submission.
func (s *Server) deskDocument(ctx context.Context, q db.Q, who *access.Caller, in taskIn, t *deskTask) error {
	if !t.Submission.Submitted {
		return nil
	}
	last, err := submit.Latest(ctx, q, in.ProjectID, in.DefinitionID)
	if err != nil {
		return err
	}
	if t.Making, err = s.making(ctx, q, who, in, last); err != nil {
		return err
	}
	t.Files, err = submit.FilesOf(ctx, q, last.ID)
	return err
}

// around finds what stands before and after the task in the queue.
func (t *deskTask) around(v *deskPage) {
	for i := range v.Rows {
		if v.Rows[i].ID != t.ID {
			continue
		}
		if i > 0 {
			t.Before = v.Rows[i-1].ID
		}
		if i+1 < len(v.Rows) {
			t.After = v.Rows[i+1].ID
		}
		return
	}
	if len(v.Rows) > 0 {
		t.After = v.Rows[0].ID
	}
}

// MayComment tells whether the reader may say something.
func (t *deskTask) MayComment() bool { return true }

// verdict is a button of the desk.
type verdict struct {
	status.Status
	Letter string // the key that presses it; empty: none does
}

// Marks tells whether it says that the work is good, which needs a grade and points
// where the task has them.
func (v verdict) Marks() bool { return status.ReadyOrComplete.Has(v.Status) }

// verdicts are those given often, and others the rest of what staff can say.
var (
	verdicts = []verdict{{status.Complete, "c"}, {status.Discuss, "d"}, {status.Demonstrate, "m"},
		{status.FixAndResubmit, "f"}, {status.Redo, "r"}}
	others = []verdict{{status.FeedbackExceeded, "x"}, {status.Fail, ""}}
)

// Verdicts are the buttons that are always seen.
func (t *deskTask) Verdicts() []verdict { return verdicts }

// Others are the buttons for rare cases.
func (t *deskTask) Others() []verdict { return others }

// Marks tells whether a verdict of this task needs more than a state.
func (t *deskTask) Marks() bool { return t.Definition.IsGraded || t.Definition.MaxQualityPts > 0 }

// Grades are those a task can be given, the best first.
func (t *deskTask) Grades() (list []grade.Grade) {
	for g := grade.Highest; g >= grade.Lowest; g-- {
		list = append(list, g)
	}
	return list
}

// Graded tells whether a grade is the one the task has.
func (t *deskTask) Graded(g grade.Grade) bool {
	return t.MarkedTask.Grade != nil && *t.MarkedTask.Grade == g
}
