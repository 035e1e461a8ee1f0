package insight

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// ClassBurndown is how the work of a class shrinks: all that the target grades of its students ask for.
type ClassBurndown struct {
	UnitID int64 `json:"unit_id"`
	Lines
}

// Burndown works the burndown of the class out in four statements: that of a project for everybody together.
func (c Class) Burndown(ctx context.Context, q db.Q) (*ClassBurndown, error) {
	unit, err := db.OneOf[struct {
		Code  string     `db:"code"`
		Name  string     `db:"name"`
		Start clock.Date `db:"start_date"`
		End   clock.Date `db:"end_date"`
	}](ctx, q, "unit", `SELECT code, name, start_date, end_date FROM units WHERE id = $1`, c.UnitID)
	if err != nil {
		return nil, err
	}
	b := &ClassBurndown{UnitID: c.UnitID, Lines: Lines{StartDate: unit.Start, EndDate: unit.End,
		Today: clock.Day(q.Now().Time), unit: unit.Code + " " + unit.Name}}
	members, err := c.members(ctx, q)
	if err != nil {
		return nil, err
	}
	tasks, err := c.asked(ctx, q, members)
	if err != nil {
		return nil, err
	}
	b.Tasks = len(tasks)
	done, err := c.worked(ctx, q, thin(b.worked()), tasks, members)
	if err != nil {
		return nil, err
	}
	b.fill(spread(tasks, done))
	return b, nil
}

// asked are the tasks of the unit, each as often as students of the class aim for it.
func (c Class) asked(ctx context.Context, q db.Q, members map[int64]grade.Grade) ([]portion, error) {
	list, err := db.All[portion](ctx, q, `SELECT d.id, d.weighting, d.target_date, d.target_grade FROM task_definitions d
		WHERE d.unit_id = $1 ORDER BY d.target_date, d.id`, c.UnitID)
	targets := targetsOf(members)
	for i := range list {
		list[i].Times = targets.asked(list[i].Grade)
	}
	return slices.DeleteFunc(list, func(p portion) bool { return p.Times == 0 }), err
}

// handled is how many students handed a task in, and completed it, by the points of the burndown; -1: they did not.
type handled struct {
	DefinitionID int64
	Submitted    int
	Done         int
	Times        int
	days         []clock.Date
}

// worked counts what members were asked for and handed in and completed up to each of the days, which are in order. All
// that was done of a task comes as one text: to find each student in the class as a row of the database takes three
// times as long.
func (c Class) worked(ctx context.Context, q db.Q, days []clock.Date, tasks []portion,
	members map[int64]grade.Grade) (out []handled, err error) {
	if len(days) == 0 {
		return nil, nil
	}
	from := make(map[int64]grade.Grade, len(tasks))
	for _, t := range tasks {
		from[t.DefinitionID] = t.Grade
	}
	args := []any{c.UnitID}
	for _, d := range days {
		args = append(args, clock.At(d.AddDays(1).Time), d)
	}
	moment := func(i int) string { return fmt.Sprintf(`< $%d`, 2+2*i) }
	day := func(i int) string { return fmt.Sprintf(`<= $%d`, 3+2*i) }
	// As portion has it: complete on the day of completion, or of the last change; handed in on that of the submission.
	last := len(days) - 1
	done := `CASE WHEN t.status <> ` + literal(status.Complete) + ` THEN -1
		WHEN t.completion_date IS NOT NULL THEN ` + upTo(`t.completion_date`, day, last) + `
		ELSE ` + upTo(`t.updated_at`, moment, last) + ` END`
	for r, err := range db.Each[struct {
		DefinitionID int64  `db:"id"`
		Works        string `db:"works"`
	}](ctx, q, `SELECT t.task_definition_id AS id, string_agg(concat_ws(' ', t.project_id, `+done+`,
			CASE WHEN t.submission_date IS NULL THEN `+done+`
				ELSE `+upTo(`t.submission_date`, moment, last)+` END), ',') AS works
		FROM tasks t WHERE t.task_definition_id IN (SELECT d.id FROM task_definitions d WHERE d.unit_id = $1)
			AND t.status IN `+db.Literals(status.ReadyOrComplete...)+` GROUP BY t.task_definition_id`, args...) {
		if err != nil {
			return nil, err
		}
		least, asked := from[r.DefinitionID]
		if !asked {
			continue
		}
		times := map[[2]int]int{}
		for text := range strings.SplitSeq(r.Works, ",") {
			project, at, err := readPoints(text)
			if err != nil {
				return nil, err
			}
			if target, in := members[project]; in && target >= least {
				times[at]++
			}
		}
		for at, n := range times {
			out = append(out, handled{DefinitionID: r.DefinitionID, Done: at[0], Submitted: at[1], Times: n, days: days})
		}
	}
	return out, nil
}

// readPoints reads a project with the points at which its work was done and handed in.
func readPoints(text string) (project int64, at [2]int, err error) {
	who, rest, _ := strings.Cut(text, " ")
	done, submitted, _ := strings.Cut(rest, " ")
	if project, err = strconv.ParseInt(who, 10, 64); err == nil {
		if at[0], err = strconv.Atoi(done); err == nil {
			at[1], err = strconv.Atoi(submitted)
		}
	}
	return project, at, err
}

// upTo writes the first point up to and with the last whose bound holds for a column; -1: none does. The bounds are in
// order, so it is found by halves.
func upTo(column string, bound func(point int) string, last int) string {
	var half func(from, to int) string // the bound of to holds
	half = func(from, to int) string {
		if from == to {
			return strconv.Itoa(from)
		}
		mid := (from + to) / 2
		return `CASE WHEN ` + column + ` ` + bound(mid) + ` THEN ` + half(from, mid) + ` ELSE ` + half(mid+1, to) + ` END`
	}
	return `CASE WHEN ` + column + ` ` + bound(last) + ` THEN ` + half(0, last) + ` ELSE -1 END`
}

// thin leaves out days of a unit that lasts much longer than a year: what was done counts from the next that is left.
func thin(days []clock.Date) (out []clock.Date) {
	step := 1 + len(days)/mostRows
	for i := len(days) - 1; i >= 0; i -= step {
		out = append(out, days[i])
	}
	slices.Reverse(out)
	return out
}

// literal writes one status into a statement.
func literal(s status.Status) string { return strings.Trim(db.Literals(s), "()") }

// spread puts what was done beside what was not, so that each task is there as often as students aim for it.
func spread(tasks []portion, done []handled) []portion {
	at := map[int64]int{}
	for i := range tasks {
		at[tasks[i].DefinitionID] = i
	}
	out := tasks
	for _, h := range done {
		i, known := at[h.DefinitionID]
		if !known {
			continue
		}
		p := out[i]
		out[i].Times -= h.Times
		p.Times, p.handedIn, p.finished = h.Times, h.on(h.Submitted), h.on(h.Done)
		out = append(out, p)
	}
	return out
}

// on is the day of a point; none where there is no such point.
func (h *handled) on(point int) *clock.Date {
	if point < 0 {
		return nil
	}
	return &h.days[point]
}
