package usecase

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// LostFile is a file that the store has lost, with the work it belongs to.
type LostFile struct {
	blob.Lost
	Unit string      `db:"unit"` // its code; empty where it belongs to none
	Task string      `db:"task"` // its abbreviation; empty where it belongs to no task
	Who  string      `db:"who"`  // user name of the student; empty where it belongs to none
	What string      `db:"what"`
	At   *clock.Time `db:"at"`
}

// String tells whose file it is, what it was, and what is there instead.
func (l *LostFile) String() string {
	var b strings.Builder
	whose := l.Unit + " " + l.Task
	if l.Who != "" {
		whose = strings.TrimSpace(whose) + " of " + l.Who
	}
	b.WriteString(strings.TrimSpace(whose) + ": " + l.What)
	if l.At != nil {
		b.WriteString(l.At.UTC().Format(" of 2 January 2006 15:04 UTC"))
	}
	if l.Found != nil {
		fmt.Fprintf(&b, ", %d bytes instead of %d", *l.Found, l.Size)
	}
	return b.String() + " (" + string(l.Hash) + ")"
}

// What leads from a row r that holds a hash to its work.
const (
	ofDefinition = ` JOIN units u ON u.id = d.unit_id`
	ofProject    = ` JOIN users o ON o.id = p.user_id JOIN units u ON u.id = p.unit_id`
	ofTask       = ` JOIN task_definitions d ON d.id = t.task_definition_id JOIN projects p ON p.id = t.project_id` +
		ofProject
	ofSubmission = ` JOIN submissions s ON s.id = r.submission_id JOIN tasks t ON t.id = s.task_id` + ofTask
	ofTrial      = ` JOIN task_definitions d ON d.id = r.task_definition_id` + ofDefinition
)

// holder is a column that holds hashes: what its files are, when they came, and what leads to
// the work. Task and student are expressions, ” where there is none.
type holder struct{ table, column, what, at, task, who, joins string }

// student fills in a file of one student's task.
func student(table, column, what, at, joins string) holder {
	return holder{table, column, what, at, "d.abbreviation", "o.username", joins}
}

// holders are all of them; a test compares them with the schema.
var holders = []holder{
	student("submission_files", "hash", "'the file ' || r.name || ' handed in'", "s.at", ofSubmission),
	student("submissions", "document_hash", "'the document of the work handed in'", "r.at",
		` JOIN tasks t ON t.id = r.task_id`+ofTask),
	student("marked_copies", "hash", "'the marked copy'", "r.at", ofSubmission),
	student("assessments", "report_hash", "'the report of the assessment'", "r.updated_at", ofSubmission),
	student("task_comments", "attachment_hash", "'the attachment of a comment'", "r.created_at",
		` JOIN tasks t ON t.id = r.task_id`+ofTask),
	student("discussion_files", "hash", "'a recording of a discussion'", "c.created_at",
		` JOIN task_comments c ON c.id = r.task_comment_id JOIN tasks t ON t.id = c.task_id`+ofTask),
	student("task_similarities", "report_hash", "'the report of the similarity service'", "r.created_at",
		` JOIN tasks t ON t.id = r.task_id`+ofTask),
	{"portfolio_files", "hash", "'the file ' || r.name || ' of the portfolio'", "r.created_at", "''", "o.username",
		` JOIN projects p ON p.id = r.project_id` + ofProject},
	{"projects", "portfolio_hash", "'the portfolio'", "r.portfolio_produced_at", "''", "o.username",
		` JOIN projects p ON p.id = r.id` + ofProject},
	sheetOf("sheet_hash", "the task sheet"), sheetOf("resources_hash", "the resources"),
	sheetOf("assessment_hash", "the package of the assessment"), sheetOf("template_hash", "the template"),
	{"assessment_trials", "report_hash", "'the report of a trial'", "r.updated_at", "d.abbreviation", "''", ofTrial},
	{"assessment_trial_files", "hash", "'the file of a trial, ' || r.title", "x.created_at", "d.abbreviation", "''",
		` JOIN assessment_trials x ON x.id = r.trial_id JOIN task_definitions d ON d.id = x.task_definition_id` +
			ofDefinition},
	student("source_highlights", "runs_hash", "'the highlighting of the file ' || f.name", "s.at",
		` JOIN submission_files f ON f.hash = r.hash JOIN submissions s ON s.id = f.submission_id
		JOIN tasks t ON t.id = s.task_id`+ofTask),
	{"deleted_files", "hash", "'the file ' || r.name || ' of deleted work'", "r.at", "r.task",
		"coalesce(o.username, '')", ` JOIN deletions x ON x.id = r.deletion_id JOIN units u ON u.id = x.unit_id
		LEFT JOIN projects p ON p.id = r.project_id LEFT JOIN users o ON o.id = p.user_id`},
	{"person_exports", "hash", "'the archive of their data for an administrator'", "r.ready_at", "''", "o.username",
		` JOIN users o ON o.id = r.user_id CROSS JOIN (SELECT '' AS code) u`},
	{"data_exports", "hash", "'the archive of their own data'", "r.ready_at", "''", "o.username",
		` JOIN users o ON o.id = r.user_id CROSS JOIN (SELECT '' AS code) u`},
}

// sheetOf fills in a file of a task definition.
func sheetOf(column, what string) holder {
	return holder{"task_definitions", column, "'" + what + "'", "NULL", "d.abbreviation", "''",
		` JOIN task_definitions d ON d.id = r.id` + ofDefinition}
}

// WorkOfFiles names the work that lost files belong to, a line for each reference. What nobody
// refers to any more is nobody's loss, and left out.
func WorkOfFiles(ctx context.Context, q db.Q, lost []blob.Lost) ([]LostFile, error) {
	rows, by := make([][]any, len(lost)), map[files.Hash]blob.Lost{}
	for i, l := range lost {
		rows[i], by[l.Hash] = []any{string(l.Hash)}, l
	}
	from, args, err := db.Rows(q, nil, []string{"hash TEXT"}, rows)
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(holders))
	for i, h := range holders {
		at := h.at
		if at == "NULL" && q.Postgres() {
			at = "CAST(NULL AS TIMESTAMPTZ)"
		}
		parts[i] = `SELECT l.hash, u.code AS unit, ` + h.task + ` AS task, ` + h.who + ` AS who, ` + h.what + ` AS what, ` +
			at + ` AS at FROM lost l JOIN ` + h.table + ` r ON r.` + h.column + ` = l.hash` + h.joins
	}
	list, err := db.All[LostFile](ctx, q, `WITH lost AS (SELECT v.hash FROM `+from+` v) SELECT * FROM (`+
		strings.Join(parts, " UNION ALL ")+`) x ORDER BY unit, task, who, what`, args...)
	if err != nil {
		return nil, fmt.Errorf("read the work that files belong to: %w", err)
	}
	for i := range list {
		list[i].Lost = by[list[i].Hash]
	}
	return list, nil
}
