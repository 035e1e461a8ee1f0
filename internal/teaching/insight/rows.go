package insight

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/status"
)

// Line is one of a burndown.
type Line string

// The lines, in the order of a table.
const (
	Planned   Line = "target"
	HandedIn  Line = "submitted"
	Done      Line = "done"
	Projected Line = "projected" // goes on at the pace so far, and counts nothing
)

// Lined are the lines that count work.
var Lined = []Line{Planned, HandedIn, Done}

// WorkSearch says which of the tasks that the target grades of a class ask for are listed: what the charts of the class
// count, each student and task once.
type WorkSearch struct {
	Class
	Status status.Status // "": any
	Left   Line          // only what this line of the burndown has left when Day is over, whatever its status; "": all
	Day    clock.Date
	Page   db.Page
}

// Work is a task of a student.
type Work struct {
	ProjectID int64 `db:"project_id"`
	enrol.Student
	DefinitionID int64         `db:"task_definition_id"`
	Abbreviation string        `db:"abbreviation"`
	Name         string        `db:"name"`
	Status       status.Status `db:"status"`
	SubmittedAt  *clock.Time   `db:"submission_date"`
}

// WorkTally is how much of the work of a class is listed.
type WorkTally struct {
	Tasks, Weight int64
	Asked, Whole  int64 // of all that is asked of the class
}

// Percent is the share of the work that is listed, as burndowns weigh it: by number where nothing weighs anything.
func (t *WorkTally) Percent() float64 {
	switch {
	case t.Whole > 0:
		return round(100 * float64(t.Weight) / float64(t.Whole))
	case t.Asked > 0:
		return round(100 * float64(t.Tasks) / float64(t.Asked))
	}
	return 0
}

// done is the condition that a line of the burndown counts a task t as done when the day is over, as portion has it:
// complete on the day of completion, or of the last change; handed in on that of the submission. Its values come after
// args.
func (s *WorkSearch) done(args []any) (string, []any) {
	args = append(args, s.Day, clock.At(s.Day.AddDays(1).Time))
	n := len(args)
	complete := fmt.Sprintf(`t.status = %s AND (t.completion_date <= $%d
		OR t.completion_date IS NULL AND t.updated_at < $%d)`,
		literal(status.Complete), n-1, n)
	if s.Left == Done {
		return complete, args
	}
	return fmt.Sprintf(`t.status IN %s AND (t.submission_date < $%d OR t.submission_date IS NULL AND %s)`,
		db.Literals(status.ReadyOrComplete...), n, complete), args
}

// begun is the condition on the tasks t that were begun which are listed; or, where the answer is false, on those that
// are not, of all that are asked for. No condition: nothing begun makes a difference.
func (s *WorkSearch) begun(args []any) (string, []any, bool) {
	switch {
	case s.Left == HandedIn || s.Left == Done:
		text, args := s.done(args)
		return text, args, false
	case s.Left == Planned || s.Status == "":
		return "", args, false
	case s.Status == status.NotStarted:
		return `t.status <> ` + literal(s.Status), args, false
	}
	return `t.status = ` + literal(s.Status), args, true
}

// share is how much of the work of a student is listed.
type share struct {
	ProjectID int64 `db:"project_id"`
	Tasks     int64 `db:"tasks"`
	Weight    int64 `db:"weight"`
}

// shares tells how much of the work of each student is listed, in the order of their names. Only what was begun is
// read: the rest follows from what the students aim for.
func (s *WorkSearch) shares(ctx context.Context, q db.Q) ([]share, *WorkTally, error) {
	tasks, err := s.tasks(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	and, args := s.and([]any{s.UnitID})
	text, args, listed := s.begun(args)
	at := map[int64]share{}
	if text != "" {
		for r, err := range db.Each[share](ctx, q, `SELECT t.project_id, count(*) AS tasks,
				CAST(coalesce(sum(d.weighting), 0) AS BIGINT) AS weight`+begunBy+isBegun+and+` AND `+text+`
			GROUP BY t.project_id`, args...) {
			if err != nil {
				return nil, nil, err
			}
			at[r.ProjectID] = r
		}
	}
	out, sum := []share{}, &WorkTally{}
	and, args = s.and([]any{s.UnitID})
	for p, err := range db.Each[struct {
		ID     int64       `db:"id"`
		Target grade.Grade `db:"target_grade"`
	}](ctx, q, `SELECT p.id, p.target_grade FROM projects p JOIN users s ON s.id = p.user_id
		WHERE p.unit_id = $1 AND p.enrolled`+and+` ORDER BY `+byName, args...) {
		if err != nil {
			return nil, nil, err
		}
		one := share{p.ID, at[p.ID].Tasks, at[p.ID].Weight}
		if !listed {
			one.Tasks, one.Weight = -one.Tasks, -one.Weight
		}
		for _, t := range tasks {
			if t.Grade > p.Target {
				continue
			}
			sum.Asked, sum.Whole = sum.Asked+1, sum.Whole+t.Weight
			if !listed && (s.Left != Planned || t.Target.After(s.Day)) {
				one.Tasks, one.Weight = one.Tasks+1, one.Weight+t.Weight
			}
		}
		sum.Tasks, sum.Weight, out = sum.Tasks+one.Tasks, sum.Weight+one.Weight, append(out, one)
	}
	return out, sum, nil
}

// byName is the order of students.
const byName = `s.name_key, s.first_name, s.last_name, p.id`

// onPage are the students whose work stands on the page, and how many of the first one's tasks stand before it.
func (s *WorkSearch) onPage(shares []share) (projects []int64, before int64) {
	from, to, at := s.Page.Offset(), s.Page.Offset()+s.Page.Limit(), int64(0)
	for _, one := range shares {
		if one.Tasks > 0 && at < to && at+one.Tasks > from {
			if projects == nil {
				before = max(from-at, 0)
			}
			projects = append(projects, one.ProjectID)
		}
		at += one.Tasks
	}
	return projects, before
}

// Rows lists the work by student and task, and tells how much it is. It is for holders of policy.ListStudents in the
// unit.
func (s *WorkSearch) Rows(ctx context.Context, q db.Q) ([]Work, *WorkTally, error) {
	shares, tally, err := s.shares(ctx, q)
	if err != nil {
		return nil, nil, fmt.Errorf("count the work of a class: %w", err)
	}
	projects, before := s.onPage(shares)
	if len(projects) == 0 {
		return nil, tally, nil
	}
	in, args := db.In(nil, projects)
	text, args, listed := s.begun(args)
	switch {
	case s.Left == Planned:
		args = append(args, s.Day)
		text = fmt.Sprintf(`d.target_date > $%d`, len(args))
	case text == "":
		text = `TRUE`
	case !listed:
		text = `NOT coalesce(` + text + `, FALSE)`
	}
	list, err := db.All[Work](ctx, q, `SELECT p.id AS project_id, `+enrol.StudentColumns+`, d.id AS task_definition_id,
			d.abbreviation, d.name, coalesce(t.status, `+literal(status.NotStarted)+`) AS status, t.submission_date
		FROM projects p JOIN users s ON s.id = p.user_id
		JOIN task_definitions d ON d.unit_id = p.unit_id AND d.target_grade <= p.target_grade
		LEFT JOIN tasks t ON t.project_id = p.id AND t.task_definition_id = d.id
		WHERE p.id IN `+in+` AND `+text+` ORDER BY `+byName+`, d.start_date, d.abbreviation, d.id`, args...)
	if err != nil {
		return nil, nil, fmt.Errorf("list the work of a class: %w", err)
	}
	list = list[min(before, int64(len(list))):]
	return list[:min(s.Page.Limit(), int64(len(list)))], tally, nil
}

// OutcomePoints is what a student has towards an outcome.
type OutcomePoints struct {
	ProjectID int64 `db:"project_id"`
	enrol.Student
	Tenths int64
}

// Points is what the student has.
func (p *OutcomePoints) Points() float64 { return float64(p.Tenths) / 10 }

// OutcomeName names an outcome of the unit; that of another is refused as one that there is not.
func (c Class) OutcomeName(ctx context.Context, q db.Q, outcomeID int64) (string, error) {
	name, err := db.OneOf[string](ctx, q, "outcome", `SELECT abbreviation || ' ' || name FROM learning_outcomes
		WHERE id = $1 AND unit_id = $2`, outcomeID, c.UnitID)
	if err != nil {
		return "", err
	}
	return *name, nil
}

// OutcomeRows lists the students whom the summary of an outcome counts, those with the fewest points first, and tells
// how many there are. It is for holders of policy.ListStudents in the unit.
func (c Class) OutcomeRows(ctx context.Context, q db.Q, outcomeID int64, page db.Page) ([]OutcomePoints, int64, error) {
	earned, err := c.earned(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	and, args := c.and([]any{c.UnitID})
	list, err := db.All[OutcomePoints](ctx, q, `SELECT p.id AS project_id, `+enrol.StudentColumns+`
		FROM projects p JOIN users s ON s.id = p.user_id WHERE p.unit_id = $1 AND p.enrolled`+and+`
		ORDER BY `+byName, args...)
	if err != nil {
		return nil, 0, err
	}
	list = slices.DeleteFunc(list, func(p OutcomePoints) bool { return earned[p.ProjectID] == nil })
	for i := range list {
		list[i].Tenths = earned[list[i].ProjectID][outcomeID]
	}
	slices.SortStableFunc(list, func(a, b OutcomePoints) int { return cmp.Compare(a.Tenths, b.Tenths) })
	total := int64(len(list))
	from := min(page.Offset(), total)
	return list[from:min(from+page.Limit(), total)], total, nil
}

// MarkSearch says which first words of the staff on work that was handed in are listed: what turnaround counts.
type MarkSearch struct {
	UnitID  int64
	TutorID *int64 // who marked; nil: anybody
	From    clock.Time
	Until   *clock.Time // before this moment; nil: up to now
	Page    db.Page
}

// Mark is the first word of the staff on work that was handed in, with who did it.
type Mark struct {
	TaskID    int64 `db:"id"`
	ProjectID int64 `db:"project_id"`
	enrol.Student
	DefinitionID int64         `db:"task_definition_id"`
	Abbreviation string        `db:"abbreviation"`
	Name         string        `db:"name"`
	Status       status.Status `db:"status"` // now
	MarkerID     int64
	Marker       string
	HandedIn, At clock.Time
}

// Hours is how long it took.
func (m *Mark) Hours() *float64 { return hours(m.At.Sub(m.HandedIn.Time)) }

// Rows lists the marks, those that took longest first, with the pace they come to; of what a group handed in
// together one student stands for all. It is for holders of policy.SeeTutorPace in the unit.
func (s *MarkSearch) Rows(ctx context.Context, q db.Q) ([]Mark, Pace, error) {
	all, err := firstMarks(ctx, q, s.UnitID, s.From)
	if err != nil {
		return nil, Pace{}, fmt.Errorf("read what was marked: %w", err)
	}
	found := slices.DeleteFunc(all, func(m firstMark) bool {
		return s.Until != nil && m.At >= s.Until.Milli() || s.TutorID != nil && m.UserID != *s.TutorID
	})
	pace := paceOf(took(each(found)), 0)
	slices.SortFunc(found, func(a, b firstMark) int {
		return cmp.Or(cmp.Compare(b.took(), a.took()), cmp.Compare(a.At, b.At), cmp.Compare(a.TaskID, b.TaskID))
	})
	from := min(s.Page.Offset(), int64(len(found)))
	list, err := marksOf(ctx, q, found[from:min(from+s.Page.Limit(), int64(len(found)))])
	return list, pace, err
}

// marksOf reads what a list shows of marks, in their order.
func marksOf(ctx context.Context, q db.Q, marks []firstMark) ([]Mark, error) {
	ids := make([]int64, len(marks))
	for i, m := range marks {
		ids[i] = m.TaskID
	}
	in, args := db.In(nil, ids)
	at := map[int64]Mark{}
	for m, err := range db.Each[Mark](ctx, q, `SELECT t.id, t.project_id, `+enrol.StudentColumns+`, t.task_definition_id,
			d.abbreviation, d.name, t.status
		FROM tasks t JOIN projects p ON p.id = t.project_id JOIN users s ON s.id = p.user_id
		JOIN task_definitions d ON d.id = t.task_definition_id WHERE t.id IN `+in, args...) {
		if err != nil {
			return nil, err
		}
		at[m.TaskID] = m
	}
	out := make([]Mark, len(marks))
	for i, m := range marks {
		out[i] = at[m.TaskID]
		out[i].HandedIn, out[i].At, out[i].MarkerID = m.HandedIn.Time(), m.At.Time(), m.UserID
	}
	return out, addMarkers(ctx, q, out)
}

// addMarkers adds the names of those who marked.
func addMarkers(ctx context.Context, q db.Q, marks []Mark) error {
	ids := make([]int64, len(marks))
	for i, m := range marks {
		ids[i] = m.MarkerID
	}
	in, args := db.In(nil, ids)
	names := map[int64]string{}
	for r, err := range db.Each[struct {
		ID   int64  `db:"id"`
		Name string `db:"name"`
	}](ctx, q, `SELECT id, first_name || ' ' || last_name AS name FROM users WHERE id IN `+in, args...) {
		if err != nil {
			return err
		}
		names[r.ID] = r.Name
	}
	for i := range marks {
		marks[i].Marker = names[marks[i].MarkerID]
	}
	return nil
}
