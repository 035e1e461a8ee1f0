package usecase

import (
	"context"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/search"
	"lectern/internal/usecase/privacy"
)

// PersonDetail is all that administrators see of one person's account.
type PersonDetail struct {
	ident.Person
	ident.AccountDetail
	UnitList   []PersonUnit             `json:"unit_list" doc:"in which the person teaches or studies"`
	Invitation *notify.PersonInvitation `json:"invitation" doc:"null: none is remembered"`
	Erasure    *privacy.Erasure         `json:"erasure" doc:"null: none waits"`
}

// PersonUnit is a unit of a person.
type PersonUnit struct {
	ID        int64           `json:"id"`
	Code      string          `json:"code"`
	Name      string          `json:"name"`
	Active    bool            `json:"active"`
	Role      policy.RoleName `json:"role" enum:"" doc:"of the person in the unit"`
	ProjectID *int64          `json:"project_id" doc:"of one who studies it"`
}

// Person gives all that holders of policy.SeeAccounts see of one person, as of one moment.
func (s *Service) Person(ctx context.Context, id int64) (*PersonDetail, error) {
	return view(ctx, s.DB, func(q db.Q) (*PersonDetail, error) { return readPerson(ctx, q, id) })
}

func readPerson(ctx context.Context, q db.Q, id int64) (*PersonDetail, error) {
	p, err := ident.PersonByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	d, err := ident.DetailOf(ctx, q, id)
	if err != nil {
		return nil, err
	}
	out := &PersonDetail{Person: *p, AccountDetail: *d, UnitList: []PersonUnit{}}
	units, err := search.UnitsOf(ctx, q, &access.Caller{ID: id})
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		out.UnitList = append(out.UnitList, PersonUnit{u.ID, u.Code, u.Name, u.Active, u.MyRole, u.ProjectID})
	}
	if out.Invitation, err = notify.InvitationOf(ctx, q, id); err != nil {
		return nil, err
	}
	out.Erasure, err = privacy.ErasureOf(ctx, q, id)
	return out, err
}

// SessionsOf lists the sessions of a person, for holders of policy.SeeAccounts.
func (s *Service) SessionsOf(ctx context.Context, who *access.Caller, id int64) ([]ident.Session, error) {
	return view(ctx, s.DB, func(q db.Q) ([]ident.Session, error) {
		u, err := ident.ByID(ctx, q, id)
		if err != nil {
			return nil, err
		}
		return ident.SessionsOf(ctx, q, who, id, u.Role)
	})
}

// EndSessionOf ends a session of a person, as ident.EndOf does.
func (s *Service) EndSessionOf(ctx context.Context, id, session int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return ident.EndOf(ctx, q, id, session) })
}

// EndSessionsOf ends all sessions of a person, as ident.EndAllOf does.
func (s *Service) EndSessionsOf(ctx context.Context, who *access.Caller, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return ident.EndAllOf(ctx, q, who, id) })
}

// UnlockAccount lets whoever failed too often at an account try again, as ident.Unlock does.
func (s *Service) UnlockAccount(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return ident.Unlock(ctx, q, id) })
}

// MoveLoginID gives the login id of one account to another, as ident.MoveLoginID does; as a plan it only
// tells whether that can be.
func (s *Service) MoveLoginID(ctx context.Context, who *access.Caller, from, to int64, plan bool) (string, error) {
	run := changeAlone[string]
	if plan {
		run = planned[string]
	}
	return run(ctx, s.DB, func(q db.Q) (string, error) { return ident.MoveLoginID(ctx, q, who, from, to) })
}

// InviteAgain sends the invitation of somebody who has not come in once more, in its turn, for holders of
// policy.ManageAccounts. It refuses with fault.Conflict an account that was opened or is disabled, and one whose
// invitation waits already; where no emails are sent it is fault.Unavailable.
func (s *Service) InviteAgain(ctx context.Context, id int64) error {
	if !s.Mailer.Sends() {
		return errNoMail
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := db.Lock(ctx, q, "users", id); err != nil {
			return err
		}
		u, err := ident.ByID(ctx, q, id)
		switch {
		case err != nil:
			return err
		case *u.Disabled:
			return fault.New(fault.Conflict, "This account is disabled. Enable it first, then invite its owner.")
		case u.Opened:
			return fault.New(fault.Conflict, "%s has come in already. Make a link to set a password instead.", u.Username)
		}
		if err := s.Mailer.InviteAgain(ctx, q, id); err != nil {
			return err
		}
		return audit.Add(ctx, q, audit.Entry{Kind: audit.Password, Action: "invited", UserID: id})
	})
}

// Assurance tells whether the caller could do what asks for a sign-in a moment ago and the second factor.
type Assurance struct {
	Fresh  bool `json:"fresh_sign_in" doc:"whether this sign-in is younger than ten minutes"`
	Factor bool `json:"second_factor" doc:"whether the caller has a second factor"`
}

// DataPlan is what becomes of a person's data when it is exported or erased.
type DataPlan struct {
	Assurance
	UserID   int64            `json:"user_id"`
	Export   []string         `json:"export" doc:"what the archive holds"`
	Keep     []string         `json:"erase" doc:"what an erasure does that leaves the person's files"`
	Files    []string         `json:"erase_files" doc:"what an erasure does that removes them, too"`
	Refused  *string          `json:"refused" doc:"why the person cannot be erased; null: they can be"`
	Hours    int              `json:"waits_hours" doc:"how long an erasure waits"`
	Erasure  *privacy.Erasure `json:"erasure" doc:"null: none waits"`
	Username string           `json:"username"`
}

// PlanData tells what an export of a person's data holds and what an erasure does, for holders of
// policy.SeeAccounts. It changes nothing.
func (s *Service) PlanData(ctx context.Context, who *access.Caller, id int64) (*DataPlan, error) {
	return view(ctx, s.DB, func(q db.Q) (*DataPlan, error) {
		u, err := ident.ByID(ctx, q, id)
		if err != nil {
			return nil, err
		}
		out := &DataPlan{UserID: id, Username: u.Username, Export: privacy.ExportPlan(), Keep: privacy.Plan(u, false),
			Files: privacy.Plan(u, true), Hours: int(privacy.ErasureWait.Hours())}
		if err := privacy.MayAskErasure(ctx, q, who, id); fault.Is(err, fault.Conflict) {
			text := err.Error()
			out.Refused = &text
		} else if err != nil {
			return nil, err
		}
		if out.Erasure, err = privacy.ErasureOf(ctx, q, id); err != nil {
			return nil, err
		}
		if out.Fresh, err = ident.SignedInRecently(ctx, q, who); err != nil {
			return nil, err
		}
		f, err := s.Passwords.Factor(ctx, q, who)
		if err == nil {
			out.Factor = f.Enabled
		}
		return out, err
	})
}

// AskErasure lets a person be erased after a day, as privacy.AskErasure does, for holders of policy.EraseData who
// signed in a moment ago and give a code of their second factor.
func (s *Service) AskErasure(ctx context.Context, who *access.Caller, id int64, withFiles bool,
	code string) (e *privacy.Erasure, err error) {
	err = s.Passwords.Sure(ctx, who, "erase a person", code, func(q db.Q) (err error) {
		e, err = privacy.AskErasure(ctx, q, who, id, withFiles)
		return err
	})
	return e, err
}

// CancelErasure lets a person be who they are, as privacy.CancelErasure does.
func (s *Service) CancelErasure(ctx context.Context, id int64) error {
	return s.DB.Tx(ctx, func(q db.Q) error { return privacy.CancelErasure(ctx, q, id) })
}

// AskExport asks for the archive of a person's data and gives the link to it, as privacy.AskExport does, for
// holders of policy.ExportData who signed in a moment ago and give a code of their second factor.
func (s *Service) AskExport(ctx context.Context, who *access.Caller, id int64,
	code string) (l *privacy.ArchiveLink, err error) {
	err = s.Passwords.Sure(ctx, who, "export the data of a person", code, func(q db.Q) (err error) {
		l, err = privacy.AskExport(ctx, q, who, id)
		return err
	})
	return l, err
}

// SeeExport tells how far the archive is that a link of the caller leads to, as privacy.SeeExport does.
func (s *Service) SeeExport(ctx context.Context, who *access.Caller, token string) (*privacy.PersonExport, error) {
	return view(ctx, s.DB, func(q db.Q) (*privacy.PersonExport, error) { return privacy.SeeExport(ctx, q, who, token) })
}

// TakeExport gives the archive that a link of the caller leads to, once, as privacy.TakeExport does.
func (s *Service) TakeExport(ctx context.Context, who *access.Caller, token string) (*privacy.PersonExport, error) {
	return change(ctx, s.DB, func(q db.Q) (*privacy.PersonExport, error) { return privacy.TakeExport(ctx, q, who, token) })
}
