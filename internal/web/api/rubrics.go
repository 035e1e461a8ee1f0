package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

const rubricPath = "/api/units/{unit_id}/task_definitions/{id}/rubric"

func (s *Server) rubricRoutes() {
	const rules = "a criterion or a level is not as it must be, some levels have points and others none, or the best " +
		"levels do not add up to the quality points of the task"
	changed := endpoint.Also(409, "it is not the rubric that was seen: `stands` tells the present one, if there is any")
	endpoint.Route(s.Server, "GET "+rubricPath, 200, policy.ReadUnit, "Get the rubric of a task definition: the criteria "+
		"it is marked by", s.getRubric, endpoint.Asks(policy.ListStudents), endpoint.Also(404, "the task has no rubric"))
	endpoint.Route(s.Server, "PUT "+rubricPath, 200, policy.EditDefinitions, "Write the rubric of a task definition. "+
		"Once work was marked with it a change makes a new version, and that work keeps its own", s.saveRubric,
		endpoint.Audited(audit.Definition), changed, endpoint.Also(422, rules),
		endpoint.Shaped[[]rubric.Criterion]("criteria"))
	endpoint.Route(s.Server, "DELETE "+rubricPath, 204, policy.EditDefinitions, "Leave a task definition without a "+
		"rubric; what was marked with it keeps it", s.removeRubric, endpoint.Audited(audit.Definition), changed)
	endpoint.Route(s.Server, "POST "+rubricPath+"/copy", 200, policy.EditDefinitions, "Copy the rubric of another task "+
		"definition, of this unit or of another whose task definitions you may change", s.copyRubric,
		endpoint.Audited(audit.Definition), changed, endpoint.Also(422, rules),
		endpoint.Also(403, "you may not change the task definitions of that unit"),
		endpoint.Also(404, "that task has no rubric"))
	endpoint.Route(s.Server, "GET "+rubricPath+"/csv", 200, policy.ExportUnit, "Export a rubric as CSV",
		exported(s, "rubric", s.exportRubric), endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsSheet)
	endpoint.Route(s.Server, "POST "+rubricPath+"/csv", 201, policy.EditDefinitions, "Import a rubric from CSV or Excel: "+
		"a row for each level. A row that cannot be used keeps all others back", s.importRubric,
		endpoint.Audited(audit.Definition), endpoint.Uploads(1, sheet.DefaultMaxBytes), endpoint.Costs(endpoint.Imports),
		changed, endpoint.Also(422, rules), endpoint.Also(413, "the file is too large"),
		endpoint.Also(415, "the file is neither CSV nor Excel"))
	endpoint.Route(s.Server, "GET "+aTask+"/rubric", 200, policy.ReadTask, "Get the rubric of a task, with the levels it "+
		"was given", s.getTaskRubric)
}

// rubricRecord is a rubric as it is shown.
type rubricRecord struct {
	rubric.Rubric
	*rubricForStaff
}

// rubricForStaff is the part of a record that students do not get.
type rubricForStaff struct {
	UserID int64 `json:"user_id" doc:"the number of the user who wrote it"`
	Marked int64 `json:"marked" doc:"how many tasks have levels of this version"`
}

// shownRubric shows a rubric to the staff, or to a student.
func shownRubric(ctx context.Context, q db.Q, r *rubric.Rubric, staff bool) (*rubricRecord, error) {
	out := &rubricRecord{Rubric: *r}
	if !staff {
		return out, nil
	}
	n, err := r.MarkedWith(ctx, q)
	out.rubricForStaff = &rubricForStaff{r.UserID, n}
	return out, err
}

func (s *Server) getRubric(ctx context.Context, who *access.Caller, in definitionIn) (*rubricRecord, error) {
	return view(ctx, s.db, func(q db.Q) (*rubricRecord, error) {
		r, err := rubric.Of(ctx, q, in.ID)
		if err != nil {
			return nil, err
		}
		return shownRubric(ctx, q, r, who.May(policy.ListStudents))
	})
}

// rubricSeen is what every change of a rubric takes.
type rubricSeen struct {
	Seen params.Opt[int64] `param:"seen" doc:"the id of the rubric as you saw it, 0: there was none; absent: whatever it is"`
}

// rubricPoints are the quality points that may change together with a rubric.
type rubricPoints struct {
	rubricSeen
	MaxQuality params.Opt[int64] `param:"max_quality_pts" doc:"the quality points the task is to have with it; absent: as it has"`
}

func (in rubricPoints) change() rubric.Change {
	return rubric.Change{Seen: in.Seen.Ptr(), MaxQuality: in.MaxQuality.Ptr()}
}

type saveRubricIn struct {
	definitionPath
	rubricPoints
	Criteria params.JSON[[]criterionIn] `param:"criteria,required" doc:"1 to 20, in their order"`
}

type criterionIn struct {
	ID          int64     `param:"id" doc:"of one the rubric has, which it stays in all versions; absent: a new one"`
	Title       string    `param:"title,required" doc:"at most 100 characters; no two are the same"`
	Description string    `param:"description" text:"lines" doc:"at most 1000 characters"`
	Levels      []levelIn `param:"levels,required" doc:"2 to 8, in their order"`
}

type levelIn struct {
	ID     int64             `param:"id" doc:"of one the criterion has; absent: a new one"`
	Name   string            `param:"name,required" doc:"at most 100 characters; no two of a criterion are the same"`
	Text   string            `param:"text" text:"lines" doc:"at most 1000 characters"`
	Points params.Opt[int64] `param:"points" doc:"0 to 100; all levels have points, or none"`
}

func (in saveRubricIn) change() rubric.Change {
	c := in.rubricPoints.change()
	c.Criteria = rubric.Criteria{}
	for _, one := range in.Criteria.V {
		levels := make([]rubric.Level, len(one.Levels))
		for i, l := range one.Levels {
			levels[i] = rubric.Level{ID: l.ID, Name: l.Name, Text: l.Text, Points: l.Points.Ptr()}
		}
		c.Criteria = append(c.Criteria, rubric.Criterion{ID: one.ID, Title: one.Title, Description: one.Description,
			Levels: levels})
	}
	return c
}

func (s *Server) saveRubric(ctx context.Context, who *access.Caller, in saveRubricIn) (*rubricRecord, error) {
	return s.savedRubric(ctx)(s.usecases.SaveRubric(ctx, who, in.ID, in.change()))
}

// savedRubric shows what came of a change, to staff.
func (s *Server) savedRubric(ctx context.Context) func(*rubric.Rubric, error) (*rubricRecord, error) {
	return func(r *rubric.Rubric, err error) (*rubricRecord, error) {
		if err != nil {
			return nil, err
		}
		return shownRubric(ctx, s.db.Pool(), r, true)
	}
}

type removeRubricIn struct {
	definitionPath
	rubricSeen
}

func (s *Server) removeRubric(ctx context.Context, _ *access.Caller, in removeRubricIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.RemoveRubric(ctx, in.ID, in.Seen.Ptr())
}

type copyRubricIn struct {
	definitionPath
	rubricPoints
	From int64 `param:"from_task_definition_id,required" doc:"the task definition whose rubric is copied"`
}

func (s *Server) copyRubric(ctx context.Context, who *access.Caller, in copyRubricIn) (*rubricRecord, error) {
	return s.savedRubric(ctx)(s.usecases.CopyRubric(ctx, who, in.ID, in.From, in.change()))
}

func (s *Server) exportRubric(ctx context.Context, _ *access.Caller, in definitionIn) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		d, err := taskdef.DefinitionByID(ctx, q, in.ID)
		if err != nil {
			return nil, err
		}
		r, err := rubric.Of(ctx, q, in.ID)
		if err != nil {
			return nil, err
		}
		return sheetFile(d.UnitCode+"-"+d.Abbreviation+"-Rubric.csv", r.Write), nil
	})
}

type importRubricIn struct {
	definitionPath
	rubricPoints
	importIn
}

func (s *Server) importRubric(ctx context.Context, who *access.Caller, in importRubricIn) (*sheet.Report, error) {
	return s.usecases.ImportRubric(ctx, who, in.ID, in.sheet(), in.change())
}

func (s *Server) getTaskRubric(ctx context.Context, _ *access.Caller, in taskIn) (*rubric.OnTask, error) {
	at := in.place()
	return view(ctx, s.db, func(q db.Q) (*rubric.OnTask, error) {
		return rubric.Show(ctx, q, at.ProjectID, at.DefinitionID)
	})
}
