package trash

// ref is a column that refers to the id of a table.
type ref struct{ column, table string }

// table is one whose rows go with what is deleted. Its name in the archive is
// label, where that is not the table's own.
type table struct {
	name, label string
	of          []ref    // a row goes when one of these refers to a row that goes
	needs       []ref    // what must be there, or be restored first
	drops       []ref    // what may be gone by then: the row is left out
	loose       []ref    // what may be gone by then: the column is emptied
	files       []string // columns with the hash of a file
	// relink is the column of a row that stays and only loses its reference, and key
	// is what the row is found by.
	relink string
	key    []string
}

func (t *table) called() string {
	if t.label != "" {
		return t.label
	}
	return t.name
}

// Names that recur.
const (
	sets, groups, definitions, tasks, handins = "group_sets", "unit_groups", "task_definitions", "tasks", "submissions"
	places                                    = "comment_places"
	comments, trials, previews, pairs         = "task_comments", "assessment_trials", "assessment_previews",
		"similarity_pairs"
)

var (
	ofTask   = []ref{{"task_id", tasks}}
	ofHandin = []ref{{"submission_id", handins}}
)

// tables are all that can go, each after those it refers to. A test compares the
// list with the schema. What the outside similarity service was given is deleted
// there at once, and does not come back.
var tables = []table{
	{name: sets},
	{name: definitions, label: "definitions_of_set", of: []ref{{"group_set_id", sets}}, relink: "group_set_id",
		key: []string{"id"}},
	{name: groups, needs: []ref{{"group_set_id", sets}}},
	{name: "group_memberships", of: []ref{{"unit_group_id", groups}}},
	{name: definitions, needs: []ref{{"group_set_id", sets}},
		loose: []ref{{"tutorial_stream_id", "tutorial_streams"}, {"overseer_image_id", "overseer_images"}},
		files: []string{"sheet_hash", "resources_hash", "assessment_hash", "template_hash"}},
	{name: "rubrics", of: []ref{{"task_definition_id", definitions}}},
	{name: "group_submissions", of: []ref{{"task_definition_id", definitions}, {"unit_group_id", groups}},
		needs: []ref{{"unit_group_id", groups}, {"task_definition_id", definitions}}},
	{name: tasks, needs: []ref{{"task_definition_id", definitions}}},
	{name: "task_history", of: ofTask},
	{name: "rubric_marks", of: ofTask, drops: []ref{{"rubric_id", "rubrics"}}, loose: []ref{{"verdict_id", "verdicts"}}},
	{name: "moderation_works", of: ofTask, drops: []ref{{"sample_id", "moderation_samples"}},
		loose: []ref{{"rubric_id", "rubrics"}}},
	{name: "reviews", of: ofTask},
	{name: "learning_outcome_links", of: []ref{{"task_id", tasks}, {"task_definition_id", definitions}},
		drops: []ref{{"learning_outcome_id", "learning_outcomes"}, {"task_id", tasks}}},
	{name: handins, of: ofTask, needs: ofTask, files: []string{"document_hash"}},
	{name: "submission_tasks", of: []ref{{"task_id", tasks}, {"submission_id", handins}},
		drops: []ref{{"task_id", tasks}, {"submission_id", handins}}},
	{name: "submission_files", of: ofHandin, files: []string{"hash"}},
	{name: "receipts", of: ofHandin, relink: "submission_id", key: []string{"unit_id", "sequence"}},
	{name: "marked_copies", of: ofHandin, files: []string{"hash"}},
	{name: "marks_taken", of: ofTask},
	{name: "idempotency_keys", of: []ref{{"task_definition_id", definitions}}},
	{name: assessments, of: ofHandin, files: []string{"report_hash"}},
	{name: trials, of: []ref{{"task_definition_id", definitions}}, files: []string{"report_hash"}},
	{name: "assessment_trial_files", of: []ref{{"trial_id", trials}}, files: []string{"hash"}},
	{name: previews, of: []ref{{"task_definition_id", definitions}}},
	{name: "assessment_preview_rows", of: []ref{{"submission_id", handins}, {"preview_id", previews}},
		drops: []ref{{"submission_id", handins}, {"preview_id", previews}}},
	{name: "similarity_prints", of: ofHandin},
	{name: pairs, of: []ref{{"left_id", handins}, {"right_id", handins}},
		drops: []ref{{"left_id", handins}, {"right_id", handins}}},
	{name: similarities, of: []ref{{"task_id", tasks}, {"submission_id", handins}, {"pair_id", pairs}},
		drops: []ref{{"task_id", tasks}, {"submission_id", handins}, {"pair_id", pairs}}, files: []string{"report_hash"}},
	{name: comments, of: ofTask, needs: ofTask, files: []string{"attachment_hash"}},
	{name: "discussion_files", of: []ref{{"task_comment_id", comments}}, files: []string{"hash"}},
	{name: "comment_reads", of: []ref{{"task_comment_id", comments}}},
	{name: "extension_grants", of: []ref{{"task_comment_id", comments}}},
	{name: places, of: []ref{{"task_comment_id", comments}, {"submission_id", handins}},
		drops: []ref{{"task_comment_id", comments}, {"submission_id", handins}}, loose: []ref{{"verdict_id", "verdicts"}}},
	{name: "task_pins", of: ofTask},
	{name: "news_seen", of: ofTask},
	{name: "staff_notes", of: []ref{{"task_definition_id", definitions}}, relink: "task_definition_id",
		key: []string{"id"}},
	{name: "snippets", of: []ref{{"task_definition_id", definitions}}, relink: "task_definition_id",
		key: []string{"id"}},
	{name: "snippet_uses", of: []ref{{"task_definition_id", definitions}},
		drops: []ref{{"snippet_id", "snippets"}}},
}
