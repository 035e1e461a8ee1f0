package usecase

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// PeriodRolloverPlan is what a rollover of a teaching period would make: which units it copies, what of them
// is carried and what is left behind, and which units it passes over.
type PeriodRolloverPlan struct {
	StartDate  clock.Date      `json:"start_date" doc:"the first day of the new units"`
	EndDate    clock.Date      `json:"end_date" doc:"the last day of the new units"`
	Units      []RolledUnit    `json:"units" doc:"that are copied, by code"`
	PassedOver []PassedUnit    `json:"passed_over" doc:"units of the period that are not copied, by code"`
	Carried    RolloverCarried `json:"carried" doc:"how many of each the new units get together"`
	LeftBehind RolloverLeft    `json:"left_behind" doc:"how many of each stay with the old units alone"`
}

// RolledUnit is a unit that a rollover of a teaching period copies.
type RolledUnit struct {
	ID        int64      `json:"id" doc:"of the unit that is copied"`
	Code      string     `json:"code"`
	Name      string     `json:"name"`
	PeriodID  int64      `json:"teaching_period_id" doc:"that it is copied from: the newest that has it"`
	FromStart clock.Date `json:"from_start_date" doc:"of the old unit"`
	FromEnd   clock.Date `json:"from_end_date" doc:"of the old unit"`
	Tasks     int64      `json:"tasks" doc:"task definitions that are carried"`
	Outside   int64      `json:"outside" doc:"of them, those whose target date lies outside the new unit's dates"`
	Students  int64      `json:"students" doc:"who stay with the old unit"`
}

// PassedUnit is a unit of a teaching period that a rollover does not copy.
type PassedUnit struct {
	ID     int64  `db:"id" json:"id"`
	Code   string `db:"code" json:"code"`
	Name   string `db:"name" json:"name"`
	Active bool   `db:"active" json:"active" doc:"false: it is closed"`
	Taken  bool   `db:"taken" json:"taken" doc:"whether the later period has a unit of its code already"`
}

// PlanRolloverPeriod tells what RolloverPeriod would make, and keeps nothing of it: it is the same up to the
// commit.
func (s *Service) PlanRolloverPeriod(ctx context.Context, r PeriodRollover) (*PeriodRolloverPlan, error) {
	return planned(ctx, s.DB, func(q db.Q) (*PeriodRolloverPlan, error) {
		passed, err := r.passed(ctx, q)
		if err != nil {
			return nil, err
		}
		c, err := rolloverPeriod(ctx, q, r)
		if err != nil {
			return nil, err
		}
		p := &PeriodRolloverPlan{StartDate: c.start, EndDate: c.end, Units: []RolledUnit{}}
		if err := p.count(ctx, q, c.made); err != nil {
			return nil, err
		}
		copied := map[string]bool{}
		for _, u := range p.Units {
			copied[u.Code] = true
		}
		p.PassedOver = slices.DeleteFunc(passed, func(u PassedUnit) bool { return copied[u.Code] })
		return p, nil
	})
}

// passed lists the units of the period as they are before anything is copied.
func (r PeriodRollover) passed(ctx context.Context, q db.Q) ([]PassedUnit, error) {
	return db.All[PassedUnit](ctx, q, `SELECT u.id, u.code, u.name, u.active, EXISTS (SELECT 1 FROM units t
			WHERE t.teaching_period_id = $2 AND t.code = u.code) AS taken
		FROM units u WHERE u.teaching_period_id = $1 ORDER BY u.code, u.id`, r.FromID, r.ToID)
}

// madeUnit is what a new unit has.
type madeUnit struct {
	ID      int64 `db:"id"`
	Outside int64 `db:"outside"`
	RolloverCarried
}

// oldUnit is a unit that is copied, with what it keeps.
type oldUnit struct {
	ID       int64      `db:"id"`
	Code     string     `db:"code"`
	Name     string     `db:"name"`
	PeriodID int64      `db:"teaching_period_id"`
	Start    clock.Date `db:"start_date"`
	End      clock.Date `db:"end_date"`
	RolloverLeft
}

// count tells how many of each are in the new units, and how many in the old ones alone, by two statements.
func (p *PeriodRolloverPlan) count(ctx context.Context, q db.Q, made map[int64]int64) error {
	var olds, news []int64
	for old, one := range made {
		olds, news = append(olds, old), append(news, one)
	}
	in, args := db.In(nil, news)
	carried, err := db.All[madeUnit](ctx, q, `SELECT u.id, (SELECT count(*) FROM task_definitions d WHERE d.unit_id = u.id
			AND (d.target_date < u.start_date OR d.target_date > u.end_date)) AS outside, `+carriedCounts+`
		FROM units u WHERE u.id IN `+in, args...)
	if err != nil {
		return err
	}
	has := map[int64]*madeUnit{}
	for i := range carried {
		has[carried[i].ID] = &carried[i]
		p.Carried.add(carried[i].RolloverCarried)
	}
	in, args = db.In(nil, olds)
	left, err := db.All[oldUnit](ctx, q, `SELECT u.id, u.code, u.name, u.teaching_period_id, u.start_date, u.end_date,
		`+leftCounts+` FROM units u WHERE u.id IN `+in, args...)
	if err != nil {
		return err
	}
	for _, u := range left {
		one := has[made[u.ID]]
		u.Staff -= one.Staff // who is on the new unit was on the old one
		p.LeftBehind.add(u.RolloverLeft)
		p.Units = append(p.Units, RolledUnit{ID: u.ID, Code: u.Code, Name: u.Name, PeriodID: u.PeriodID, FromStart: u.Start,
			FromEnd: u.End, Tasks: one.Tasks, Outside: one.Outside, Students: u.Students})
	}
	slices.SortFunc(p.Units, func(a, b RolledUnit) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

func (c *RolloverCarried) add(o RolloverCarried) {
	c.Tasks += o.Tasks
	c.Files += o.Files
	c.Outcomes += o.Outcomes
	c.Alignments += o.Alignments
	c.Streams += o.Streams
	c.GroupSets += o.GroupSets
	c.Snippets += o.Snippets
	c.Staff += o.Staff
}

func (l *RolloverLeft) add(o RolloverLeft) {
	l.Students += o.Students
	l.Submissions += o.Submissions
	l.Tutorials += o.Tutorials
	l.Groups += o.Groups
	l.Announced += o.Announced
	l.Staff += o.Staff
}
