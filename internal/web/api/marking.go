package api

import (
	"context"
	"io"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/marking"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) markingRoutes() {
	endpoint.Route(s.Server, "GET /api/submission/assess", 200, policy.GiveFeedback, "Get the work that waits to be "+
		"marked in a zip archive", exported(s, "marking", s.collectMarking),
		endpoint.Audited(audit.Export),
		endpoint.Also(422, "the user does not teach this unit"), endpoint.Costs(endpoint.Exports), sendsArchive)
	endpoint.Route(s.Server, "POST /api/submission/assess", 201, policy.GiveFeedback, "Carry out a sheet of marks, "+
		"alone or in a zip archive with annotated PDFs",
		s.takeMarking,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review), endpoint.Uploads(1, marking.MaxUpload),
		endpoint.Also(409, "something else than the plan would come of it"),
		endpoint.Also(413, "the file is too large"),
		endpoint.Also(415, "the file is neither a sheet nor a zip archive"), endpoint.Costs(endpoint.Imports))
	endpoint.Route(s.Server, "GET /api/projects/{id}/task_def_id/{task_definition_id}/submission/marked", 200,
		policy.ReadSubmission,
		"Get the latest copy of the work that the staff annotated, a PDF", s.markedCopy, sendsPDF)
}

type markerIn struct {
	ofUnit
	UserID params.Opt[int64] `param:"user_id" doc:"of the staff: whose classes; the caller's when absent. What the caller may do follows the caller alone"`
}

// marker gives whose classes are meant.
func (in markerIn) marker(ctx context.Context, q db.Q, who *access.Caller) (int64, error) {
	if !in.UserID.Has() || in.UserID.V == who.ID {
		return who.ID, nil
	}
	return in.UserID.V, marking.Teaches(ctx, q, in.UnitID, in.UserID.V)
}

type collectMarkingIn struct {
	markerIn
	All          bool              `param:"all" doc:"the work of all classes of the unit"`
	DefinitionID params.Opt[int64] `param:"task_definition_id" doc:"only the work for this task"`
}

func (s *Server) collectMarking(ctx context.Context, who *access.Caller, in collectMarkingIn) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		marker, err := in.marker(ctx, q, who)
		if err != nil {
			return nil, err
		}
		b, err := marking.Collect(ctx, q, marking.Wanted{UnitID: in.UnitID, MarkerID: marker, CallerID: who.ID,
			All: in.All, DefinitionID: in.DefinitionID.Or(0)})
		if err != nil {
			return nil, err
		}
		return endpoint.Zip(ctx, s.files, b.Hashes(), b.FileName(),
			func(w io.Writer) error { return b.WriteZip(ctx, s.files, w) }), nil
	})
}

type takeMarkingIn struct {
	markerIn
	File   *params.Upload `param:"file,required" doc:"marks.csv, or a zip archive that holds it"`
	DryRun bool           `param:"dry_run" doc:"report the same and change nothing; the answer has a plan"`
	Plan   string         `param:"plan" doc:"of a dry run: do nothing unless the same would come of the same file now"`
}

func (s *Server) takeMarking(ctx context.Context, who *access.Caller, in takeMarkingIn) (*marking.Result, error) {
	if _, err := in.marker(ctx, s.db.Pool(), who); err != nil {
		return nil, err
	}
	m := usecase.Marks{UnitID: in.UnitID, Upload: uploaded(in.File), Spool: s.Spool}
	if in.DryRun {
		return s.usecases.PlanMarks(ctx, who, m)
	}
	return s.usecases.TakeMarks(ctx, who, m, in.Plan)
}

type markedIn struct {
	ID           int64 `path:"id" scope:"project"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
	AsAttachment bool  `param:"as_attachment" doc:"to be saved rather than shown"`
}

func (s *Server) markedCopy(ctx context.Context, _ *access.Caller, in markedIn) (*endpoint.File, error) {
	c, err := marking.CopyOf(ctx, s.db.Pool(), in.ID, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.files, files.Hash(c.Hash), endpoint.File{Name: c.Abbreviation + "-marked.pdf",
		Type: "application/pdf", Modified: c.At.Time, Attachment: in.AsAttachment})
}
