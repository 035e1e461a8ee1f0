package api

import (
	"context"
	"io"

	"lectern/internal/access"
	"lectern/internal/api/web"
	"lectern/internal/course"
	"lectern/internal/db"
	"lectern/internal/enrol"
	"lectern/internal/policy"
	"lectern/internal/table"
)

func (s *Server) groupSheetRoutes() {
	upload, large, strange := web.Uploads(1, table.DefaultMaxBytes), web.Also(413, "the file is too large"), web.Also(415, "neither CSV nor Excel")
	web.Route(s.Server, "GET "+groupPath+"/csv", 200, policy.EditGroupSets, "Export the groups of a set as CSV", s.exportGroups(enrol.ExportGroups, "-groups.csv"))
	web.Route(s.Server, "POST "+groupPath+"/csv", 201, policy.EditGroupSets, "Import groups from CSV or Excel; a tutorial that is missing is made",
		s.importGroups(enrol.GroupSheet, enrol.ImportGroups), upload, large, strange)
	web.Route(s.Server, "GET "+groupPath+"/student_csv", 200, policy.EditGroupSets, "Export the members of the groups as CSV", s.exportGroups(enrol.ExportMembers, "-student-groups.csv"))
	web.Route(s.Server, "POST "+groupPath+"/student_csv", 201, policy.EditGroupSets, "Put students into groups by CSV or Excel",
		s.importGroups(enrol.MemberSheet, enrol.ImportMembers), upload, large, strange)
}

func (s *Server) exportGroups(read func(ctx context.Context, q db.Q, setID int64) (func(io.Writer) error, error),
	ending string) func(context.Context, *access.Caller, underGroupSet) (*web.File, error) {
	return func(ctx context.Context, _ *access.Caller, in underGroupSet) (*web.File, error) {
		return view(ctx, s.db, func(q db.Q) (*web.File, error) {
			unit, err := course.UnitByID(ctx, q, in.UnitID)
			if err != nil {
				return nil, err
			}
			set, err := enrol.GroupSetByID(ctx, q, in.SetID)
			if err != nil {
				return nil, err
			}
			write, err := read(ctx, q, in.SetID)
			return sheetFile(unit.Code+"-"+set.Name+ending, write), err
		})
	}
}

type importGroupsIn struct {
	underGroupSet
	importIn
}

func (s *Server) importGroups(opts table.Options,
	apply func(ctx context.Context, q db.Q, unitID, setID int64, sheet *table.Reader) (*table.Report, error),
) func(context.Context, *access.Caller, importGroupsIn) (*table.Report, error) {
	return func(ctx context.Context, _ *access.Caller, in importGroupsIn) (*table.Report, error) {
		return s.importSheet(ctx, in.importIn, opts, func(q db.Q, sheet *table.Reader) (*table.Report, error) {
			return apply(ctx, q, in.UnitID, in.SetID, sheet)
		})
	}
}
