package student

import (
	"context"
	"crypto/rand"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
	"lectern/internal/web/site/taskpart"
)

func (s *room) taskRoutes() {
	const one = "/projects/{project_id}/tasks/{task_definition_id}"
	asks := endpoint.Asks(policy.ReadSubmission, policy.ListStudents, policy.GradeTask, policy.Submit, policy.Comment,
		policy.RequestExtension, policy.SeeExtensions, policy.SeeReviews, policy.AskReview, policy.AnswerReview)
	page.Show(s.Site, one, policy.ReadTask, "A task", s.taskToAnswer, asks)
	page.Form(s.Site, one+"/status", policy.ChangeTask, "Tell how a task goes", s.move, asks,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review))
	s.handInRoutes(one, asks)
	s.talkRoutes(one, asks)
	s.changesRoutes(one)
	s.workRoutes(one)
	s.reviewRoutes(one)
	s.discussionRoutes(one)
	endpoint.Route(s.Server, "GET "+one+"/sheet", 200, policy.ReadTask, "Task sheet", s.sheet)
	endpoint.Route(s.Server, "GET "+one+"/resources", 200, policy.ReadTask, "Resources of a task", s.resources)
}

// taskIn names the task that a request is about.
type taskIn = taskpart.In

// taskPage is what the page of a task shows.
type taskPage struct {
	*usecase.TaskDetail
	Path                  string
	Form                  *handInForm           // nil: not theirs to hand in
	Making                *taskpart.Making      // the document of the latest submission; nil: there is none
	Sources               *taskpart.SourceFiles // its text files; nil: it has none
	Refused               refused               // what was typed, to be mended
	MayComment, MayExtend bool
	Moves                 []status.Status // what the student may say of it
	conversation
	Asked         *work.Comment   // the latest request for more time; nil: there is none
	Tests         *taskpart.Tests // what the automated tests say; nil: they were never run
	Reviews       *taskpart.Reviews
	Rubric        *taskpart.Rubric // what it is marked by; nil: it has none
	History       []work.HistoryEntry
	Before, After *taskdef.Beside // the tasks beside it; nil: it is the first, or the last
	Tab           string          // the view that is open; "" is the work itself
	Step          *step           // what to do now; nil for whoever looks at the work of another
	Desk          string          // where the staff mark it; empty for others, and before there is a task
	words         language
	now           clock.Time
}

// Late tells whether the task waits for its student and should have come already.
func (v *taskPage) Late() bool {
	return usecase.Overdue(v.Now.Status, v.Now.SubmittedAt != nil, v.Due.Dates, v.now.Time)
}

type taskViewIn struct {
	taskIn
	Tab string `param:"tab"`
}

func (s *room) task(ctx context.Context, who *access.Caller, in taskViewIn) (*page.Page, error) {
	v := &taskPage{words: s.words, now: s.DB.Now(), Path: in.Path(), MayComment: who.May(policy.Comment)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.TaskDetail, err = usecase.TaskByID(ctx, q, who, in.Ref()); err != nil {
			return err
		}
		if v.Before, v.After, err = taskdef.Neighbours(ctx, q, v.Definition, v.Project.TargetGrade); err != nil {
			return err
		}
		if in.Tab == "history" {
			if v.History, _, err = work.History(ctx, q, in.Ref(), db.Part(taskpart.LatestEntries, 0)); err != nil {
				return err
			}
		}
		if v.Rubric, err = taskpart.RubricOf(ctx, q, in.taskIn); err != nil {
			return err
		}
		if v.Reviews, err = taskpart.ReviewsOf(ctx, q, who, in.taskIn); err != nil {
			return err
		}
		return s.handedIn(ctx, q, who, in.taskIn, v)
	})
	if err != nil {
		return nil, err
	}
	v.converse(who)
	if v.Now.TaskID != 0 && who.May(policy.GradeTask) {
		v.Desk = links.DeskAt(who.UnitID, v.Now.TaskID)
	}
	v.MayExtend = who.May(policy.RequestExtension) && who.ID == who.OwnerID && !v.Waits() && v.Least() > 0
	if v.Tests, err = taskpart.TestsOf(ctx, s.Site, who, in.taskIn); err != nil {
		return nil, err
	}
	v.Tab = v.chosen(in.Tab)
	if who.ID == who.OwnerID {
		v.Step = v.nextStep()
	}
	return s.Titled(who, "task", v.Definition.Abbreviation+" "+v.Definition.Name, v), nil
}

// handedIn adds what is known of the latest submission, and the form for the next to
// whoever may hand in.
func (s *room) handedIn(ctx context.Context, q db.Q, who *access.Caller, in taskIn, v *taskPage) (err error) {
	if who.May(policy.Submit) && who.ID == who.OwnerID {
		v.Moves = moves(v.Now.Status)
		if v.Form, err = s.form(ctx, q, who, v.TaskDetail, rand.Text()); err != nil {
			return err
		}
	}
	if !v.Submission.Submitted {
		return nil
	}
	last, err := submit.Latest(ctx, q, in.ProjectID, in.DefinitionID)
	if err != nil {
		return err
	}
	if v.Making, err = taskpart.MakingOf(ctx, q, who, in, last); err != nil {
		return err
	}
	if !who.May(policy.ReadSubmission) {
		return nil
	}
	files, err := source.Files(ctx, q, last.ID)
	at := workIn{versionIn: versionIn{taskIn: in, Timestamp: last.At.String()}}
	v.Sources = taskpart.SourceFilesOf(s.Words, files, nil, -1, at.at)
	return err
}

// offered are what a student can say of a task.
var offered = []status.Status{status.WorkingOnIt, status.NeedHelp}

// moves is what a student may say of a task that stands so.
func moves(now status.Status) (list []status.Status) {
	if status.Closed.Has(now) {
		return nil
	}
	for _, to := range offered {
		if to != now {
			list = append(list, to)
		}
	}
	return list
}

// refused is what somebody typed into a form that was refused.
type refused struct {
	Comment string
	Reason  string // for more time
	Weeks   int
	Tab     string // that has the form
}

// retry draws the page of a task again with what was wrong with one of its forms.
func (s *room) retry(ctx context.Context, who *access.Caller, in taskIn, typed refused, err error) (endpoint.Drawing,
	error) {
	if !endpoint.FromForm(ctx) {
		return nil, err // a script shows it beside the form, which is still there
	}
	p, drawn := s.task(ctx, who, taskViewIn{in, typed.Tab})
	if drawn != nil {
		return nil, drawn
	}
	p.Data.(*taskPage).Refused = typed
	return s.Again(p, err)
}

type moveIn struct {
	taskIn
	Status string `param:"status"`
}

func (s *room) move(ctx context.Context, who *access.Caller, in moveIn) (endpoint.Drawing, error) {
	if _, err := s.Usecases.MoveTask(ctx, who, in.Ref(), work.Change{Trigger: &in.Status}); err != nil {
		return s.retry(ctx, who, in.taskIn, refused{}, err)
	}
	return endpoint.Redirect{To: in.Path()}, nil
}

func (s *room) sheet(ctx context.Context, _ *access.Caller, in taskIn) (*endpoint.File, error) {
	return s.definitionFile(ctx, in.DefinitionID, taskdef.Sheet, ".pdf", "application/pdf")
}

func (s *room) resources(ctx context.Context, _ *access.Caller, in taskIn) (*endpoint.File, error) {
	return s.definitionFile(ctx, in.DefinitionID, taskdef.Resources, ".zip", "application/zip")
}

func (s *room) definitionFile(ctx context.Context, id int64, k taskdef.FileKind, suffix, kind string) (*endpoint.File,
	error) {
	d, err := taskdef.DefinitionByID(ctx, s.DB.Pool(), id)
	if err != nil {
		return nil, err
	}
	hash, err := d.File(k)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.Usecases.Files, hash, endpoint.File{Name: d.UnitCode + "-" + d.Abbreviation + suffix,
		Type: kind, Attachment: kind != "application/pdf"})
}
