package unit

import (
	"context"
	"io"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

// outcomeSheet is a sheet of a unit: of its outcomes, or of how its tasks serve them.
type outcomeSheet struct {
	name   string // in the address
	title  string
	right  policy.Rule // to import it
	ending string      // of the file's name
}

func (s *room) outcomeSheetRoutes() {
	for _, one := range []outcomeSheet{
		{"outcomes", "Import learning outcomes from a sheet", policy.ImportUnit, "-LearningOutcomes.csv"},
		{"alignments", "Import alignments from a sheet", policy.EditAlignments, "-Alignment.csv"},
	} {
		at := links.OutcomeSetup + "/import/" + one.name
		endpoint.Route(s.Server, "GET "+links.OutcomeSetup+"/"+one.name+".csv", 200, policy.ExportOutcomes,
			"The outcomes of a unit as a sheet: "+one.name, s.exportOutcomes(one), endpoint.Audited(audit.Export),
			endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
		page.Show(s.Site, at, policy.ExportOutcomes, one.title, s.importOutcomes(one))
		page.Form(s.Site, at+"/plan", one.right, "What would come of a sheet: "+one.name, s.planOutcomes(one),
			endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, page.MostSheet),
			endpoint.Costs(endpoint.Imports))
		page.Form(s.Site, at, one.right, "Import a sheet whose plan was shown: "+one.name, s.takeOutcomes(one),
			endpoint.Audited(audit.Outcome), endpoint.Costs(endpoint.Imports))
	}
}

func (s *room) exportOutcomes(one outcomeSheet) func(context.Context, *access.Caller, unitOutcomes) (*endpoint.File,
	error) {
	return func(ctx context.Context, _ *access.Caller, in unitOutcomes) (*endpoint.File, error) {
		v := &outcomesPage{}
		if err := s.readOutcomes(ctx, in.ID, v); err != nil {
			return nil, err
		}
		list, err := taskdef.AlignmentsOf(ctx, s.DB.Pool(), in.ID)
		f := &endpoint.File{Name: v.Unit.Code + one.ending, Type: "text/csv; charset=utf-8", Attachment: true,
			Write: func(w io.Writer) error {
				if one.name == "outcomes" {
					return course.WriteOutcomes(w, v.Unit.Code, v.Outcomes)
				}
				return taskdef.WriteAlignments(w, v.Unit.Code, list, v.Outcomes, v.Tasks)
			}}
		return s.exportedTasks(ctx, f, err, one.name)
	}
}

// outcomeImport makes the page of a sheet.
func (s *room) outcomeImport(ctx context.Context, who *access.Caller, one outcomeSheet, id int64) (*page.Page, error) {
	has := &outcomesPage{}
	if err := s.readOutcomes(ctx, id, has); err != nil {
		return nil, err
	}
	list := has.Path()
	v := &sheetPage{Unit: has.Unit, List: list, Back: s.Word("outcome-import.back"), At: list + "/import/" + one.name,
		Get: list + "/" + one.name + ".csv", had: map[string]bool{}}
	if one.name == "outcomes" {
		v.Head, v.Hint, v.names = s.Word("outcomes.outcome"), s.Word("outcome-import.hint"), []string{"abbreviation"}
		for _, o := range has.Outcomes {
			v.had[ident.Key(o.Abbreviation)] = true
		}
		v.run = func(ctx context.Context, f usecase.Sheet) (*sheet.Report, error) {
			return s.Usecases.ImportOutcomes(ctx, id, f)
		}
		v.do = func(n int) string { return s.Word("outcome-import.do", n) }
		v.done = func(n int) string { return s.Word("outcome-import.done", n) }
		return s.sheetTitled(who, s.Word("outcome-import.title"), v), nil
	}
	v.Head, v.Hint = s.Word("task-setup.task"), s.Word("alignment-import.hint")
	v.names = []string{"task_abbr", "learning_outcome"}
	for i := range has.Tasks {
		for _, o := range has.Outcomes {
			v.had[ident.Key(has.Tasks[i].Abbreviation+" "+o.Abbreviation)] = has.cells[cellKey{o.ID, has.Tasks[i].ID}].ID != 0
		}
	}
	v.run = func(ctx context.Context, f usecase.Sheet) (*sheet.Report, error) {
		return s.Usecases.ImportAlignments(ctx, id, 0, f)
	}
	v.do = func(n int) string { return s.Word("alignment-import.do", n) }
	v.done = func(n int) string { return s.Word("alignment-import.done", n) }
	return s.sheetTitled(who, s.Word("alignment-import.title"), v), nil
}

func (s *room) importOutcomes(one outcomeSheet) func(context.Context, *access.Caller, unitOutcomes) (*page.Page,
	error) {
	return func(ctx context.Context, who *access.Caller, in unitOutcomes) (*page.Page, error) {
		return s.outcomeImport(ctx, who, one, in.ID)
	}
}

type outcomeSheetIn struct {
	unitOutcomes
	File *params.Upload `param:"file"`
}

func (s *room) planOutcomes(one outcomeSheet) func(context.Context, *access.Caller, outcomeSheetIn) (endpoint.Drawing,
	error) {
	return func(ctx context.Context, who *access.Caller, in outcomeSheetIn) (endpoint.Drawing, error) {
		p, err := s.outcomeImport(ctx, who, one, in.ID)
		if err != nil {
			return nil, err
		}
		return s.planSheet(ctx, p, in.File)
	}
}

type outcomePlanIn struct {
	unitOutcomes
	sheetPlanned
}

func (s *room) takeOutcomes(one outcomeSheet) func(context.Context, *access.Caller, outcomePlanIn) (endpoint.Drawing,
	error) {
	return func(ctx context.Context, who *access.Caller, in outcomePlanIn) (endpoint.Drawing, error) {
		p, err := s.outcomeImport(ctx, who, one, in.ID)
		if err != nil {
			return nil, err
		}
		return s.takeSheet(ctx, p, in.sheetPlanned)
	}
}
