package api

import (
	"context"
	"io"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) definitionFileRoutes() {
	const base = "/api/units/{unit_id}/task_definitions"
	const one = base + "/{task_def_id}"
	size, kind := endpoint.Also(413, "the file is too large"), endpoint.Also(415, "the file is not of the right type")
	endpoint.Route(s.Server, "POST "+one+"/task_sheet", 200, policy.EditDefinitions, "Set the task sheet, a PDF",
		s.attach(taskdef.Sheet),
		endpoint.Audited(audit.Definition), endpoint.Uploads(1, taskdef.MaxSheet), size, kind)
	endpoint.Route(s.Server, "DELETE "+one+"/task_sheet", 204, policy.EditDefinitions, "Remove the task sheet",
		s.detach(taskdef.Sheet),
		endpoint.Audited(audit.Definition))
	endpoint.Route(s.Server, "GET "+one+"/task_pdf", 200, policy.ReadUnit, "Get the task sheet", s.taskPDF,
		sendsPDF)

	endpoint.Route(s.Server, "POST "+one+"/task_resources", 200, policy.EditDefinitions,
		"Set the resources, a zip archive",
		s.attach(taskdef.Resources),
		endpoint.Audited(audit.Definition), endpoint.Uploads(1, taskdef.MaxResources), size, kind)
	endpoint.Route(s.Server, "GET "+one+"/task_resources", 200, policy.ReadUnit, "Get the resources",
		s.download(taskdef.Resources, "-resources.zip"), sendsStoredArchive)
	endpoint.Route(s.Server, "DELETE "+one+"/task_resources", 204, policy.EditDefinitions, "Remove the resources",
		s.detach(taskdef.Resources),
		endpoint.Audited(audit.Definition))

	endpoint.Route(s.Server, "POST "+one+"/task_assessment_resources", 201, policy.EditDefinitions,
		"Set what the automated assessment runs, a zip archive", s.attach(taskdef.Assessment),
		endpoint.Audited(audit.Definition), endpoint.Location(one+"/task_assessment_resources"),
		endpoint.Uploads(1, taskdef.MaxResources), size, kind)
	endpoint.Route(s.Server, "GET "+one+"/task_assessment_resources", 200, policy.SeeMaterial,
		"Get what the automated assessment runs", s.download(taskdef.Assessment, "-assessment-resources.zip"),
		sendsStoredArchive)
	endpoint.Route(s.Server, "DELETE "+one+"/task_assessment_resources", 204, policy.EditDefinitions,
		"Remove what the automated assessment runs", s.detach(taskdef.Assessment),
		endpoint.Audited(audit.Definition))

	s.templateRoutes(one, size, kind)
	endpoint.Route(s.Server, "POST "+base+"/task_pdfs", 201, policy.EditDefinitions,
		"Set the sheets and resources of many tasks from one zip archive", s.unpackFiles,
		endpoint.Audited(audit.Definition),
		endpoint.Uploads(1, taskdef.MaxBundle), size, kind, endpoint.Costs(endpoint.Imports))
	endpoint.Route(s.Server, "GET /api/units/{id}/all_resources", 200, policy.ReadUnit,
		"Get all sheets and resources of a unit", s.allResources, endpoint.Costs(endpoint.Exports), sendsArchive)
}

// templateRoutes are those of what everybody is given, under the path of a definition.
func (s *Server) templateRoutes(one string, size, kind endpoint.Option) {
	endpoint.Route(s.Server, "POST "+one+"/template", 200, policy.EditDefinitions,
		"Set what everybody is given to begin with, a zip archive: it is not taken for similar",
		s.attach(taskdef.Template),
		endpoint.Audited(audit.Definition), endpoint.Uploads(1, taskdef.MaxResources), size, kind)
	endpoint.Route(s.Server, "GET "+one+"/template", 200, policy.SeeMaterial, "Get what everybody is given to "+
		"begin with", s.download(taskdef.Template, "-template.zip"), sendsStoredArchive)
	endpoint.Route(s.Server, "DELETE "+one+"/template", 204, policy.EditDefinitions, "Remove what everybody is given "+
		"to begin with", s.detach(taskdef.Template),
		endpoint.Audited(audit.Definition))
}

// taskDefPath names a definition under its unit, as the paths of files do.
type taskDefPath struct {
	UnitID    int64 `path:"unit_id" scope:"unit"`
	TaskDefID int64 `path:"task_def_id" scope:"definition"`
}

type attachIn struct {
	taskDefPath
	File *params.Upload `param:"file,required"`
}

// attach stores an upload as one of a definition's files.
func (s *Server) attach(k taskdef.FileKind) func(context.Context, *access.Caller, attachIn) (bool, error) {
	return func(ctx context.Context, _ *access.Caller, in attachIn) (bool, error) {
		err := s.usecases.AttachToDefinition(ctx, in.TaskDefID, k, uploaded(in.File))
		return err == nil, err
	}
}

func (s *Server) detach(k taskdef.FileKind) func(context.Context, *access.Caller, taskDefPath) (endpoint.NoContent,
	error) {
	return func(ctx context.Context, _ *access.Caller, in taskDefPath) (endpoint.NoContent, error) {
		return endpoint.NoContent{}, s.usecases.DetachFromDefinition(ctx, in.TaskDefID, k)
	}
}

type taskPDFIn struct {
	taskDefPath
	AsAttachment bool `param:"as_attachment" doc:"to be saved rather than shown"`
}

func (s *Server) taskPDF(ctx context.Context, _ *access.Caller, in taskPDFIn) (*endpoint.File, error) {
	d, err := taskdef.DefinitionByID(ctx, s.db.Pool(), in.TaskDefID)
	if err != nil {
		return nil, err
	}
	return s.stored(ctx, d, taskdef.Sheet, endpoint.File{Name: d.UnitCode + "-" + d.Abbreviation + ".pdf",
		Type: "application/pdf", Attachment: in.AsAttachment})
}

// download answers with a definition's archive, named by its abbreviation.
func (s *Server) download(k taskdef.FileKind, suffix string) func(context.Context, *access.Caller,
	taskDefPath) (*endpoint.File, error) {
	return func(ctx context.Context, _ *access.Caller, in taskDefPath) (*endpoint.File, error) {
		d, err := taskdef.DefinitionByID(ctx, s.db.Pool(), in.TaskDefID)
		if err != nil {
			return nil, err
		}
		return s.stored(ctx, d, k, endpoint.File{Name: d.Abbreviation + suffix, Type: "application/zip",
			Attachment: true})
	}
}

// stored opens a definition's file and hands it out under the given name.
func (s *Server) stored(ctx context.Context, d *taskdef.Definition, k taskdef.FileKind,
	as endpoint.File) (*endpoint.File, error) {
	hash, err := d.File(k)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.files, hash, as)
}

type unpackIn struct {
	UnitID int64          `path:"unit_id" scope:"unit"`
	File   *params.Upload `param:"file,required"`
	DryRun bool           `param:"dry_run" doc:"report what would become of each file and change nothing"`
}

func (s *Server) unpackFiles(ctx context.Context, _ *access.Caller, in unpackIn) (*sheet.Report, error) {
	return s.usecases.UnpackDefinitionFiles(ctx, in.UnitID, uploaded(in.File), s.Spool, in.DryRun)
}

func (s *Server) allResources(ctx context.Context, _ *access.Caller, in unitIn) (*endpoint.File, error) {
	list, err := taskdef.DefinitionsOf(ctx, s.db.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	name := "resources.zip"
	if len(list) > 0 {
		name = list[0].UnitCode + "-resources.zip"
	}
	return endpoint.Zip(ctx, s.files, taskdef.ResourceHashes(list), name,
		func(w io.Writer) error { return taskdef.WriteResources(ctx, s.files, list, w) }), nil
}
