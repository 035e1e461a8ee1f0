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
	"lectern/internal/web/params"
)

// alignmentRoutes declares the alignments of a unit and of its students. Whose
// they are decides which right is asked.
func (s *Server) alignmentRoutes() {
	const base = "/api/units/{unit_id}/learning_alignments"
	read := policy.Either(policy.ReadUnit, policy.ReadProject)
	export := policy.Either(policy.ExportUnit, policy.ReadProject)
	edit := policy.Either(policy.EditAlignments, policy.AlignProject)
	endpoint.Route(s.Server, "GET "+base, 200, read, "List the learning alignments of a unit or a student",
		s.listAlignments)
	endpoint.Route(s.Server, "POST "+base, 201, edit, "Align a task with an outcome", s.addAlignment,
		endpoint.Audited(audit.Outcome), endpoint.Location(base+"/{.id}"),
		endpoint.Also(409, "they are aligned already"))
	endpoint.Route(s.Server, "GET "+base+"/{id}", 200, read, "Get a learning alignment", s.getAlignment)
	endpoint.Route(s.Server, "PUT "+base+"/{id}", 200, edit, "Change a learning alignment", s.changeAlignment,
		endpoint.Audited(audit.Outcome), endpoint.Also(409, "a value is no longer what was seen"))
	endpoint.Route(s.Server, "DELETE "+base+"/{id}", 204, edit, "Delete a learning alignment", s.deleteAlignment,
		endpoint.Audited(audit.Outcome))
	endpoint.Route(s.Server, "GET "+base+"/csv", 200, export, "Export learning alignments as CSV",
		exported(s, "alignments", s.exportAlignments),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST "+base+"/csv", 201, edit, "Import learning alignments from CSV or Excel",
		s.importAlignments,
		endpoint.Audited(audit.Outcome), endpoint.Uploads(1, sheet.DefaultMaxBytes), endpoint.Costs(endpoint.Imports))
}

// ofProject says whose alignments are meant.
type ofProject struct {
	UnitID    int64 `path:"unit_id" scope:"unit"`
	ProjectID int64 `param:"project_id,required" scope:"project,optional" doc:"whose; 0: the unit's own"`
}

type listAlignmentsIn struct {
	ofProject
	paging
}

func (s *Server) listAlignments(ctx context.Context, _ *access.Caller,
	in listAlignmentsIn) (endpoint.List[taskdef.Alignment], error) {
	list, err := taskdef.Alignments(ctx, s.db.Pool(), in.UnitID, in.ProjectID)
	return short(in.paging, list, err)
}

type addAlignmentIn struct {
	ofProject
	OutcomeID    int64  `param:"learning_outcome_id,required"`
	DefinitionID int64  `param:"task_definition_id,required"`
	Rating       int64  `param:"rating,required" doc:"how strongly, 1 to 5"`
	Description  string `param:"description,required" text:"lines"`
}

func (s *Server) addAlignment(ctx context.Context, _ *access.Caller, in addAlignmentIn) (*taskdef.Alignment, error) {
	return s.usecases.AddAlignment(ctx, in.UnitID, in.ProjectID, taskdef.Alignment{OutcomeID: in.OutcomeID,
		DefinitionID: in.DefinitionID, Rating: in.Rating, Description: in.Description})
}

// alignmentIn names an alignment under its unit.
type alignmentIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	ID     int64 `path:"id" scope:"learning_alignment"`
}

func (s *Server) getAlignment(ctx context.Context, _ *access.Caller, in alignmentIn) (*taskdef.Alignment, error) {
	return taskdef.AlignmentByID(ctx, s.db.Pool(), in.ID)
}

// alignmentChanges are what changing an alignment takes.
type alignmentChanges struct {
	Description params.Opt[string] `param:"description" text:"lines" null:"clears"`
	Rating      params.Opt[int64]  `param:"rating" doc:"1 to 5"`
}

func (c *alignmentChanges) change() taskdef.Cell {
	return taskdef.Cell{Description: orNone(c.Description, ""), Rating: c.Rating.Ptr()}
}

type changeAlignmentIn struct {
	alignmentIn
	alignmentChanges
	Seen alignmentChanges `param:"seen" faults:"none" doc:"the alignment as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeAlignment(ctx context.Context, _ *access.Caller, in changeAlignmentIn) (*taskdef.Alignment,
	error) {
	c, seen := in.change(), in.Seen.change()
	c.Seen = &seen
	return s.usecases.ChangeAlignment(ctx, in.ID, c)
}

func (s *Server) deleteAlignment(ctx context.Context, _ *access.Caller, in alignmentIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteAlignment(ctx, in.ID)
}

// maybeProject is ofProject where the unit's own is what is meant by default.
type maybeProject struct {
	UnitID    int64 `path:"unit_id" scope:"unit"`
	ProjectID int64 `param:"project_id" scope:"project,optional" doc:"whose; 0 or absent: the unit's own"`
}

func (s *Server) exportAlignments(ctx context.Context, _ *access.Caller, in maybeProject) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		unit, err := course.UnitByID(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		list, err := taskdef.Alignments(ctx, q, in.UnitID, in.ProjectID)
		if err != nil {
			return nil, err
		}
		outcomes, err := course.OutcomesOf(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		definitions, err := taskdef.DefinitionsOf(ctx, q, in.UnitID)
		if err != nil {
			return nil, err
		}
		name, err := alignmentFileName(ctx, q, unit.Code, in.ProjectID)
		return sheetFile(name, func(w io.Writer) error {
			return taskdef.WriteAlignments(w, unit.Code, list, outcomes,
				definitions)
		}), err
	})
}

// alignmentFileName has the student's user name where there is one.
func alignmentFileName(ctx context.Context, q db.Q, code string, projectID int64) (string, error) {
	if projectID == 0 {
		return code + "-Alignment.csv", nil
	}
	name, err := db.One[string](ctx, q, `SELECT u.username FROM projects p JOIN users u ON u.id = p.user_id
		WHERE p.id = $1`, projectID)
	if err != nil {
		return "", err
	}
	return code + "-" + *name + "-Alignment.csv", nil
}

type importAlignmentsIn struct {
	maybeProject
	importIn
}

func (s *Server) importAlignments(ctx context.Context, _ *access.Caller, in importAlignmentsIn) (*sheet.Report,
	error) {
	return s.usecases.ImportAlignments(ctx, in.UnitID, in.ProjectID, in.sheet())
}
