package usecase

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
)

// RolloverPlan is what a rollover of a unit would make: what it carries, where the dates of its tasks
// fall, and what it leaves behind.
type RolloverPlan struct {
	Code             string          `json:"code" doc:"of the old unit and of the new one"`
	Name             string          `json:"name" doc:"of the old unit and of the new one"`
	TeachingPeriodID int64           `json:"teaching_period_id" doc:"the number of the teaching period it is copied into"`
	StartDate        clock.Date      `json:"start_date" doc:"the first day of the new unit"`
	EndDate          clock.Date      `json:"end_date" doc:"the last day of the new unit"`
	PortfolioDate    *clock.Date     `json:"portfolio_auto_generation_date" doc:"in the new unit; null for none"`
	Carried          RolloverCarried `json:"carried" doc:"how many of each the new unit gets"`
	LeftBehind       RolloverLeft    `json:"left_behind" doc:"how many of each stay with the old unit alone"`
	Tasks            []RolloverTask  `json:"tasks" doc:"with their dates in both units, by the new target date"`
}

// RolloverCarried counts what a rollover copies.
type RolloverCarried struct {
	Tasks      int64 `db:"tasks" json:"tasks" doc:"task definitions"`
	Files      int64 `db:"files" json:"files" doc:"task sheets, resources, test packages and templates"`
	Outcomes   int64 `db:"outcomes" json:"outcomes" doc:"learning outcomes"`
	Alignments int64 `db:"alignments" json:"alignments" doc:"of tasks with learning outcomes"`
	Streams    int64 `db:"streams" json:"tutorial_streams" doc:"tutorial streams"`
	GroupSets  int64 `db:"group_sets" json:"group_sets" doc:"group sets"`
	Snippets   int64 `db:"snippets" json:"snippets" doc:"reusable comments of the unit"`
	Staff      int64 `db:"staff" json:"staff" doc:"the main convenor, and who asks for it where they convene the unit"`
}

// RolloverLeft counts what a rollover leaves behind.
type RolloverLeft struct {
	Students    int64 `db:"students" json:"students" doc:"who are enrolled"`
	Submissions int64 `db:"submissions" json:"submissions" doc:"of students"`
	Tutorials   int64 `db:"tutorials" json:"tutorials" doc:"with their tutors, places and times"`
	Groups      int64 `db:"groups_" json:"groups" doc:"of students"`
	Announced   int64 `db:"announced" json:"announcements" doc:"to the students"`
	Staff       int64 `db:"others" json:"staff" doc:"of the old unit who are not on the new one"`
}

// RolloverTask is a task with its dates in both units.
type RolloverTask struct {
	Abbreviation string      `db:"abbreviation" json:"abbreviation"`
	Name         string      `db:"name" json:"name"`
	StartDate    clock.Date  `db:"start_date" json:"start_date" doc:"in the new unit"`
	TargetDate   clock.Date  `db:"target_date" json:"target_date" doc:"in the new unit"`
	DueDate      *clock.Date `db:"due_date" json:"due_date" doc:"in the new unit; null: its last day"`
	FromStart    clock.Date  `db:"from_start" json:"from_start_date" doc:"in the old unit"`
	FromTarget   clock.Date  `db:"from_target" json:"from_target_date" doc:"in the old unit"`
	FromDue      *clock.Date `db:"from_due" json:"from_due_date" doc:"in the old unit; null: its last day"`
	Outside      bool        `db:"-" json:"outside" doc:"whether the target date lies outside the new unit's dates"`
}

// PlanRollover tells what RolloverUnit would make of a unit, and keeps nothing of it: it is the same up
// to the commit.
func (s *Service) PlanRollover(ctx context.Context, who *access.Caller, unitID int64, r UnitRollover) (*RolloverPlan,
	error) {
	return planned(ctx, s.DB, func(q db.Q) (*RolloverPlan, error) {
		made, err := rolloverUnit(ctx, q, who, unitID, r)
		if err != nil {
			return nil, err
		}
		p := &RolloverPlan{Code: made.Code, Name: made.Name, TeachingPeriodID: r.PeriodID, StartDate: made.StartDate,
			EndDate: made.EndDate, PortfolioDate: made.Unit.PortfolioDate}
		if err := p.count(ctx, q, unitID, made.ID); err != nil {
			return nil, err
		}
		return p, p.date(ctx, q, unitID, made.ID)
	})
}

// carriedCounts count what a new unit u has.
const carriedCounts = `
	(SELECT count(*) FROM task_definitions WHERE unit_id = u.id) AS tasks,
	(SELECT count(sheet_hash) + count(resources_hash) + count(assessment_hash) + count(template_hash)
		FROM task_definitions WHERE unit_id = u.id) AS files,
	(SELECT count(*) FROM learning_outcomes WHERE unit_id = u.id) AS outcomes,
	(SELECT count(*) FROM learning_outcome_links l JOIN task_definitions d ON d.id = l.task_definition_id
		WHERE d.unit_id = u.id) AS alignments,
	(SELECT count(*) FROM tutorial_streams WHERE unit_id = u.id) AS streams,
	(SELECT count(*) FROM group_sets WHERE unit_id = u.id) AS group_sets,
	(SELECT count(*) FROM snippets WHERE unit_id = u.id) AS snippets,
	(SELECT count(*) FROM unit_roles WHERE unit_id = u.id) AS staff`

// leftCounts count what an old unit u keeps for itself, with all of its staff.
const leftCounts = `
	(SELECT count(*) FROM projects WHERE unit_id = u.id AND enrolled) AS students,
	(SELECT count(*) FROM submissions WHERE unit_id = u.id) AS submissions,
	(SELECT count(*) FROM tutorials WHERE unit_id = u.id) AS tutorials,
	(SELECT count(*) FROM unit_groups g JOIN group_sets s ON s.id = g.group_set_id WHERE s.unit_id = u.id) AS groups_,
	(SELECT count(*) FROM announcements WHERE unit_id = u.id) AS announced,
	(SELECT count(*) FROM unit_roles WHERE unit_id = u.id) AS others`

// count tells how many of each are in the new unit, and how many in the old one alone.
func (p *RolloverPlan) count(ctx context.Context, q db.Q, old, made int64) error {
	carried, err := db.One[RolloverCarried](ctx, q, `SELECT `+carriedCounts+` FROM units u WHERE u.id = $1`, made)
	if err != nil {
		return err
	}
	left, err := db.One[RolloverLeft](ctx, q, `SELECT `+leftCounts+` FROM units u WHERE u.id = $1`, old)
	if err != nil {
		return err
	}
	left.Staff -= carried.Staff // who is on the new unit was on the old one
	p.Carried, p.LeftBehind = *carried, *left
	return nil
}

// date lists the tasks with their dates in both units.
func (p *RolloverPlan) date(ctx context.Context, q db.Q, old, made int64) (err error) {
	p.Tasks, err = db.All[RolloverTask](ctx, q, `SELECT n.abbreviation, n.name, n.start_date, n.target_date, n.due_date,
			o.start_date AS from_start, o.target_date AS from_target, o.due_date AS from_due
		FROM task_definitions n JOIN task_definitions o ON o.unit_id = $1 AND o.abbreviation = n.abbreviation
		WHERE n.unit_id = $2 ORDER BY n.target_date, n.abbreviation, n.id`, old, made)
	for i := range p.Tasks {
		t := &p.Tasks[i]
		t.Outside = t.TargetDate.Before(p.StartDate) || t.TargetDate.After(p.EndDate)
	}
	return err
}
