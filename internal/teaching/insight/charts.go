package insight

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// Chart is a statistic to look at, and the same as a plain table.
type Chart interface {
	SVG() []byte
	Table() chart.Table
}

// Charts are the statistics of a unit that can be drawn, by name.
var Charts = map[string]func(context.Context, db.Q, int64) (Chart, error){
	"completion": completionChart,
	"statuses":   statusChart,
	"targets":    targetChart,
}

// ChartOf reads what one picture of a unit shows.
func ChartOf(ctx context.Context, q db.Q, unitID int64, name string) (Chart, error) {
	read, known := Charts[name]
	if !known {
		return nil, fault.New(fault.Missing, "There is no such chart. The charts are completion, statuses and "+
			"targets.")
	}
	return read(ctx, q, unitID)
}

// heading is the unit as a picture's title has it, with how many tasks it has.
type heading struct {
	Code  string `db:"code"`
	Name  string `db:"name"`
	Tasks int    `db:"tasks"`
}

func (h *heading) String() string { return h.Code + " " + h.Name }

func headingOf(ctx context.Context, q db.Q, unitID int64) (*heading, error) {
	return db.OneOf[heading](ctx, q, "unit", `SELECT u.code, u.name,
		(SELECT count(*) FROM task_definitions d WHERE d.unit_id = u.id) AS tasks FROM units u WHERE u.id = $1`, unitID)
}

// completionChart counts everybody, those who have completed nothing included.
func completionChart(ctx context.Context, q db.Q, unitID int64) (Chart, error) {
	head, err := headingOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	counts, err := doneBy(ctx, q, unitID, 0)
	if err != nil {
		return nil, err
	}
	tutorials, err := db.All[namedID](ctx, q, `SELECT id, abbreviation AS name FROM tutorials
		WHERE unit_id = $1 ORDER BY abbreviation`, unitID)
	if err != nil {
		return nil, err
	}
	picture := chart.Completion{Unit: head.String(), Tasks: head.Tasks, Whole: box("", counts.whole)}
	for _, t := range tutorials {
		if b := box(t.Name, counts.tutorial[t.ID]); b != nil {
			picture.Tutorials = append(picture.Tutorials, *b)
		}
	}
	for _, g := range grade.Targets {
		if b := box(g.Name(), counts.grade[g]); b != nil {
			picture.Grades = append(picture.Grades, *b)
		}
	}
	return picture, nil
}

// box is a summary to draw; none of a group without students.
func box(label string, done []int) *chart.Five {
	if len(done) == 0 {
		return nil
	}
	f := progress.FiveOf(done)
	return &chart.Five{Label: label, Students: len(done), Min: f.Min, Lower: f.Lower, Median: f.Median,
		Upper: f.Upper, Max: f.Max}
}

// taskCount is how many students stand at a status of a task, each once.
type taskCount struct {
	Abbreviation string         `db:"abbreviation"`
	Name         string         `db:"name"`
	Aiming       int64          `db:"aiming"` // students whose target grade asks for the task
	Status       *status.Status `db:"status"`
	Num          int64          `db:"num"`
}

func statusChart(ctx context.Context, q db.Q, unitID int64) (Chart, error) {
	head, err := headingOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	tasks, err := drawnStatuses(ctx, q, unitID)
	return chart.Statuses{Unit: head.String(), Tasks: tasks}, err
}

// drawnStatuses counts the students whose target grade asks for a task, each
// once, whatever tutorials they are in.
func drawnStatuses(ctx context.Context, q db.Q, unitID int64) ([]chart.TaskCounts, error) {
	rows, err := db.All[taskCount](ctx, q, `SELECT d.abbreviation, d.name, t.status, coalesce(t.num, 0) AS num,
			(SELECT count(*) FROM projects p WHERE p.unit_id = $1 AND p.enrolled
			AND p.target_grade >= d.target_grade) AS aiming
		FROM task_definitions d LEFT JOIN (
			SELECT t.task_definition_id, t.status, count(*) AS num FROM projects p
			JOIN tasks t ON t.project_id = p.id JOIN task_definitions a ON a.id = t.task_definition_id
			AND a.target_grade <= p.target_grade
			WHERE p.unit_id = $1 AND p.enrolled AND t.status <> $2
			GROUP BY t.task_definition_id, t.status) t ON t.task_definition_id = d.id
		WHERE d.unit_id = $1 ORDER BY d.target_grade, d.start_date, d.abbreviation, t.status`, unitID,
		status.NotStarted)
	return taskCounts(rows), err
}

// taskCounts makes one entry of the rows of each task. Who has not begun is not
// started.
func taskCounts(rows []taskCount) (out []chart.TaskCounts) {
	for _, r := range rows {
		if n := len(out); n == 0 || out[n-1].Abbreviation != r.Abbreviation {
			out = append(out, chart.TaskCounts{Abbreviation: r.Abbreviation, Name: r.Name,
				Counts: map[status.Status]int{status.NotStarted: int(r.Aiming)}})
		}
		if r.Status != nil {
			counts := out[len(out)-1].Counts
			counts[*r.Status] = int(r.Num)
			counts[status.NotStarted] -= int(r.Num)
		}
	}
	return out
}

func targetChart(ctx context.Context, q db.Q, unitID int64) (Chart, error) {
	head, err := headingOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	rows, err := db.All[TargetCount](ctx, q, `SELECT target_grade AS grade, count(*) AS num FROM projects
		WHERE unit_id = $1 AND enrolled GROUP BY target_grade`, unitID)
	if err != nil {
		return nil, err
	}
	counts := map[grade.Grade]int{}
	for _, r := range rows {
		counts[r.Grade] = int(r.Num)
	}
	picture := chart.TargetGrades{Unit: head.String()}
	for _, g := range grade.Targets {
		picture.Grades = append(picture.Grades, chart.GradeCount{Grade: g.Name(), Students: counts[g]})
	}
	return picture, nil
}
