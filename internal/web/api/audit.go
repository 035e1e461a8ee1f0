package api

import (
	"context"
	"io"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

// exported lets a download be written down before it is handed out.
func exported[In any](s *Server, what string, h func(context.Context, *access.Caller, In) (*endpoint.File, error),
) func(context.Context, *access.Caller, In) (*endpoint.File, error) {
	return func(ctx context.Context, who *access.Caller, in In) (*endpoint.File, error) {
		f, err := h(ctx, who, in)
		if err == nil {
			err = f.Confirm()
		}
		if err != nil {
			return nil, err
		}
		return f, s.usecases.Exported(ctx, what)
	}
}

func (s *Server) auditRoutes() {
	endpoint.Route(s.Server, "GET /api/admin/audit", 200, policy.ReadAudit, "Read who did what, the newest first; as "+
		"CSV by format=csv or Accept: text/csv", s.listAudit, endpoint.Audited(audit.Export))
	endpoint.Route(s.Server, "GET /api/admin/audit/verification", 200, policy.ReadAudit,
		"Tell how far the verification of the audit log is, or what it found", s.getVerification)
	endpoint.Route(s.Server, "POST /api/admin/audit/verification", 200, policy.VerifyAudit,
		"Have the whole audit log verified in the background", s.verifyAudit, endpoint.Audited(audit.Job))
}

func (s *Server) getVerification(ctx context.Context, _ *access.Caller, _ none) (*usecase.Verification, error) {
	return usecase.AuditVerification(ctx, s.db.Pool())
}

func (s *Server) verifyAudit(ctx context.Context, _ *access.Caller, _ none) (*usecase.Verification, error) {
	return s.usecases.VerifyAudit(ctx)
}

type listAuditIn struct {
	Kind      audit.Kind             `param:"kind" enum:""`
	ActorID   int64                  `param:"actor_id" doc:"who did it"`
	UserID    int64                  `param:"user_id" doc:"whom it concerns"`
	UnitID    int64                  `param:"unit_id"`
	ProjectID int64                  `param:"project_id"`
	From      params.Opt[clock.Time] `param:"from" doc:"the first moment"`
	To        params.Opt[clock.Time] `param:"to" doc:"the first moment after"`
	Before    int64                  `param:"before" doc:"only entries of lower numbers, to go on behind the last one"`
	Format    string                 `param:"format" enum:"json,csv" doc:"csv: a sheet, of all without limit"`
	Limit     params.Opt[int64]      `param:"limit" doc:"at most so many; 100 when absent"`
	Offset    params.Opt[int64]      `param:"offset"`
}

func (s *Server) listAudit(ctx context.Context, _ *access.Caller, in listAuditIn) (endpoint.Tabled[audit.Record],
	error) {
	f := audit.Filter{Kind: in.Kind, ActorID: in.ActorID, UserID: in.UserID, UnitID: in.UnitID, ProjectID: in.ProjectID,
		From: in.From.Ptr(), To: in.To.Ptr(), Before: in.Before}
	p, err := paging{in.Limit, in.Offset}.bounded(100)
	if err != nil {
		return endpoint.Tabled[audit.Record]{}, err
	}
	var total int64
	list, err := view(ctx, s.db, func(q db.Q) (list []audit.Record, err error) {
		list, total, err = audit.List(ctx, q, f, p)
		return list, err
	})
	out := endpoint.Tabled[audit.Record]{List: endpoint.Listed(list, total), CSV: in.Format == "csv"}
	out.Sheet = func() (*endpoint.File, error) {
		rows := audit.All(ctx, s.db, f)
		if in.Limit.Has() || in.Offset.Has() {
			rows = out.Rows
		}
		return sheetFile("audit.csv", func(w io.Writer) error { return audit.WriteSheet(w, rows) }),
			s.usecases.Exported(ctx, "audit")
	}
	return out, err
}
