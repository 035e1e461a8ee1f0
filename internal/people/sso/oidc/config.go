// Package oidc lets people sign in with their institution by OpenID Connect: the
// code flow with PKCE. It sends them to the provider and takes who they are from
// the signed token that the provider gives for the code they bring back.
package oidc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/people/sso"
)

// Config says who we are to the provider and what its answers may do.
type Config struct {
	Issuer       string // as it names itself; its discovery document lies below
	ClientID     string
	ClientSecret string   // empty for a client without one
	Callback     string   // the address that people come back to
	Scopes       []string // beside openid; profile and email when nil
	Login        string   // the claim that holds the login_id; sub when empty
	TrustEmail   bool     // take the address also where the provider does not say that it verified it
	Rules        sso.Rules

	Within time.Duration // how long one question to the provider may take; 5 s when 0
	Log    *slog.Logger
	Client *http.Client // asks the provider; one of our own when nil
}

func (c Config) withDefaults() Config {
	if c.Scopes == nil {
		c.Scopes = []string{"profile", "email"}
	}
	c.Login = cmp.Or(c.Login, "sub")
	c.Within = cmp.Or(c.Within, 5*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Client == nil {
		c.Client = &http.Client{Transport: http.DefaultTransport}
	}
	bounded := *c.Client
	bounded.Transport = little{cmp.Or(c.Client.Transport, http.DefaultTransport)}
	// A secret must not follow where a redirect leads.
	bounded.Timeout = c.Within
	bounded.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.Client = &bounded
	return c
}

// Check finds settings that cannot be right, without asking the provider.
func (c Config) Check() error {
	var errs []error
	u, err := url.Parse(c.Issuer)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil ||
		u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		errs = append(errs, fmt.Errorf("the issuer %q is not an address such as https://idp.example.edu", c.Issuer))
	}
	if c.ClientID == "" {
		errs = append(errs, errors.New("the client id that the provider gave is missing"))
	}
	return errors.Join(errs...)
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// mostBytes bounds what the provider may answer.
const mostBytes = bounds.MB

// little is a transport whose answers end: the libraries read them whole.
type little struct{ http.RoundTripper }

func (t little) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		a.Body = &bounded{Reader: io.LimitReader(a.Body, mostBytes), Closer: a.Body}
	}
	return a, err
}

type bounded struct {
	io.Reader
	io.Closer
}

// within gives a context for one question to the provider.
func (c *Config) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.Within)
}
