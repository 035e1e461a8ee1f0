package app

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
)

// checkAdministrators tells when no administrator could sign in as the settings are. An empty
// database gets one by the link of its first start.
func checkAdministrators(ctx context.Context, d *db.DB, s *Settings) []finding {
	people, err := ident.Count(ctx, d.Pool(), 0)
	if err == nil && people == 0 {
		return nil
	}
	var admins []ident.Administrator
	if err == nil {
		admins, err = ident.Administrators(ctx, d.Pool())
	}
	if err != nil {
		return []finding{{What: "admins", Saw: err.Error(), Bad: true,
			Advice: "Restore from a backup, or ask for help before writing to it."}}
	}
	return []finding{s.adminsFinding(admins)}
}

// adminsFinding tells how many administrators could sign in, and how.
func (s *Settings) adminsFinding(admins []ident.Administrator) finding {
	if len(admins) == 0 {
		return finding{What: "admins", Saw: "no account that is not disabled is an Admin", Bad: true,
			Advice: "Make one: lectern user add NAME --role Admin --email … --first-name … --last-name …"}
	}
	elsewhere := len(s.names()) > 1
	var here, there, shut int
	for _, a := range admins {
		kept := len(s.PasswordUsers) == 0 || ident.NamedIn(s.PasswordUsers, a.Username)
		switch {
		case kept && a.HasPassword:
			here++
		case elsewhere && a.HasLoginID:
			there++
		case !kept && a.HasPassword:
			shut++
		}
	}
	f := finding{What: "admins", Saw: fmt.Sprintf("%d of %d administrators can sign in", here+there, len(admins))}
	switch name := admins[0].Username; {
	case here == 0 && there == 0 && shut > 0:
		f.Saw, f.Bad = "no administrator can sign in: --password-users leaves them out", true
		f.Advice = "Name one of them in --password-users, such as " + name + ", or set their login_id."
	case here == 0 && there == 0:
		f.Saw, f.Bad = "no administrator can sign in: they have neither a password nor a way in from elsewhere", true
		f.Advice = "Set a password: lectern user password " + name
	case here == 0:
		f.Advice = "None of them by a password kept here: while " + strings.Join(s.names()[:len(s.names())-1], ", ") +
			" does not answer, nobody administers. To be safe: lectern user password " + name
		if len(s.PasswordUsers) > 0 {
			f.Advice += ", and --password-users " + name
		}
	}
	return f
}
