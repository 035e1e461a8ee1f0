package app

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/people/sso/ldap"
)

// LDAP says how people sign in by the passwords of a directory.
type LDAP struct {
	URL      []string      `name:"url" placeholder:"URL" help:"ldaps://host, or ldap://host for StartTLS; several."`
	Name     string        `default:"University account" help:"What people call the passwords of the directory."`
	CA       string        `name:"ca" placeholder:"FILE" help:"PEM file of who vouches for the servers; else the system."`
	DN       string        `name:"dn" placeholder:"DN" help:"Pattern such as uid=%s,ou=people,dc=example,dc=edu."`
	Base     string        `placeholder:"DN" help:"Where people are searched, in place of a pattern."`
	Filter   string        `default:"(uid=%s)" help:"How they are searched; %s is the name that was typed."`
	BindDN   string        `name:"bind-dn" placeholder:"DN" help:"Who searches; nobody in particular when empty."`
	Password string        `name:"bind-password" secret:"" placeholder:"TEXT" help:"Password of who searches."`
	Login    string        `name:"login-attribute" default:"uid" placeholder:"NAME" help:"Holds the login_id."`
	Mail     string        `name:"email-attribute" default:"mail" placeholder:"NAME" help:"Holds the person's address."`
	Within   time.Duration `default:"8s" help:"Longest that a sign-in waits for the directory."`
	Accounts
}

func (l *LDAP) config() (c ldap.Config, err error) {
	c = ldap.Config{Servers: l.URL, CA: l.CA, DN: l.DN, Base: l.Base, Filter: l.Filter, BindDN: l.BindDN,
		Password: l.Password, Login: l.Login, Mail: l.Mail, Within: l.Within}
	if c.Rules, err = l.rules("givenName", "sn"); err == nil {
		err = c.Check()
	}
	if err == nil && (l.Within < time.Second || l.Within > 30*time.Second) {
		err = fmt.Errorf("%s is not a time from 1s to 30s", l.Within)
	}
	if err != nil {
		return c, fmt.Errorf("--ldap-…: %w", err)
	}
	return c, nil
}

// check finds settings that cannot be right.
func (l *LDAP) check() error {
	if len(l.URL) == 0 {
		return nil
	}
	_, err := l.config()
	return err
}

// openDirectory prepares the sign-in by a directory, if there is one. Its servers
// are asked at the first sign-in, so that the service starts without them.
func (a *App) openDirectory() error {
	if len(a.LDAP.URL) == 0 {
		return nil
	}
	c, err := a.LDAP.config()
	if err != nil {
		return err
	}
	c.Log = a.log
	a.directory, err = ldap.New(c)
	return err
}

// checkLDAP asks every server of the directory as a sign-in would.
func checkLDAP(ctx context.Context, s *Settings) (all []finding) {
	c, err := s.LDAP.config()
	if len(s.LDAP.URL) == 0 || err != nil {
		return nil // told with the other settings
	}
	d, err := ldap.New(c)
	if err != nil {
		return []finding{{What: "ldap", Saw: err.Error(), Bad: true, Advice: "Correct the --ldap- settings."}}
	}
	for _, l := range d.Look(ctx) {
		f := finding{What: "ldap", Saw: l.Server + " answers"}
		switch {
		case l.Err != nil:
			f.Saw, f.Bad, f.Advice = l.Server+": "+l.Err.Error(), true, remedy(l.Err)
		case time.Until(l.Expires) < soon:
			f.Advice = "Its certificate ends on " + l.Expires.Format(time.DateOnly) + ": have it renewed."
		}
		all = append(all, f)
	}
	return all
}
