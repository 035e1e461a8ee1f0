package usecase

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// TutorialChoices lists the tutorials of a project's unit with what keeps its student
// from joining or leaving each, for who asks; who must be resolved on the project.
// There are none for whoever may not read the unit any more.
func TutorialChoices(ctx context.Context, q db.Q, who *access.Caller, projectID int64) ([]enrol.Choice, error) {
	if !who.May(policy.ReadUnit) {
		return []enrol.Choice{}, nil
	}
	list, err := enrol.ChoicesOf(ctx, q, who.UnitID, projectID, who.May(policy.ExceedCapacity))
	for i := range list {
		list[i].Refusal = toReader(who, list[i].Why)
	}
	if refusal := who.Must(policy.ChangeTutorial); refusal != nil {
		for i := range list {
			list[i].Refusal = refusal.Error()
		}
	}
	return list, err
}

// toReader gives what is refused to a student in words for who reads it: the student,
// or somebody else.
func toReader(who *access.Caller, refusal error) string {
	switch {
	case refusal == nil:
		return ""
	case who.ID == who.OwnerID:
		return fault.ToThemselves(refusal).Error()
	}
	return refusal.Error()
}

// GroupSetChoice is a set of groups with what its rules and the caller's rights say.
type GroupSetChoice struct {
	enrol.SetChoice
	// Create, Change and Rename say why the caller cannot make a group, join or leave
	// one, or rename the student's own; nothing where they can.
	Create string `json:"create_refusal"`
	Change string `json:"change_refusal"`
	Rename string `json:"rename_refusal"`
}

// GroupChoices lists the sets of groups of a project's unit with what keeps its
// student from making, joining, leaving and renaming groups, for who asks; who must be
// resolved on the project. There are none for whoever may not read the unit any more.
func GroupChoices(ctx context.Context, q db.Q, who *access.Caller, projectID int64) ([]GroupSetChoice, error) {
	if !who.May(policy.ListGroups) || !who.May(policy.ReadUnit) {
		return []GroupSetChoice{}, nil
	}
	list, err := enrol.GroupChoicesOf(ctx, q, who.UnitID, projectID, who.May(policy.OverfillGroup))
	if err != nil {
		return nil, err
	}
	out := make([]GroupSetChoice, len(list))
	for i, s := range list {
		for k := range s.Groups {
			s.Groups[k].Refusal = toReader(who, s.Groups[k].Why)
		}
		if s.Own != nil {
			s.Own.Refusal = toReader(who, s.Own.Why)
		}
		out[i] = GroupSetChoice{SetChoice: s}
		out[i].permit(standIn(who, &s))
	}
	return out, nil
}

// standIn gives the caller with their standing in a set of groups and in the group of
// the project there, as if a request had named these.
func standIn(who *access.Caller, s *enrol.SetChoice) *access.Caller {
	w := *who
	if w.Who&policy.Owner == 0 {
		return &w
	}
	if s.StudentsManageGroups {
		w.Who |= policy.OwnerManaging
	}
	if s.StudentsCreateGroups && !s.Locked {
		w.Who |= policy.StudentCreating
	}
	if s.Own != nil {
		w.Who |= policy.GroupMember
		if s.StudentsManageGroups && !s.Locked && !s.Own.Locked {
			w.Who |= policy.GroupMemberManaging
		}
	}
	return &w
}

// permit fills in what the caller's rights say.
func (c *GroupSetChoice) permit(who *access.Caller) {
	for right, why := range map[*policy.Right]*string{policy.CreateGroups: &c.Create, policy.ChangeGroup: &c.Change,
		policy.EditGroup: &c.Rename} {
		if err := who.Must(right); err != nil {
			*why = err.Error()
		}
	}
	if c.Own != nil && !who.May(policy.ReadMembers) {
		c.Members = []enrol.Member{}
	}
}
