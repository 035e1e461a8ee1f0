package api

import (
	"context"
	"io"

	"lectern/internal/access"
	"lectern/internal/api/web"
	"lectern/internal/course"
	"lectern/internal/db"
	"lectern/internal/policy"
	"lectern/internal/table"
	"lectern/internal/work"
)

func (s *Server) definitionSheetRoutes() {
	web.Route(s.Server, "GET /api/csv/task_definitions", 200, policy.ExportUnit, "Export the task definitions of a unit as CSV", s.exportDefinitions)
	web.Route(s.Server, "POST /api/csv/task_definitions", 201, policy.ImportUnit, "Import task definitions from CSV or Excel",
		s.importDefinitions, web.Uploads(1, table.DefaultMaxBytes), web.Also(413, "the file is too large"), web.Also(415, "the file is neither CSV nor Excel"))
}

// ofUnit names a unit by a parameter.
type ofUnit struct {
	UnitID int64 `param:"unit_id,required" scope:"unit"`
}

func (s *Server) exportDefinitions(ctx context.Context, _ *access.Caller, in ofUnit) (*web.File, error) {
	return view(ctx, s.db, func(q db.Q) (*web.File, error) {
		unit, err := course.UnitByID(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		list, err := work.DefinitionsOf(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		weeks, err := course.Calendars(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		return sheetFile(unit.Code+"-Tasks.csv", func(w io.Writer) error { return work.WriteDefinitions(w, list, weeks[in.UnitID]) }), nil
	})
}

type importDefinitionsIn struct {
	ofUnit
	importIn
}

func (s *Server) importDefinitions(ctx context.Context, _ *access.Caller, in importDefinitionsIn) (*table.Report, error) {
	return s.importSheet(ctx, in.importIn, work.DefinitionSheet, func(q db.Q, sheet *table.Reader) (*table.Report, error) {
		return work.ImportDefinitions(ctx, q, in.UnitID, sheet)
	})
}
