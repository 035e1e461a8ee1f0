package portfolio

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
)

// content is all that a portfolio is compiled from, read at one moment.
type content struct {
	owner      *owner
	files      []stored
	tasks      []task // by start, then abbreviation
	outcomes   []course.Outcome
	alignments []taskdef.Alignment // the student's own
	unitAligns []taskdef.Alignment
	comments   map[int64][]comment      // by task
	rubrics    map[int64]*rubric.OnTask // by definition
}

// owner is whose portfolio it is, and how it was asked for.
type owner struct {
	Wanted    bool         `db:"compile_portfolio"`
	AskedAt   *clock.Time  `db:"portfolio_asked_at"`
	UnitID    int64        `db:"unit_id"`
	Code      string       `db:"code"`
	Unit      string       `db:"unit_name"`
	Period    *string      `db:"period"`
	Year      *int64       `db:"year"`
	First     string       `db:"first_name"`
	Last      string       `db:"last_name"`
	Username  string       `db:"username"`
	StudentID *string      `db:"student_id"`
	Target    grade.Grade  `db:"target_grade"`
	Submitted *grade.Grade `db:"submitted_grade"`
	Convenor  *string      `db:"convenor"`
	// Draft: the learning summary is a document of ours.
	Draft bool `db:"uses_draft_learning_summary"`
}

func (o *owner) name() string { return o.First + " " + o.Last }

// stored is a file of the portfolio with where it is kept.
type stored struct {
	File
	Hash string `db:"hash"`
}

// task is a definition with what the student made of it.
type task struct {
	DefinitionID int64         `db:"definition_id"`
	Abbreviation string        `db:"abbreviation"`
	Name         string        `db:"name"`
	Description  string        `db:"description"`
	Target       grade.Grade   `db:"target_grade"`
	TargetDate   clock.Date    `db:"target_date"`
	MaxQuality   int           `db:"max_quality_pts"`
	TaskID       int64         `db:"task_id"` // 0: never touched
	Status       status.Status `db:"status"`
	Assessed     int           `db:"times_assessed"`
	Grade        *grade.Grade  `db:"grade"`
	Quality      int           `db:"quality_pts"`
	Included     bool          `db:"include_in_portfolio"`
	SubmittedAt  *clock.Time   `db:"submission_date"`
	Hash         *string       `db:"document_hash"`
	Pending      bool          `db:"pending"` // a document is being made
}

func (t *task) title() string { return t.Abbreviation + " " + t.Name }

// comment is a line of the conversation about a task.
type comment struct {
	TaskID int64      `db:"task_id"`
	At     clock.Time `db:"created_at"`
	First  string     `db:"first_name"`
	Last   string     `db:"last_name"`
	Type   string     `db:"type"`
	Text   string     `db:"comment"`
	Status *string    `db:"status"`
}

// newestDocument is the id of the latest submission of task t with a document.
const newestDocument = `(SELECT st.submission_id FROM submission_tasks st JOIN submissions x ON x.id = st.submission_id
	WHERE st.task_id = t.id AND x.document_hash IS NOT NULL ORDER BY st.at DESC LIMIT 1)`

const selectTasks = `SELECT d.id AS definition_id, d.abbreviation, d.name, d.description, d.target_grade,
	d.target_date, d.max_quality_pts,
		coalesce(t.id, 0) AS task_id, ` + work.StatusOf + ` AS status, coalesce(t.times_assessed, 0) AS
		times_assessed,
		t.grade, coalesce(t.quality_pts, -1) AS quality_pts, coalesce(t.include_in_portfolio, TRUE) AS
		include_in_portfolio,
		t.submission_date, s.document_hash, EXISTS (SELECT 1 FROM submission_tasks st
		JOIN submissions x ON x.id = st.submission_id
			WHERE st.task_id = t.id AND x.state IN ('queued', 'processing')) AS pending
	FROM projects p JOIN task_definitions d ON d.unit_id = p.unit_id
	LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id
	LEFT JOIN submissions s ON s.id = ` + newestDocument + `
	WHERE p.id = $1 ORDER BY d.start_date, d.abbreviation`

// selectComments reads the conversations about the tasks of a project. Those
// who hand in as a group share theirs, but not why one of them needs more time.
const selectComments = `SELECT t.id AS task_id, c.created_at, c.type, c.status,
		CASE WHEN c.by_service THEN '` + work.ServiceFirst + `' ELSE a.first_name END AS first_name,
		CASE WHEN c.by_service THEN '` + work.ServiceLast + `' ELSE a.last_name END AS last_name,
		CASE WHEN c.type = 'extension' AND o.id <> t.id THEN '' ELSE c.comment END AS comment
	FROM tasks t JOIN tasks o ON o.id = t.id OR o.group_submission_id = t.group_submission_id
	JOIN task_comments c ON c.task_id = o.id JOIN users a ON a.id = c.user_id
	WHERE t.project_id = $1 ORDER BY c.created_at, c.id`

// read gathers everything in a number of statements that does not grow.
func read(ctx context.Context, q db.Q, projectID int64) (c *content, err error) {
	c = &content{comments: map[int64][]comment{}}
	c.owner, err = db.OneOf[owner](ctx, q, "project", `SELECT p.compile_portfolio, p.portfolio_asked_at, u.id AS
		unit_id, u.code, u.name AS unit_name,
			tp.period, tp.year, s.first_name, s.last_name, s.username, s.student_id, p.target_grade, p.submitted_grade,
			p.uses_draft_learning_summary,
			(SELECT m.first_name || ' ' || m.last_name FROM unit_roles r JOIN users m ON m.id = r.user_id
				WHERE r.unit_id = u.id AND r.is_main) AS convenor
		FROM projects p JOIN units u ON u.id = p.unit_id JOIN users s ON s.id = p.user_id
		LEFT JOIN teaching_periods tp ON tp.id = u.teaching_period_id WHERE p.id = $1`, projectID)
	if err != nil || !c.owner.Wanted {
		return c, err
	}
	if c.files, err = db.All[stored](ctx, q, `SELECT kind, name, idx, hash FROM portfolio_files
		WHERE project_id = $1 ORDER BY idx`, projectID); err != nil {
		return nil, err
	}
	if c.tasks, err = db.All[task](ctx, q, selectTasks, projectID); err != nil {
		return nil, err
	}
	if c.outcomes, err = course.OutcomesOf(ctx, q, c.owner.UnitID); err != nil {
		return nil, err
	}
	if c.alignments, err = taskdef.ProjectAlignments(ctx, q, projectID); err != nil {
		return nil, err
	}
	if c.unitAligns, err = taskdef.AlignmentsOf(ctx, q, c.owner.UnitID); err != nil {
		return nil, err
	}
	if c.rubrics, err = rubric.ShowAll(ctx, q, projectID); err != nil {
		return nil, err
	}
	for row, err := range db.Each[comment](ctx, q, selectComments, projectID) {
		if err != nil {
			return nil, fmt.Errorf("read comments: %w", err)
		}
		c.comments[row.TaskID] = append(c.comments[row.TaskID], row)
	}
	return c, nil
}

// pending tells whether a document that belongs in is still being made.
func (c *content) pending() bool {
	for i := range c.tasks {
		if c.tasks[i].Pending && c.tasks[i].Included {
			return true
		}
	}
	return false
}
