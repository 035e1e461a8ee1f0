package api

import (
	"context"
	"io"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
)

func (s *Server) groupSheetRoutes() {
	upload, large, strange := endpoint.Uploads(1, sheet.DefaultMaxBytes), endpoint.Also(413, "the file is too large"),
		endpoint.Also(415, "neither CSV nor Excel")
	endpoint.Route(s.Server, "GET "+groupPath+"/csv", 200, policy.ExportGroups, "Export the groups of a set as CSV",
		exported(s, "groups", s.exportGroups(enrol.ExportGroups, "-groups.csv")),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST "+groupPath+"/csv", 201, policy.EditGroupSets, "Import groups from CSV or Excel; "+
		"a tutorial that is missing is made",
		s.importGroups,
		endpoint.Audited(audit.Group), upload, large, strange, endpoint.Costs(endpoint.Imports))
	endpoint.Route(s.Server, "GET "+groupPath+"/student_csv", 200, policy.ExportGroups,
		"Export the members of the groups as CSV",
		exported(s, "group_members", s.exportGroups(enrol.ExportMembers, "-student-groups.csv")),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST "+groupPath+"/student_csv", 201, policy.EditGroupSets,
		"Put students into groups by CSV or Excel",
		s.importMembers,
		endpoint.Audited(audit.Group), upload, large, strange, endpoint.Costs(endpoint.Imports))
}

func (s *Server) exportGroups(read func(ctx context.Context, q db.Q, setID int64) (func(io.Writer) error, error),
	ending string) func(context.Context, *access.Caller, underGroupSet) (*endpoint.File, error) {
	return func(ctx context.Context, _ *access.Caller, in underGroupSet) (*endpoint.File, error) {
		return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
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

func (s *Server) importGroups(ctx context.Context, _ *access.Caller, in importGroupsIn) (*sheet.Report, error) {
	return s.usecases.ImportGroups(ctx, in.UnitID, in.SetID, in.sheet())
}

func (s *Server) importMembers(ctx context.Context, _ *access.Caller, in importGroupsIn) (*sheet.Report, error) {
	return s.usecases.ImportMembers(ctx, in.UnitID, in.SetID, in.sheet())
}
