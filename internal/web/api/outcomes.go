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
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) outcomeRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/outcomes/csv", 200, policy.ExportOutcomes,
		"Download the learning outcomes as CSV", exported(s, "outcomes", s.exportOutcomes),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST /api/units/{unit_id}/outcomes/csv", 201, policy.ImportUnit,
		"Import learning outcomes from CSV or Excel", s.importOutcomes,
		endpoint.Audited(audit.Outcome),
		endpoint.Uploads(1, sheet.DefaultMaxBytes), endpoint.Also(413, "the file is too large"),
		endpoint.Also(415, "neither CSV nor Excel"), endpoint.Costs(endpoint.Imports))
	endpoint.Route(s.Server, "POST /api/units/{unit_id}/outcomes", 201, policy.EditOutcomes,
		"Add a learning outcome behind the others", s.addOutcome,
		endpoint.Audited(audit.Outcome), endpoint.Location("/api/units/{unit_id}/outcomes/{.id}"),
		endpoint.Also(409, "the abbreviation is taken"))
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/outcomes/{id}", 200, policy.ReadUnit, "Get a learning outcome",
		s.getOutcome)
	endpoint.Route(s.Server, "PUT /api/units/{unit_id}/outcomes/{id}", 200, policy.EditOutcomes,
		"Change or move a learning outcome", s.changeOutcome,
		endpoint.Audited(audit.Outcome),
		endpoint.Also(409, "the abbreviation is taken, or a value is no longer what was seen"))
	endpoint.Route(s.Server, "DELETE /api/units/{unit_id}/outcomes/{id}", 204, policy.EditOutcomes,
		"Delete a learning outcome with its alignments", s.deleteOutcome,
		endpoint.Audited(audit.Outcome))
}

// underUnit is the input of an endpoint about what belongs to a unit.
type underUnit struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
}

type addOutcomeIn struct {
	underUnit
	Name         string `param:"name,required"`
	Description  string `param:"description,required" text:"lines" doc:"at most 4095 characters"`
	Abbreviation string `param:"abbreviation" doc:"unique in the unit; made up when absent"`
}

func (s *Server) addOutcome(ctx context.Context, _ *access.Caller, in addOutcomeIn) (*course.Outcome, error) {
	return s.usecases.AddOutcome(ctx, in.UnitID, course.Outcome{Name: in.Name, Description: in.Description,
		Abbreviation: in.Abbreviation})
}

type outcomeIn struct {
	underUnit
	ID int64 `path:"id"`
}

func (s *Server) getOutcome(ctx context.Context, _ *access.Caller, in outcomeIn) (*course.Outcome, error) {
	return course.OutcomeByID(ctx, s.db.Pool(), in.UnitID, in.ID)
}

// outcomeChanges are what changing an outcome takes.
type outcomeChanges struct {
	Name         params.Opt[string] `param:"name"`
	Description  params.Opt[string] `param:"description" text:"lines" doc:"at most 4095 characters"`
	Abbreviation params.Opt[string] `param:"abbreviation" doc:"unique in the unit"`
	Number       params.Opt[int64]  `param:"ilo_number" doc:"moves it there; those between move by one"`
}

func (c *outcomeChanges) change() course.OutcomeChange {
	return course.OutcomeChange{Name: c.Name.Ptr(), Description: c.Description.Ptr(),
		Abbreviation: c.Abbreviation.Ptr(), Number: c.Number.Ptr()}
}

type changeOutcomeIn struct {
	outcomeIn
	outcomeChanges
	Seen outcomeChanges `param:"seen" faults:"none" doc:"the outcome as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeOutcome(ctx context.Context, _ *access.Caller, in changeOutcomeIn) (*course.Outcome, error) {
	c, seen := in.change(), in.Seen.change()
	c.Seen = &seen
	return s.usecases.ChangeOutcome(ctx, in.UnitID, in.ID, c)
}

func (s *Server) deleteOutcome(ctx context.Context, _ *access.Caller, in outcomeIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteOutcome(ctx, in.UnitID, in.ID)
}

func (s *Server) exportOutcomes(ctx context.Context, _ *access.Caller, in underUnit) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		unit, err := course.UnitByID(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		list, err := course.OutcomesOf(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		return sheetFile(unit.Code+"-LearningOutcomes.csv", func(w io.Writer) error {
			return course.WriteOutcomes(w,
				unit.Code, list)
		}), nil
	})
}

type importOutcomesIn struct {
	underUnit
	importIn
}

func (s *Server) importOutcomes(ctx context.Context, _ *access.Caller, in importOutcomesIn) (*sheet.Report, error) {
	return s.usecases.ImportOutcomes(ctx, in.UnitID, in.sheet())
}
