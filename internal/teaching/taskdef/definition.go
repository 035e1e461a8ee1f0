// Package taskdef knows what a unit asks of its students: task definitions,
// what has to be uploaded for each, their sheets and resources, and how they
// align with the unit's outcomes.
package taskdef

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
)

// Definition is a task as the unit sets it.
type Definition struct {
	ID                 int64              `db:"id"`
	UnitID             int64              `db:"unit_id"`
	Name               string             `db:"name"`
	Abbreviation       string             `db:"abbreviation"`
	Description        string             `db:"description"`
	Weighting          int64              `db:"weighting"`
	TargetGrade        grade.Grade        `db:"target_grade"`
	StartDate          clock.Date         `db:"start_date"`
	TargetDate         clock.Date         `db:"target_date"`
	DueDate            *clock.Date        `db:"due_date"` // nil: the unit's end
	Requirements       Requirements       `db:"upload_requirements"`
	Checks             Checks             `db:"plagiarism_checks"`
	WarnPct            int64              `db:"plagiarism_warn_pct"`
	MossLanguage       *string            `db:"moss_language"`
	RestrictStatus     bool               `db:"restrict_status_updates"`
	GroupSetID         *int64             `db:"group_set_id"`
	StreamID           *int64             `db:"tutorial_stream_id"`
	IsGraded           bool               `db:"is_graded"`
	MaxQualityPts      int64              `db:"max_quality_pts"`
	AssessmentEnabled  bool               `db:"assessment_enabled"`
	OverseerImageID    *int64             `db:"overseer_image_id"`
	AssessmentStatuses AssessmentStatuses `db:"assessment_statuses"`
	AssessmentTrusted  bool               `db:"assessment_trusted"`
	AssessmentLimits   Limits             `db:"assessment_limits"`
	IsDraftSummary     bool               `db:"is_draft_summary"`
	SheetHash          *string            `db:"sheet_hash"`
	ResourcesHash      *string            `db:"resources_hash"`
	AssessmentHash     *string            `db:"assessment_hash"`
	TemplateHash       *string            `db:"template_hash"`

	// Of other tables, for showing it.
	StreamAbbr *string    `db:"tutorial_stream_abbr"`
	GroupSet   *string    `db:"group_set"`
	UnitEnd    clock.Date `db:"unit_end"`
	UnitCode   string     `db:"unit_code"`
	HasRubric  bool       `db:"has_rubric"`
}

const selectDefinitions = `SELECT d.id, d.unit_id, d.name, d.abbreviation, d.description, d.weighting, d.target_grade,
		d.start_date, d.target_date, d.due_date, d.upload_requirements, d.plagiarism_checks, d.plagiarism_warn_pct,
		d.moss_language, d.restrict_status_updates, d.group_set_id, d.tutorial_stream_id, d.is_graded,
		d.max_quality_pts,
		d.assessment_enabled, d.overseer_image_id, d.is_draft_summary, d.sheet_hash, d.resources_hash,
		d.assessment_hash, d.assessment_statuses, d.assessment_trusted, d.assessment_limits, d.template_hash,
		s.abbreviation AS tutorial_stream_abbr, g.name AS group_set, u.end_date AS unit_end, u.code AS unit_code,
		EXISTS (SELECT 1 FROM rubrics r WHERE r.task_definition_id = d.id AND r.current) AS has_rubric
	FROM task_definitions d JOIN units u ON u.id = d.unit_id
	LEFT JOIN tutorial_streams s ON s.id = d.tutorial_stream_id
	LEFT JOIN group_sets g ON g.id = d.group_set_id`

// DefinitionsOf lists the definitions of a unit by start, then abbreviation.
func DefinitionsOf(ctx context.Context, q db.Q, unitID int64) ([]Definition, error) {
	return db.All[Definition](ctx, q, selectDefinitions+` WHERE d.unit_id = $1 ORDER BY d.start_date, d.abbreviation`,
		unitID)
}

// DefinitionByID reads a task definition. It fails with fault.Missing where there
// is none.
func DefinitionByID(ctx context.Context, q db.Q, id int64) (*Definition, error) {
	return db.OneOf[Definition](ctx, q, "task definition", selectDefinitions+` WHERE d.id = $1`, id)
}

// Due is the last day on which work is taken.
func (d *Definition) Due() clock.Date { return due.Deadline(d.DueDate, d.UnitEnd, d.TargetDate) }

// DefinitionRecord is a definition as it is shown.
type DefinitionRecord struct {
	ID               int64        `json:"id"`
	Abbreviation     string       `json:"abbreviation"`
	Name             string       `json:"name"`
	Description      string       `json:"description"`
	Weighting        int64        `json:"weighting"`
	TargetGrade      grade.Grade  `json:"target_grade"`
	TargetDate       clock.Date   `json:"target_date"`
	DueDate          clock.Date   `json:"due_date"`
	StartDate        clock.Date   `json:"start_date"`
	Requirements     Requirements `json:"upload_requirements"`
	StreamAbbr       *string      `json:"tutorial_stream_abbr"`
	GroupSetID       *int64       `json:"group_set_id"`
	HasTaskSheet     bool         `json:"has_task_sheet"`
	HasTaskResources bool         `json:"has_task_resources"`
	IsGraded         bool         `json:"is_graded"`
	MaxQualityPts    int64        `json:"max_quality_pts"`
	HasRubric        bool         `json:"has_rubric" doc:"there are criteria that it is marked by"`
	*DefinitionForStaff
}

// DefinitionForStaff is the part of a record that students do not get.
type DefinitionForStaff struct {
	Checks                     Checks             `json:"plagiarism_checks"`
	WarnPct                    int64              `json:"plagiarism_warn_pct"`
	RestrictStatus             bool               `json:"restrict_status_updates"`
	HasTaskAssessmentResources bool               `json:"has_task_assessment_resources"`
	OverseerImageID            *int64             `json:"overseer_image_id"`
	AssessmentEnabled          bool               `json:"assessment_enabled"`
	AssessmentStatuses         AssessmentStatuses `json:"assessment_statuses"`
	AssessmentTrusted          bool               `json:"assessment_trusted"`
	AssessmentLimits           Limits             `json:"assessment_limits"`
	MossLanguage               *string            `json:"moss_language"`
	HasTemplate                bool               `json:"has_template"`
}

// Record shows the definition to staff, or to a student.
func (d *Definition) Record(staff bool) DefinitionRecord {
	r := DefinitionRecord{ID: d.ID, Abbreviation: d.Abbreviation, Name: d.Name, Description: d.Description,
		Weighting:   d.Weighting,
		TargetGrade: d.TargetGrade, TargetDate: d.TargetDate, DueDate: d.Due(), StartDate: d.StartDate,
		Requirements: d.Requirements.ForStudents(),
		StreamAbbr:   d.StreamAbbr, GroupSetID: d.GroupSetID, HasTaskSheet: d.SheetHash != nil,
		HasTaskResources: d.ResourcesHash != nil,
		IsGraded:         d.IsGraded, MaxQualityPts: d.MaxQualityPts,
		HasRubric: d.HasRubric}
	if staff {
		r.Requirements = d.Requirements
		r.DefinitionForStaff = &DefinitionForStaff{Checks: d.Checks, WarnPct: d.WarnPct,
			RestrictStatus:             d.RestrictStatus,
			HasTaskAssessmentResources: d.AssessmentHash != nil, OverseerImageID: d.OverseerImageID,
			AssessmentEnabled: d.AssessmentEnabled, AssessmentStatuses: d.AssessmentStatuses,
			AssessmentTrusted: d.AssessmentTrusted, AssessmentLimits: d.AssessmentLimits, MossLanguage: d.MossLanguage,
			HasTemplate: d.TemplateHash != nil}
	}
	return r
}

// Records shows definitions as the staff, or as students, may see them.
func Records(list []Definition, staff bool) []DefinitionRecord {
	out := make([]DefinitionRecord, len(list))
	for i := range list {
		out[i] = list[i].Record(staff)
	}
	return out
}

// Bounds on what a definition may hold.
const (
	maxDescription  = 4095
	maxName         = 255
	maxAbbreviation = 100
	maxWeighting    = 1_000_000
)

// check tells everything that is wrong with the definition by itself.
func (d *Definition) check() error {
	d.Name, d.Abbreviation = strings.TrimSpace(d.Name), strings.TrimSpace(d.Abbreviation)
	var wrong fault.Fields
	needed(&wrong, "name", d.Name, maxName)
	needed(&wrong, "abbreviation", d.Abbreviation, maxAbbreviation)
	wrong.When(strings.ContainsAny(d.Abbreviation, `/\`) || strings.ContainsFunc(d.Abbreviation, unicode.IsControl),
		"abbreviation", "may not have slashes or control characters: files are named after it")
	wrong.When(utf8.RuneCountInString(d.Description) > maxDescription, "description", "may have at most %d characters",
		maxDescription)
	between(&wrong, "weighting", d.Weighting, 0, maxWeighting)
	between(&wrong, "target_grade", int64(d.TargetGrade), int64(grade.Pass), int64(grade.Highest))
	between(&wrong, "max_quality_pts", d.MaxQualityPts, 0, 100)
	between(&wrong, "plagiarism_warn_pct", d.WarnPct, 0, 100)
	wrong.When(d.TargetDate.Before(d.StartDate), "target_date", "(%s) may not be before start_date (%s)",
		d.TargetDate.Told(), d.StartDate.Told())
	wrong.When(d.DueDate != nil && d.DueDate.Before(d.TargetDate), "due_date", "(%s) may not be before target_date "+
		"(%s)", d.Due().Told(), d.TargetDate.Told())
	wrong.When(d.IsDraftSummary && !d.Requirements.OneDocument(), "upload_requirements",
		"must be exactly one document: this task is the unit's draft learning summary")
	return wrong.Err(fault.Refused)
}

// between notes a number that is out of its bounds.
func between(wrong *fault.Fields, field string, n, low, high int64) {
	if n < low || n > high {
		wrong.Outside(field, "is %d; it must be %d to %d", n, low, high)
	}
}

// needed notes a text that is blank or too long.
func needed(wrong *fault.Fields, field, text string, most int) {
	wrong.When(text == "", field, "may not be blank")
	wrong.When(utf8.RuneCountInString(text) > most, field, "may have at most %d characters", most)
}
