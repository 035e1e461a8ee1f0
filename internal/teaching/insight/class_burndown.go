package insight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
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
	tasks, err := c.asked(ctx, q)
	if err != nil {
		return nil, err
	}
	b.Tasks = len(tasks)
	done, err := c.worked(ctx, q, thin(b.worked()))
	if err != nil {
		return nil, err
	}
	b.fill(spread(tasks, done))
	return b, nil
}

// asked are the tasks of the unit, each as often as students of the class aim for it.
func (c Class) asked(ctx context.Context, q db.Q) ([]portion, error) {
	members, err := c.members(ctx, q)
	if err != nil {
		return nil, err
	}
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
	DefinitionID int64 `db:"id"`
	Submitted    int   `db:"submitted"`
	Done         int   `db:"done"`
	Times        int   `db:"times"`
	days         []clock.Date
}

// worked counts what was handed in and completed up to each of the days, which are in order.
func (c Class) worked(ctx context.Context, q db.Q, days []clock.Date) ([]handled, error) {
	if len(days) == 0 {
		return nil, nil
	}
	and, args := c.and([]any{c.UnitID})
	var submitted, completed, changed strings.Builder
	for i, d := range days {
		args = append(args, clock.At(d.AddDays(1).Time), d)
		n := len(args)
		fmt.Fprintf(&submitted, ` WHEN t.submission_date < $%d THEN %d`, n-1, i)
		fmt.Fprintf(&completed, ` WHEN t.completion_date <= $%d THEN %d`, n, i)
		fmt.Fprintf(&changed, ` WHEN t.updated_at < $%d THEN %d`, n-1, i)
	}
	// As portion has it: complete on the day of completion, or of the last change; handed in on that of the submission.
	done := `CASE WHEN t.status <> ` + literal(status.Complete) + ` THEN -1` + completed.String() +
		` WHEN t.completion_date IS NOT NULL THEN -1` + changed.String() + ` ELSE -1 END`
	list, err := db.All[handled](ctx, q, `SELECT x.id, x.submitted, x.done, count(*) AS times FROM (
			SELECT t.task_definition_id AS id, `+done+` AS done,
				CASE`+submitted.String()+` WHEN t.submission_date IS NOT NULL THEN -1 ELSE `+done+` END AS submitted
			`+begunBy+isBegun+` AND t.status IN `+db.Literals(status.ReadyOrComplete...)+and+`) x
		GROUP BY x.id, x.submitted, x.done`, args...)
	for i := range list {
		list[i].days = days
	}
	return list, err
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
