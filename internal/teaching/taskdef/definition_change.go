package taskdef

import (
	"context"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/stats"
)

// DefinitionChange is what to set of a definition; nil leaves a value alone. A
// pointer to a nil pointer clears one.
type DefinitionChange struct {
	Name, Abbreviation, Description             *string
	Weighting, WarnPct, MaxQualityPts           *int64
	TargetGrade                                 *grade.Grade
	StartDate, TargetDate                       *clock.Date
	DueDate                                     **clock.Date
	Requirements                                *Requirements
	Checks                                      *Checks
	MossLanguage                                **string
	RestrictStatus, IsGraded, AssessmentEnabled *bool
	GroupSetID, OverseerImageID                 **int64
	AssessmentTrusted                           *bool
	AssessmentStatuses                          *AssessmentStatuses
	AssessmentLimits                            *Limits
	StreamAbbr                                  **string
	Seen                                        *DefinitionChange // what whoever changes it saw; nil: whatever it was
}

func (c DefinitionChange) apply(d *Definition) {
	opt.Set(&d.Name, c.Name)
	opt.Set(&d.Abbreviation, c.Abbreviation)
	opt.Set(&d.Description, c.Description)
	opt.Set(&d.Weighting, c.Weighting)
	opt.Set(&d.TargetGrade, c.TargetGrade)
	opt.Set(&d.WarnPct, c.WarnPct)
	opt.Set(&d.MaxQualityPts, c.MaxQualityPts)
	opt.Set(&d.StartDate, c.StartDate)
	opt.Set(&d.TargetDate, c.TargetDate)
	opt.Set(&d.DueDate, c.DueDate)
	opt.Set(&d.Requirements, c.Requirements)
	opt.Set(&d.Checks, c.Checks)
	opt.Set(&d.MossLanguage, c.MossLanguage)
	opt.Set(&d.RestrictStatus, c.RestrictStatus)
	opt.Set(&d.IsGraded, c.IsGraded)
	opt.Set(&d.AssessmentEnabled, c.AssessmentEnabled)
	opt.Set(&d.AssessmentTrusted, c.AssessmentTrusted)
	opt.Set(&d.AssessmentStatuses, c.AssessmentStatuses)
	opt.Set(&d.AssessmentLimits, c.AssessmentLimits)
	opt.Set(&d.GroupSetID, c.GroupSetID)
	opt.Set(&d.OverseerImageID, c.OverseerImageID)
	opt.Set(&d.StreamAbbr, c.StreamAbbr)
}

// surroundings are what the definitions of a unit may refer to.
type surroundings struct {
	streams map[string]int64 // by abbreviation
	sets    map[string]int64 // by name
}

type named struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
	Kind string `db:"kind"`
}

// around reads the streams and group sets of a unit by one statement.
func around(ctx context.Context, q db.Q, unitID int64) (*surroundings, error) {
	s := &surroundings{map[string]int64{}, map[string]int64{}}
	for n, err := range db.Each[named](ctx, q, `SELECT id, abbreviation AS name, 'stream' AS kind
		FROM tutorial_streams WHERE unit_id = $1
		UNION ALL SELECT id, name, 'set' AS kind FROM group_sets WHERE unit_id = $1`, unitID) {
		switch {
		case err != nil:
			return nil, err
		case n.Kind == "stream":
			s.streams[n.Name] = n.ID
		default:
			s.sets[n.Name] = n.ID
		}
	}
	return s, nil
}

// place finds the stream and the group set the definition names: they must be
// of its unit, and a unit with streams needs one for each definition.
func (s *surroundings) place(d *Definition) error {
	d.StreamID = nil
	if d.StreamAbbr != nil && *d.StreamAbbr == "" {
		d.StreamAbbr = nil
	}
	if d.StreamAbbr != nil {
		id, ok := s.streams[*d.StreamAbbr]
		if !ok {
			return fault.New(fault.Missing, "This unit has no tutorial stream %.60q. Check the spelling, or add the "+
				"stream first.", *d.StreamAbbr)
		}
		d.StreamID = &id
	} else if len(s.streams) > 0 {
		return fault.Field(fault.Refused, "tutorial_stream_abbr", "is required: this unit has tutorial streams")
	}
	if d.GroupSetID == nil {
		return nil
	}
	for _, id := range s.sets {
		if id == *d.GroupSetID {
			return nil
		}
	}
	return fault.New(fault.Missing, "This unit has no such group set.")
}

// AddDefinition makes a definition in its unit, for holders of policy.EditDefinitions. It
// refuses values out of range, dates out of order, a group set or a tutorial stream that the
// unit does not have, and with fault.Conflict a name or an abbreviation that another definition
// of the unit has.
func AddDefinition(ctx context.Context, q db.Q, unitID int64, c DefinitionChange) (*Definition, error) {
	d := Definition{UnitID: unitID, WarnPct: 50, AssessmentStatuses: DefaultAssessmentStatuses}
	c.apply(&d)
	if err := d.prepare(ctx, q); err != nil {
		return nil, err
	}
	id, err := db.One[int64](ctx, q, `INSERT INTO task_definitions (unit_id, name, abbreviation, description,
		weighting, target_grade,
			start_date, target_date, due_date, upload_requirements, plagiarism_checks, plagiarism_warn_pct,
			moss_language,
			restrict_status_updates, group_set_id, tutorial_stream_id, is_graded, max_quality_pts, assessment_enabled,
			overseer_image_id, assessment_statuses, assessment_trusted, assessment_limits)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23)
		RETURNING id`, d.args()...)
	if err != nil {
		return nil, d.taken(err)
	}
	if err := DefinitionsChanged(ctx, q, unitID); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: audit.Created, UnitID: unitID,
		RecordID: *id}); err != nil {
		return nil, err
	}
	return DefinitionByID(ctx, q, *id)
}

// args are the values of a definition in the order AddDefinition and
// ChangeDefinition write them, the first being the unit.
func (d *Definition) args() []any {
	return []any{d.UnitID, d.Name, d.Abbreviation, d.Description, d.Weighting, d.TargetGrade, d.StartDate, d.TargetDate,
		d.DueDate,
		d.Requirements, d.Checks, d.WarnPct, d.MossLanguage, d.RestrictStatus, d.GroupSetID, d.StreamID, d.IsGraded,
		d.MaxQualityPts,
		d.AssessmentEnabled, d.OverseerImageID, d.AssessmentStatuses, d.AssessmentTrusted, d.AssessmentLimits}
}

// prepare finds what the definition refers to and checks it.
func (d *Definition) prepare(ctx context.Context, q db.Q) error {
	s, err := around(ctx, q, d.UnitID)
	if err != nil {
		return err
	}
	if d.OverseerImageID != nil {
		if _, err := db.OneOf[int64](ctx, q, "container image", `SELECT id FROM overseer_images WHERE id = $1`,
			*d.OverseerImageID); err != nil {
			return err
		}
	}
	if err := s.place(d); err != nil {
		return err
	}
	return d.check()
}

// taken says which name or abbreviation is in use already.
func (d *Definition) taken(err error) error {
	if db.Duplicate(err) {
		return fault.New(fault.Conflict, "This unit has another task with the name %.60q or the abbreviation %.60q.",
			d.Name, d.Abbreviation)
	}
	return err
}

// ChangeDefinition changes one, for holders of policy.EditDefinitions, and refuses what
// AddDefinition refuses, other quality points than the best levels of its rubric add up to, and with
// fault.Conflict a value that is no longer what the change says was seen. The group set stays once students have handed
// in, because their submissions belong to their groups: another one is fault.Conflict.
func ChangeDefinition(ctx context.Context, q db.Q, id int64, c DefinitionChange) (*Definition, error) {
	if err := db.Lock(ctx, q, "task_definitions", id); err != nil {
		return nil, err
	}
	old, err := DefinitionByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	if err := c.clashes(*old); err != nil {
		return nil, err
	}
	c.Seen = nil // it changes nothing
	d := *old
	c.apply(&d)
	if err := d.prepare(ctx, q); err != nil {
		return nil, err
	}
	if old.MaxQualityPts != d.MaxQualityPts {
		if err := rubric.Fits(ctx, q, id, d.MaxQualityPts); err != nil {
			return nil, err
		}
	}
	if !opt.Same(old.GroupSetID, d.GroupSetID) {
		if err := leaveGroups(ctx, q, id); err != nil {
			return nil, err
		}
	}
	_, err = db.Exec(ctx, q, `UPDATE task_definitions SET name = $2, abbreviation = $3, description = $4, weighting =
		$5, target_grade = $6,
			start_date = $7, target_date = $8, due_date = $9, upload_requirements = $10, plagiarism_checks = $11,
			plagiarism_warn_pct = $12,
			moss_language = $13, restrict_status_updates = $14, group_set_id = $15, tutorial_stream_id = $16, is_graded
			= $17,
			max_quality_pts = $18, assessment_enabled = $19, overseer_image_id = $20, assessment_statuses = $21,
			assessment_trusted = $22, assessment_limits = $23
		WHERE id = $24 AND unit_id = $1`, append(d.args(), id)...)
	if err != nil {
		return nil, d.taken(err)
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: audit.Changed, UnitID: d.UnitID,
		RecordID: id, Fields: audit.Given(c)}); err != nil {
		return nil, err
	}
	if err := course.TouchUnit(ctx, q, d.UnitID); err != nil {
		return nil, err
	}
	if old.TargetGrade != d.TargetGrade {
		if err := stats.Recompute(ctx, q, d.UnitID); err != nil {
			return nil, err
		}
	}
	return DefinitionByID(ctx, q, id)
}

// leaveGroups makes ready for another group set, or none: what a group left
// behind without handing in goes.
func leaveGroups(ctx context.Context, q db.Q, definitionID int64) error {
	handed, err := handedIn(ctx, q, `t.task_definition_id = $1`, definitionID)
	if err != nil {
		return err
	}
	if slices.Contains(handed, definitionID) {
		return fault.New(fault.Conflict, "Students have submitted work for this task, so its group set cannot "+
			"change.")
	}
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET group_submission_id = NULL WHERE task_definition_id = $1
		AND group_submission_id IS NOT NULL`, definitionID); err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `DELETE FROM group_submissions WHERE task_definition_id = $1`, definitionID)
	return err
}

// handedIn lists the definitions for which anybody has handed in.
func handedIn(ctx context.Context, q db.Q, condition string, arg int64) ([]int64, error) {
	return db.All[int64](ctx, q, `SELECT DISTINCT t.task_definition_id FROM tasks t WHERE `+condition+
		` AND t.submission_date IS NOT NULL`, arg)
}

// DeleteDefinition removes one with all work of students for it: whoever calls it has made sure
// that there is none, or that it is kept. It refuses nothing itself: usecase.DeleteDefinition
// asks policy.EditDefinitions, and policy.DeleteWork where there is work.
func DeleteDefinition(ctx context.Context, q db.Q, id int64) error {
	unit, err := db.OneOf[int64](ctx, q, "task definition", `DELETE FROM task_definitions WHERE id = $1
		RETURNING unit_id`, id)
	if err != nil {
		return err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: audit.Deleted, UnitID: *unit,
		RecordID: id}); err != nil {
		return err
	}
	return DefinitionsChanged(ctx, q, *unit)
}

// DefinitionsChanged carries a change of what a unit asks for to the statistics
// of its students and to whoever keeps a copy of its dates.
func DefinitionsChanged(ctx context.Context, q db.Q, unitID int64) error {
	if err := course.TouchUnit(ctx, q, unitID); err != nil {
		return err
	}
	return stats.Recompute(ctx, q, unitID)
}
