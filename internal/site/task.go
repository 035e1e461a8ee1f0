package site

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/api/params"
	"lectern/internal/audit"
	"lectern/internal/db"
	"lectern/internal/fault"
	"lectern/internal/opt"
	"lectern/internal/policy"
	"lectern/internal/status"
	"lectern/internal/submit"
	"lectern/internal/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/work"
)

// mostFiles is how many files a task can ask for.
const mostFiles = 20

func (s *Server) taskRoutes() {
	const one = "/projects/{project_id}/tasks/{task_definition_id}"
	asks := endpoint.Asks(policy.ReadSubmission, policy.ListStudents, policy.GradeTask, policy.Submit, policy.Comment,
		policy.RequestExtension)
	page(s, one, policy.ReadTask, "A task", s.task, asks)
	form(s, one+"/read", policy.ReadTask, "Mark the conversation read", s.read,
		endpoint.Unaudited("it only notes what was read"), endpoint.Asks(policy.GradeTask))
	form(s, one+"/comments", policy.Comment, "Say something on a task", s.say, asks,
		endpoint.Unaudited("the comment is kept with its author"), endpoint.Uploads(1, s.mostMedia))
	form(s, one+"/hand-in", policy.Submit, "Hand in work", s.handIn, asks,
		endpoint.Audited(audit.Submission, audit.Status, audit.Grade), endpoint.Uploads(mostFiles, s.mostFile),
		endpoint.Accepts(func(ctx context.Context, who *access.Caller, in handInIn) (func(string) error, error) {
			return s.usecases.FilesAskedFor(ctx, who, in.DefinitionID)
		}))
	form(s, one+"/status", policy.ChangeTask, "Tell how a task goes", s.move, asks,
		endpoint.Audited(audit.Status, audit.Grade))
	form(s, one+"/extension", policy.RequestExtension, "Ask for more time", s.extend, asks,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
	endpoint.Route(s.Server, "GET "+one+"/document", 200, policy.ReadSubmission, "Document of the latest submission",
		s.document)
	endpoint.Route(s.Server, "GET "+one+"/receipt", 200, policy.ReadSubmission, "Receipt of the latest submission",
		s.receipt)
	endpoint.Route(s.Server, "GET "+one+"/versions/{timestamp}", 200, policy.ReadSubmission, "Files of a submission",
		s.version)
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
	Path                             string
	Key                              string // makes handing in twice one submission
	Said                             string // a comment that was refused, to be mended
	MayComment, MaySubmit, MayExtend bool
	Moves                            []status.Status // what the student may say of it
}

func (s *Server) task(ctx context.Context, who *access.Caller, in taskIn) (*Page, error) {
	return s.taskPage(ctx, who, in)
}

func (s *Server) taskPage(ctx context.Context, who *access.Caller, in taskIn) (*Page, error) {
	var d *usecase.TaskDetail
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		d, err = usecase.TaskByID(ctx, q, who, in.ref())
		return err
	})
	if err != nil {
		return nil, err
	}
	v := &taskPage{TaskDetail: d, Path: in.path(), Key: rand.Text(), MayComment: who.May(policy.Comment),
		MaySubmit: who.May(policy.Submit) && who.ID == who.OwnerID,
		MayExtend: who.May(policy.RequestExtension) && who.ID == who.OwnerID && d.Due.CanApply}
	if v.MaySubmit {
		v.Moves = []status.Status{status.WorkingOnIt, status.NeedHelp}
	}
	return s.titled(who, "task", d.Definition.Abbreviation+" "+d.Definition.Name, v), nil
}

// State is how far the document of the latest submission has come, "" where
// nothing was handed in.
func (v *taskPage) State() string { return string(opt.Or(v.Submission.State, "")) }

// retry draws the page of a task again with what was wrong with one of its forms.
func (s *Server) retry(ctx context.Context, who *access.Caller, in taskIn, said string, err error) (endpoint.Drawing,
	error) {
	p, drawn := s.taskPage(ctx, who, in)
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

type handInIn struct {
	taskIn
	Files map[string]*params.Upload `param:"*files"`
	Key   string                    `param:"key" text:"any"`
	Help  bool                      `param:"help"`
}

// receiptPage shows a submission that has just come in.
type receiptPage struct {
	Path    string
	Receipt *submit.Receipt
	Body    submit.ReceiptBody
	OnTime  bool
}

func (s *Server) handIn(ctx context.Context, who *access.Caller, in handInIn) (endpoint.Drawing, error) {
	sent := map[string]usecase.Upload{}
	for key, u := range in.Files {
		sent[key] = uploaded(u)
	}
	trigger := ""
	if in.Help {
		trigger = string(status.NeedHelp)
	}
	got, err := s.usecases.HandIn(ctx, who, submit.Request{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID,
		Key: in.Key, Trigger: trigger}, sent)
	if err != nil {
		return s.retry(ctx, who, in.taskIn, "", err)
	}
	v := receiptPage{Path: in.path(), Receipt: got.Receipt, OnTime: got.BeforeDue}
	if err := json.Unmarshal(got.Receipt.Body, &v.Body); err != nil {
		return nil, err
	}
	return s.page(who, "received", v), nil
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

func (s *Server) document(ctx context.Context, _ *access.Caller, in taskIn) (*endpoint.File, error) {
	v, err := submit.Latest(ctx, s.DB.Pool(), in.ProjectID, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	hash, err := v.PDF()
	if err != nil {
		return nil, err
	}
	content, err := s.usecases.Files.Open(ctx, hash)
	return &endpoint.File{Content: content, Name: v.Abbreviation + ".pdf", Type: "application/pdf",
		Modified: v.At.Time}, err
}

func (s *Server) receipt(ctx context.Context, _ *access.Caller, in taskIn) (*endpoint.File, error) {
	d, err := submit.DetailsOf(ctx, s.DB.Pool(), in.ProjectID, in.DefinitionID)
	if err == nil && d.Receipt == nil {
		err = fault.New(fault.Missing, "There is no receipt: nothing was handed in for this task yet.")
	}
	if err != nil {
		return nil, err
	}
	return &endpoint.File{Name: "receipt.json", Type: "application/json", Attachment: true,
		Write: func(w io.Writer) error { return json.NewEncoder(w).Encode(d.Receipt) }}, nil
}

func (s *Server) version(ctx context.Context, _ *access.Caller, in struct {
	taskIn
	Timestamp string `path:"timestamp"`
}) (*endpoint.File, error) {
	var v *submit.Version
	var list []submit.File
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v, err = submit.VersionAt(ctx, q, in.ProjectID, in.DefinitionID, in.Timestamp); err == nil {
			list, err = submit.FilesOf(ctx, q, v.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &endpoint.File{Name: v.Abbreviation + "-" + v.At.UTC().Format("20060102-150405") + ".zip",
		Type: "application/zip", Attachment: true,
		Write: func(w io.Writer) error { return v.WriteZip(ctx, s.usecases.Files, list, w) }}, nil
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
