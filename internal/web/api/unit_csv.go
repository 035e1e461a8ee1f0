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
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
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
		upload, large, strange, endpoint.Costs(endpoint.Imports),
		endpoint.Also(409, "more than one in twenty students would be withdrawn, and confirm_withdrawals is not their number"),
		endpoint.Also(503, "the service sends no mails, with send_mail"))
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

	Strict    bool              `param:"strict" doc:"refuse a row whose tutorial cannot be had, instead of only noting it"`
	Withdraw  bool              `param:"withdraw_missing" doc:"withdraw whoever is enrolled and stands in no row"`
	Confirmed params.Opt[int64] `param:"confirm_withdrawals" doc:"how many that are; needed where they are more than one in twenty"`
	Told      bool              `param:"plan" doc:"tell person by person what changes, what is refused and who stands in no row"`
	SendMail  bool              `param:"send_mail" doc:"invite by an email who gets an account"`
}

func (s *Server) importStudents(ctx context.Context, who *access.Caller,
	in importStudentsIn) (*enrol.ImportedStudents, error) {
	out, err := s.usecases.ImportStudents(ctx, who, in.ID, usecase.StudentSheet{Sheet: in.sheet(), Exceed: in.Exceed,
		Strict: in.Strict, Withdraw: in.Withdraw, Confirmed: in.Confirmed.Ptr(), Told: in.Told, Mailed: in.SendMail})
	if err != nil {
		return nil, err
	}
	_, err = s.withLinks(out.Imported, nil)
	return out, err
}

type withdrawStudentsIn struct {
	unitIn
	importIn
}

func (s *Server) withdrawStudents(ctx context.Context, who *access.Caller, in withdrawStudentsIn) (*ident.Imported,
	error) {
	return s.usecases.WithdrawStudents(ctx, who, in.ID, in.sheet())
}
