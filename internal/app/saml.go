package app

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"lectern/internal/people/sso"
	"lectern/internal/people/sso/saml"
)

// Accounts say what a sign-in elsewhere may do with the accounts here. Every method
// has its own.
type Accounts struct {
	Domains   []string `placeholder:"DOMAIN" help:"Domains in which a person's address finds their account."`
	Create    bool     `help:"Make an account for who has none."`
	Username  string   `name:"username-attribute" placeholder:"NAME" help:"User name of a new account; else the login_id."`
	FirstName string   `name:"first-name-attribute" placeholder:"NAME" help:"First name of a new account."`
	LastName  string   `name:"last-name-attribute" placeholder:"NAME" help:"Last name of a new account."`
	StudentID string   `name:"student-id-attribute" placeholder:"NAME" help:"Student number of a new account."`
	Role      string   `name:"role-attribute" placeholder:"NAME" help:"What tells the role; without it roles are ours."`
	Roles     []string `sep:";" placeholder:"VALUE=ROLE" help:"Roles by its values, such as staff=Tutor; never Admin."`
}

// rules reads them; first and last are the usual attributes of the names.
func (a *Accounts) rules(first, last string) (sso.Rules, error) {
	roles, err := sso.ParseRoles(a.Roles)
	r := sso.Rules{Domains: a.Domains, Create: a.Create, Role: a.Role, Roles: roles, Names: sso.Names{
		Username: a.Username, FirstName: cmp.Or(a.FirstName, first), LastName: cmp.Or(a.LastName, last),
		StudentID: a.StudentID}}
	return r, errors.Join(err, r.Check())
}

// SAML says how people sign in by SAML 2.0.
type SAML struct {
	Metadata    string   `placeholder:"URL" help:"Address or file of the SAML provider's metadata; no SAML when empty."`
	Name        string   `default:"Institution" help:"What people call the SAML sign-in."`
	EntityID    string   `placeholder:"ID" help:"Our name at the SAML provider; the address of our metadata when empty."`
	CertPins    []string `name:"cert-pins" placeholder:"HEX" help:"SHA-256 of the certificates to believe."`
	Unsolicited bool     `help:"Take SAML sign-ins that begin at the provider."`
	SignoutURL  string   `placeholder:"URL" help:"Where a sign-out goes on to."`
	Login       string   `name:"login-attribute" placeholder:"NAME" help:"Holds the login_id; the NameID when empty."`
	Email       string   `name:"email-attribute" default:"mail" placeholder:"NAME" help:"Holds the person's address."`
	Accounts
}

// config is what the settings say, for a service reached at public.
func (s *SAML) config(public string) (c saml.Config, err error) {
	c = saml.Config{EntityID: cmp.Or(s.EntityID, public+"/api/auth/saml/metadata"), Consumer: public + "/api/auth/jwt",
		Metadata: s.Metadata, Unsolicited: s.Unsolicited, Login: s.Login, Email: s.Email}
	for _, text := range s.CertPins {
		pin, err := saml.ParsePin(text)
		if err != nil {
			return c, fmt.Errorf("--saml-cert-pins: %w", err)
		}
		c.Pins = append(c.Pins, pin)
	}
	if c.Rules, err = s.rules("givenName", "sn"); err != nil {
		return c, fmt.Errorf("--saml-…: %w", err)
	}
	if err = c.Check(); err != nil {
		return c, fmt.Errorf("--saml-metadata: %w", err)
	}
	return c, nil
}

// check finds settings that cannot be right.
func (s *SAML) check() error {
	if s.Metadata == "" {
		return nil
	}
	if s.SignoutURL != "" && !origin(s.SignoutURL, true) {
		return fmt.Errorf("--saml-signout-url %q is not an address such as https://idp.example.edu/logout", s.SignoutURL)
	}
	_, err := s.config("")
	return err
}

// openSAML prepares the sign-in by SAML, if there is one.
func (a *App) openSAML(ctx context.Context) error {
	if a.SAML.Metadata == "" {
		return nil
	}
	c, err := a.SAML.config(a.Public())
	if err != nil {
		return err
	}
	c.Log = a.log
	a.saml, err = saml.New(ctx, a.db, c)
	return err
}

// soonOver is when the doctor begins to speak of a certificate's end.
const soonOver = 30 * 24 * time.Hour

// checkSAML looks at the identity provider as people's sign-ins will.
func checkSAML(ctx context.Context, s *Settings) []finding {
	if s.SAML.Metadata == "" {
		return nil
	}
	c, err := s.SAML.config(s.Public())
	if err != nil {
		return nil // told with the other settings
	}
	seen, err := saml.Look(ctx, c)
	if err != nil {
		return []finding{{What: "saml", Saw: err.Error(), Bad: true, Advice: "Check --saml-metadata: open it on this " +
			"machine, with curl if it is an address. Until it can be read, nobody begins to sign in by SAML."}}
	}
	all := []finding{{What: "saml", Saw: "the provider " + seen.EntityID}, certificateFinding(seen, time.Now())}
	if seen.Skew.Abs() > time.Minute {
		all = append(all, finding{What: "saml", Saw: fmt.Sprintf("the provider's clock is %s from ours", seen.Skew.Abs()),
			Bad: true, Advice: "Let this machine follow a time server: answers from another time are refused."})
	}
	if seen.WantsSigned {
		all = append(all, finding{What: "saml", Saw: "the provider wants signed requests", Bad: true,
			Advice: "Lectern sends unsigned ones, as the answer counts: turn this off for it at the provider."})
	}
	if until := seen.ValidUntil; !until.IsZero() && time.Until(until) < 0 {
		all = append(all, finding{What: "saml", Saw: "the metadata was valid until " + until.Format(time.DateOnly),
			Bad: true, Advice: "Get newer metadata of the provider."})
	}
	return all
}

// certificateFinding tells until when the provider's answers can be verified.
func certificateFinding(seen *saml.Seen, now time.Time) finding {
	var last *x509.Certificate
	for _, c := range seen.Certificates {
		if last == nil || c.NotAfter.After(last.NotAfter) {
			last = c
		}
	}
	f := finding{What: "saml", Saw: fmt.Sprintf("certificate %s is good until %s", saml.Fingerprint(last),
		last.NotAfter.Format(time.DateOnly))}
	switch {
	case now.After(last.NotAfter) || now.Before(last.NotBefore):
		f.Bad, f.Saw = true, fmt.Sprintf("certificate %s is good from %s to %s only", saml.Fingerprint(last),
			last.NotBefore.Format(time.DateOnly), last.NotAfter.Format(time.DateOnly))
		f.Advice = "Every SAML sign-in is refused: let the provider publish a new certificate, or set this machine's clock."
	case now.Add(soonOver).After(last.NotAfter):
		f.Advice = "It ends soon: ask the provider to publish the next one, and add it to --saml-cert-pins if you pin."
	}
	return f
}
