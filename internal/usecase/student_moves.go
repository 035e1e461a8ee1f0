package usecase

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
)

// MoveStudents changes campus, tutorials or enrolment of students of a unit, for whoever holds
// policy.ChangeEnrolments. A student for whom it cannot be stays as they are, and the answer says why. It
// refuses what enrol.MoveStudents refuses; then nobody changes.
func (s *Service) MoveStudents(ctx context.Context, who *access.Caller, unitID int64,
	m enrol.Move) (*enrol.Moved, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.Moved, error) {
		return enrol.MoveStudents(ctx, q, who.ID, unitID, m, false)
	})
}

// PlanMove tells what MoveStudents would come to, and changes nothing.
func (s *Service) PlanMove(ctx context.Context, who *access.Caller, unitID int64, m enrol.Move) (*enrol.Moved, error) {
	return view(ctx, s.DB, func(q db.Q) (*enrol.Moved, error) {
		return enrol.MoveStudents(ctx, q, who.ID, unitID, m, true)
	})
}

// NewStudent is somebody to be enrolled by hand.
type NewStudent struct {
	Name      string  // a user name, a student number or an address
	CampusID  int64   // below 1: none
	Tutorials []int64 // one of a stream
}

// EnrolStudent enrols the user whom Name names, by user name, student number or address, in a
// unit at a campus and in tutorials, for whoever holds policy.EnrolStudents. It refuses a name
// that nobody has, and a tutorial that they cannot be in; full ones take them from whoever holds
// policy.ExceedCapacity. One who is enrolled already stays as they are but for the tutorials.
func (s *Service) EnrolStudent(ctx context.Context, who *access.Caller, unitID int64,
	n NewStudent) (*enrol.StudentEntry, error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*enrol.StudentEntry, error) {
		return enrolStudent(ctx, q, who, unitID, n)
	})
}

// EnrolNewStudent makes an account and enrols its owner, both or neither, for whoever holds
// policy.EnrolStudents and may make accounts. It refuses what AddUser and EnrolStudent refuse. The way in is
// emailed if mailed, else the token of a link to set a password is given.
func (s *Service) EnrolNewStudent(ctx context.Context, who *access.Caller, unitID int64, account ident.NewUser,
	n NewStudent, mailed bool) (out *enrol.StudentEntry, token string, err error) {
	if !policy.MayAppoint(who.Role, 0, policy.Student) {
		return nil, "", fault.New(fault.Denied, "You may not create accounts. Ask an administrator to create it.")
	}
	account.Role, n.Name = policy.Student, account.Username
	err = s.DB.Tx(ctx, func(q db.Q) error {
		made, err := ident.Add(ctx, q, account)
		if err != nil {
			return err
		}
		if mailed && s.Mailer.Sends() {
			err = s.Mailer.Welcome(ctx, q, made.ID)
		} else {
			token, _, err = ident.NewLink(ctx, q, made.ID)
		}
		if err == nil {
			out, err = enrolStudent(ctx, q, who, unitID, n)
		}
		return err
	})
	return out, token, err
}

// enrolStudent is EnrolStudent in a transaction, for whoever has an account.
func enrolStudent(ctx context.Context, q db.Q, who *access.Caller, unitID int64,
	n NewStudent) (*enrol.StudentEntry, error) {
	user, err := ident.Find(ctx, q, n.Name)
	if err != nil {
		return nil, err
	}
	id, err := enrol.AddProject(ctx, q, who.ID, unitID, user, n.CampusID)
	if err != nil {
		return nil, err
	}
	if len(n.Tutorials) > 0 {
		m := enrol.Move{Projects: []int64{id}, Join: n.Tutorials, Exceed: who.May(policy.ExceedCapacity)}
		moved, err := enrol.MoveStudents(ctx, q, who.ID, unitID, m, false)
		if err != nil {
			return nil, err
		}
		if s := moved.Students[0]; s.Outcome == enrol.Refused {
			return nil, fault.New(fault.Conflict, "%s", s.Message)
		}
	}
	return enrol.StudentByProject(ctx, q, unitID, id)
}
