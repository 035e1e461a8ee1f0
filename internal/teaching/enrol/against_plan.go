package enrol

import (
	"context"
	"math"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// StatusCount is how many tasks of a student stand at a status.
type StatusCount struct {
	Status status.Status `db:"status" json:"status"`
	Count  int64         `db:"count" json:"count" doc:"how many tasks stand there"`
}

// planTask is a task of a unit with its dates as they are without an extension.
type planTask struct {
	ID     int64       `db:"id"`
	UnitID int64       `db:"unit_id"`
	Grade  grade.Grade `db:"target_grade"`
	Weight int64       `db:"weighting"`
	due.Columns
}

// weeks is how many weeks of extension a student would need for the task not to be late on a day: 0
// where nobody is late with it, and more than there are where the deadline has passed.
func (t planTask) weeks(today clock.Date) int {
	dates := t.Dates()
	switch {
	case !dates.Due().Before(today):
		return 0
	case dates.Deadline.Before(today):
		return math.MaxInt32
	}
	const daysAWeek = 7
	return (today.DaysSince(dates.Target) + daysAWeek - 1) / daysAWeek
}

// planned is a task of a unit with how many weeks of extension a student needs for it not to be late now, see weeks.
type planned struct {
	planTask
	late int
}

// plannedTasks reads the tasks of units.
func plannedTasks(ctx context.Context, q db.Q, units []int64) (map[int64]planned, error) {
	in, args := db.In(nil, units)
	plan := map[int64]planned{}
	for t, err := range db.Each[planTask](ctx, q, `SELECT d.id, d.unit_id, d.target_grade, d.weighting, d.target_date,
		d.due_date, u.end_date, u.time_zone, 0 AS extensions FROM task_definitions d JOIN units u ON u.id = d.unit_id
		WHERE d.unit_id IN `+in, args...) {
		if err != nil {
			return nil, err
		}
		zone := t.Dates().Zone
		if zone == nil {
			zone = due.AnywhereOnEarth
		}
		plan[t.ID] = planned{t, t.weeks(clock.Day(q.Now().In(zone)))}
	}
	return plan, nil
}

// asked begins a statement with the tasks of units, asked(id, unit_id, grade, weight, weeks), see planTask. It
// adds them to its arguments.
func asked(ctx context.Context, q db.Q, units []int64, args []any) (string, []any, error) {
	plan, err := plannedTasks(ctx, q, units)
	if err != nil {
		return "", nil, err
	}
	rows := [][]any{}
	for _, t := range plan {
		rows = append(rows, []any{t.ID, t.UnitID, t.Grade, t.Weight, t.late})
	}
	list, args, err := db.Rows(q, args, []string{"id BIGINT", "unit_id BIGINT", "grade BIGINT", "weight BIGINT",
		"weeks BIGINT"}, rows)
	return `WITH asked AS MATERIALIZED (SELECT * FROM ` + list + ` x)`, args, err
}

const isDue = `asked.weeks > coalesce(t.extensions, 0)`

var (
	isOwed = `(t.id IS NULL OR t.status IN ` + db.Literals(status.Again...) + `
		OR t.submission_date IS NULL AND t.status IN ` + db.Literals(status.ToDo...) + `)`
	isIn = `t.status IN ` + db.Literals(status.ReadyOrComplete...)
)

// lag is how much less was handed in than was due: by weight, or by number.
var lag = byWeight(sumWhere(isDue, `asked.weight`)+` - `+sumWhere(isIn, `asked.weight`),
	sumWhere(isDue, `1`)+` - `+sumWhere(isIn, `1`))

func sumWhere(what, of string) string {
	return `coalesce(sum(CASE WHEN ` + what + ` THEN ` + of + ` END), 0)`
}

func byWeight(weight, number string) string {
	return `(CASE WHEN coalesce(sum(asked.weight), 0) > 0 THEN ` + weight + ` ELSE ` + number + ` END)`
}

// against selects how projects, under the name p, stand against the plan of their unit: how many tasks
// their target grade asks for, how many of them are late, and whether less was handed in than was due.
// That goes by the weight of the tasks, or by their number where none weighs anything; an extension
// moves what is due, and work that came back is not in.
func against(projects, p string) string {
	return `SELECT ` + p + `.id, count(asked.id) AS asked,
		count(CASE WHEN ` + isDue + ` AND ` + isOwed + ` THEN 1 END) AS overdue,
		` + lag + ` > 0 AS behind_plan
		FROM ` + projects + ` LEFT JOIN asked ON asked.unit_id = ` + p + `.unit_id
			AND asked.grade <= ` + p + `.target_grade
		LEFT JOIN tasks t ON t.project_id = ` + p + `.id AND t.task_definition_id = asked.id GROUP BY ` + p + `.id`
}

// addCounts adds how many tasks of each student stand at which status; those nobody has begun have
// no row.
func (s StudentSearch) addCounts(ctx context.Context, q db.Q, list []FoundStudent) error {
	which, args := s.which(list)
	type count struct {
		ProjectID int64 `db:"project_id"`
		StatusCount
	}
	by := map[int64][]StatusCount{}
	for c, err := range db.Each[count](ctx, q, `SELECT p.id AS project_id, t.status, count(*) AS count
		FROM projects p JOIN tasks t ON t.project_id = p.id
		JOIN task_definitions d ON d.id = t.task_definition_id AND d.target_grade <= p.target_grade
		WHERE t.status <> `+db.Literals(status.NotStarted)+` AND `+which+` GROUP BY p.id, t.status`, args...) {
		if err != nil {
			return err
		}
		by[c.ProjectID] = append(by[c.ProjectID], c.StatusCount)
	}
	for i := range list {
		f := &list[i]
		left := f.Asked
		for _, c := range by[f.ID] {
			left -= c.Count
		}
		f.Tasks = append([]StatusCount{}, by[f.ID]...)
		if left > 0 {
			f.Tasks = append(f.Tasks, StatusCount{status.NotStarted, left})
		}
		slices.SortFunc(f.Tasks, func(a, b StatusCount) int { return a.Status.ID() - b.Status.ID() })
	}
	return nil
}
