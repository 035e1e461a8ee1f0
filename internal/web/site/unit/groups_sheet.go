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
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

// groupSheet is a sheet of a set: of its groups, or of their members.
type groupSheet struct {
	name   string // in the address
	title  string
	export string // what the audit log calls it
	ending string // of the file's name
	write  func(context.Context, db.Q, int64) (func(io.Writer) error, error)
}

func (s *room) groupSheetRoutes() {
	for _, one := range []groupSheet{
		{"groups", "Import the groups of a set from a sheet", "groups", "-groups.csv", enrol.ExportGroups},
		{"members", "Put students into groups by a sheet", "group_members", "-student-groups.csv", enrol.ExportMembers},
	} {
		at := links.GroupSetEditor + "/import/" + one.name
		endpoint.Route(s.Server, "GET "+links.GroupSetEditor+"/"+one.name+".csv", 200, policy.ExportGroups,
			"A set as a sheet: "+one.name, s.exportGroups(one), endpoint.Audited(audit.Export),
			endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
		page.Show(s.Site, at, policy.ExportGroups, one.title, s.importGroups(one))
		page.Form(s.Site, at+"/plan", policy.EditGroupSets, "What would come of a sheet: "+one.name, s.planGroups(one),
			endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, page.MostSheet),
			endpoint.Costs(endpoint.Imports))
		page.Form(s.Site, at, policy.EditGroupSets, "Import a sheet whose plan was shown: "+one.name, s.takeGroups(one),
			endpoint.Audited(audit.Group), endpoint.Costs(endpoint.Imports))
	}
}

func (s *room) exportGroups(one groupSheet) func(context.Context, *access.Caller, oneSet) (*endpoint.File, error) {
	return func(ctx context.Context, _ *access.Caller, in oneSet) (*endpoint.File, error) {
		var f *endpoint.File
		err := s.DB.View(ctx, func(q db.Q) error {
			u, err := course.UnitByID(ctx, q, in.UnitID)
			if err != nil {
				return err
			}
			set, err := enrol.GroupSetByID(ctx, q, in.SetID)
			if err != nil {
				return err
			}
			write, err := one.write(ctx, q, in.SetID)
			f = &endpoint.File{Name: u.Code + "-" + set.Name + one.ending, Type: "text/csv; charset=utf-8", Attachment: true,
				Write: write}
			return err
		})
		return s.exportedTasks(ctx, f, err, one.export)
	}
}

// groupImport makes the page of a sheet.
func (s *room) groupImport(ctx context.Context, who *access.Caller, one groupSheet, in oneSet) (*page.Page, error) {
	v := &sheetPage{List: in.path(), Back: s.Word("group-import.back"), At: in.path() + "/import/" + one.name,
		Get: in.path() + "/" + one.name + ".csv"}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		v.Unit, err = course.UnitByID(ctx, q, in.UnitID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if one.name == "groups" {
		v.Head, v.Hint, v.names = s.Word("group-setup.group"), s.Word("group-import.hint"), []string{"group_name"}
		v.run = func(ctx context.Context, f usecase.Sheet) (*sheet.Report, error) {
			return s.Usecases.ImportGroups(ctx, in.UnitID, in.SetID, f)
		}
		v.do = func(n int) string { return s.Word("group-import.do", n) }
		v.done = func(n int) string { return s.Word("group-import.done", n) }
		return s.sheetTitled(who, s.Word("group-import.title"), v), nil
	}
	v.Head, v.Hint = s.Word("group-setup.student"), s.Word("member-import.hint")
	v.names = []string{"username", "group_name"}
	v.run = func(ctx context.Context, f usecase.Sheet) (*sheet.Report, error) {
		return s.Usecases.ImportMembers(ctx, in.UnitID, in.SetID, f)
	}
	v.do = func(n int) string { return s.Word("member-import.do", n) }
	v.done = func(n int) string { return s.Word("member-import.done", n) }
	return s.sheetTitled(who, s.Word("member-import.title"), v), nil
}

func (s *room) importGroups(one groupSheet) func(context.Context, *access.Caller, oneSet) (*page.Page, error) {
	return func(ctx context.Context, who *access.Caller, in oneSet) (*page.Page, error) {
		return s.groupImport(ctx, who, one, in)
	}
}

type groupSheetIn struct {
	oneSet
	File *params.Upload `param:"file"`
}

func (s *room) planGroups(one groupSheet) func(context.Context, *access.Caller, groupSheetIn) (endpoint.Drawing,
	error) {
	return func(ctx context.Context, who *access.Caller, in groupSheetIn) (endpoint.Drawing, error) {
		p, err := s.groupImport(ctx, who, one, in.oneSet)
		if err != nil {
			return nil, err
		}
		return s.planSheet(ctx, p, in.File)
	}
}

type groupPlanIn struct {
	oneSet
	sheetPlanned
}

func (s *room) takeGroups(one groupSheet) func(context.Context, *access.Caller, groupPlanIn) (endpoint.Drawing, error) {
	return func(ctx context.Context, who *access.Caller, in groupPlanIn) (endpoint.Drawing, error) {
		p, err := s.groupImport(ctx, who, one, in.oneSet)
		if err != nil {
			return nil, err
		}
		return s.takeSheet(ctx, p, in.sheetPlanned)
	}
}
