package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/health"
)

// SetupState tells how far a new installation is set up.
type SetupState struct {
	Administrator bool // there is one
	Factor        bool // the caller has a second factor
	Address       bool // people's address of the service is set
	SignIn        bool // people can sign in by the institution's accounts
	Mail          bool // emails are sent
	Periods       bool // there is a teaching period
	Units         bool // there is a unit
	People        bool // there is somebody besides administrators
	Backups       bool // a backup was made, or is planned
	Pending       []string
}

// Setup tells how far the installation is set up, for whoever holds policy.SeeSettings.
func (s *Service) Setup(ctx context.Context, who *access.Caller) (*SetupState, error) {
	list, err := s.ServiceSettings()
	if err != nil {
		return nil, err
	}
	set := func(name string) bool { return list.Next(name) != "" || list.Of(name).Set && !list.Of(name).Pending }
	out := &SetupState{Address: set("LECTERN_PUBLIC_URL") || set("LECTERN_ACME_DOMAIN"), Mail: s.Mailer.Sends(),
		SignIn: set("LECTERN_OIDC_ISSUER") || set("LECTERN_SAML_METADATA") || set("LECTERN_LDAP_URL")}
	for _, one := range list.Settings {
		if one.Pending {
			out.Pending = append(out.Pending, one.Name)
		}
	}
	return out, s.DB.View(ctx, func(q db.Q) error {
		found, err := db.One[struct {
			Periods bool `db:"periods"`
			Units   bool `db:"units"`
			People  bool `db:"people"`
		}](ctx, q, `SELECT EXISTS (SELECT 1 FROM teaching_periods) AS periods, EXISTS (SELECT 1 FROM units) AS units,
			EXISTS (SELECT 1 FROM users WHERE role <> $1) AS people`, int64(policy.Admin))
		if err != nil {
			return err
		}
		out.Periods, out.Units, out.People = found.Periods, found.Units, found.People
		factor, err := s.Passwords.Factor(ctx, q, who)
		if err != nil {
			return err
		}
		out.Factor = factor.Enabled
		state, err := backup.StateOf(ctx, q)
		if err != nil {
			return err
		}
		out.Backups = state.Every != nil || state.Made != nil
		out.Administrator, err = ident.HasAdministrator(ctx, q)
		return err
	})
}

// ServiceLooks tells what the doctor finds of a part of the settings as they are, for whoever holds
// policy.SeeSettings.
func (s *Service) ServiceLooks(ctx context.Context, part SettingPart) ([]health.Finding, error) {
	k, err := s.keeper()
	if err != nil {
		return nil, err
	}
	return k.Look(ctx, part, nil), nil
}

// OwnAddress is the email address of the caller.
func (s *Service) OwnAddress(ctx context.Context, who *access.Caller) (string, error) {
	u, err := ident.ByID(ctx, s.DB.Pool(), who.ID)
	if err != nil {
		return "", err
	}
	return u.Email, nil
}
