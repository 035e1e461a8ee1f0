package signin

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/web/endpoint"
)

// The methods by which people sign in.
const (
	Database = "database" // passwords that the service keeps itself
	LDAP     = "ldap"     // passwords that a directory keeps
	SAML     = "saml"     // an institution's own sign-in by SAML 2.0
	OIDC     = "oidc"     // an institution's own sign-in by OpenID Connect
)

// Method is how people sign in.
type Method struct {
	Method string // one of the above
	Name   string // what people call it, such as "Example University"
	// RedirectTo gives the address where a sign-in elsewhere begins, "" while it
	// cannot, and ends at the page next where our own pages serve. It must not wait for
	// anybody. Where browser is not empty, it is the secret of the browser that leaves and
	// is to come back. Nil: people type a password here.
	RedirectTo func(ctx context.Context, next, browser string) string
	SignoutURL string // where a sign-out elsewhere ends it; empty: nowhere
}

// SignInMethod is a Method as people are offered it.
type SignInMethod struct {
	Method, Name string
	Address      string // where it begins elsewhere; "" where people type a password here, or it cannot begin
}

// AllMethods lists all methods, the default first, for clients that are no pages of ours.
func (s *Service) AllMethods(ctx context.Context) []SignInMethod { return s.offer(ctx, "", "") }

// SignInMethods lists where people sign in elsewhere, to come back to the page next; those
// that cannot be reached are left out. The cookie, where there is one, is for the browser
// that is shown them.
func (s *Service) SignInMethods(ctx context.Context, next string) (list []SignInMethod, keep *http.Cookie) {
	secret, keep := s.bound(ctx)
	for _, m := range s.offer(ctx, next, secret) {
		if m.Address != "" {
			list = append(list, m)
		}
	}
	return list, keep
}

// PasswordMethods lists the methods whose passwords people type here, the default first.
func (s *Service) PasswordMethods() (list []SignInMethod) {
	for _, m := range s.Methods {
		if m.RedirectTo == nil {
			list = append(list, SignInMethod{Method: m.Method, Name: m.Name})
		}
	}
	return list
}

func (s *Service) offer(ctx context.Context, next, browser string) []SignInMethod {
	list := make([]SignInMethod, len(s.Methods))
	for i, m := range s.Methods {
		list[i] = SignInMethod{Method: m.Method, Name: m.Name}
		if m.RedirectTo != nil {
			list[i].Address = m.RedirectTo(ctx, next, browser)
		}
	}
	return list
}

// SignoutURL is where a sign-out goes on to, "" for nowhere: the first there is, for of
// the methods that lead elsewhere an installation has one, as a rule.
func (s *Service) SignoutURL() string {
	for _, m := range s.Methods {
		if m.SignoutURL != "" {
			return m.SignoutURL
		}
	}
	return ""
}

var errNoClient = fault.New(fault.Unavailable, "This sign-in is not fully set up: the address to return to is "+
	"missing. Ask an administrator to set it (--client-url).")

// sendOn sends the browser of somebody who has proven elsewhere who they are to the
// configured client, with a ticket that POST /api/auth trades for a session; or,
// where none is configured and our own pages serve, to them with a session. The
// client is the configured one, whatever came with the request, and our pages lead to
// no other site, so that nobody is led astray; the ticket stands behind the #, which browsers keep from
// servers and their logs.
func (s *Service) sendOn(ctx context.Context, who *access.Caller, account ident.Matching,
	next string) (endpoint.Redirect, error) {
	switch {
	case s.ClientURL != "":
		u, ticket, err := s.Usecases.AddTicket(ctx, account)
		if err != nil {
			return endpoint.Redirect{}, err
		}
		v := url.Values{"authToken": {ticket}, "username": {u.Username}}
		return endpoint.Redirect{To: strings.TrimSuffix(s.ClientURL, "/") + "/#/sign_in?" + v.Encode()}, nil
	case s.Pages:
		in, err := s.Usecases.StartSession(ctx, account, vouched(who))
		if err != nil {
			return endpoint.Redirect{}, err
		}
		return s.StartSession(in.Token, false, next), nil
	}
	return endpoint.Redirect{}, errNoClient
}

// vouched is how somebody enters whom another service vouched for: they stay, as the
// one who trades a ticket does.
func vouched(who *access.Caller) ident.Entry {
	return ident.Entry{Remember: true, From: who.From, Agent: who.Agent}
}
