package site

import (
	"context"
	"crypto/rand"
	"fmt"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/api/params"
	"lectern/internal/audit"
	"lectern/internal/db"
	"lectern/internal/policy"
	"lectern/internal/status"
	"lectern/internal/submit"
	"lectern/internal/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/work"
)

func (s *Server) taskRoutes() {
	const one = "/projects/{project_id}/tasks/{task_definition_id}"
	asks := endpoint.Asks(policy.ReadSubmission, policy.ListStudents, policy.GradeTask, policy.Submit, policy.Comment,
		policy.RequestExtension)
	page(s, one, policy.ReadTask, "A task", s.task, asks)
	form(s, one+"/read", policy.ReadTask, "Mark the conversation read", s.read,
		endpoint.Unaudited("it only notes what was read"), endpoint.Asks(policy.GradeTask))
	form(s, one+"/comments", policy.Comment, "Say something on a task", s.say, asks,
		endpoint.Unaudited("the comment is kept with its author"), endpoint.Uploads(1, s.mostMedia))
	form(s, one+"/status", policy.ChangeTask, "Tell how a task goes", s.move, asks,
		endpoint.Audited(audit.Status, audit.Grade))
	form(s, one+"/extension", policy.RequestExtension, "Ask for more time", s.extend, asks,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
	s.handInRoutes(one, asks)
	endpoint.Route(s.Server, "GET "+one+"/sheet", 200, policy.ReadTask, "Task sheet", s.sheet)
	endpoint.Route(s.Server, "GET "+one+"/resources", 200, policy.ReadTask, "Resources of a task", s.resources)
	endpoint.Route(s.Server, "GET "+one+"/comments/{id}", 200, policy.ReadTask, "Attachment of a comment",
		s.attachment)
}

type taskIn struct {
	ProjectID    int64 `path:"project_id" scope:"project"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
}

func (in taskIn) ref() work.TaskRef {
	return work.TaskRef{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID}
}

func (in taskIn) path() string {
	return fmt.Sprintf("/projects/%d/tasks/%d", in.ProjectID, in.DefinitionID)
}

// taskPage is what the page of a task shows.
type taskPage struct {
	*usecase.TaskDetail
	Path                  string
	Form                  *handInForm // nil: not theirs to hand in
	Making                *making     // the document of the latest submission; nil: there is none
	Said                  string      // a comment that was refused, to be mended
	MayComment, MayExtend bool
	Moves                 []status.Status // what the student may say of it
	Tests                 *testsOfTask    // what the automated tests say; nil: they were never run
}

func (s *Server) task(ctx context.Context, who *access.Caller, in taskIn) (*Page, error) {
	v := &taskPage{Path: in.path(), MayComment: who.May(policy.Comment)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.TaskDetail, err = usecase.TaskByID(ctx, q, who, in.ref()); err != nil {
			return err
		}
		return s.handedIn(ctx, q, who, in, v)
	})
	if err != nil {
		return nil, err
	}
	v.MayExtend = who.May(policy.RequestExtension) && who.ID == who.OwnerID && v.Due.CanApply
	if v.Tests, err = s.testsOfTask(ctx, who, in); err != nil {
		return nil, err
	}
	return s.titled(who, "task", v.Definition.Abbreviation+" "+v.Definition.Name, v), nil
}

// handedIn adds what is known of the latest submission, and the form for the next to
// whoever may hand in.
func (s *Server) handedIn(ctx context.Context, q db.Q, who *access.Caller, in taskIn, v *taskPage) (err error) {
	if who.May(policy.Submit) && who.ID == who.OwnerID {
		v.Moves = []status.Status{status.WorkingOnIt, status.NeedHelp}
		if v.Form, err = s.form(ctx, q, who, v.TaskDetail, rand.Text()); err != nil {
			return err
		}
	}
	if !v.Submission.Submitted {
		return nil
	}
	last, err := submit.Latest(ctx, q, in.ProjectID, in.DefinitionID)
	if err == nil {
		v.Making, err = s.making(ctx, q, who, in, last)
	}
	return err
}

// retry draws the page of a task again with what was wrong with one of its forms.
func (s *Server) retry(ctx context.Context, who *access.Caller, in taskIn, said string, err error) (endpoint.Drawing,
	error) {
	if !endpoint.FromForm(ctx) {
		return nil, err // a script shows it beside the form, which is still there
	}
	p, drawn := s.task(ctx, who, in)
	if drawn != nil {
		return nil, drawn
	}
	p.Data.(*taskPage).Said = said
	return s.again(p, err)
}

func (s *Server) read(ctx context.Context, who *access.Caller, in taskIn) (endpoint.Drawing, error) {
	_, err := s.usecases.ReadComments(ctx, who, in.ref(), db.Page{})
	return endpoint.Redirect{To: in.path() + "#talk"}, err
}

type sayIn struct {
	taskIn
	Comment    string         `param:"comment" text:"lines"`
	Attachment *params.Upload `param:"attachment"`
}

func (s *Server) say(ctx context.Context, who *access.Caller, in sayIn) (endpoint.Drawing, error) {
	var attachment *usecase.Upload
	if in.Attachment != nil && in.Attachment.Size > 0 {
		attachment = new(uploaded(in.Attachment))
	}
	_, err := s.usecases.Comment(ctx, who, in.ref(), work.NewComment{Text: in.Comment}, attachment)
	if err != nil {
		return s.retry(ctx, who, in.taskIn, in.Comment, err)
	}
	return endpoint.Redirect{To: in.path() + "#talk"}, nil
}

// uploaded is a file of the request as use cases take it.
func uploaded(u *params.Upload) usecase.Upload {
	return usecase.Upload{Name: u.Name, Size: u.Size, Open: u.Open}
}

type moveIn struct {
	taskIn
	Status string `param:"status"`
}

func (s *Server) move(ctx context.Context, who *access.Caller, in moveIn) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error {
		_, err := work.Move(ctx, q, usecase.Mover(who), in.ProjectID, in.DefinitionID, work.Change{Trigger: &in.Status})
		return err
	})
	if err != nil {
		return s.retry(ctx, who, in.taskIn, "", err)
	}
	return endpoint.Redirect{To: in.path()}, nil
}

type extendIn struct {
	taskIn
	Reason string `param:"reason" text:"lines"`
	Weeks  int    `param:"weeks"`
}

func (s *Server) extend(ctx context.Context, who *access.Caller, in extendIn) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error {
		_, err := work.RequestExtension(ctx, q, usecase.Reader(who), in.ref(), in.Reason, in.Weeks)
		return err
	})
	if err != nil {
		return s.retry(ctx, who, in.taskIn, "", err)
	}
	return endpoint.Redirect{To: in.path() + "#talk"}, nil
}

func (s *Server) sheet(ctx context.Context, _ *access.Caller, in taskIn) (*endpoint.File, error) {
	return s.definitionFile(ctx, in.DefinitionID, taskdef.Sheet, ".pdf", "application/pdf")
}

func (s *Server) resources(ctx context.Context, _ *access.Caller, in taskIn) (*endpoint.File, error) {
	return s.definitionFile(ctx, in.DefinitionID, taskdef.Resources, ".zip", "application/zip")
}

func (s *Server) definitionFile(ctx context.Context, id int64, k taskdef.FileKind, suffix, kind string) (*endpoint.File,
	error) {
	d, err := taskdef.DefinitionByID(ctx, s.DB.Pool(), id)
	if err != nil {
		return nil, err
	}
	hash, err := d.File(k)
	if err != nil {
		return nil, err
	}
	content, err := s.usecases.Files.Open(ctx, hash)
	return &endpoint.File{Content: content, Name: d.UnitCode + "-" + d.Abbreviation + suffix, Type: kind,
		Attachment: kind != "application/pdf"}, err
}

func (s *Server) attachment(ctx context.Context, _ *access.Caller, in struct {
	taskIn
	ID int64 `path:"id"`
}) (*endpoint.File, error) {
	m, name, err := work.MediaOf(ctx, s.DB.Pool(), in.ref(), in.ID)
	if err != nil {
		return nil, err
	}
	content, err := s.usecases.Files.Open(ctx, m.File.Hash)
	return &endpoint.File{Content: content, Name: name, Type: m.Type}, err
}
