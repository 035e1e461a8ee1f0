package unit

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
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

// mostTaskSheet is how large a sheet of tasks may be: a plan carries it.
const mostTaskSheet = 2 * bounds.MB

func (s *room) taskSheetRoutes() {
	at := links.TaskSetup + "/import"
	endpoint.Route(s.Server, "GET "+links.TaskSetup+"/tasks.csv", 200, policy.ExportUnit, "The tasks of a unit as a sheet",
		s.taskSheet, endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
	endpoint.Route(s.Server, "GET "+links.TaskSetup+"/sheets.zip", 200, policy.ExportUnit,
		"All task sheets and resources of a unit, in a zip archive", s.allSheets, endpoint.Audited(audit.Export),
		endpoint.Costs(endpoint.Exports), endpoint.Made("application/zip"))
	page.Show(s.Site, at, policy.SeeMaterial, "Import the tasks of a unit from a sheet", s.taskImport)
	page.Form(s.Site, at+"/plan", policy.ImportUnit, "What would come of a sheet of tasks", s.planTaskSheet,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, mostTaskSheet),
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

// taskImportPage is where a sheet of tasks is looked at and imported.
type taskImportPage struct {
	Unit   *course.Unit
	List   string
	Rows   []taskImportRow // those with mistakes first
	Report *sheet.Report   // what would come of the sheet, or came of it; nil: none was sent
	Sheet  string          // the sheet itself, for the form that imports it
	Plan   string          // what was shown
	Done   bool
	Again  bool // the unit changed since the plan was shown
}

// taskImportRow is a row of the sheet with what becomes of it.
type taskImportRow struct {
	Outcome       string // errors, success or ignored
	Line          int
	What, Message string
}

func (s *room) taskImport(ctx context.Context, who *access.Caller, in newTaskIn) (*page.Page, error) {
	u, err := course.UnitByID(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "task-import", s.Word("task-import.title"),
		&taskImportPage{Unit: u, List: links.To(links.TaskSetup, in.ID)}), nil
}

func (s *room) planTaskSheet(ctx context.Context, who *access.Caller, in struct {
	newTaskIn
	File *params.Upload `param:"file"`
}) (endpoint.Drawing, error) {
	p, err := s.taskImport(ctx, who, in.newTaskIn)
	if err != nil {
		return nil, err
	}
	if err := s.Chosen(in.File); err != nil {
		return s.Again(p, err)
	}
	v := p.Data.(*taskImportPage)
	sent := usecase.Sheet{Upload: page.Uploaded(in.File), DryRun: true}
	if v.Report, err = s.Usecases.ImportDefinitions(ctx, in.ID, sent); err != nil {
		return s.Again(p, err)
	}
	if v.Sheet, err = packSheet(sent.Upload); err != nil {
		return nil, err
	}
	v.show()
	return p, nil
}

// takeTaskSheet imports a sheet. Where something else would come of it than was shown, because somebody
// changed the unit, that is shown first.
func (s *room) takeTaskSheet(ctx context.Context, who *access.Caller, in struct {
	newTaskIn
	Sheet string `param:"sheet"`
	Plan  string `param:"plan"`
}) (endpoint.Drawing, error) {
	p, err := s.taskImport(ctx, who, in.newTaskIn)
	if err != nil {
		return nil, err
	}
	v := p.Data.(*taskImportPage)
	file, done, err := s.unpackSheet(in.Sheet)
	if err != nil {
		return s.Again(p, err)
	}
	defer done()
	if v.Report, err = s.Usecases.ImportDefinitions(ctx, in.ID, usecase.Sheet{Upload: file, DryRun: true}); err != nil {
		return s.Again(p, err)
	}
	v.Sheet = in.Sheet
	v.show()
	if v.Plan != in.Plan || len(v.Report.Errors) > 0 {
		v.Again = true
		return p, nil
	}
	if v.Report, err = s.Usecases.ImportDefinitions(ctx, in.ID, usecase.Sheet{Upload: file}); err != nil {
		return s.Again(p, err)
	}
	v.Done = true
	v.show()
	return p, nil
}

// show puts the rows of the report into their order, and makes the sign by which it is known again.
func (v *taskImportPage) show() {
	v.Rows = nil
	sum := sha256.New()
	for _, part := range []struct {
		outcome string
		lines   []sheet.Line
	}{{"errors", v.Report.Errors}, {"success", v.Report.Success}, {"ignored", v.Report.Ignored}} {
		for _, l := range part.lines {
			row := taskImportRow{part.outcome, l.Line, l.Names("abbreviation", "name"), l.Message}
			fmt.Fprintln(sum, row)
			v.Rows = append(v.Rows, row)
		}
	}
	v.Plan = hex.EncodeToString(sum.Sum(nil))
}

// packSheet writes a sheet as one line that a form carries.
func packSheet(u usecase.Upload) (string, error) {
	f, err := u.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, f); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes()), nil
}

// unpackSheet gives the sheet that packSheet wrote, on disk until done is called.
func (s *room) unpackSheet(text string) (u usecase.Upload, done func(), err error) {
	broken := fault.New(fault.Invalid, "%s", s.Word("task-import.broken"))
	packed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return u, nil, broken
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return u, nil, broken
	}
	f, err := os.CreateTemp(s.Spool, "sheet-*")
	if err != nil {
		return u, nil, err
	}
	done = func() { os.Remove(f.Name()) } //nolint:errcheck // the spool is swept
	size, err := io.Copy(f, io.LimitReader(z, mostTaskSheet+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil || size > mostTaskSheet {
		done()
		return u, nil, broken
	}
	name := f.Name()
	return usecase.Upload{Name: "tasks", Size: size, Open: func() (*os.File, error) {
		return os.Open(name) //nolint:gosec // a file of the spool, made above
	}}, done, nil
}
