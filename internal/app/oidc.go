package app

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"lectern/internal/people/sso/oidc"
	"lectern/internal/web/signin"
)

// OIDC says how people sign in by OpenID Connect.
type OIDC struct {
	Issuer     string   `placeholder:"URL" help:"The OpenID provider, as it names itself; no OpenID Connect when empty."`
	Name       string   `default:"Institution" help:"What people call the OpenID sign-in."`
	ClientID   string   `name:"client-id" placeholder:"ID" help:"Our name at the OpenID provider."`
	Secret     string   `name:"client-secret" secret:"" placeholder:"TEXT" help:"Our secret there; empty without one."`
	Scopes     []string `placeholder:"SCOPE" help:"What is asked for beside openid; profile and email when empty."`
	Login      string   `name:"login-attribute" default:"sub" placeholder:"NAME" help:"Claim that holds the login_id."`
	TrustEmail bool     `help:"Believe addresses that the provider does not say it verified."`
	SignoutURL string   `placeholder:"URL" help:"Where a sign-out goes on to."`
	Accounts
}

func (o *OIDC) config(public string) (c oidc.Config, err error) {
	c = oidc.Config{Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.Secret, Scopes: o.Scopes, Login: o.Login,
		TrustEmail: o.TrustEmail, Callback: public + "/api/auth/oidc/callback"}
	if len(c.Scopes) == 0 {
		c.Scopes = nil
	}
	if c.Rules, err = o.rules("given_name", "family_name"); err == nil {
		err = c.Check()
	}
	if err != nil {
		return c, fmt.Errorf("--oidc-…: %w", err)
	}
	return c, nil
}

// check finds settings that cannot be right.
func (o *OIDC) check() error {
	if o.Issuer == "" {
		return nil
	}
	if o.SignoutURL != "" && !origin(o.SignoutURL, true) {
		return fmt.Errorf("--oidc-signout-url %q is not an address such as https://idp.example.edu/logout", o.SignoutURL)
	}
	_, err := o.config("")
	return err
}

// openOIDC prepares the sign-in by OpenID Connect, if there is one. The provider is
// asked at the first sign-in, so that the service starts without it.
func (a *App) openOIDC(ctx context.Context) error {
	if a.OIDC.Issuer == "" {
		return nil
	}
	c, err := a.OIDC.config(a.Public())
	if err != nil {
		return err
	}
	c.Log = a.log
	a.oidc, err = oidc.New(ctx, a.db, c)
	return err
}

func (a *App) oidcMethod() signin.Method {
	start := a.Public() + "/api/auth/oidc/start"
	return signin.Method{Method: signin.OIDC, Name: a.OIDC.Name, SignoutURL: a.OIDC.SignoutURL,
		RedirectTo: func(_ context.Context, next, _ string) string { // the start knows the browser
			if next == "" {
				return start
			}
			return start + "?" + url.Values{"next": {next}}.Encode()
		}}
}

// checkOIDC asks the OpenID provider as a sign-in would.
func checkOIDC(ctx context.Context, s *Settings) []finding {
	c, err := s.OIDC.config(s.Public())
	if s.OIDC.Issuer == "" || err != nil {
		return nil // told with the other settings
	}
	l, err := oidc.See(ctx, c)
	if err != nil {
		return []finding{{What: "oidc", Saw: err.Error(), Bad: true, Advice: "Check --oidc-issuer. " + remedy(err)}}
	}
	f := finding{What: "oidc", Saw: "the provider " + s.OIDC.Issuer + " answers"}
	switch {
	case l.Skew.Abs() > time.Minute:
		f.Bad, f.Saw = true, fmt.Sprintf("the provider's clock is %s from ours", l.Skew.Abs())
		f.Advice = "Let this machine follow a time server: tokens from another time are refused."
	case !l.Expires.IsZero() && time.Until(l.Expires) < soon:
		f.Advice = "Its certificate ends on " + l.Expires.Format(time.DateOnly) + ": have it renewed."
	default:
		f.Advice = "Let the provider send people back to " + c.Callback + "."
	}
	return []finding{f}
}
