package usecase

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/moderation"
	"lectern/internal/teaching/verdict"
)

// ModerationReader is the caller as one who looks at samples of a unit.
func ModerationReader(who *access.Caller) moderation.Reader {
	return moderation.Reader{UserID: who.ID, All: who.May(policy.Moderate)}
}

// PlanSample tells what DrawSample would come to, and changes nothing.
func (s *Service) PlanSample(ctx context.Context, unitID int64, d moderation.Draw) (*moderation.Drawn, error) {
	return view(ctx, s.DB, func(q db.Q) (*moderation.Drawn, error) { return d.Preview(ctx, q, unitID) })
}

// DrawSample draws a sample from the marked work of a unit, for whoever holds policy.Moderate there. It refuses what
// moderation.Draw refuses.
func (s *Service) DrawSample(ctx context.Context, who *access.Caller, unitID int64,
	d moderation.Draw) (*moderation.Drawn, error) {
	d.UserID = who.ID
	return changeAlone(ctx, s.DB, func(q db.Q) (*moderation.Drawn, error) { return d.Take(ctx, q, unitID) })
}

// DiscardSample removes a sample of a unit that has no second mark yet, for whoever holds policy.Moderate there.
func (s *Service) DiscardSample(ctx context.Context, unitID, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return moderation.Discard(ctx, q, unitID, id) })
}

// AssignSecondMarker says who is to mark a work of a sample, for whoever holds policy.Moderate; nil: anybody.
func (s *Service) AssignSecondMarker(ctx context.Context, who *access.Caller, unitID, id int64,
	to *int64) (*moderation.Work, error) {
	return change(ctx, s.DB, func(q db.Q) (*moderation.Work, error) {
		return moderation.Assign(ctx, q, ModerationReader(who), unitID, id, to)
	})
}

// GiveSecondMark gives a work of a sample its second mark, for whoever holds policy.SecondMark in the unit. The task
// stays as it is, and nobody but the staff hears of it. It refuses what moderation.Give refuses.
func (s *Service) GiveSecondMark(ctx context.Context, who *access.Caller, unitID, id int64,
	m moderation.NewMark) (*moderation.Work, error) {
	return change(ctx, s.DB, func(q db.Q) (*moderation.Work, error) {
		return moderation.Give(ctx, q, ModerationReader(who), unitID, id, m)
	})
}

// Settling is what a convenor says of a difference, and of the task that they had before them when they did.
type Settling struct {
	moderation.Settling
	Version *int64 // of the task; it must be given unless the first mark stands
	Comment string // to the student, with what they are given; none when empty
}

// SettleDifference says which mark of a work stands, for whoever holds policy.Moderate in the unit and, unless it is
// the first, may mark the task. The student is given what stands by a verdict like any other, in the same transaction:
// where the first stands, nothing becomes of the task. A task that changed since it was seen is fault.Conflict, which
// carries what it is now, and nothing is settled.
func (s *Service) SettleDifference(ctx context.Context, who *access.Caller, unitID, id int64,
	r Settling) (*moderation.Work, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*moderation.Work, error) {
		d, err := moderation.Differ(ctx, q, ModerationReader(who), unitID, id, r.Settling)
		if err != nil {
			return nil, err
		}
		if err := giveSettled(ctx, q, who, d, r); err != nil {
			return nil, err
		}
		return d.Settle(ctx, q, ModerationReader(who))
	})
}

// giveSettled gives the student what stands, where it is not the first.
func giveSettled(ctx context.Context, q db.Q, who *access.Caller, d *moderation.Difference, r Settling) error {
	if d.Keeps {
		if r.Comment != "" {
			return fault.Field(fault.Refused, "comment", "cannot be sent: the first mark stands, so nothing is sent to the "+
				"student")
		}
		return nil
	}
	on, err := access.Permit(ctx, q, *who, access.Scope{Task: d.TaskID}, policy.GradeTask)
	if err != nil {
		return err
	}
	if err := mayMark(on, r.Comment != ""); err != nil {
		return err
	}
	word := string(d.Given.Status)
	_, err = verdict.Give(ctx, q, Mover(on), d.At, verdict.Verdict{Trigger: &word, Grade: d.Given.Grade,
		Quality: d.Given.Quality, Comment: r.Comment, Version: r.Version, Rubric: d.Rubric})
	return err
}
