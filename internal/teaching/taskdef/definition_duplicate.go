package taskdef

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
)

// DuplicateDefinition makes a second definition of all that one has, its files and how it aligns with the
// outcomes of the unit and its rubric included, for holders of policy.EditDefinitions. It has a name and an
// abbreviation that are free, and is never the unit's draft learning summary.
func DuplicateDefinition(ctx context.Context, q db.Q, id int64) (*Definition, error) {
	if err := db.Lock(ctx, q, "task_definitions", id); err != nil {
		return nil, err
	}
	d, err := DefinitionByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	all, err := DefinitionsOf(ctx, q, d.UnitID)
	if err != nil {
		return nil, err
	}
	if err := blob.Touch(ctx, q, d.hashes()); err != nil {
		return nil, err
	}
	name, abbreviation := copyNames(d, all)
	made, err := db.One[int64](ctx, q, `INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting,
			target_grade, start_date, target_date, due_date, upload_requirements, plagiarism_checks, plagiarism_warn_pct,
			moss_language, restrict_status_updates, group_set_id, tutorial_stream_id, is_graded, max_quality_pts,
			assessment_enabled, overseer_image_id, sheet_hash, resources_hash, assessment_hash, template_hash,
			assessment_statuses, assessment_trusted, assessment_limits)
		SELECT unit_id, $2, $3, description, weighting, target_grade, start_date, target_date, due_date,
			upload_requirements, plagiarism_checks, plagiarism_warn_pct, moss_language, restrict_status_updates, group_set_id,
			tutorial_stream_id, is_graded, max_quality_pts, assessment_enabled, overseer_image_id, sheet_hash,
			resources_hash, assessment_hash, template_hash, assessment_statuses, assessment_trusted, assessment_limits
		FROM task_definitions WHERE id = $1 RETURNING id`, id, name, abbreviation)
	if err != nil {
		return nil, (&Definition{Name: name, Abbreviation: abbreviation}).taken(err)
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO learning_outcome_links (task_definition_id, learning_outcome_id, rating,
			description)
		SELECT $2, learning_outcome_id, rating, description FROM learning_outcome_links
		WHERE task_definition_id = $1 AND task_id IS NULL ORDER BY id`, id, *made); err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO rubrics (task_definition_id, version, current, criteria, points, last_key,
			user_id, at)
		SELECT $2, 1, TRUE, criteria, points, last_key, user_id, $3 FROM rubrics WHERE task_definition_id = $1 AND current`,
		id, *made, q.Now()); err != nil {
		return nil, err
	}
	if err := DefinitionsChanged(ctx, q, d.UnitID); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Definition, Action: audit.Created, UnitID: d.UnitID,
		RecordID: *made}); err != nil {
		return nil, err
	}
	return DefinitionByID(ctx, q, *made)
}

// hashes lists the files of a definition.
func (d *Definition) hashes() (out []string) {
	for _, hash := range []*string{d.SheetHash, d.ResourcesHash, d.AssessmentHash, d.TemplateHash} {
		if hash != nil {
			out = append(out, *hash)
		}
	}
	return out
}

// copyNames gives a name and an abbreviation for a copy that no other definition of the unit has.
func copyNames(d *Definition, all []Definition) (name, abbreviation string) {
	taken := map[string]bool{}
	for _, other := range all {
		taken[strings.ToLower(other.Name)], taken[strings.ToLower(other.Abbreviation)] = true, true
	}
	for n := 1; ; n++ {
		end := " copy"
		if n > 1 {
			end = fmt.Sprintf(" copy %d", n)
		}
		name, abbreviation = shortened(d.Name, maxName-len(end))+end, shortened(d.Abbreviation, maxAbbreviation-len(end))+end
		if !taken[strings.ToLower(name)] && !taken[strings.ToLower(abbreviation)] {
			return name, abbreviation
		}
	}
}

// shortened is the beginning of a text, of at most so many characters.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
