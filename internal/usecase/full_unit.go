package usecase

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/taskdef"
)

// FullUnit is a unit with everything taught in it, as one caller sees it.
type FullUnit struct {
	course.Unit
	MyRole *policy.RoleName `json:"my_role"`

	*UnitForStaff

	ILOs            []course.Outcome           `json:"ilos"`
	TutorialStreams []enrol.Stream             `json:"tutorial_streams"`
	Staff           []course.StaffMember       `json:"staff"`
	Tutorials       []enrol.Tutorial           `json:"tutorials"`
	TaskDefinitions []taskdef.DefinitionRecord `json:"task_definitions"`
	Alignments      []taskdef.Alignment        `json:"task_outcome_alignments"`
	GroupSets       []enrol.GroupSet           `json:"group_sets"`
	Groups          []enrol.Group              `json:"groups"`
}

// UnitForStaff is what a unit's record has for staff only.
type UnitForStaff struct {
	PortfolioDate *clock.Date `json:"portfolio_auto_generation_date"`
}

// UnitByID gives a unit as who sees it, by one statement for each kind of
// record. Their standing is looked up when who is resolved on something else, as
// whoever makes a unit is. Each part is there for those who hold the right to
// it, and empty for others.
func UnitByID(ctx context.Context, q db.Q, who *access.Caller, id int64) (*FullUnit, error) {
	if who.UnitID != id {
		var err error
		if who, err = access.Resolve(ctx, q, *who, access.Scope{Unit: id}); err != nil {
			return nil, err
		}
	}
	u, err := course.UnitByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	full := &FullUnit{Unit: *u}
	full.reveal(who)
	return full, full.fill(ctx, q, who)
}

// UnitView names what UnitByID shows who beside the values of the unit itself: those
// of the same view are shown the same.
func UnitView(who *access.Caller) string {
	return fmt.Sprint(who.MyRole(), who.May(policy.ReadUnit), who.May(policy.ListStudents), who.May(policy.ListGroups))
}

// reveal shows the settings that concern who.
func (f *FullUnit) reveal(who *access.Caller) {
	if role := who.MyRole(); role != "" {
		f.MyRole = &role
	}
	if who.May(policy.ListStudents) {
		f.UnitForStaff = &UnitForStaff{f.UnitSettings.PortfolioDate}
	}
}

// fill reads what is taught in the unit.
func (f *FullUnit) fill(ctx context.Context, q db.Q, who *access.Caller) (err error) {
	id := f.ID
	if f.ILOs, err = part(ctx, q, who, policy.ReadUnit, id, course.OutcomesOf); err != nil {
		return err
	}
	if f.Staff, err = part(ctx, q, who, policy.ReadUnit, id, course.StaffOf); err != nil {
		return err
	}
	if f.TutorialStreams, err = part(ctx, q, who, policy.ReadUnit, id, enrol.StreamsOf); err != nil {
		return err
	}
	if f.Tutorials, err = part(ctx, q, who, policy.ReadUnit, id, enrol.TutorialsOf); err != nil {
		return err
	}
	definitions, err := part(ctx, q, who, policy.ReadUnit, id, taskdef.DefinitionsOf)
	if err != nil {
		return err
	}
	f.TaskDefinitions = taskdef.Records(definitions, who.May(policy.ListStudents))
	if f.Alignments, err = part(ctx, q, who, policy.ReadUnit, id, taskdef.AlignmentsOf); err != nil {
		return err
	}
	if f.GroupSets, err = part(ctx, q, who, policy.ReadUnit, id, enrol.GroupSetsOf); err != nil {
		return err
	}
	f.Groups, err = part(ctx, q, who, policy.ListGroups, id, enrol.GroupsOfUnit)
	return err
}
