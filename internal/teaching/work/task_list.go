package work

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
)

// JoinClass joins the class e that task t is seen in: the student's in the stream
// of the definition d, or one without a stream. There is one at most, so that
// no task is listed twice.
const JoinClass = ` LEFT JOIN tutorial_enrolments e ON e.id = (SELECT x.id FROM tutorial_enrolments x
	WHERE x.project_id = t.project_id
		AND (x.tutorial_stream_id IS NULL OR x.tutorial_stream_id = d.tutorial_stream_id)
		ORDER BY x.tutorial_stream_id NULLS LAST LIMIT 1) `

// JoinClasses is JoinClass for many tasks at once: the class in the stream and the one without one are joined each by
// itself, which an index of both says there is one at most of. ClassOfBoth is the tutorial that JoinClass would find.
const (
	JoinClasses = ` LEFT JOIN tutorial_enrolments es ON es.project_id = t.project_id
		AND coalesce(es.tutorial_stream_id, 0) = d.tutorial_stream_id
	LEFT JOIN tutorial_enrolments en ON en.project_id = t.project_id AND coalesce(en.tutorial_stream_id, 0) = 0 `
	ClassOfBoth = `coalesce(es.tutorial_id, en.tutorial_id)`
)

// enrolledTasks are the tasks t of students p who are still enrolled.
const enrolledTasks = `tasks t JOIN projects p ON p.id = t.project_id AND p.enrolled
	JOIN task_definitions d ON d.id = t.task_definition_id` + JoinClass

// undecided is 1 when task t waits for a decision on an extension.
const undecided = `CASE WHEN ` + AsksForTime + ` THEN 1 ELSE 0 END AS has_extensions`

// AsksForTime is true of a task t on which somebody asks for more time and nobody has decided.
const AsksForTime = `EXISTS (SELECT 1 FROM task_comments c WHERE c.task_id = t.id AND c.type = 'extension'
		AND c.extension_assessed_at IS NULL)`

// FlaggedSimilarity tells whether some similarity of task t is to be looked at. Students never
// learn of it: whoever asks for their own task is told that there is none.
const FlaggedSimilarity = `EXISTS (SELECT 1 FROM task_similarities m WHERE m.task_id = t.id AND m.flagged)`

// ProjectTask is a task inside a project.
type ProjectTask struct {
	ID             int64         `db:"id" json:"id"`
	DefinitionID   int64         `db:"task_definition_id" json:"task_definition_id"`
	Status         status.Status `db:"status" json:"status"`
	DueDate        clock.Date    `json:"due_date"`
	SubmittedAt    *clock.Time   `db:"submission_date" json:"submission_date"`
	CompletedOn    *clock.Date   `db:"completion_date" json:"completion_date"`
	Extensions     int           `db:"extensions" json:"extensions"`
	TimesAssessed  int           `db:"times_assessed" json:"times_assessed"`
	Grade          *grade.Grade  `db:"grade" json:"grade"`
	Quality        int           `db:"quality_pts" json:"quality_pts"`
	InPortfolio    bool          `db:"include_in_portfolio" json:"include_in_portfolio"`
	SimilarityFlag bool          `db:"similarity_flag" json:"similarity_flag"` // never shown to the student
	NewComments    int           `db:"num_new_comments" json:"num_new_comments"`
	Rubric         *rubric.Mark  `json:"rubric" doc:"the levels of the rubric that it was given; null: none"`
}

// TasksOf lists the tasks of a project as a caller sees them: its student, or
// one of the staff, for whom a comment is also read once the tutor read it.
func TasksOf(ctx context.Context, q db.Q, projectID, callerID int64) ([]ProjectTask, error) {
	type row struct {
		ProjectTask
		Target   clock.Date  `db:"target_date"`
		Deadline *clock.Date `db:"due_date"`
		UnitEnd  clock.Date  `db:"end_date"`
		rubric.MarkRow
	}
	out := []ProjectTask{}
	for r, err := range db.Each[row](ctx, q, `SELECT t.id, t.task_definition_id, t.status, t.submission_date,
		t.completion_date, t.extensions,
			t.times_assessed, t.grade, t.quality_pts, t.include_in_portfolio, d.target_date, d.due_date, u.end_date,
			`+newComments+` AS num_new_comments,
			p.user_id <> $2 AND `+FlaggedSimilarity+` AS similarity_flag, `+rubric.MarkColumns+`
		FROM tasks t JOIN projects p ON p.id = t.project_id JOIN task_definitions d ON d.id = t.task_definition_id
		JOIN units u ON u.id = t.unit_id`+JoinNews+rubric.JoinMark+`
		WHERE t.project_id = $1 ORDER BY d.start_date, d.abbreviation`, projectID, callerID) {
		if err != nil {
			return nil, err
		}
		r.DueDate = due.Dates{Target: r.Target, Deadline: due.Deadline(r.Deadline, r.UnitEnd, r.Target),
			Extensions: r.Extensions}.Due()
		r.Rubric = r.Mark()
		out = append(out, r.ProjectTask)
	}
	return out, nil
}

// UnitTask is a task as lists of a whole unit show it.
type UnitTask struct {
	ID           int64         `db:"id" json:"id"`
	DefinitionID int64         `db:"task_definition_id" json:"task_definition_id"`
	Status       status.Status `db:"status" json:"status"`
	TutorialID   *int64        `db:"tutorial_id" json:"tutorial_id"`
	StreamID     *int64        `db:"tutorial_stream_id" json:"tutorial_stream_id"`
}

// list is a query in its parts, so that its rows can also be counted.
type list struct {
	with    string // common tables, "WITH ...", or nothing
	columns string
	from    string // with its joins and conditions
	order   string
}

// part reads a page of a list and how many rows it has in all, -1 when all of
// them were asked for.
func part[T any](ctx context.Context, q db.Q, l list, p db.Page, args ...any) (rows []T, total int64, err error) {
	total = -1
	if p.Asked() {
		n, err := db.One[int64](ctx, q, l.with+` SELECT count(*) FROM `+l.from, args...)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	text := fmt.Sprintf(`%s SELECT %s FROM %s ORDER BY %s LIMIT $%d OFFSET $%d`, l.with, l.columns, l.from, l.order,
		len(args)+1, len(args)+2)
	rows, err = db.All[T](ctx, q, text, append(args, p.Limit(), p.Offset())...)
	return rows, total, err
}

// TasksOfUnit lists the tasks of the enrolled students of a unit, or of one of
// them when a user is named.
func TasksOfUnit(ctx context.Context, q db.Q, unitID, userID int64, p db.Page) ([]UnitTask, int64, error) {
	return part[UnitTask](ctx, q, list{
		columns: `t.id, t.task_definition_id, t.status, e.tutorial_id, e.tutorial_stream_id`,
		from:    enrolledTasks + ` WHERE t.unit_id = $1 AND (p.user_id = $2 OR $2 = 0)`,
		order:   `t.id`,
	}, p, unitID, userID)
}

// DefinitionTask is a task as the list of those of one definition shows it.
type DefinitionTask struct {
	OwnerID   int64 `db:"user_id" json:"-"`
	ProjectID int64 `db:"project_id" json:"project_id"`
	UnitTask
	CompletedOn    *clock.Date  `db:"completion_date" json:"completion_date"`
	SubmittedAt    *clock.Time  `db:"submission_date" json:"submission_date"`
	TimesAssessed  int          `db:"times_assessed" json:"times_assessed"`
	SimilarityFlag bool         `db:"similarity_flag" json:"similarity_flag"`
	Grade          *grade.Grade `db:"grade" json:"grade"`
	Quality        int          `db:"quality_pts" json:"quality_pts"`
	HasExtensions  int          `db:"has_extensions" json:"has_extensions"` // 1: a request waits for a decision
}

// TasksOfDefinition lists the tasks of the enrolled students for a definition, as one
// of the staff sees them.
func TasksOfDefinition(ctx context.Context, q db.Q, definitionID, callerID int64, p db.Page) ([]DefinitionTask, int64,
	error) {
	rows, total, err := part[DefinitionTask](ctx, q, list{
		columns: `p.user_id, t.project_id, t.id, t.task_definition_id, t.status, e.tutorial_id, e.tutorial_stream_id,
			t.completion_date, t.submission_date, t.times_assessed, t.grade, t.quality_pts, ` + undecided +
			`, ` + FlaggedSimilarity + ` AS similarity_flag`,
		from:  enrolledTasks + ` WHERE t.task_definition_id = $1`,
		order: `t.id`,
	}, p, definitionID)
	for i := range rows {
		rows[i].SimilarityFlag = rows[i].SimilarityFlag && rows[i].OwnerID != callerID
	}
	return rows, total, err
}
