package work

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// AcrossOrder is a way to sort the students of a unit on one task.
type AcrossOrder string

// acrossOrders are the ways to sort. For one task, whoever has more extensions has the
// later due date.
var acrossOrders = map[AcrossOrder]string{
	"name":      `s.name_key`,
	"tutorial":  `x.abbreviation NULLS LAST, s.name_key`,
	"status":    inOrder() + `, s.name_key`,
	"submitted": `t.submission_date NULLS LAST, s.name_key`,
	"due":       `coalesce(t.extensions, 0), s.name_key`,
}

// inOrder is the SQL for where the status of task t, which may have no row, stands
// among all.
func inOrder() string {
	var b strings.Builder
	for i, s := range status.All {
		fmt.Fprintf(&b, " WHEN '%s' THEN %d", s, i)
	}
	return `CASE ` + stands + b.String() + ` END`
}

// stands is the status of a task t that may have no row.
const stands = `coalesce(t.status, 'not_started')`

// Enum gives all orders, for the documentation of the API.
func (AcrossOrder) Enum() []string {
	var out []string
	for _, o := range slices.Sorted(maps.Keys(acrossOrders)) {
		out = append(out, string(o))
	}
	return out
}

// Known tells whether there is such an order.
func (o AcrossOrder) Known() bool { return acrossOrders[o] != "" }

// Across says which of the enrolled students of a unit to list on one task, whether
// they have begun it or not, in which order, and which part of them.
type Across struct {
	DefinitionID int64
	CallerID     int64         // who studies the unit beside teaching it sees nothing of what their work is similar to
	TutorialID   *int64        // the class they do the task in; 0: none; nil: all
	Status       status.Status // "": any
	HandedIn     *bool         // whether something was; nil: either
	Aimed        bool          // only those whose target grades ask for the task; a tutorial is then any they are in
	Text         string        // see ident.MatchPerson
	Order        AcrossOrder
	Page         db.Page
}

// StudentTask is one student on a task.
type StudentTask struct {
	ProjectID      int64         `db:"project_id" json:"project_id"`
	TaskID         *int64        `db:"task_id" json:"task_id"` // null: nothing was written of it yet
	UserID         int64         `db:"user_id" json:"user_id"`
	Username       string        `db:"username" json:"username"`
	FirstName      string        `db:"first_name" json:"first_name"`
	LastName       string        `db:"last_name" json:"last_name"`
	TutorialID     *int64        `db:"tutorial_id" json:"tutorial_id"`
	Tutorial       *string       `db:"tutorial" json:"tutorial"` // its abbreviation
	Status         status.Status `db:"status" json:"status"`
	Aimed          bool          `db:"aimed" json:"aimed"` // the student's target grade asks for the task
	DueDate        clock.Date    `json:"due_date"`
	SubmittedAt    *clock.Time   `db:"submission_date" json:"submission_date"`
	Extensions     int           `db:"extensions" json:"extensions"`
	Grade          *grade.Grade  `db:"grade" json:"grade"`
	Quality        int           `db:"quality_pts" json:"quality_pts"`
	TimesAssessed  int           `db:"times_assessed" json:"times_assessed"`
	ExtensionAsked bool          `db:"extension_asked" json:"extension_asked"` // and nobody has decided
	SimilarityFlag bool          `db:"similarity_flag" json:"similarity_flag"`
	Version        *int64        `db:"version" json:"version"` // counts the task's changes; null where it has no row
	Dates          due.Dates     `json:"-"`
}

// from gives the part of the statements that picks the students, of every status.
func (a Across) from() (string, []any) {
	match, args := ident.MatchPerson([]any{a.DefinitionID}, a.Text)
	text := ` FROM task_definitions d JOIN units u ON u.id = d.unit_id
		JOIN projects p ON p.unit_id = d.unit_id AND p.enrolled JOIN users s ON s.id = p.user_id
		LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id` +
		strings.Replace(JoinClass, "t.project_id", "p.id", 1) + `LEFT JOIN tutorials x ON x.id = e.tutorial_id
		WHERE d.id = $1 AND ` + match
	switch {
	case a.TutorialID == nil:
	case a.Aimed: // as the charts of the unit count
		args = append(args, *a.TutorialID)
		text += fmt.Sprintf(` AND EXISTS (SELECT 1 FROM tutorial_enrolments y WHERE y.project_id = p.id AND y.tutorial_id = $%d)`,
			len(args))
	case *a.TutorialID == 0:
		text += ` AND e.id IS NULL`
	default:
		args = append(args, *a.TutorialID)
		text += fmt.Sprintf(` AND e.tutorial_id = $%d`, len(args))
	}
	if a.Aimed {
		text += ` AND d.target_grade <= p.target_grade`
	}
	if a.HandedIn != nil {
		args = append(args, *a.HandedIn)
		text += fmt.Sprintf(` AND (t.submission_date IS NOT NULL) = $%d`, len(args))
	}
	return text, args
}

// Students lists the students, and tells how many there are in all, -1 where all were
// asked for. An unknown order is by name.
func (a Across) Students(ctx context.Context, q db.Q) (list []StudentTask, total int64, err error) {
	from, args := a.from()
	if a.Status != "" {
		args = append(args, a.Status)
		from += fmt.Sprintf(` AND `+stands+` = $%d`, len(args))
	}
	total = -1
	if a.Page.Asked() {
		n, err := db.One[int64](ctx, q, `SELECT count(*)`+from, args...)
		if err != nil {
			return nil, 0, err
		}
		total = *n
	}
	order := acrossOrders[a.Order]
	if order == "" {
		order = acrossOrders["name"]
	}
	type row struct {
		StudentTask
		Target   clock.Date  `db:"target_date"`
		Deadline *clock.Date `db:"deadline"`
		UnitEnd  clock.Date  `db:"end_date"`
		TimeZone *string     `db:"time_zone"`
	}
	list = []StudentTask{}
	text := fmt.Sprintf(acrossRows+`%s ORDER BY %s, s.first_name, s.last_name, p.id LIMIT $%d OFFSET $%d`, from, order,
		len(args)+1, len(args)+2)
	for r, err := range db.Each[row](ctx, q, text, append(args, a.Page.Limit(), a.Page.Offset())...) {
		if err != nil {
			return nil, 0, err
		}
		r.Dates = due.Dates{Target: r.Target, Deadline: due.Deadline(r.Deadline, r.UnitEnd, r.Target),
			Extensions: r.Extensions, Zone: clock.Zone(r.TimeZone)}
		r.DueDate = r.Dates.Due()
		r.SimilarityFlag = r.SimilarityFlag && r.UserID != a.CallerID
		list = append(list, r.StudentTask)
	}
	return list, total, nil
}

const acrossRows = `SELECT p.id AS project_id, t.id AS task_id, s.id AS user_id, s.username, s.first_name, s.last_name,
	e.tutorial_id, x.abbreviation AS tutorial, ` + stands + ` AS status, d.target_grade <= p.target_grade AS aimed,
	t.submission_date, coalesce(t.extensions, 0) AS extensions, t.grade, coalesce(t.quality_pts, -1) AS quality_pts,
	coalesce(t.times_assessed, 0) AS times_assessed, ` + AsksForTime + ` AS extension_asked,
	` + FlaggedSimilarity + ` AS similarity_flag, t.version,
	d.target_date, d.due_date AS deadline, u.end_date, u.time_zone`

// StatusTally is how many students stand at a status of a task.
type StatusTally struct {
	Status status.Status `db:"status" json:"status"`
	Count  int64         `db:"count" json:"count"`
}

// Counts tells how many of the students stand at each status, in the order of the
// statuses. It follows every filter but that of the status.
func (a Across) Counts(ctx context.Context, q db.Q) ([]StatusTally, error) {
	from, args := a.from()
	list, err := db.All[StatusTally](ctx, q, `SELECT `+stands+` AS status, count(*) AS count`+from+
		` GROUP BY `+stands, args...)
	slices.SortFunc(list, func(a, b StatusTally) int { return a.Status.ID() - b.Status.ID() })
	return list, err
}

// AlikeStudents are students who stand alike on a task: at one status, with the same dates.
type AlikeStudents struct {
	Status    status.Status `db:"status"`
	Submitted bool          `db:"submitted"`
	Aimed     bool          `db:"aimed"` // their target grades ask for the task
	Count     int64         `db:"count"`
	Dates     due.Dates
}

// Alike counts the students that the filters find by what decides how they stand, by one statement. It
// follows every filter but that of the status.
func (a Across) Alike(ctx context.Context, q db.Q) (out []AlikeStudents, err error) {
	type row struct {
		AlikeStudents
		Extensions int         `db:"extensions"`
		Target     clock.Date  `db:"target_date"`
		Deadline   *clock.Date `db:"due_date"`
		UnitEnd    clock.Date  `db:"end_date"`
		TimeZone   *string     `db:"time_zone"`
	}
	from, args := a.from()
	const by = stands + `, t.submission_date IS NOT NULL, d.target_grade <= p.target_grade, coalesce(t.extensions, 0),
		d.target_date, d.due_date, u.end_date, u.time_zone`
	for r, err := range db.Each[row](ctx, q, `SELECT `+stands+` AS status, t.submission_date IS NOT NULL AS submitted,
			d.target_grade <= p.target_grade AS aimed, coalesce(t.extensions, 0) AS extensions, d.target_date, d.due_date,
			u.end_date, u.time_zone, count(*) AS count`+from+` GROUP BY `+by, args...) {
		if err != nil {
			return nil, err
		}
		r.Dates = due.Dates{Target: r.Target, Deadline: due.Deadline(r.Deadline, r.UnitEnd, r.Target),
			Extensions: r.Extensions, Zone: clock.Zone(r.TimeZone)}
		out = append(out, r.AlikeStudents)
	}
	return out, nil
}

// TaskTally is a task of a unit with how many of its students stand where.
type TaskTally struct {
	DefinitionID int64         `db:"task_definition_id" json:"task_definition_id"`
	Abbreviation string        `db:"abbreviation" json:"abbreviation"`
	Name         string        `db:"name" json:"name"`
	TargetGrade  grade.Grade   `db:"target_grade" json:"target_grade"`
	TargetDate   clock.Date    `db:"target_date" json:"target_date"`
	Students     int64         `db:"students" json:"students"` // the enrolled, whatever they aim for
	Counts       []StatusTally `json:"counts"`
	Dates        due.Dates     `json:"-"` // without extensions
}

// Tallies gives the tasks of a unit in the order it begins them, each with how many
// of the enrolled students stand where, by one statement.
func Tallies(ctx context.Context, q db.Q, unitID int64) ([]TaskTally, error) {
	type row struct {
		TaskTally
		Status   *status.Status `db:"status"`
		Count    int64          `db:"count"`
		Deadline *clock.Date    `db:"due_date"`
		UnitEnd  clock.Date     `db:"end_date"`
		TimeZone *string        `db:"time_zone"`
	}
	out := []TaskTally{}
	for r, err := range db.Each[row](ctx, q, `SELECT d.id AS task_definition_id, d.abbreviation, d.name,
			d.target_grade, d.target_date, d.due_date, u.end_date, u.time_zone, t.status, count(t.id) AS count,
			(SELECT count(*) FROM projects o WHERE o.unit_id = $1 AND o.enrolled) AS students
		FROM task_definitions d JOIN units u ON u.id = d.unit_id
		LEFT JOIN (tasks t JOIN projects p ON p.id = t.project_id AND p.enrolled)
			ON t.task_definition_id = d.id
		WHERE d.unit_id = $1
		GROUP BY d.id, d.abbreviation, d.name, d.target_grade, d.target_date, d.due_date, d.start_date, u.end_date,
			u.time_zone, t.status
		ORDER BY d.start_date, d.abbreviation, d.id`, unitID) {
		if err != nil {
			return nil, err
		}
		if n := len(out); n == 0 || out[n-1].DefinitionID != r.DefinitionID {
			r.Dates = due.Dates{Target: r.TargetDate, Deadline: due.Deadline(r.Deadline, r.UnitEnd, r.TargetDate),
				Zone: clock.Zone(r.TimeZone)}
			r.Counts = []StatusTally{{status.NotStarted, r.Students}}
			out = append(out, r.TaskTally)
		}
		if t := &out[len(out)-1]; r.Status != nil && *r.Status != status.NotStarted {
			t.Counts[0].Count -= r.Count
			t.Counts = append(t.Counts, StatusTally{*r.Status, r.Count})
		}
	}
	for i := range out {
		out[i].Counts = slices.DeleteFunc(out[i].Counts, func(c StatusTally) bool { return c.Count == 0 })
		slices.SortFunc(out[i].Counts, func(a, b StatusTally) int { return a.Status.ID() - b.Status.ID() })
	}
	return out, nil
}
