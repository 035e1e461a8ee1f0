package taskdef

import (
	"context"

	"lectern/internal/platform/db"
)

// sheetColumns are what an import writes, with their types; the id is null for
// a new definition.
var sheetColumns = []string{"id BIGINT", "name TEXT", "abbreviation TEXT", "description TEXT", "weighting INTEGER",
	"target_grade INTEGER",
	"start_date DATE", "target_date DATE", "due_date DATE", "upload_requirements TEXT", "plagiarism_checks TEXT",
	"plagiarism_warn_pct INTEGER",
	"restrict_status_updates BOOLEAN", "group_set_id BIGINT", "tutorial_stream_id BIGINT", "is_graded BOOLEAN",
	"max_quality_pts INTEGER"}

func (d *Definition) sheetRow() []any {
	var id *int64
	if d.ID != 0 {
		id = &d.ID
	}
	return []any{id, d.Name, d.Abbreviation, d.Description, d.Weighting, d.TargetGrade, d.StartDate, d.TargetDate,
		d.DueDate,
		d.Requirements.String(), d.Checks.String(), d.WarnPct, d.RestrictStatus, d.GroupSetID, d.StreamID, d.IsGraded,
		d.MaxQualityPts}
}

// save writes what is planned with a constant number of statements. Changed
// definitions first get names nobody has, so that one may take what another
// gives up.
func (p *definitionPlan) save(ctx context.Context, q db.Q) error {
	rows := make([][]any, len(p.write))
	for i, d := range p.write {
		rows[i] = d.sheetRow()
	}
	from, args, err := db.Rows(q, []any{p.unitID}, sheetColumns, rows)
	if err != nil {
		return err
	}
	steps := []string{
		`UPDATE tasks SET group_submission_id = NULL WHERE unit_id = $1 AND group_submission_id IS NOT NULL AND ` +
			regrouped(from, "tasks"),
		`DELETE FROM group_submissions WHERE ` + regrouped(from, "group_submissions"),
		`UPDATE task_definitions SET name = '/' || task_definitions.id, abbreviation = '/' || task_definitions.id
			FROM ` + from + ` v WHERE task_definitions.id = v.id AND task_definitions.unit_id = $1`,
		`UPDATE task_definitions SET name = v.name, abbreviation = v.abbreviation, description = v.description,
			weighting = v.weighting,
			target_grade = v.target_grade, start_date = v.start_date, target_date = v.target_date, due_date =
			v.due_date,
			upload_requirements = v.upload_requirements, plagiarism_checks = v.plagiarism_checks, plagiarism_warn_pct =
			v.plagiarism_warn_pct,
			restrict_status_updates = v.restrict_status_updates, group_set_id = v.group_set_id, tutorial_stream_id =
			v.tutorial_stream_id,
			is_graded = v.is_graded, max_quality_pts = v.max_quality_pts
			FROM ` + from + ` v WHERE task_definitions.id = v.id AND task_definitions.unit_id = $1`,
		`INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting, target_grade, start_date,
			target_date, due_date,
			upload_requirements, plagiarism_checks, plagiarism_warn_pct, restrict_status_updates, group_set_id,
			tutorial_stream_id, is_graded, max_quality_pts)
			SELECT CAST($1 AS BIGINT), v.name, v.abbreviation, v.description, v.weighting, v.target_grade,
			v.start_date, v.target_date, v.due_date,
			v.upload_requirements, v.plagiarism_checks, v.plagiarism_warn_pct, v.restrict_status_updates,
			v.group_set_id, v.tutorial_stream_id, v.is_graded, v.max_quality_pts
			FROM ` + from + ` v WHERE v.id IS NULL`,
	}
	for _, text := range steps {
		if _, err := db.Exec(ctx, q, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// regrouped is the condition that a row of the table is about a definition
// that the plan gives another group set, or none.
func regrouped(from, tableName string) string {
	return tableName + `.task_definition_id IN (SELECT d.id FROM task_definitions d JOIN ` + from + ` v ON v.id = d.id
		WHERE d.unit_id = $1 AND d.group_set_id IS DISTINCT FROM v.group_set_id)`
}
