package insight

import (
	"context"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/opt"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/week"
)

// WhatIf is what another target grade would mean for a project: the tasks that come
// and go, how much is due in each week, and the burndown. Nothing is saved.
type WhatIf struct {
	ProjectID int64          `json:"project_id"`
	Present   grade.Grade    `json:"present_grade"` // what the student aims for
	Target    grade.Grade    `json:"target_grade"`  // what was asked about
	Added     []PlannedTask  `json:"added"`
	Removed   []PlannedTask  `json:"removed"`
	Weeks     []WeekLoad     `json:"weeks"`
	Burndown  *Burndown      `json:"burndown"`
	Grades    []GradeDemands `json:"grades"`
}

// PlannedTask is a task that a grade asks for.
type PlannedTask struct {
	DefinitionID int64         `json:"task_definition_id"`
	Abbreviation string        `json:"abbreviation"`
	Name         string        `json:"name"`
	TargetGrade  grade.Grade   `json:"target_grade"`
	Weighting    float64       `json:"weighting"`
	StartDate    clock.Date    `json:"start_date"`
	DueDate      clock.Date    `json:"due_date"` // with the extensions granted so far
	Status       status.Status `json:"status"`
	Dates        due.Dates     `json:"-"`
}

// WeekLoad is what is due in a week from Monday on. It is a teaching week with a
// number, or one of a break.
type WeekLoad struct {
	StartDate clock.Date `json:"start_date"`
	Week      *int       `json:"week"` // null in a break
	Present   Load       `json:"present"`
	Target    Load       `json:"target"`
	Done      Load       `json:"-"` // of what the target asks for, what is complete
}

// Load is how much work falls into a week.
type Load struct {
	Tasks     int     `json:"tasks"`
	Weighting float64 `json:"weighting"`
}

func (l *Load) add(t *portion) { l.Tasks, l.Weighting = l.Tasks+1, l.Weighting+t.Weight }

// GradeDemands is what one target grade asks for that the one below does not.
type GradeDemands struct {
	Grade grade.Grade `json:"grade"`
	Adds  Load        `json:"adds"`
	Left  int         `json:"left"` // of the tasks added, those that are not complete
	Open  float64     `json:"-"`    // the weight of those
	Last  clock.Date  `json:"-"`    // when the last of the tasks added is due
}

// WhatIfOf tells what aiming for a grade would mean for a project, in three
// statements; for none it is the grade aimed for. It refuses what nobody can aim for.
func WhatIfOf(ctx context.Context, q db.Q, projectID int64, target *grade.Grade) (*WhatIf, error) {
	if target != nil && !target.Target() {
		return nil, fault.Field(fault.Invalid, "target_grade", "must be a grade to aim for, from 0 to 3")
	}
	l, err := labourOf(ctx, q, projectID)
	if err != nil {
		return nil, err
	}
	calendars, err := course.Calendars(ctx, q, l.UnitID)
	if err != nil {
		return nil, err
	}
	return l.whatIf(opt.Or(target, l.Target), calendars[l.UnitID]), nil
}

// whatIf compares what is asked of a student now with what another grade asks for.
func (l *labour) whatIf(target grade.Grade, weeks week.Calendar) *WhatIf {
	w := &WhatIf{ProjectID: l.ProjectID, Present: l.Target, Target: target, Added: []PlannedTask{},
		Removed: []PlannedTask{}, Burndown: l.burndown(target), Weeks: l.loads(target, weeks)}
	for _, g := range grade.Targets {
		w.Grades = append(w.Grades, GradeDemands{Grade: g})
	}
	for i := range l.tasks {
		t := &l.tasks[i]
		switch {
		case t.Grade > l.Target && t.Grade <= target:
			w.Added = append(w.Added, l.planned(t))
		case t.Grade <= l.Target && t.Grade > target:
			w.Removed = append(w.Removed, l.planned(t))
		}
		demands := &w.Grades[t.Grade]
		demands.Adds.add(t)
		if at := t.dates(l.End).Due(); at.After(demands.Last) {
			demands.Last = at
		}
		if !t.complete() {
			demands.Left, demands.Open = demands.Left+1, demands.Open+t.Weight
		}
	}
	return w
}

func (l *labour) planned(t *portion) PlannedTask {
	dates := t.dates(l.End)
	dates.Zone = clock.Zone(l.TimeZone)
	return PlannedTask{DefinitionID: t.DefinitionID, Abbreviation: t.Abbreviation, Name: t.Name, TargetGrade: t.Grade,
		Weighting: t.Weight, StartDate: t.Start, DueDate: dates.Due(), Status: opt.Or(t.Status, status.NotStarted),
		Dates: dates}
}

func (t *portion) complete() bool { return opt.Or(t.Status, status.NotStarted) == status.Complete }

func (t *portion) dates(unitEnd clock.Date) due.Dates {
	return due.Dates{Target: t.Target, Deadline: due.Deadline(t.Deadline, unitEnd, t.Target), Extensions: t.Extensions}
}

// mostWeeks bounds the weeks that are told of though nothing is due in them: a unit
// may last for years.
const mostWeeks = 60

// loads sums up week by week what is due now and would be. The weeks of a unit are
// all there, unless it lasts much longer than a year: then those with work are.
func (l *labour) loads(target grade.Grade, weeks week.Calendar) []WeekLoad {
	first, last := week.MondayOf(l.Start), week.MondayOf(l.End)
	by := map[clock.Date]*WeekLoad{}
	at := func(day clock.Date) *WeekLoad {
		monday := week.MondayOf(day)
		if by[monday] == nil {
			by[monday] = &WeekLoad{StartDate: monday}
			if p := weeks.Position(monday); p.Break == 0 {
				by[monday].Week = &p.Week
			}
		}
		return by[monday]
	}
	if last.DaysSince(first) <= 7*mostWeeks {
		for d := first; !d.After(last); d = d.AddDays(7) {
			at(d)
		}
	}
	for i := range l.tasks {
		t := &l.tasks[i]
		if t.Grade <= max(l.Target, target) {
			in := at(t.dates(l.End).Due())
			if t.Grade <= l.Target {
				in.Present.add(t)
			}
			if t.Grade <= target {
				in.Target.add(t)
				if t.complete() {
					in.Done.add(t)
				}
			}
		}
	}
	return inOrder(by)
}

func inOrder(by map[clock.Date]*WeekLoad) []WeekLoad {
	out := make([]WeekLoad, 0, len(by))
	for _, w := range by {
		out = append(out, *w)
	}
	slices.SortFunc(out, func(a, b WeekLoad) int { return a.StartDate.Compare(b.StartDate.Time) })
	return out
}
