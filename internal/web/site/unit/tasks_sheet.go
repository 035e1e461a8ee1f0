package unit

import (
	"context"
	"io"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

func (s *room) taskSheetRoutes() {
	at := links.TaskSetup + "/import"
	endpoint.Route(s.Server, "GET "+links.TaskSetup+"/tasks.csv", 200, policy.ExportUnit, "The tasks of a unit as a sheet",
		s.taskSheet, endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
	endpoint.Route(s.Server, "GET "+links.TaskSetup+"/sheets.zip", 200, policy.ExportUnit,
		"All task sheets and resources of a unit, in a zip archive", s.allSheets, endpoint.Audited(audit.Export),
		endpoint.Costs(endpoint.Exports), endpoint.Made("application/zip"))
	page.Show(s.Site, at, policy.SeeMaterial, "Import the tasks of a unit from a sheet", s.taskImport)
	page.Form(s.Site, at+"/plan", policy.ImportUnit, "What would come of a sheet of tasks", s.planTaskSheet,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, page.MostSheet),
		endpoint.Costs(endpoint.Imports))
	page.Form(s.Site, at, policy.ImportUnit, "Import a sheet of tasks whose plan was shown", s.takeTaskSheet,
		endpoint.Audited(audit.Definition), endpoint.Costs(endpoint.Imports))
}

func (s *room) taskSheet(ctx context.Context, _ *access.Caller, in newTaskIn) (*endpoint.File, error) {
	var f *endpoint.File
	err := s.DB.View(ctx, func(q db.Q) error {
		u, err := course.UnitByID(ctx, q, in.ID)
		if err != nil {
			return err
		}
		list, err := taskdef.DefinitionsOf(ctx, q, in.ID)
		if err != nil {
			return err
		}
		weeks, err := course.Calendars(ctx, q, in.ID)
		f = &endpoint.File{Name: u.Code + "-Tasks.csv", Type: "text/csv; charset=utf-8", Attachment: true,
			Write: func(w io.Writer) error { return taskdef.WriteDefinitions(w, list, weeks[in.ID]) }}
		return err
	})
	return s.exportedTasks(ctx, f, err, "task_definitions")
}

// exportedTasks notes that something was exported, once it is certain that it can be.
func (s *room) exportedTasks(ctx context.Context, f *endpoint.File, err error, what string) (*endpoint.File, error) {
	if err == nil {
		err = f.Confirm()
	}
	if err != nil {
		return nil, err
	}
	return f, s.Usecases.Exported(ctx, what)
}

func (s *room) allSheets(ctx context.Context, _ *access.Caller, in newTaskIn) (*endpoint.File, error) {
	var f *endpoint.File
	err := s.DB.View(ctx, func(q db.Q) error {
		u, err := course.UnitByID(ctx, q, in.ID)
		if err != nil {
			return err
		}
		list, err := taskdef.DefinitionsOf(ctx, q, in.ID)
		f = endpoint.Zip(ctx, s.Usecases.Files, taskdef.ResourceHashes(list), u.Code+"-resources.zip",
			func(w io.Writer) error { return taskdef.WriteResources(ctx, s.Usecases.Files, list, w) })
		return err
	})
	return s.exportedTasks(ctx, f, err, "task_sheets")
}

func (s *room) taskImport(ctx context.Context, who *access.Caller, in newTaskIn) (*page.Page, error) {
	u, err := course.UnitByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	list := links.To(links.TaskSetup, in.ID)
	return s.sheetTitled(who, s.Word("task-import.title"), &sheetPage{Unit: u, List: list,
		Back: s.Word("task-import.back"), At: list + "/import", Get: list + "/tasks.csv", Head: s.Word("task-setup.task"),
		Hint: s.Word("task-import.hint"), names: []string{"abbreviation", "name"},
		run: func(ctx context.Context, f usecase.Sheet) (*sheet.Report, error) {
			return s.Usecases.ImportDefinitions(ctx, in.ID, f)
		},
		do:   func(n int) string { return s.Word("task-import.do", n) },
		done: func(n int) string { return s.Word("task-import.done", n) }}), nil
}

func (s *room) planTaskSheet(ctx context.Context, who *access.Caller, in struct {
	newTaskIn
	File *params.Upload `param:"file"`
}) (endpoint.Drawing, error) {
	p, err := s.taskImport(ctx, who, in.newTaskIn)
	if err != nil {
		return nil, err
	}
	return s.planSheet(ctx, p, in.File)
}

func (s *room) takeTaskSheet(ctx context.Context, who *access.Caller, in struct {
	newTaskIn
	sheetPlanned
}) (endpoint.Drawing, error) {
	p, err := s.taskImport(ctx, who, in.newTaskIn)
	if err != nil {
		return nil, err
	}
	return s.takeSheet(ctx, p, in.sheetPlanned)
}
