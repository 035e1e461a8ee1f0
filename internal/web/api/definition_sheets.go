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
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
)

func (s *Server) definitionSheetRoutes() {
	endpoint.Route(s.Server, "GET /api/csv/task_definitions", 200, policy.ExportUnit, "Export the task definitions "+
		"of a unit as CSV", exported(s, "task_definitions", s.exportDefinitions),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST /api/csv/task_definitions", 201, policy.ImportUnit, "Import task definitions from "+
		"CSV or Excel",
		s.importDefinitions,
		endpoint.Audited(audit.Definition), endpoint.Uploads(1, sheet.DefaultMaxBytes),
		endpoint.Also(413, "the file is too large"),
		endpoint.Also(415, "the file is neither CSV nor Excel"), endpoint.Costs(endpoint.Imports))
}

// ofUnit names a unit by a parameter.
type ofUnit struct {
	UnitID int64 `param:"unit_id,required" scope:"unit"`
}

func (s *Server) exportDefinitions(ctx context.Context, _ *access.Caller, in ofUnit) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		unit, err := course.UnitByID(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		list, err := taskdef.DefinitionsOf(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		weeks, err := course.Calendars(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		return sheetFile(unit.Code+"-Tasks.csv", func(w io.Writer) error {
			return taskdef.WriteDefinitions(w, list,
				weeks[in.UnitID])
		}), nil
	})
}

type importDefinitionsIn struct {
	ofUnit
	importIn
}

func (s *Server) importDefinitions(ctx context.Context, _ *access.Caller, in importDefinitionsIn) (*sheet.Report,
	error) {
	return s.usecases.ImportDefinitions(ctx, in.UnitID, in.sheet())
}
