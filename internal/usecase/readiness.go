package usecase

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/week"
)

// Readiness is what a unit has and still lacks before its students can begin.
type Readiness struct {
	Ready  bool    `json:"ready" doc:"whether every check is fulfilled"`
	Checks []Check `json:"checks" doc:"in the order in which a unit is set up"`
}

// CheckName names a check of a unit.
type CheckName string

// The checks of a unit.
const (
	CheckDates        CheckName = "dates"
	CheckStaff        CheckName = "staff"
	CheckTutorials    CheckName = "tutorials"
	CheckTasks        CheckName = "tasks"
	CheckSheets       CheckName = "task_sheets"
	CheckTaskDates    CheckName = "task_dates"
	CheckBreaks       CheckName = "breaks"
	CheckRequirements CheckName = "upload_requirements"
	CheckStudents     CheckName = "students"
	CheckPlaces       CheckName = "places"
)

// CheckNames are all checks in the order in which a unit is set up.
var CheckNames = []CheckName{CheckDates, CheckStaff, CheckTutorials, CheckTasks, CheckSheets, CheckTaskDates, CheckBreaks,
	CheckRequirements, CheckStudents, CheckPlaces}

// Enum gives all names, for the documentation of the API.
func (CheckName) Enum() (out []string) {
	for _, n := range CheckNames {
		out = append(out, string(n))
	}
	return out
}

// Check is one thing that a unit needs.
type Check struct {
	Name  CheckName `json:"name" doc:"dates: the unit has at least one week; staff: it has a main convenor; tutorials: there are some, and each has a tutor; tasks: there are some; task_sheets: each has one; task_dates: none begins, is due or closes outside the unit's dates; breaks: none has its target date in a break; upload_requirements: each asks for something to submit; students: some are enrolled; places: each of them is in a tutorial"`
	OK    bool      `json:"ok" doc:"whether it is fulfilled"`
	Count int64     `json:"count" doc:"how many there are: teaching weeks, staff, tutorials, tasks or students"`
	Wrong int64     `json:"wrong" doc:"how many of them are in the way"`
	Names []string  `json:"names" doc:"the first ten of those in the way, by abbreviation; none for students"`
}

// mostNamed is how many of what is in the way are named.
const mostNamed = 10

// wrong adds one that is in the way.
func (c *Check) wrong(name string) {
	if c.Wrong++; c.Wrong <= mostNamed {
		c.Names = append(c.Names, name)
	}
}

// setUp is what a unit has been given so far, in numbers.
type setUp struct {
	Start    clock.Date `db:"start_date"`
	End      clock.Date `db:"end_date"`
	Staff    int64      `db:"staff"`
	Main     int64      `db:"main"` // convenors who are the main one: one, or none
	Students int64      `db:"students"`
	Unplaced int64      `db:"unplaced"` // students in no tutorial
}

// tutorial is a tutorial with whether somebody holds it.
type tutorial struct {
	Abbreviation string `db:"abbreviation"`
	Held         bool   `db:"held"`
}

// ReadinessOf tells what a unit has and still lacks, from four statements. Whoever asks holds
// policy.SeeReadiness; it fails with fault.Missing where there is no such unit.
func ReadinessOf(ctx context.Context, q db.Q, unitID int64) (*Readiness, error) {
	has, err := db.OneOf[setUp](ctx, q, "unit", `SELECT u.start_date, u.end_date,
			(SELECT count(*) FROM unit_roles r WHERE r.unit_id = u.id) AS staff,
			(SELECT count(*) FROM unit_roles r WHERE r.unit_id = u.id AND r.is_main) AS main,
			(SELECT count(*) FROM projects p WHERE p.unit_id = u.id AND p.enrolled) AS students,
			(SELECT count(*) FROM projects p WHERE p.unit_id = u.id AND p.enrolled AND NOT EXISTS
				(SELECT 1 FROM tutorial_enrolments e WHERE e.project_id = p.id)) AS unplaced
		FROM units u WHERE u.id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	tutorials, err := db.All[tutorial](ctx, q, `SELECT abbreviation, unit_role_id IS NOT NULL AS held FROM tutorials
		WHERE unit_id = $1 ORDER BY abbreviation`, unitID)
	if err != nil {
		return nil, fmt.Errorf("read the tutorials of a unit: %w", err)
	}
	tasks, err := taskdef.DefinitionsOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	weeks, err := course.Calendars(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	return has.readiness(tutorials, tasks, weeks[unitID]), nil
}

// readiness checks what a unit has.
func (u *setUp) readiness(tutorials []tutorial, tasks []taskdef.Definition, weeks week.Calendar) *Readiness {
	by := map[CheckName]*Check{}
	for _, name := range CheckNames {
		by[name] = &Check{Name: name, Names: []string{}, Count: int64(len(tasks))}
	}
	by[CheckDates].Count = int64(weeks.Weeks())
	by[CheckStaff].Count, by[CheckStaff].Wrong = u.Staff, 1-min(u.Main, 1)
	by[CheckTutorials].Count = int64(len(tutorials))
	for _, x := range tutorials {
		if !x.Held {
			by[CheckTutorials].wrong(x.Abbreviation)
		}
	}
	for i := range tasks {
		u.checkTask(by, &tasks[i], weeks)
	}
	by[CheckStudents].Count, by[CheckPlaces].Count, by[CheckPlaces].Wrong = u.Students, u.Students, u.Unplaced
	needed := map[CheckName]bool{CheckDates: true, CheckStaff: true, CheckTutorials: true, CheckTasks: true,
		CheckStudents: true}
	out := &Readiness{Ready: true}
	for _, name := range CheckNames {
		c := by[name]
		c.OK = c.Wrong == 0 && (c.Count > 0 || !needed[name])
		out.Ready = out.Ready && c.OK
		out.Checks = append(out.Checks, *c)
	}
	return out
}

// checkTask adds what is in the way of a task.
func (u *setUp) checkTask(by map[CheckName]*Check, d *taskdef.Definition, weeks week.Calendar) {
	for _, name := range TaskProblems(d, u.Start, u.End, weeks) {
		by[name].wrong(d.Abbreviation)
	}
}

// TaskChecks are the checks that concern single tasks.
var TaskChecks = []CheckName{CheckSheets, CheckTaskDates, CheckBreaks, CheckRequirements}

// TaskProblems are the checks that a task of a unit, of which the days and the weeks are given, stands
// in the way of.
func TaskProblems(d *taskdef.Definition, start, end clock.Date, weeks week.Calendar) (out []CheckName) {
	add := func(wrong bool, name CheckName) {
		if wrong {
			out = append(out, name)
		}
	}
	last := d.TargetDate
	if d.DueDate != nil && d.DueDate.After(last) {
		last = *d.DueDate
	}
	add(d.SheetHash == nil, CheckSheets)
	add(d.StartDate.Before(start) || last.After(end), CheckTaskDates)
	add(weeks.Position(d.TargetDate).Break != 0, CheckBreaks)
	add(len(d.Requirements) == 0, CheckRequirements)
	return out
}
