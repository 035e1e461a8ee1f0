package marking

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Sheet says what a sheet of marks must have to be read.
var Sheet = sheet.Options{Required: []string{"username", "name", "tutorial", "task", "status", "new_grade",
	"new_quality", "new_comment"}, Lines: []string{"name", "new_comment"}}

// mark is what a row of the sheet asks for.
type mark struct {
	row     sheet.Row
	who     string // user name in small letters, "" for a group
	group   int64
	work    int64 // the group's submission
	task    string
	taskID  int64 // 0: not told
	version int64 // -1: not told

	to      status.Status // "": stays
	grade   *grade.Grade
	quality *int
	comment string
	levels  []wanted     // of the rubric, as the row has them
	rubric  int64        // the rubric that its marker saw; 0: not told
	pick    *rubric.Pick // what levels are, once it is known what the row is about
}

var groupWork = regexp.MustCompile(`(?i)^GRP_(\d{1,18})_(\d{1,18})$`)

// readMark reads a row; nil with no error when it asks for nothing.
func readMark(row sheet.Row, known index) (*mark, error) {
	m := &mark{row: row, task: row.Get("task"), version: -1, comment: row.Get("new_comment")}
	if err := m.readMarks(row); err != nil {
		return nil, err
	}
	if parts := groupWork.FindStringSubmatch(row.Get("username")); parts != nil {
		m.group, _ = strconv.ParseInt(parts[1], 10, 64)
		m.work, _ = strconv.ParseInt(parts[2], 10, 64)
	} else {
		m.who = strings.ToLower(row.Get("username"))
	}
	if err := m.readLevels(row); err != nil {
		return nil, err
	}
	return m, m.readVersion(row, known)
}

func (m *mark) readMarks(row sheet.Row) error {
	if text := row.Get("status"); text != "" {
		s, ok := status.Parse(text)
		if !ok {
			return fmt.Errorf("%.40q is no status: use discuss, demonstrate, complete, fix, redo, do_not_resubmit or "+
				"fail", text)
		}
		if !status.Awaiting.Has(s) {
			m.to = s
		}
	}
	if text := row.Get("new_grade"); text != "" {
		g, ok := grade.Parse(text)
		if !ok {
			return fmt.Errorf("%.40q is no grade: use f, p, c, d or hd", text)
		}
		m.grade = &g
	}
	if text := row.Get("new_quality"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("the quality %.40q is no whole number", text)
		}
		m.quality = &n
	}
	return nil
}

// readVersion finds what version of the task the marker saw: the row tells it,
// or the manifest beside the sheet.
func (m *mark) readVersion(row sheet.Row, known index) (err error) {
	if t, ok := known.byRow[rowKey(row.Get("username"), m.task)]; ok {
		m.taskID, m.version = t.TaskID, t.Version
	}
	if text := row.Get("task_id"); text != "" {
		if m.taskID, err = strconv.ParseInt(text, 10, 64); err != nil || m.taskID < 1 {
			return fmt.Errorf("the task id %.40q is no number: leave that column as it was", text)
		}
	}
	if text := row.Get("version"); text != "" {
		if m.version, err = strconv.ParseInt(text, 10, 64); err != nil || m.version < 0 {
			return fmt.Errorf("the version %.40q is no number: leave that column as it was", text)
		}
	}
	return nil
}

// idle tells whether the row asks for nothing.
func (m *mark) idle() bool {
	return m.to == "" && m.grade == nil && m.quality == nil && m.comment == "" && len(m.levels) == 0
}

// digest is what makes a row the same one: what it asks for, on which version,
// or where that is not told, on what was handed in when.
func (m *mark) digest(submitted *clock.Time) string {
	base := strconv.FormatInt(m.version, 10)
	if m.version < 0 && submitted != nil {
		base = submitted.String()
	}
	asks := []any{base, m.to, m.grade, m.quality, m.comment}
	if m.pick != nil {
		asks = append(asks, m.pick)
	}
	text, err := json.Marshal(asks)
	if err != nil {
		panic("marking: a digest does not encode: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// target is the task a row is about, as it stands now.
type target struct {
	N            int           `db:"n"`
	TaskID       int64         `db:"task_id"` // 0: it has no row yet
	ProjectID    int64         `db:"project_id"`
	DefinitionID int64         `db:"definition_id"`
	Status       status.Status `db:"status"`
	Enrolled     bool          `db:"enrolled"`
	Own          bool          `db:"own"` // the caller's, or of a group they are in
	Graded       bool          `db:"is_graded"`
	MaxQuality   int           `db:"max_quality_pts"`
	GroupID      int64         `db:"group_id"`
	Together     int64         `db:"group_submission_id"`
	SubmittedAt  *clock.Time   `db:"submission_date"`
	SubmissionID *int64        `db:"submission_id"`
	Document     *string       `db:"document_hash"`
	Marked       *string       `db:"marked_hash"`
}

var targetColumns = `SELECT v.n, coalesce(t.id, 0) AS task_id, p.id AS project_id, d.id AS definition_id,
	` + work.StatusOf + ` AS status,
		p.enrolled, ` + work.OwnWork("$2") + ` AS own,
		d.is_graded, d.max_quality_pts, coalesce(m.unit_group_id, 0) AS group_id, coalesce(t.group_submission_id, 0) AS
		group_submission_id,
		t.submission_date, s.id AS submission_id, s.document_hash, k.hash AS marked_hash `

const targetJoins = ` LEFT JOIN group_memberships m ON m.group_set_id = d.group_set_id AND m.project_id = p.id
	AND m.active
	LEFT JOIN submissions s ON s.id = ` + newestDocument + ` LEFT JOIN marked_copies k ON k.submission_id = s.id`

// find gives the targets of rows by their numbers, with two statements.
func find(ctx context.Context, q db.Q, unitID, callerID int64, marks []*mark) (map[int]*target, error) {
	var people, groups [][]any
	for n, m := range marks {
		if m.who != "" {
			people = append(people, []any{n, m.who, m.task})
		} else {
			groups = append(groups, []any{n, m.group, m.work, m.task, m.taskID})
		}
	}
	out := map[int]*target{}
	err := findSome(ctx, q, out, unitID, callerID, []string{"n INTEGER", "who TEXT", "task TEXT"}, people,
		` v JOIN users o ON o.username_key = v.who
		JOIN projects p ON p.user_id = o.id AND p.unit_id = $1 JOIN task_definitions d ON d.unit_id = $1
		AND d.abbreviation = v.task
		LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id`)
	if err != nil {
		return nil, err
	}
	err = findSome(ctx, q, out, unitID, callerID, []string{"n INTEGER", "grp BIGINT", "work BIGINT", "task TEXT",
		"task_id BIGINT"}, groups,
		` v JOIN group_submissions gs ON gs.id = v.work AND gs.unit_group_id = v.grp
		JOIN task_definitions d ON d.id = gs.task_definition_id AND d.unit_id = $1 AND d.abbreviation = v.task
		JOIN tasks t ON t.id = (SELECT y.id FROM tasks y WHERE y.group_submission_id = gs.id ORDER BY CASE
		WHEN y.id = v.task_id THEN 0
			WHEN y.status IN `+db.Literals(status.Awaiting...)+` THEN 1 ELSE 2 END, y.id LIMIT 1)
		JOIN projects p ON p.id = t.project_id`)
	return out, err
}

func findSome(ctx context.Context, q db.Q, out map[int]*target, unitID, callerID int64, columns []string, rows [][]any,
	joins string) error {
	if len(rows) == 0 {
		return nil
	}
	from, args, err := db.Rows(q, []any{unitID, callerID}, columns, rows)
	if err != nil {
		return err
	}
	for t, err := range db.Each[target](ctx, q, targetColumns+`FROM `+from+joins+targetJoins, args...) {
		if err != nil {
			return fmt.Errorf("find the tasks of a sheet: %w", err)
		}
		out[t.N] = &t
	}
	return nil
}
