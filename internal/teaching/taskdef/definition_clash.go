package taskdef

import (
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
)

// changedColumns are those that a change of a definition sets, by the names the API has for them.
var changedColumns = []string{"name", "abbreviation", "description", "weighting", "target_grade", "start_date",
	"target_date", "due_date", "upload_requirements", "plagiarism_checks", "plagiarism_warn_pct", "moss_language",
	"restrict_status_updates", "group_set_id", "tutorial_stream_abbr", "is_graded", "max_quality_pts",
	"assessment_enabled", "overseer_image_id", "assessment_statuses", "assessment_trusted", "assessment_limits"}

// clashes refuses a change of values that somebody else changed since whoever makes it saw them, to
// something else than they are to be. Of what seen does not have nothing is said: it may be changed
// whatever it was.
func (c DefinitionChange) clashes(d Definition) error {
	if c.Seen == nil {
		return nil
	}
	before := d
	c.Seen.apply(&before)
	after := before
	c.apply(&after)
	is, was, to := db.Values(&d, changedColumns), db.Values(&before, changedColumns), db.Values(&after, changedColumns)
	var wrong fault.Fields
	for i, name := range changedColumns {
		course.Clash(&wrong, name, is[i], was[i], to[i])
	}
	return wrong.Err(fault.Conflict)
}
