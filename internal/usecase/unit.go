package usecase

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
)

// CreateUnit makes a unit of the values in c, with defaults for the rest, and employs its
// main convenor, for whoever holds policy.CreateUnits. It refuses a convenor who is no
// Convenor or Admin, dates outside the teaching period, and with fault.Conflict a code that
// is taken there. Whoever gave the values may see them, for this once, even where they have
// no part in the unit.
func (s *Service) CreateUnit(ctx context.Context, who *access.Caller, c course.UnitChange,
	convenorID int64) (*FullUnit, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*FullUnit, error) { return createUnit(ctx, q, who, c, convenorID) })
}

// createUnit is CreateUnit in a transaction.
func createUnit(ctx context.Context, q db.Q, who *access.Caller, c course.UnitChange, convenorID int64) (*FullUnit,
	error) {
	id, err := course.AddUnit(ctx, q, c, convenorID)
	if err != nil {
		return nil, err
	}
	who, err = access.Resolve(ctx, q, *who, access.Scope{Unit: id})
	if err != nil {
		return nil, err
	}
	who.Who |= policy.UnitConvenor
	return UnitByID(ctx, q, who, id)
}

// UnitChange is what to set of a unit, with what reaches beyond its own record.
type UnitChange struct {
	course.UnitChange
	MainConvenorID    *int64                // a unit role of the unit
	DraftDefinitionID course.Setting[int64] // the definition of the draft learning summary
	Seen              *UnitChange           // what of it whoever changes it saw; nil: whatever it was
}

// ChangeUnit makes all of a change of a unit or, with an error, nothing of it, for whoever
// holds policy.EditUnit. When the start of the unit moves, its task definitions move as many
// days. It refuses what CreateUnit refuses, and with fault.Conflict a value that is no longer
// what the change says was seen.
func (s *Service) ChangeUnit(ctx context.Context, who *access.Caller, id int64, c UnitChange) (*FullUnit, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*FullUnit, error) { return changeUnit(ctx, q, who, id, c) })
}

// PlanUnit tells what ChangeUnit would make of a unit, and changes nothing: it is the same up to
// the commit.
func (s *Service) PlanUnit(ctx context.Context, who *access.Caller, id int64, c UnitChange) (*FullUnit, error) {
	return planned(ctx, s.DB, func(q db.Q) (*FullUnit, error) { return changeUnit(ctx, q, who, id, c) })
}

// changeUnit is ChangeUnit in a transaction.
func changeUnit(ctx context.Context, q db.Q, who *access.Caller, id int64, c UnitChange) (*FullUnit, error) {
	if err := c.save(ctx, q, id); err != nil {
		return nil, err
	}
	if err := c.beyond(ctx, q, id); err != nil {
		return nil, err
	}
	c.Seen = nil // it changes nothing
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Unit, Action: audit.Changed, UnitID: id,
		Fields: audit.Given(c)}); err != nil {
		return nil, err
	}
	return UnitByID(ctx, q, who, id)
}

// save makes the part of the change that the unit's own record holds, and moves
// its task definitions with its start.
func (c UnitChange) save(ctx context.Context, q db.Q, id int64) error {
	seen, err := course.UnitByID(ctx, q, id)
	if err != nil {
		return err
	}
	period, err := c.HeldPeriod(ctx, q, seen)
	if err != nil {
		return err
	}
	old, err := course.LockUnit(ctx, q, id)
	if err != nil {
		return err
	}
	if !opt.Same(seen.TeachingPeriodID, old.TeachingPeriodID) {
		return fault.New(fault.Conflict, "Somebody moved the unit to another teaching period at the same moment, so "+
			"nothing was saved. Look at the unit and try again.")
	}
	if err := c.clashes(old); err != nil {
		return err
	}
	unit := c.Merge(*old, period)
	if err := unit.Check(ctx, q, period); err != nil {
		return err
	}
	if err := course.SaveUnit(ctx, q, &unit); err != nil {
		return err
	}
	return shiftDefinitions(ctx, q, unit.StartDate.DaysSince(old.StartDate), `id = $2`, id)
}

// clashes refuses a change of values that somebody else changed since they were seen.
func (c UnitChange) clashes(u *course.Unit) error {
	if c.Seen == nil {
		return nil
	}
	var wrong fault.Fields
	c.Clashes(*u, c.Seen.UnitChange, &wrong)
	if seen := c.Seen.MainConvenorID; seen != nil && c.MainConvenorID != nil {
		course.Clash(&wrong, "main_convenor_id", u.MainConvenorID, seen, c.MainConvenorID)
	}
	if seen := c.Seen.DraftDefinitionID; seen.Set && c.DraftDefinitionID.Set {
		course.Clash(&wrong, "draft_task_definition_id", u.DraftTaskDefinitionID, seen.To, c.DraftDefinitionID.To)
	}
	return wrong.Err(fault.Conflict)
}

// beyond makes the part of the change that other records hold.
func (c UnitChange) beyond(ctx context.Context, q db.Q, unitID int64) error {
	if c.MainConvenorID != nil {
		if err := course.SetMainConvenor(ctx, q, unitID, *c.MainConvenorID); err != nil {
			return err
		}
	}
	if !c.DraftDefinitionID.Set {
		return nil
	}
	return taskdef.SetDraftSummary(ctx, q, unitID, c.DraftDefinitionID.To)
}
