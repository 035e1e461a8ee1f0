package insight

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
	"lectern/internal/teaching/status"
)

// Class is the enrolled students of a unit, or of one of its tutorials.
type Class struct {
	UnitID     int64
	TutorialID *int64 // 0: those without one; nil: all of the unit
	Begun      Begun  // what the students of the unit have begun, where it was read already
}

// and is the further condition on a project p of the unit that it is in the class.
func (c Class) and(args []any) (string, []any) {
	switch {
	case c.TutorialID == nil:
		return "", args
	case *c.TutorialID == 0:
		return ` AND NOT EXISTS (SELECT 1 FROM tutorial_enrolments x WHERE x.project_id = p.id)`, args
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

// askedTask is a task of a unit with the grade from which on it is asked for.
type askedTask struct {
	ID           int64       `db:"id"`
	Abbreviation string      `db:"abbreviation"`
	Name         string      `db:"name"`
	Grade        grade.Grade `db:"target_grade"`
	Weight       int64       `db:"weighting"`
	Target       clock.Date  `db:"target_date"`
}

// tasks are those of the unit, in the order of their target grades and starts.
func (c Class) tasks(ctx context.Context, q db.Q) ([]askedTask, error) {
	return db.All[askedTask](ctx, q, `SELECT id, abbreviation, name, target_grade, weighting, target_date
		FROM task_definitions WHERE unit_id = $1 ORDER BY target_grade, start_date, abbreviation, id`, c.UnitID)
}

// targets are how many students aim for which grade.
type targets map[grade.Grade]int

// targetsOf counts what students aim for.
func targetsOf(members map[int64]grade.Grade) targets {
	out := targets{}
	for _, g := range members {
		out[g]++
	}
	return out
}

// asked is how many of the students are asked for what a grade asks for.
func (a targets) asked(from grade.Grade) (n int) {
	for g, students := range a {
		if g >= from {
			n += students
		}
	}
	return n
}

// begunBy reads what students of the class have begun of what is asked of them: tasks t of definitions d and projects
// p.
// The order of the tables is that of an index of tasks by definition and status, which holds all that counts need.
const begunBy = ` FROM task_definitions d CROSS JOIN tasks t CROSS JOIN projects p`

// isBegun is the condition on them; $1 is the unit.
const isBegun = ` WHERE d.unit_id = $1 AND t.task_definition_id = d.id AND p.id = t.project_id AND p.enrolled
	AND p.target_grade >= d.target_grade`

// StatusesByTask counts by task, in the order of their target grades and starts. Who has not begun is not started.
func (c Class) StatusesByTask(ctx context.Context, q db.Q) (out []TaskStatuses, err error) {
	tasks, members, err := c.asks(ctx, q)
	if err != nil {
		return nil, err
	}
	at, targets := map[int64]map[status.Status]int{}, targetsOf(members)
	for _, t := range tasks {
		at[t.ID] = map[status.Status]int{status.NotStarted: targets.asked(t.Grade)}
		out = append(out, TaskStatuses{t.ID, t.Abbreviation, t.Name, at[t.ID]})
	}
	err = c.eachAsked(ctx, q, tasks, members, func(definition int64, st status.Status, projects []int64) {
		at[definition][st] += len(projects)
		at[definition][status.NotStarted] -= len(projects)
	})
	return out, err
}

// asks reads the tasks of the unit and the members of the class.
func (c Class) asks(ctx context.Context, q db.Q) ([]askedTask, map[int64]grade.Grade, error) {
	tasks, err := c.tasks(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	members, err := c.members(ctx, q)
	return tasks, members, err
}

// Completion is how many tasks are complete of those that are asked of the class.
func (c Class) Completion(ctx context.Context, q db.Q) (done, asked int, err error) {
	tasks, members, err := c.asks(ctx, q)
	if err != nil {
		return 0, 0, err
	}
	targets := targetsOf(members)
	for _, t := range tasks {
		asked += targets.asked(t.Grade)
	}
	err = c.eachAsked(ctx, q, tasks, members, func(_ int64, st status.Status, projects []int64) {
		if st == status.Complete {
			done += len(projects)
		}
	})
	return done, asked, err
}

// TutorialStatuses is how many tasks of the students of a tutorial stand at which status, of those that their target
// grades ask for. A student in two tutorials counts in both.
type TutorialStatuses struct {
	TutorialID int64 // 0: those without one
	Name       string
	Students   int
	Counts     map[status.Status]int
}

// StatusesByTutorial counts by tutorial, by its name; those without one come last, where there are some. Who is in two
// counts in both.
func (c Class) StatusesByTutorial(ctx context.Context, q db.Q) ([]TutorialStatuses, error) {
	tasks, members, err := c.asks(ctx, q)
	if err != nil {
		return nil, err
	}
	out, of, err := c.tutorials(ctx, q, members)
	if err != nil {
		return nil, err
	}
	asked := map[grade.Grade]int{}
	for id, target := range members {
		if _, known := asked[target]; !known {
			asked[target] = len(slices.DeleteFunc(slices.Clone(tasks), func(t askedTask) bool { return t.Grade > target }))
		}
		for _, t := range of[id] {
			t.Students++
			t.Counts[status.NotStarted] += asked[target]
		}
	}
	err = c.eachAsked(ctx, q, tasks, members, func(_ int64, st status.Status, projects []int64) {
		in := map[*TutorialStatuses]int{}
		for _, id := range projects {
			for _, t := range of[id] {
				in[t]++
			}
		}
		for t, n := range in {
			t.Counts[st] += n
			t.Counts[status.NotStarted] -= n
		}
	})
	return values(out), err
}

// tutorials gives the tutorials of the class that members are in, and those that each of them is in; for those who are
// in none, one without a name that comes last.
func (c Class) tutorials(ctx context.Context, q db.Q, members map[int64]grade.Grade) (
	out []*TutorialStatuses, of map[int64][]*TutorialStatuses, err error) {
	of = make(map[int64][]*TutorialStatuses, len(members))
	for r, err := range enrolments(ctx, q, c.UnitID) {
		if err != nil {
			return nil, nil, err
		}
		if c.TutorialID != nil && r.TutorialID != *c.TutorialID {
			continue // another one of somebody who is in two
		}
		if _, in := members[r.ProjectID]; !in {
			continue
		}
		if n := len(out); n == 0 || out[n-1].TutorialID != r.TutorialID {
			out = append(out, &TutorialStatuses{TutorialID: r.TutorialID, Name: r.Name, Counts: map[status.Status]int{}})
		}
		of[r.ProjectID] = append(of[r.ProjectID], out[len(out)-1])
	}
	in := len(of)
	none := &TutorialStatuses{Counts: map[status.Status]int{}}
	for id := range members {
		if of[id] == nil {
			of[id] = []*TutorialStatuses{none}
		}
	}
	if len(of) > in {
		out = append(out, none)
	}
	return out, of, nil
}

// values are what pointers point to.
func values[T any](list []*T) []T {
	out := make([]T, len(list))
	for i, p := range list {
		out[i] = *p
	}
	return out
}

// enrolment is that of a student in a tutorial.
type enrolment struct {
	ProjectID  int64  `db:"project_id"`
	TutorialID int64  `db:"tutorial_id"`
	Name       string `db:"abbreviation"` // of the tutorial
}

// enrolments reads those of a unit, by tutorial, of all who were ever enrolled.
func enrolments(ctx context.Context, q db.Q, unitID int64) iter.Seq2[enrolment, error] {
	return db.Each[enrolment](ctx, q, `SELECT e.project_id, e.tutorial_id, c.abbreviation
		FROM tutorials c JOIN tutorial_enrolments e ON e.tutorial_id = c.id WHERE c.unit_id = $1
		ORDER BY c.abbreviation, c.id`, unitID)
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
