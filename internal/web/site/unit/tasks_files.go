package unit

import (
	"context"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

// attachment is a kind of file that a task may have.
type attachment struct {
	name   string // in addresses and of words
	kind   taskdef.FileKind
	suffix string // of the name it is saved by
	mime   string
}

// attachments are the files that a task may have.
var attachments = []attachment{
	{"sheet", taskdef.Sheet, ".pdf", "application/pdf"},
	{"resources", taskdef.Resources, "-resources.zip", "application/zip"},
	{"template", taskdef.Template, "-template.zip", "application/zip"},
	{"tests", taskdef.Assessment, "-assessment-resources.zip", "application/zip"},
}

func (s *room) taskFileRoutes() {
	for _, a := range attachments {
		at := links.TaskEditor + "/" + a.name
		page.Form(s.Site, at, policy.EditDefinitions, "Set a file of a task: its "+a.name, s.attachTask(a), taskAsks,
			endpoint.Audited(audit.Definition), endpoint.Uploads(1, a.kind.Most()),
			endpoint.Also(413, "the file is too large"), endpoint.Also(415, "the file is not of the right type"))
		endpoint.Route(s.Server, "GET "+at, 200, policy.SeeMaterial, "A file of a task: its "+a.name, s.taskFile(a),
			endpoint.Stored(a.mime))
		page.Show(s.Site, at+"/remove", policy.SeeMaterial, "Ask before a file of a task is removed: its "+a.name,
			s.askDetachTask(a))
		page.Form(s.Site, at+"/remove", policy.EditDefinitions, "Remove a file of a task: its "+a.name, s.detachTask(a),
			endpoint.Audited(audit.Definition))
	}
}

// taskAttached is a file of the task that is edited, or a place for one.
type taskAttached struct {
	Name, Label, Help string
	Accept            string
	There             bool
}

// Attached are the files of the task.
func (e *taskEditor) Attached() (list []taskAttached) {
	for _, a := range attachments {
		_, err := e.Definition.File(a.kind)
		list = append(list, taskAttached{a.name, e.words.Word("task-setup.attached-" + a.name),
			e.words.Word("task-setup.attached-"+a.name+"-hint", bounds.SizeText(a.kind.Most())), a.mime, err == nil})
	}
	return list
}

func (s *room) attachTask(a attachment) func(context.Context, *access.Caller, struct {
	taskIn
	File *params.Upload `param:"file"`
}) (endpoint.Drawing, error) {
	return func(ctx context.Context, who *access.Caller, in struct {
		taskIn
		File *params.Upload `param:"file"`
	}) (endpoint.Drawing, error) {
		err := s.Chosen(in.File)
		if err == nil {
			err = s.Usecases.AttachToDefinition(ctx, in.DefinitionID, a.kind, page.Uploaded(in.File))
		}
		if err != nil {
			return s.taskAgain(ctx, who, in.UnitID, &taskEditor{ID: in.DefinitionID, fill: true}, err)
		}
		return endpoint.Redirect{To: in.path() + "?saved=1#files"}, nil
	}
}

func (s *room) taskFile(a attachment) func(context.Context, *access.Caller, taskIn) (*endpoint.File, error) {
	return func(ctx context.Context, _ *access.Caller, in taskIn) (*endpoint.File, error) {
		d, err := taskdef.DefinitionByID(ctx, s.DB.Pool(), in.DefinitionID)
		if err != nil {
			return nil, err
		}
		hash, err := d.File(a.kind)
		if err != nil {
			return nil, err
		}
		return endpoint.FromStore(ctx, s.Usecases.Files, hash, endpoint.File{Type: a.mime,
			Name: d.UnitCode + "-" + d.Abbreviation + a.suffix, Attachment: a.kind != taskdef.Sheet})
	}
}

func (s *room) askDetachTask(a attachment) func(context.Context, *access.Caller, taskIn) (*page.Page, error) {
	return func(ctx context.Context, who *access.Caller, in taskIn) (*page.Page, error) {
		d, err := taskdef.DefinitionByID(ctx, s.DB.Pool(), in.DefinitionID)
		if err != nil {
			return nil, err
		}
		return s.Ask(who, s.Word("task-setup.file-detach"), page.Question{About: d.Abbreviation + " " + d.Name,
			Text:   s.Word("task-setup.detach-ask", s.Word("task-setup.attached-"+a.name)),
			Action: in.path() + "/" + a.name + "/remove", Do: s.Word("task-setup.file-remove"), Back: in.path()}), nil
	}
}

func (s *room) detachTask(a attachment) func(context.Context, *access.Caller, taskIn) (endpoint.Drawing, error) {
	return func(ctx context.Context, _ *access.Caller, in taskIn) (endpoint.Drawing, error) {
		err := s.Usecases.DetachFromDefinition(ctx, in.DefinitionID, a.kind)
		return endpoint.Redirect{To: in.path() + "?saved=1#files"}, err
	}
}
