package unit

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

func (s *room) tutorialSheetRoutes() {
	at := links.StaffSetup + "/import"
	endpoint.Route(s.Server, "GET "+links.StaffSetup+"/tutorials.csv", 200, policy.ExportUnit,
		"The tutorials of a unit with their tutors as a sheet", s.tutorialSheet, endpoint.Audited(audit.Export),
		endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
	page.Show(s.Site, at, policy.SeeStaff, "Import the tutorials of a unit from a sheet", s.tutorialImport)
	page.Form(s.Site, at+"/plan", policy.ImportUnit, "What would come of a sheet of tutorials", s.planTutorialSheet,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, page.MostSheet),
		endpoint.Asks(policy.EmployStaff), endpoint.Costs(endpoint.Imports))
	page.Form(s.Site, at, policy.ImportUnit, "Import a sheet of tutorials whose plan was shown", s.takeTutorialSheet,
		endpoint.Audited(audit.Tutorial, audit.Role), endpoint.Asks(policy.EmployStaff), endpoint.Costs(endpoint.Imports))
}

type tutorialSheetIn struct {
	ID int64 `path:"id" scope:"unit"`
}

func (s *room) tutorialSheet(ctx context.Context, _ *access.Caller, in tutorialSheetIn) (*endpoint.File, error) {
	var f *endpoint.File
	err := s.DB.View(ctx, func(q db.Q) error {
		u, err := course.UnitByID(ctx, q, in.ID)
		if err != nil {
			return err
		}
		write, err := enrol.ExportTutorials(ctx, q, in.ID)
		f = &endpoint.File{Name: u.Code + "-Tutorials.csv", Type: "text/csv; charset=utf-8", Attachment: true, Write: write}
		return err
	})
	return s.exportedTasks(ctx, f, err, "tutorials")
}

func (s *room) tutorialImport(ctx context.Context, who *access.Caller, in tutorialSheetIn) (*page.Page, error) {
	list := links.To(links.StaffSetup, in.ID)
	v := &sheetPage{List: list, Back: s.Word("staff-import.back"), At: list + "/import", Get: list + "/tutorials.csv",
		Head: s.Word("staff-setup.tutorial"), Hint: s.Word("staff-import.hint"), names: []string{"abbreviation"},
		had: map[string]bool{},
		run: func(ctx context.Context, f usecase.Sheet) (*sheet.Report, error) {
			return s.Usecases.ImportTutorials(ctx, who, in.ID, f)
		},
		do:   func(rows int) string { return s.Word("staff-import.do", rows) },
		done: func(rows int) string { return s.Word("staff-import.done", rows) }}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err != nil {
			return err
		}
		all, err := enrol.TutorialsOf(ctx, q, in.ID)
		for _, t := range all {
			v.had[ident.Key(t.Abbreviation)] = true
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.sheetTitled(who, s.Word("staff-import.title"), v), nil
}

func (s *room) planTutorialSheet(ctx context.Context, who *access.Caller, in struct {
	tutorialSheetIn
	File *params.Upload `param:"file"`
}) (endpoint.Drawing, error) {
	p, err := s.tutorialImport(ctx, who, in.tutorialSheetIn)
	if err != nil {
		return nil, err
	}
	return s.planSheet(ctx, p, in.File)
}

func (s *room) takeTutorialSheet(ctx context.Context, who *access.Caller, in struct {
	tutorialSheetIn
	sheetPlanned
}) (endpoint.Drawing, error) {
	p, err := s.tutorialImport(ctx, who, in.tutorialSheetIn)
	if err != nil {
		return nil, err
	}
	return s.takeSheet(ctx, p, in.sheetPlanned)
}
