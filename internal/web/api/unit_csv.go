package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
)

func (s *Server) unitCSVRoutes() {
	upload, large, strange := endpoint.Uploads(1, sheet.DefaultMaxBytes), endpoint.Also(413, "the file is too large"),
		endpoint.Also(415, "neither CSV nor Excel")
	endpoint.Route(s.Server, "GET /api/csv/units/{id}", 200, policy.ExportUnit, "Export the enrolled students of a "+
		"unit as CSV", exported(s, "students", s.exportStudents),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST /api/csv/units/{id}", 201, policy.ImportUnit, "Enrol students from CSV or Excel, "+
		"making accounts where there are none",
		s.importStudents,
		endpoint.Audited(audit.Enrolment, audit.Account, audit.Role),
		upload, large, strange, endpoint.Costs(endpoint.Imports))
	endpoint.Route(s.Server, "POST /api/csv/units/{id}/withdraw", 201, policy.ImportUnit,
		"Withdraw students by CSV or Excel",
		s.withdrawStudents,
		endpoint.Audited(audit.Enrolment), upload, large, strange, endpoint.Costs(endpoint.Imports))
}

func (s *Server) exportStudents(ctx context.Context, _ *access.Caller, in unitIn) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		r, err := enrol.ReadRoster(ctx, q, in.ID)
		if err != nil {
			return nil, err
		}
		write, err := r.Export(ctx, q)
		return sheetFile(r.Code+"-Students.csv", write), err
	})
}

type importStudentsIn struct {
	unitIn
	importIn
	Exceed bool `param:"exceed_capacity" doc:"enrol in full tutorials too, instead of only noting that they are full"`
}

func (s *Server) importStudents(ctx context.Context, who *access.Caller, in importStudentsIn) (*ident.Imported, error) {
	return s.withLinks(s.usecases.ImportStudents(ctx, who, in.ID, in.sheet(), in.Exceed))
}

type withdrawStudentsIn struct {
	unitIn
	importIn
}

func (s *Server) withdrawStudents(ctx context.Context, who *access.Caller, in withdrawStudentsIn) (*ident.Imported,
	error) {
	return s.usecases.WithdrawStudents(ctx, who, in.ID, in.sheet())
}
