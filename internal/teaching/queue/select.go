package queue

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/status"
)

var awaitingStatuses = db.Literals(status.Awaiting...)

// The conditions of the indexes of 00041 and 00050 on a task t, word for word.
var (
	inLine  = `t.status IN ` + awaitingStatuses + ` AND t.submission_date IS NOT NULL AND t.group_submission_id IS NULL`
	isApart = `(t.status IN ` + awaitingStatuses + ` OR t.new_to_staff > 0 OR t.review_asked_at IS NOT NULL) AND (t.status NOT IN ` + awaitingStatuses + `
		OR t.submission_date IS NULL OR t.group_submission_id IS NOT NULL)`
)

// atStatus begins a condition on the status that no index is to be chosen for: SQLite
// would take that of the unit's tasks by status for the more selective one.
const atStatus = `(t.status || '') `

// waitsSince is since when a task t waits.
const waitsSince = `coalesce(t.submission_date, t.updated_at)`

// of says something about another task than t.
func of(task, text string) string { return strings.ReplaceAll(text, "t.", task+".") }

// called is true of a task t that calls for the caller: work to mark, comments the caller
// has not read, or a review that a student asked for.
var called = `(` + calledInbox + ` OR t.review_asked_at IS NOT NULL)`

// calledInbox is the same for the lists of the specification, which know nothing of reviews.
var calledInbox = `(t.status IN ` + awaitingStatuses + ` OR t.new_to_staff > coalesce((SELECT n.comments
	FROM news_seen n WHERE n.task_id = t.id AND n.user_id = $2), 0))`

const (
	// notToList are the projects whose tasks wait for nobody, or not for the caller: of
	// students who have withdrawn, and the caller's own.
	notToList = `(SELECT p.id FROM projects p WHERE p.unit_id = $1 AND NOT p.enrolled
		UNION SELECT p.id FROM projects p WHERE p.unit_id = $1 AND p.user_id = $2)`
	ofOthers = ` AND t.project_id NOT IN ` + notToList
	// pins are what the caller pinned; a pin on a group's task is one on its work.
	pins      = `SELECT b.task_id FROM task_pins b WHERE b.user_id = $2`
	notPinned = ` AND t.id NOT IN (` + pins + `) AND (t.group_submission_id IS NULL OR t.group_submission_id NOT IN
		(SELECT o.group_submission_id FROM task_pins b CROSS JOIN tasks o CROSS JOIN projects p WHERE b.user_id = $2
			AND o.id = b.task_id AND p.id = o.project_id AND p.enrolled AND p.user_id <> $2
			AND o.group_submission_id IS NOT NULL))`
	// fromPins begins with the pins: CROSS JOIN keeps SQLite to that order, here and elsewhere.
	fromPins = `(` + pins + `) b CROSS JOIN tasks t`
	ofPins   = `t.id = b.task_id AND t.unit_id = $1`
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

// first selects columns of the tasks t that meet a condition, are others', and meet what
// comes after; of those that a group handed in together one for all of them: that of who
// handed in, if it is among them. They are numbered in one go, because hundreds of groups
// may wait. kind is that of the work a task belongs to. r is the task shown.
func first(columns, kind, table, condition, after string) string {
	const byOther = `CASE WHEN t.project_id = s.submitted_by_project_id THEN 0 ELSE 1 END`
	return `SELECT ` + of("k", columns) + ` FROM (SELECT t.id, t.project_id, t.task_definition_id, t.status,
			t.group_submission_id, t.submission_date, t.updated_at, t.student_key, ` + byOther + ` AS by_other, ` + kind + ` AS kind,
			row_number() OVER (PARTITION BY coalesce(t.group_submission_id, -t.id) ORDER BY ` + byOther + `, t.id) AS nth
		FROM ` + table + ` LEFT JOIN group_submissions s ON s.id = t.group_submission_id
		WHERE ` + condition + ofOthers + `) k
		JOIN tasks r ON r.id = ` + of("k", `CASE WHEN t.by_other = 0 THEN t.id ELSE `+standsFor+` END
		WHERE t.nth = 1`+after)
}

// What a filter finds of the line: the tasks of the students of the classes, and those
// of the students and for the definitions that have the words.
var (
	lineOfClasses = `SELECT DISTINCT t.id FROM classes x CROSS JOIN tutorial_enrolments y CROSS JOIN tasks t
		WHERE y.tutorial_id = x.id AND t.project_id = y.project_id AND ` + inLine + `
			AND (y.tutorial_stream_id IS NULL OR y.tutorial_stream_id = ` + streamOf + `)`
	lineOfFound = `SELECT t.id FROM found f CROSS JOIN tasks t WHERE f.student = 1 AND t.project_id = f.id AND ` + inLine + `
		UNION SELECT t.id FROM found f CROSS JOIN tasks t WHERE f.student = 0 AND t.unit_id = $1
			AND t.task_definition_id = f.id AND ` + inLine
)

// selection is what a queue lets through, in SQL.
type selection struct {
	with  string // its common tables
	all   string // conditions on any task of others
	line  string // conditions on the tasks of the line
	found string // selects the tasks of it that are found by students, or by definitions; empty without such a filter
	args  []any  // $1 the unit, $2 the caller, and what filters add
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
	s := &selection{args: []any{w.UnitID, w.CallerID}}
	s.all = w.narrow(s, waitsSince)
	s.line = s.all + w.Kind.line()
	var with []string
	if words := strings.Fields(ident.Plain(w.Text)); len(words) > 0 {
		found, err := w.named(ctx, q, words)
		if err != nil {
			return nil, err
		}
		var list string
		if list, s.args, err = db.Rows(q, s.args, []string{"student BIGINT", "id BIGINT"}, found); err != nil {
			return nil, err
		}
		with = append(with, `found AS (SELECT * FROM `+list+` f)`)
		s.all += ofFound
		s.found = `(` + lineOfFound + `)`
	}
	if w.Mine || w.TutorialID != 0 || w.TutorID != 0 {
		classes := `SELECT x.id FROM tutorials x WHERE x.unit_id = $1`
		if w.TutorialID != 0 {
			classes += ` AND x.id = ` + s.add(w.TutorialID)
		}
		if w.Mine {
			roles, err := handover.Roles(ctx, q, w.CallerID)
			if err != nil {
				return nil, err
			}
			var in string
			in, s.args = db.In(s.args, roles)
			classes += ` AND x.unit_role_id IN ` + in
		}
		if w.TutorID != 0 {
			classes += ` AND x.unit_role_id IN (SELECT r.id FROM unit_roles r WHERE r.unit_id = $1 AND r.user_id = ` +
				s.add(w.TutorID) + `)`
		}
		with = append(with, `classes AS (`+classes+`)`)
		s.all += ofClasses
		if s.found == "" {
			s.found = `(` + lineOfClasses + `)`
		} else {
			s.found = `(` + lineOfClasses + ` INTERSECT SELECT f.id FROM ` + s.found + ` f)`
		}
	}
	if len(with) > 0 {
		s.with = `WITH ` + strings.Join(with, `, `) + ` `
	}
	return s, nil
}

// promised looks up since before when work to mark waits longer than the unit promises, where that is
// asked for. Where nothing is promised nothing is over it.
func (w *Queue) promised(ctx context.Context, q db.Q) error {
	if !w.Over {
		return nil
	}
	w.Kind = ToMark
	days, err := db.OneOf[*int64](ctx, q, "unit", `SELECT feedback_days FROM units WHERE id = $1`, w.UnitID)
	if err != nil {
		return err
	}
	if w.late = (Target{Days: *days}).late(q.Now()); w.late == nil {
		w.late = &clock.Time{}
	}
	return nil
}

// narrow writes the conditions by the definition and the status, and by since when a task waits.
func (w Queue) narrow(s *selection, since string) (text string) {
	if w.late != nil {
		text += ` AND ` + since + ` < ` + s.add(*w.late)
	}
	if w.DefinitionID != 0 {
		text += ` AND t.task_definition_id = ` + s.add(w.DefinitionID)
	}
	if w.Status != "" {
		text += ` AND ` + atStatus + `= ` + s.add(string(w.Status))
	}
	return text
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

// named are the students of the unit (1, project) and its definitions (0, definition)
// in whose names every word is. They are compared here because each engine folds
// emails in its own way.
func (w Queue) named(ctx context.Context, q db.Q, words []string) ([][]any, error) {
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
