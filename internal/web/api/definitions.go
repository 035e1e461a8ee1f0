package api

import (
	"context"
	"encoding/json"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) definitionRoutes() {
	taken := endpoint.Also(409, "the name or the abbreviation is taken")
	rules := endpoint.Also(422, "dates out of order, a value out of range, or no stream in a unit with streams")
	requirements := endpoint.Shaped[taskdef.Requirements]("task_def[upload_requirements]")
	checks := endpoint.Shaped[taskdef.Checks]("task_def[plagiarism_checks]")
	statuses := endpoint.Shaped[taskdef.AssessmentStatuses]("task_def[assessment_statuses]")
	limits := endpoint.Shaped[taskdef.Limits]("task_def[assessment_limits]")
	endpoint.Route(s.Server, "POST /api/units/{unit_id}/task_definitions", 201, policy.EditDefinitions,
		"Create a task definition",
		s.addDefinition,
		endpoint.Audited(audit.Definition), endpoint.Location("/api/units/{unit_id}/task_definitions/{.id}"), taken,
		rules, requirements, checks, statuses, limits)
	endpoint.Route(s.Server, "GET /api/units/{unit_id}/task_definitions/{id}", 200, policy.ReadUnit,
		"Get a task definition", s.getDefinition, endpoint.Asks(policy.ListStudents))
	endpoint.Route(s.Server, "PUT /api/units/{unit_id}/task_definitions/{id}", 200, policy.EditDefinitions,
		"Change a task definition",
		s.changeDefinition,
		endpoint.Audited(audit.Definition),
		endpoint.Also(409, "the name or the abbreviation is taken, the group set is in use, or a value is no longer "+
			"what was seen"),
		rules, requirements, checks, statuses, limits, endpoint.Shaped[taskdef.Requirements]("seen[upload_requirements]"),
		endpoint.Shaped[taskdef.Checks]("seen[plagiarism_checks]"),
		endpoint.Shaped[taskdef.AssessmentStatuses]("seen[assessment_statuses]"),
		endpoint.Shaped[taskdef.Limits]("seen[assessment_limits]"))
	endpoint.Route(s.Server, "DELETE /api/units/{unit_id}/task_definitions/{id}", 204, policy.EditDefinitions,
		"Delete a task definition; one that holds students' work by force only", s.deleteDefinition,
		endpoint.Audited(audit.Definition), endpoint.Asks(policy.DeleteWork),
		endpoint.Also(409, "it holds students' work"))
	s.definitionMoveRoutes()
	s.definitionFileRoutes()
	s.definitionSheetRoutes()
}

type definitionIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	ID     int64 `path:"id" scope:"definition"`
}

func (s *Server) getDefinition(ctx context.Context, who *access.Caller, in definitionIn) (*taskdef.DefinitionRecord,
	error) {
	d, err := taskdef.DefinitionByID(ctx, s.db.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	r := d.Record(who.May(policy.ListStudents))
	return &r, nil
}

type addDefinitionIn struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	Def    struct {
		Name           string      `param:"name,required"`
		Abbreviation   string      `param:"abbreviation,required"`
		Description    string      `param:"description,required" text:"lines"`
		Weighting      int64       `param:"weighting,required" doc:"how much it counts, 0 and up"`
		TargetGrade    grade.Grade `param:"target_grade,required" doc:"0 Pass, 1 Credit, 2 Distinction, 3 High Distinction"`
		StartDate      clock.Date  `param:"start_date,required"`
		TargetDate     clock.Date  `param:"target_date,required"`
		RestrictStatus bool        `param:"restrict_status_updates,required" doc:"only staff change the status"`
		WarnPct        int64       `param:"plagiarism_warn_pct,required"`
		IsGraded       bool        `param:"is_graded,required"`
		MaxQualityPts  int64       `param:"max_quality_pts,required" doc:"stars to give, 0 to 100"`
		definitionExtras
	} `param:"task_def,required"`
}

// definitionExtras are the members of task_def that are never required.
type definitionExtras struct {
	DueDate            params.Opt[clock.Date]       `param:"due_date" null:"clears" doc:"the last day for work; else the unit's end"`
	StreamAbbr         params.Opt[string]           `param:"tutorial_stream_abbr" null:"clears"`
	GroupSetID         params.Opt[int64]            `param:"group_set_id" doc:"below 0: no group work; null: as it is"`
	Requirements       params.JSON[json.RawMessage] `param:"upload_requirements" null:"clears" doc:"the files it asks for"`
	Checks             params.JSON[json.RawMessage] `param:"plagiarism_checks" null:"clears" doc:"list of {key, type, pattern}"`
	MossLanguage       params.Opt[string]           `param:"moss_language" null:"clears"`
	AssessmentEnabled  params.Opt[bool]             `param:"assessment_enabled"`
	OverseerImageID    params.Opt[int64]            `param:"overseer_image_id" null:"clears"`
	AssessmentStatuses params.JSON[json.RawMessage] `param:"assessment_statuses" doc:"what an assessment may set"`
	AssessmentTrusted  params.Opt[bool]             `param:"assessment_trusted" doc:"run.sh may give a status; forgeable"`
	AssessmentLimits   params.JSON[json.RawMessage] `param:"assessment_limits" null:"clears" doc:"of a run: {seconds?, memory_mb?, …}"`
}

// into adds the extras to a change.
func (e definitionExtras) into(c *taskdef.DefinitionChange) error {
	c.DueDate, c.StreamAbbr, c.MossLanguage, c.OverseerImageID = clearing(e.DueDate), clearing(e.StreamAbbr),
		clearing(e.MossLanguage), clearing(e.OverseerImageID)
	c.AssessmentEnabled = e.AssessmentEnabled.Ptr()
	if e.GroupSetID.Has() {
		id := &e.GroupSetID.V
		if *id < 0 {
			id = nil
		}
		c.GroupSetID = &id
	}
	if e.Requirements.Set {
		list, err := taskdef.ParseRequirements(string(e.Requirements.V))
		if err != nil {
			return err
		}
		c.Requirements = &list
	}
	if e.Checks.Set {
		list, err := taskdef.ParseChecks(string(e.Checks.V))
		if err != nil {
			return err
		}
		c.Checks = &list
	}
	return e.intoAssessment(c)
}

// intoAssessment adds what automated assessment may do.
func (e definitionExtras) intoAssessment(c *taskdef.DefinitionChange) error {
	c.AssessmentTrusted = e.AssessmentTrusted.Ptr()
	if e.AssessmentStatuses.Has() {
		list, err := taskdef.ParseAssessmentStatuses(string(e.AssessmentStatuses.V))
		if err != nil {
			return err
		}
		c.AssessmentStatuses = &list
	}
	if e.AssessmentLimits.Set {
		limits, err := taskdef.ParseLimits(string(e.AssessmentLimits.V))
		if err != nil {
			return err
		}
		c.AssessmentLimits = &limits
	}
	return nil
}

// clearing is nil for what was not sent, and points to nil for null.
func clearing[T any](o params.Opt[T]) **T {
	if !o.Set {
		return nil
	}
	value := o.Ptr()
	return &value
}

func (s *Server) addDefinition(ctx context.Context, _ *access.Caller, in addDefinitionIn) (*taskdef.DefinitionRecord,
	error) {
	d := in.Def
	c := taskdef.DefinitionChange{Name: &d.Name, Abbreviation: &d.Abbreviation, Description: &d.Description,
		Weighting:   &d.Weighting,
		TargetGrade: &d.TargetGrade, StartDate: &d.StartDate, TargetDate: &d.TargetDate,
		RestrictStatus: &d.RestrictStatus,
		WarnPct:        &d.WarnPct, IsGraded: &d.IsGraded, MaxQualityPts: &d.MaxQualityPts}
	if err := d.into(&c); err != nil {
		return nil, err
	}
	return changedDefinition(s.usecases.AddDefinition(ctx, in.UnitID, c))
}

// changedDefinition shows what came of a change, to staff.
func changedDefinition(d *taskdef.Definition, err error) (*taskdef.DefinitionRecord, error) {
	if err != nil {
		return nil, err
	}
	r := d.Record(true)
	return &r, nil
}

// definitionPath names a definition under its unit.
type definitionPath struct {
	UnitID int64 `path:"unit_id" scope:"unit"`
	ID     int64 `path:"id" scope:"definition"`
}

// definitionChanges are what changing a definition takes.
type definitionChanges struct {
	Name           params.Opt[string]      `param:"name"`
	Abbreviation   params.Opt[string]      `param:"abbreviation"`
	Description    params.Opt[string]      `param:"description" text:"lines" null:"clears"`
	Weighting      params.Opt[int64]       `param:"weighting"`
	TargetGrade    params.Opt[grade.Grade] `param:"target_grade"`
	StartDate      params.Opt[clock.Date]  `param:"start_date"`
	TargetDate     params.Opt[clock.Date]  `param:"target_date"`
	RestrictStatus params.Opt[bool]        `param:"restrict_status_updates"`
	WarnPct        params.Opt[int64]       `param:"plagiarism_warn_pct"`
	IsGraded       params.Opt[bool]        `param:"is_graded"`
	MaxQualityPts  params.Opt[int64]       `param:"max_quality_pts"`
	definitionExtras
}

func (d *definitionChanges) all() (taskdef.DefinitionChange, error) {
	c := taskdef.DefinitionChange{Name: d.Name.Ptr(), Abbreviation: d.Abbreviation.Ptr(),
		Description: orNone(d.Description, ""),
		Weighting:   d.Weighting.Ptr(), TargetGrade: d.TargetGrade.Ptr(), StartDate: d.StartDate.Ptr(),
		TargetDate:     d.TargetDate.Ptr(),
		RestrictStatus: d.RestrictStatus.Ptr(), WarnPct: d.WarnPct.Ptr(), IsGraded: d.IsGraded.Ptr(),
		MaxQualityPts: d.MaxQualityPts.Ptr()}
	return c, d.into(&c)
}

type changeDefinitionIn struct {
	definitionPath
	Def  definitionChanges `param:"task_def"`
	Seen definitionChanges `param:"seen" faults:"none" doc:"the task as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeDefinition(ctx context.Context, _ *access.Caller,
	in changeDefinitionIn) (*taskdef.DefinitionRecord,
	error) {
	c, err := in.Def.all()
	if err != nil {
		return nil, err
	}
	seen, err := in.Seen.all()
	if err != nil {
		return nil, err
	}
	c.Seen = &seen
	return changedDefinition(s.usecases.ChangeDefinition(ctx, in.ID, c))
}

type deleteDefinitionIn struct {
	definitionPath
	force
}

func (s *Server) deleteDefinition(ctx context.Context, who *access.Caller, in deleteDefinitionIn) (endpoint.NoContent,
	error) {
	return endpoint.NoContent{}, s.usecases.DeleteDefinition(ctx, who, in.ID, in.Force)
}
