package api

import (
	"context"
	"net/url"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

// Database is the method of passwords that the service keeps itself.
const Database = "database"

// Method is a way to sign in.
type Method struct {
	Method string // database, ldap, oidc or saml
	Name   string // what people call it, such as "Example University"
	// RedirectTo gives the address where a sign-in elsewhere begins, "" while it
	// cannot, and ends at the page next where our own pages serve. It must not wait for
	// anybody. Where browser is not empty, it is the secret of the browser that leaves and
	// is to come back. Nil: people type a password here.
	RedirectTo func(ctx context.Context, next, browser string) string
	SignoutURL string // where a sign-out elsewhere ends it; empty: nowhere
}

type methodOut struct {
	Method     string        `json:"method"`
	RedirectTo *string       `json:"redirect_to"`
	Methods    []namedMethod `json:"methods"`
}

type namedMethod struct {
	Method     string  `json:"method"`
	Name       string  `json:"name"`
	RedirectTo *string `json:"redirect_to"`
}

// signInMethod tells the default method, which is the first, and all there are.
func (s *Server) signInMethod(ctx context.Context, _ *access.Caller, _ none) (*methodOut, error) {
	var list []namedMethod
	for _, m := range s.methods {
		shown := namedMethod{Method: m.Method, Name: m.Name}
		if m.RedirectTo != nil {
			shown.RedirectTo = opt.NonZero(m.RedirectTo(ctx, "", ""))
		}
		list = append(list, shown)
	}
	return &methodOut{list[0].Method, list[0].RedirectTo, list}, nil
}

type signoutOut struct {
	URL *string `json:"auth_signout_url"`
}

func (s *Server) signoutURL(context.Context, *access.Caller, none) (*signoutOut, error) {
	return &signoutOut{opt.NonZero(s.SignoutURL())}, nil
}

var errNoClient = fault.New(fault.Unavailable, "This sign-in is not set up to its end: nobody said which address "+
	"people shall come back to. Ask an administrator to set it (--client-url).")

// sendOn sends the browser of a user who has proven elsewhere who they are to the
// configured client, with a ticket that POST /api/auth trades for a session; or,
// where none is configured and our own pages serve, to them with a session. The
// client is the configured one, whatever came with the request, and our pages lead to
// no other site, so that nobody is led astray; the ticket stands behind the #, which browsers keep from
// servers and their logs.
func (s *Server) sendOn(ctx context.Context, q db.Q, who *access.Caller, u *ident.User,
	next string) (endpoint.Redirect, error) {
	switch {
	case s.clientURL != "":
		ticket, err := ident.NewTicket(ctx, q, u.ID)
		v := url.Values{"authToken": {ticket}, "username": {u.Username}}
		return endpoint.Redirect{To: strings.TrimSuffix(s.clientURL, "/") + "/#/sign_in?" + v.Encode()}, err
	case s.enter != nil:
		token, err := ident.Open(ctx, q, u, vouched(who))
		return s.enter(token, next), err
	}
	return endpoint.Redirect{}, errNoClient
}

// vouched is how somebody enters whom another service vouched for: they stay, as the
// one who trades a ticket does.
func vouched(who *access.Caller) ident.Entry {
	return ident.Entry{Remember: true, From: who.From, Agent: who.Agent}
}

// EnterPages tells how a browser gets into our own pages with a session that began
// here, and on to the page it wanted, once there are pages. It is called before anything is served.
func (s *Server) EnterPages(enter func(token, next string) endpoint.Redirect) { s.enter = enter }
