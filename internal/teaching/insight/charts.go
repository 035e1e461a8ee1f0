package insight

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/progress"
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
func drawnStatuses(ctx context.Context, q db.Q, unitID int64) (out []chart.TaskCounts, err error) {
	tasks, err := Class{UnitID: unitID}.StatusesByTask(ctx, q)
	for _, t := range tasks {
		out = append(out, chart.TaskCounts{Abbreviation: t.Abbreviation, Name: t.Name, Counts: t.Counts})
	}
	return out, err
}

func targetChart(ctx context.Context, q db.Q, unitID int64) (Chart, error) {
	head, err := headingOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	counts, err := Class{UnitID: unitID}.Targets(ctx, q)
	if err != nil {
		return nil, err
	}
	picture := chart.TargetGrades{Unit: head.String()}
	for _, g := range grade.Targets {
		picture.Grades = append(picture.Grades, chart.GradeCount{Grade: g.Name(), Students: counts[g]})
	}
	return picture, nil
}
