package insight

import (
	"context"
	"fmt"
	"slices"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// Class is the enrolled students of a unit, or of one of its tutorials.
type Class struct {
	UnitID     int64
	TutorialID *int64 // nil: all of the unit
}

// and is the further condition on a project p of the unit that it is in the class.
func (c Class) and(args []any) (string, []any) {
	if c.TutorialID == nil {
		return "", args
	}
	args = append(args, *c.TutorialID)
	return fmt.Sprintf(` AND p.id IN (SELECT x.project_id FROM tutorial_enrolments x WHERE x.tutorial_id = $%d)`,
		len(args)), args
}

// Check refuses a tutorial of another unit as one that there is not.
func (c Class) Check(ctx context.Context, q db.Q) error {
	if c.TutorialID == nil {
		return nil
	}
	_, err := db.OneOf[int64](ctx, q, "tutorial", `SELECT id FROM tutorials WHERE id = $1 AND unit_id = $2`, *c.TutorialID,
		c.UnitID)
	return err
}

// TaskStatuses is how many students of a class stand at which status of a task. Those count whose target grade asks for
// it, each once.
type TaskStatuses struct {
	DefinitionID int64
	Abbreviation string
	Name         string
	Counts       map[status.Status]int
}

// taskCount is how many students stand at a status of a task, each once.
type taskCount struct {
	DefinitionID int64          `db:"id"`
	Abbreviation string         `db:"abbreviation"`
	Name         string         `db:"name"`
	Aiming       int64          `db:"aiming"` // students whose target grade asks for the task
	Status       *status.Status `db:"status"`
	Num          int64          `db:"num"`
}

// StatusesByTask counts by task, in the order of their target grades and starts.
func (c Class) StatusesByTask(ctx context.Context, q db.Q) ([]TaskStatuses, error) {
	and, args := c.and([]any{c.UnitID, status.NotStarted})
	rows, err := db.All[taskCount](ctx, q, `SELECT d.id, d.abbreviation, d.name, t.status, coalesce(t.num, 0) AS num,
			(SELECT count(*) FROM projects p WHERE p.unit_id = $1 AND p.enrolled
			AND p.target_grade >= d.target_grade`+and+`) AS aiming
		FROM task_definitions d LEFT JOIN (
			SELECT t.task_definition_id, t.status, count(*) AS num FROM projects p
			JOIN tasks t ON t.project_id = p.id JOIN task_definitions a ON a.id = t.task_definition_id
			AND a.target_grade <= p.target_grade
			WHERE p.unit_id = $1 AND p.enrolled AND t.status <> $2`+and+`
			GROUP BY t.task_definition_id, t.status) t ON t.task_definition_id = d.id
		WHERE d.unit_id = $1 ORDER BY d.target_grade, d.start_date, d.abbreviation, d.id, t.status`, args...)
	return taskCounts(rows), err
}

// taskCounts makes one entry of the rows of each task. Who has not begun is not
// started.
func taskCounts(rows []taskCount) (out []TaskStatuses) {
	for _, r := range rows {
		if n := len(out); n == 0 || out[n-1].DefinitionID != r.DefinitionID {
			out = append(out, TaskStatuses{DefinitionID: r.DefinitionID, Abbreviation: r.Abbreviation, Name: r.Name,
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

// TutorialStatuses is how many tasks of the students of a tutorial stand at which status, of those that their target
// grades ask for. A student in two tutorials counts in both.
type TutorialStatuses struct {
	TutorialID int64 // 0: those without one
	Name       string
	Students   int
	Counts     map[status.Status]int
}

// StatusesByTutorial counts by tutorial, by its name; those without one come last, where there are some.
func (c Class) StatusesByTutorial(ctx context.Context, q db.Q) ([]TutorialStatuses, error) {
	and, args := c.and([]any{c.UnitID})
	asked, err := db.All[struct {
		ID       int64  `db:"id"`
		Name     string `db:"name"`
		Students int    `db:"students"`
		Tasks    int    `db:"tasks"`
	}](ctx, q, `SELECT coalesce(e.tutorial_id, 0) AS id, coalesce(c.abbreviation, '') AS name, count(*) AS students,
			CAST(sum((SELECT count(*) FROM task_definitions d WHERE d.unit_id = $1
				AND d.target_grade <= p.target_grade)) AS BIGINT) AS tasks
		FROM projects p LEFT JOIN tutorial_enrolments e ON e.project_id = p.id LEFT JOIN tutorials c ON c.id = e.tutorial_id
		WHERE p.unit_id = $1 AND p.enrolled`+and+` GROUP BY e.tutorial_id, c.abbreviation
		ORDER BY c.abbreviation NULLS LAST, e.tutorial_id`, args...)
	if err != nil {
		return nil, err
	}
	out, at := []TutorialStatuses{}, map[int64]map[status.Status]int{}
	for _, a := range asked {
		if c.TutorialID != nil && a.ID != *c.TutorialID {
			continue // another one of somebody who is in two
		}
		at[a.ID] = map[status.Status]int{status.NotStarted: a.Tasks}
		out = append(out, TutorialStatuses{a.ID, a.Name, a.Students, at[a.ID]})
	}
	return out, c.addBegun(ctx, q, at)
}

// addBegun adds what was begun, by tutorial, which so far counts as not started.
func (c Class) addBegun(ctx context.Context, q db.Q, at map[int64]map[status.Status]int) error {
	and, args := c.and([]any{c.UnitID, status.NotStarted})
	for r, err := range db.Each[struct {
		ID     int64         `db:"id"`
		Status status.Status `db:"status"`
		Num    int           `db:"num"`
	}](ctx, q, `SELECT coalesce(e.tutorial_id, 0) AS id, t.status, count(*) AS num FROM projects p
		JOIN tasks t ON t.project_id = p.id AND t.status <> $2
		JOIN task_definitions d ON d.id = t.task_definition_id AND d.target_grade <= p.target_grade
		LEFT JOIN tutorial_enrolments e ON e.project_id = p.id
		WHERE p.unit_id = $1 AND p.enrolled`+and+` GROUP BY e.tutorial_id, t.status`, args...) {
		if err != nil {
			return err
		}
		if counts := at[r.ID]; counts != nil {
			counts[r.Status] += r.Num
			counts[status.NotStarted] -= r.Num
		}
	}
	return nil
}

// Targets counts what the class aims for, each student once.
func (c Class) Targets(ctx context.Context, q db.Q) (map[grade.Grade]int, error) {
	and, args := c.and([]any{c.UnitID})
	counts := map[grade.Grade]int{}
	for r, err := range db.Each[struct {
		Grade grade.Grade `db:"grade"`
		Num   int         `db:"num"`
	}](ctx, q, `SELECT p.target_grade AS grade, count(*) AS num FROM projects p
		WHERE p.unit_id = $1 AND p.enrolled`+and+` GROUP BY p.target_grade`, args...) {
		if err != nil {
			return nil, err
		}
		counts[r.Grade] = r.Num
	}
	return counts, nil
}

// OutcomeProgress is how far a class is towards an outcome of its unit.
type OutcomeProgress struct {
	ID           int64  `db:"id"`
	Abbreviation string `db:"abbreviation"`
	Name         string `db:"name"`
	progress.Five
}

// Outcomes lists the outcomes of the unit in their order, with how far the class is: see ClassStats.
func (c Class) Outcomes(ctx context.Context, q db.Q) ([]OutcomeProgress, error) {
	list, err := db.All[OutcomeProgress](ctx, q, `SELECT id, abbreviation, name FROM learning_outcomes WHERE unit_id = $1
		ORDER BY ilo_number, id`, c.UnitID)
	if err != nil || len(list) == 0 {
		return list, err
	}
	five, err := c.outcomes(ctx, q)
	for i := range list {
		list[i].Five = five[list[i].ID]
	}
	return list, err
}

// Tables are the names of what the charts of a class show, as tables and sheets. Turnaround is for holders of
// policy.SeeTutorPace.
var Tables = []string{"completion", "statuses", "tutorials", "burndown", "turnaround", "targets", "outcomes"}

// checkTable refuses a name that no table has.
func checkTable(name string) error {
	if !slices.Contains(Tables, name) {
		return fault.New(fault.Missing, "There is no such chart.")
	}
	return nil
}
