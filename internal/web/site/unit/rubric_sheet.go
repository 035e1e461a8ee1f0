package unit

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

func (s *room) rubricSheetRoutes() {
	at := links.TaskRubric + "/import"
	endpoint.Route(s.Server, "GET "+links.TaskRubric+"/rubric.csv", 200, policy.ExportUnit, "The rubric of a task as a sheet",
		s.rubricSheet, endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
	page.Show(s.Site, at, policy.SeeMaterial, "Import the rubric of a task from a sheet", s.rubricImport)
	page.Form(s.Site, at+"/plan", policy.EditDefinitions, "What would come of a sheet of a rubric", s.planRubricSheet,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, page.MostSheet),
		endpoint.Costs(endpoint.Imports))
	page.Form(s.Site, at, policy.EditDefinitions, "Import a sheet of a rubric whose plan was shown", s.takeRubricSheet,
		endpoint.Audited(audit.Definition), endpoint.Costs(endpoint.Imports))
}

func (s *room) rubricSheet(ctx context.Context, _ *access.Caller, in taskIn) (*endpoint.File, error) {
	var f *endpoint.File
	err := s.DB.View(ctx, func(q db.Q) error {
		d, err := taskdef.DefinitionByID(ctx, q, in.DefinitionID)
		if err != nil {
			return err
		}
		r, err := rubric.Of(ctx, q, in.DefinitionID)
		if err != nil {
			return err
		}
		f = &endpoint.File{Name: d.UnitCode + "-" + d.Abbreviation + "-Rubric.csv", Type: "text/csv; charset=utf-8",
			Attachment: true, Write: r.Write}
		return nil
	})
	return s.exportedTasks(ctx, f, err, "rubric")
}

// rubricImport is where a sheet of a rubric is looked at and imported. The rubric that was seen is the one that the
// plan was made from: of another, another plan is shown first.
func (s *room) rubricImport(ctx context.Context, who *access.Caller, in taskIn) (*page.Page, error) {
	return s.rubricImportFits(ctx, who, in, false)
}

func (s *room) rubricImportFits(ctx context.Context, who *access.Caller, in taskIn, fits bool) (*page.Page, error) {
	u, err := course.UnitByID(ctx, s.DB.Pool(), in.UnitID)
	if err != nil {
		return nil, err
	}
	v, err := s.readRubric(ctx, who, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	to := &sheetPage{Unit: u, List: v.Path(), Back: s.Word("rubric-setup.import-back"), At: v.Path() + "/import",
		Head: s.Word("rubric-setup.criterion"), Hint: s.Word("rubric-setup.import-hint", v.Definition.MaxQualityPts),
		Along: s.Word("rubric-setup.fit"), AlongOn: fits, names: []string{"criterion", "level"},
		run: func(ctx context.Context, f usecase.Sheet) (*sheet.Report, error) {
			return s.Usecases.ImportRubric(ctx, who, in.DefinitionID, f, rubric.Change{Fits: fits})
		},
		do:   func(n int) string { return s.Word("rubric-setup.import-do", n) },
		done: func(n int) string { return s.Word("rubric-setup.import-done", n) }}
	if v.Now != nil {
		to.Get, to.GetIt = v.Path()+"/rubric.csv", s.Word("rubric-setup.get")
	}
	p := s.sheetTitled(who, s.Word("rubric-setup.import", v.Definition.Abbreviation), to)
	p.Within = &page.Crumb{Words: v.Definition.Abbreviation, Path: v.Path()}
	return p, nil
}

func (s *room) planRubricSheet(ctx context.Context, who *access.Caller, in struct {
	taskIn
	File  *params.Upload `param:"file"`
	Along bool           `param:"along"`
}) (endpoint.Drawing, error) {
	p, err := s.rubricImportFits(ctx, who, in.taskIn, in.Along)
	if err != nil {
		return nil, err
	}
	return s.planSheet(ctx, p, in.File)
}

func (s *room) takeRubricSheet(ctx context.Context, who *access.Caller, in struct {
	taskIn
	sheetPlanned
	Along bool `param:"along"`
}) (endpoint.Drawing, error) {
	p, err := s.rubricImportFits(ctx, who, in.taskIn, in.Along)
	if err != nil {
		return nil, err
	}
	return s.takeSheet(ctx, p, in.sheetPlanned)
}
