package work

import (
	"context"
	"fmt"
	"math/bits"
	"strings"

	"lectern/internal/db"
	"lectern/internal/ident"
	"lectern/internal/status"
)

var awaitingStatuses = db.Literals(status.Awaiting...)

// The queue is read off the index tasks_waiting, whose expressions stand here word
// for word: a page costs what it shows, however much waits behind it.
var (
	waits = `(t.status IN ` + awaitingStatuses + ` OR t.new_to_staff > 0)`
	kind  = `CASE WHEN t.status IN ` + awaitingStatuses + ` THEN 1 ELSE 2 END`
	since = `coalesce(t.submission_date, t.updated_at)`
)

// called is true of a task, by the name of its table, that calls for the caller: work to
// judge, or comments the caller has not read.
func called(task string) string {
	return strings.ReplaceAll(`(T.status IN `+awaitingStatuses+` OR T.new_to_staff > coalesce((SELECT n.comments
		FROM news_seen n WHERE n.task_id = T.id AND n.user_id = $2), 0))`, "T.", task+".")
}

const (
	// ofOthers leaves tasks of students who are still enrolled. Nobody waits for themselves.
	ofOthers = ` AND t.project_id NOT IN (SELECT p.id FROM projects p WHERE p.unit_id = $1 AND NOT p.enrolled
		UNION ALL SELECT p.id FROM projects p WHERE p.unit_id = $1 AND p.user_id = $2)`
	// firstOf begins to choose one of the tasks a group handed in together, for all of
	// them: that of who handed in, if it is to be listed.
	firstOf = ` AND (t.group_submission_id IS NULL OR t.id = (SELECT m.id ` + together + ` AND mp.user_id <> $2
		JOIN group_submissions s ON s.id = m.group_submission_id WHERE m.group_submission_id = t.group_submission_id AND `
	byHand = ` ORDER BY CASE WHEN m.project_id = s.submitted_by_project_id THEN 0 ELSE 1 END, m.id LIMIT 1))`
	// pins are what the caller pinned; a pin on a group's task is one on its work.
	pins      = `SELECT b.task_id FROM task_pins b WHERE b.user_id = $2`
	notPinned = ` AND t.id NOT IN (` + pins + `) AND (t.group_submission_id IS NULL OR t.group_submission_id NOT IN
		(SELECT o.group_submission_id FROM task_pins b JOIN tasks o ON o.id = b.task_id
			WHERE b.user_id = $2 AND o.group_submission_id IS NOT NULL))`
	// ofClasses leaves the students of the classes, in the stream of the task; of a group,
	// any member will do.
	ofClasses = ` AND (t.project_id IN (SELECT y.project_id` + enrolledIn + `NULL)
		OR (t.project_id, ` + streamOf + `) IN (SELECT y.project_id, y.tutorial_stream_id` + enrolledIn + `NOT NULL)
		OR t.group_submission_id IS NOT NULL AND EXISTS (SELECT 1 ` + together + `
			JOIN tutorial_enrolments y ON y.project_id = m.project_id
				AND (y.tutorial_stream_id IS NULL OR y.tutorial_stream_id = ` + streamOf + `)
			JOIN classes x ON x.id = y.tutorial_id` + withT + `))`
	enrolledIn = ` FROM classes x JOIN tutorial_enrolments y ON y.tutorial_id = x.id WHERE y.tutorial_stream_id IS `
	streamOf   = `(SELECT d.tutorial_stream_id FROM task_definitions d WHERE d.id = t.task_definition_id)`
	// ofFound leaves the tasks whose student, or another of the group, was found by a
	// text, or which were found by their own names.
	ofFound = ` AND (t.project_id IN (SELECT f.id FROM found f WHERE f.student = 1)
		OR t.task_definition_id IN (SELECT f.id FROM found f WHERE f.student = 0)
		OR t.group_submission_id IN (SELECT m.group_submission_id FROM found f JOIN tasks m ON m.project_id = f.id
			WHERE f.student = 1 AND m.group_submission_id IS NOT NULL))`
)

// orders are, for each sort, what to join to the task t, and by which number and
// which name it is put in order before its wait.
var orders = map[Sort]struct{ join, place, name string }{
	ByWaiting: {},
	ByTask: {` JOIN (SELECT d.id, row_number() OVER (ORDER BY d.start_date, d.abbreviation) AS place
		FROM task_definitions d WHERE d.unit_id = $1) a ON a.id = t.task_definition_id`, `a.place`, `''`},
	ByStudent: {` JOIN projects a ON a.id = t.project_id JOIN users v ON v.id = a.user_id`, `0`, `v.name_key`},
}

// selection is a queue in SQL.
type selection struct {
	with    string // its common tables
	filters string
	args    []any // $1 the unit, $2 the caller, and what filters add
}

// add puts a value behind the arguments and gives its place among them.
func (s *selection) add(value any) string {
	s.args = append(s.args, value)
	return fmt.Sprintf("$%d", len(s.args))
}

func (w Queue) selection(ctx context.Context, q db.Q) (*selection, error) {
	if err := w.ofUnit(ctx, q); err != nil {
		return nil, err
	}
	s := &selection{filters: ofOthers, args: []any{w.UnitID, w.CallerID}}
	if w.DefinitionID != 0 {
		s.filters += ` AND t.task_definition_id = ` + s.add(w.DefinitionID)
	}
	if w.Status != "" {
		s.filters += ` AND t.status = ` + s.add(string(w.Status))
	}
	var with []string
	if w.Mine || w.TutorialID != 0 {
		classes := `SELECT x.id FROM tutorials x WHERE x.unit_id = $1`
		if w.TutorialID != 0 {
			classes += ` AND x.id = ` + s.add(w.TutorialID)
		}
		if w.Mine {
			classes += ` AND x.unit_role_id IN (SELECT r.id FROM unit_roles r WHERE r.unit_id = $1 AND r.user_id = $2)`
		}
		with = append(with, `classes AS (`+classes+`)`)
		s.filters += ofClasses
	}
	if words := strings.Fields(ident.Plain(w.Text)); len(words) > 0 {
		found, err := w.found(ctx, q, words)
		if err != nil {
			return nil, err
		}
		var list string
		if list, s.args, err = db.Rows(q, s.args, []string{"student BIGINT", "id BIGINT"}, found); err != nil {
			return nil, err
		}
		with = append(with, `found AS (SELECT * FROM `+list+` f)`)
		s.filters += ofFound
	}
	if len(with) > 0 {
		s.with = `WITH ` + strings.Join(with, `, `) + ` `
	}
	return s, nil
}

// ofUnit refuses a filter by what is another unit's.
func (w Queue) ofUnit(ctx context.Context, q db.Q) error {
	if w.TutorialID != 0 {
		if _, err := db.OneOf[int64](ctx, q, "tutorial in this unit",
			`SELECT id FROM tutorials WHERE id = $1 AND unit_id = $2`, w.TutorialID, w.UnitID); err != nil {
			return err
		}
	}
	if w.DefinitionID != 0 {
		if _, err := db.OneOf[int64](ctx, q, "task in this unit",
			`SELECT id FROM task_definitions WHERE id = $1 AND unit_id = $2`, w.DefinitionID, w.UnitID); err != nil {
			return err
		}
	}
	return nil
}

// every selects columns of every task t that waits, by the joins of an order: what
// the caller pinned and the rest.
func (s *selection) every(columns string, by Sort) string {
	return s.pinned(columns, by) + ` UNION ALL ` + s.rest(columns, by)
}

// pinned begins with the pins: CROSS JOIN keeps SQLite from beginning with the unit.
func (s *selection) pinned(columns string, by Sort) string {
	return `SELECT ` + columns + ` FROM (` + pins + `) b CROSS JOIN tasks t` + orders[by].join +
		` WHERE t.id = b.task_id AND t.unit_id = $1` + s.filters + firstOf + `m.id IN (` + pins + `)` + byHand
}

func (s *selection) rest(columns string, by Sort) string {
	return `SELECT ` + columns + ` FROM tasks t` + orders[by].join + ` WHERE t.unit_id = $1 AND ` + waits + ` AND ` +
		called("t") + s.filters + notPinned + firstOf + called("m") + byHand
}

// keyed selects every task with what puts it in order: k(id, place, name, since).
// With an end, it stops there where the order is that of the index.
func (s *selection) keyed(by Sort, end string) string {
	o := orders[by]
	if o.join != "" {
		return s.every(fmt.Sprintf(`t.id, %s AS place, %s AS name, %s AS since`, o.place, o.name, since), by)
	}
	return s.pinned(`t.id, 0 AS place, '' AS name, `+since+` AS since`, by) + ` UNION ALL SELECT * FROM (` +
		s.rest(`t.id, `+kind+` AS place, '' AS name, `+since+` AS since`, by) +
		` ORDER BY ` + kind + `, ` + since + `, t.id` + end + `) rest`
}

// page begins a statement with the table k of the tasks of a page, whose limit and
// offset come after the other arguments. The end of the walk stands in the text, as one
// of few numbers: PostgreSQL plans a walk to an end it does not know as one to the last.
func (s *selection) page(by Sort, p db.Page) string {
	limit, offset, end := s.arg(1), s.arg(2), ""
	if p.Asked() {
		end = fmt.Sprintf(" LIMIT %d", int64(1)<<bits.Len64(uint64(p.Limit()+p.Offset())))
	}
	return s.more() + `k AS (SELECT * FROM (` + s.keyed(by.known(), end) + `) w
		ORDER BY w.place, w.name, w.since, w.id LIMIT ` + limit + ` OFFSET ` + offset + `) `
}

// more begins or continues the common tables.
func (s *selection) more() string {
	if s.with == "" {
		return `WITH `
	}
	return s.with + `, `
}

// arg is the n-th number among the arguments after those of the selection.
func (s *selection) arg(n int) string { return fmt.Sprintf("CAST($%d AS BIGINT)", len(s.args)+n) }

func (s Sort) known() Sort {
	if _, ok := orders[s]; !ok {
		return ByWaiting
	}
	return s
}

// found are the students of the unit (1, project) and its definitions (0, definition)
// in whose names every word is. They are compared here because each engine folds
// letters in its own way.
func (w Queue) found(ctx context.Context, q db.Q, words []string) ([][]any, error) {
	list := [][]any{}
	for r, err := range db.Each[struct {
		Student int64  `db:"student"`
		ID      int64  `db:"id"`
		Names   string `db:"names"`
	}](ctx, q, `SELECT 1 AS student, p.id, u.first_name || ' ' || u.last_name || ' ' || coalesce(u.nickname, '') || ' '
			|| u.username || ' ' || coalesce(u.student_id, '') AS names
		FROM projects p JOIN users u ON u.id = p.user_id WHERE p.unit_id = $1 AND p.enrolled
		UNION ALL SELECT 0, d.id, d.abbreviation || ' ' || d.name FROM task_definitions d WHERE d.unit_id = $1`,
		w.UnitID) {
		if err != nil {
			return nil, err
		}
		if names := ident.Plain(r.Names); hasAll(names, words) {
			list = append(list, []any{r.Student, r.ID})
		}
	}
	return list, nil
}

func hasAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
