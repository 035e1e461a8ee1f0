package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// AddTutorial makes a tutorial in a unit, for whoever holds policy.EditTutorials. It refuses
// a tutor who is not on the unit's staff, and with fault.Conflict an abbreviation that is
// taken.
func (s *Service) AddTutorial(ctx context.Context, unitID int64, c enrol.TutorialChange) (*enrol.Tutorial, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Tutorial, error) {
		return enrol.AddTutorial(ctx, q, unitID, c)
	})
}

// ChangeTutorial changes a tutorial, for whoever holds policy.EditTutorials. It refuses what
// AddTutorial refuses, a campus or stream in which the students in it could not have enrolled, and
// with fault.Conflict a value that is no longer what the change says was seen.
func (s *Service) ChangeTutorial(ctx context.Context, id int64, c enrol.TutorialChange) (*enrol.Tutorial, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Tutorial, error) {
		return enrol.ChangeTutorial(ctx, q, id, c)
	})
}

// DeleteTutorial removes a tutorial, for whoever holds policy.EditTutorials. It refuses with
// fault.Conflict one that groups or enrolled students use.
func (s *Service) DeleteTutorial(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return enrol.DeleteTutorial(ctx, q, id) })
}

// ChangeStream changes the stream of a unit that has this abbreviation, for whoever holds
// policy.EditTutorials. It refuses with fault.Conflict a name or an abbreviation that is
// taken, and a value that is no longer what the change says was seen.
func (s *Service) ChangeStream(ctx context.Context, unitID int64, abbreviation string,
	c enrol.StreamChange) (*enrol.Stream, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Stream, error) {
		return enrol.ChangeStream(ctx, q, unitID, abbreviation, c)
	})
}

// TutorialPlace is a student's place in a tutorial of their unit.
type TutorialPlace struct {
	ProjectID, TutorialID int64

	// Where TutorialID is 0, these name the tutorial.
	UnitID       int64
	Abbreviation string
}

func (p TutorialPlace) tutorial(ctx context.Context, q db.Q) (int64, error) {
	if p.TutorialID != 0 {
		return p.TutorialID, nil
	}
	return enrol.TutorialNamed(ctx, q, p.UnitID, p.Abbreviation)
}

// JoinTutorial enrols a student in a tutorial, out of the one they have in its stream, for
// whoever holds policy.ChangeTutorial, and gives all tutorials they are in then. A full one
// takes them only if the caller holds policy.ExceedCapacity. It refuses a student who is
// withdrawn or whom a group holds in their class, and a tutorial of another campus.
func (s *Service) JoinTutorial(ctx context.Context, who *access.Caller, p TutorialPlace) ([]enrol.Enrolment, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) ([]enrol.Enrolment, error) {
		tutorial, err := p.tutorial(ctx, q)
		if err != nil {
			return nil, err
		}
		if err := enrol.JoinTutorial(ctx, q, p.ProjectID, tutorial, who.May(policy.ExceedCapacity)); err != nil {
			return nil, err
		}
		return enrol.EnrolmentsOf(ctx, q, p.ProjectID)
	})
}

// LeaveTutorial takes a student out of a tutorial, for whoever holds policy.ChangeTutorial. It
// refuses a student whom a group holds in their class, and with fault.Missing one who is not
// in it.
func (s *Service) LeaveTutorial(ctx context.Context, p TutorialPlace) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		tutorial, err := p.tutorial(ctx, q)
		if err != nil {
			return err
		}
		return enrol.LeaveTutorial(ctx, q, p.ProjectID, tutorial)
	})
}
