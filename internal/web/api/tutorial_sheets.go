package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
)

func (s *Server) tutorialSheetRoutes() {
	const path = "/api/units/{unit_id}/tutorials/csv"
	endpoint.Route(s.Server, "GET "+path, 200, policy.ExportUnit, "Export the tutorials of a unit with their tutors "+
		"as CSV", exported(s, "tutorials", s.exportTutorials),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST "+path, 201, policy.ImportUnit, "Import tutorials from CSV or Excel; tutors join "+
		"the staff, and a stream that is missing is made",
		s.importTutorials,
		endpoint.Audited(audit.Tutorial, audit.Role), endpoint.Asks(policy.EmployStaff),
		endpoint.Uploads(1, sheet.DefaultMaxBytes), endpoint.Also(413, "the file is too large"),
		endpoint.Also(415, "neither CSV nor Excel"), endpoint.Costs(endpoint.Imports))
}

func (s *Server) exportTutorials(ctx context.Context, _ *access.Caller, in underUnit) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		unit, err := course.UnitByID(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		write, err := enrol.ExportTutorials(ctx, q, in.UnitID)
		return sheetFile(unit.Code+"-Tutorials.csv", write), err
	})
}

type importTutorialsIn struct {
	underUnit
	importIn
}

func (s *Server) importTutorials(ctx context.Context, who *access.Caller, in importTutorialsIn) (*sheet.Report, error) {
	return s.usecases.ImportTutorials(ctx, who, in.UnitID, in.sheet())
}
