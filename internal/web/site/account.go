package site

import (
	"context"
	"net/http"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

const home = links.Home

func (s *Server) accountRoutes() {
	endpoint.Route(s.Server, "GET /{$}", http.StatusSeeOther, policy.Anybody, "Start page", s.start)
	page(s, "/sign-in", policy.Anybody, "Sign in", s.askSignIn)
	form(s, "/sign-in", policy.Anybody, "Sign in", s.signIn, endpoint.Audited(audit.SignIn))
	form(s, "/sign-out", policy.SignOut, "Sign out", s.signOut, endpoint.Audited(audit.SignOut))
	page(s, links.Password, policy.Anybody, "Choose a password", s.askPassword)
	form(s, links.Password, policy.Anybody, "Choose a password", s.setPassword, endpoint.Audited(audit.Password))
	page(s, "/forgot", policy.Anybody, "Forgotten password", s.askForgot)
	form(s, "/forgot", policy.Anybody, "Forgotten password", s.forgot, endpoint.Audited(audit.Password))
	page(s, links.ConfirmAddress, policy.Anybody, "Confirm an address", s.askConfirm)
	form(s, links.ConfirmAddress, policy.Anybody, "Confirm an address", s.confirm, endpoint.Audited(audit.Account))
}

// start leads to the home page, or to the sign-in. Old links, whose path stands
// behind a #, are read there by a script: a browser keeps that part.
func (s *Server) start(_ context.Context, who *access.Caller, _ struct{}) (endpoint.Redirect, error) {
	if who.ID == 0 {
		return endpoint.Redirect{To: "/sign-in"}, nil
	}
	return endpoint.Redirect{To: home}, nil
}

type signInIn struct {
	Username string `param:"username" text:"any"`
	Password string `param:"password" text:"any"`
	Code     string `param:"otp" text:"any"`
	Remember bool   `param:"remember"`
	Next     string `param:"next" text:"any"`
	Out      bool   `param:"out"` // somebody has just signed out
}

type signInForm struct {
	Username, Next string
	Remember, Code bool
	Ways           []ident.Way
	Elsewhere      string // where a sign-out goes on to
}

func (s *Server) signInPage(ctx context.Context, who *access.Caller, in signInIn) *Page {
	ways, keep := s.doors.Ways(ctx, in.Next)
	p := s.page(who, "sign-in", signInForm{Username: in.Username, Next: in.Next, Remember: in.Remember, Ways: ways})
	p.head = http.Header{}
	if keep != nil {
		p.head.Add("Set-Cookie", keep.String())
	}
	return p
}

func (s *Server) askSignIn(ctx context.Context, who *access.Caller, in signInIn) (*Page, error) {
	in.Username, in.Remember = "", false // never from an address
	p := s.signInPage(ctx, who, in)
	if to := s.doors.SignoutURL(); in.Out && to != "" {
		f := p.Data.(signInForm)
		f.Elsewhere = to
		p.Data = f
		p.head.Set("Refresh", "0; url="+to)
	}
	return p, nil
}

func (s *Server) signIn(ctx context.Context, who *access.Caller, in signInIn) (endpoint.Drawing, error) {
	if in.Username == "" || in.Password == "" {
		return s.again(s.signInPage(ctx, who, in), fault.New(fault.Invalid, "%s", s.word("sign-in.both")))
	}
	got, err := s.doors.SignIn(ctx, ident.Try{Username: in.Username, Password: in.Password, OTP: in.Code,
		Entry: ident.Entry{Remember: in.Remember, From: who.From, Agent: who.Agent}})
	if err != nil {
		p, err := s.again(s.signInPage(ctx, who, in), err)
		if err == nil && p.Wrong.Code == "second_factor" {
			f := p.Data.(signInForm)
			f.Code = true
			p.Data = f
		}
		return p, err
	}
	to := inside(in.Next)
	if got.Enrolling {
		to = secondFactor
	}
	return endpoint.Redirect{To: to, Cookies: []*http.Cookie{s.session(got.Token, in.Remember)}}, nil
}

// signOut ends the session, and lets the browser forget what pages kept in it:
// the computer may be shared. Where people sign in elsewhere they are led on to sign out
// there, too, by way of a page of ours: the policy lets no form lead to another site.
func (s *Server) signOut(ctx context.Context, who *access.Caller, _ struct{}) (endpoint.Drawing, error) {
	err := s.DB.Tx(ctx, func(q db.Q) error { return ident.End(ctx, q, who.SessionID) })
	to := "/sign-in"
	if s.doors.SignoutURL() != "" {
		to += "?out=true"
	}
	return endpoint.Redirect{To: to, Cookies: []*http.Cookie{s.session("", false)}, Forget: true}, err
}

type tokenIn struct {
	Token string `param:"token" text:"any"`
}

func (s *Server) askPassword(_ context.Context, who *access.Caller, in tokenIn) (*Page, error) {
	return s.page(who, "password", in), nil
}

func (s *Server) setPassword(ctx context.Context, who *access.Caller, in struct {
	tokenIn
	Password string `param:"password" text:"any"`
	Again    string `param:"again" text:"any"`
}) (endpoint.Drawing, error) {
	var err error
	if in.Password != in.Again {
		err = fault.New(fault.Refused, "%s", s.word("password.differ"))
	} else {
		err = s.doors.Passwords().UseLink(ctx, in.Token, in.Password)
	}
	if err != nil {
		return s.again(s.page(who, "password", in.tokenIn), err)
	}
	return s.told(who, "password.done"), nil
}

func (s *Server) askForgot(_ context.Context, who *access.Caller, _ struct{}) (*Page, error) {
	return s.page(who, "forgot", ""), nil
}

func (s *Server) forgot(ctx context.Context, who *access.Caller, in struct {
	Username string `param:"username" text:"any"`
}) (endpoint.Drawing, error) {
	if err := s.doors.Forgot(ctx, who, in.Username); err != nil {
		return s.again(s.page(who, "forgot", in.Username), err)
	}
	return s.told(who, "forgot.done"), nil
}

func (s *Server) askConfirm(_ context.Context, who *access.Caller, in tokenIn) (*Page, error) {
	return s.page(who, "confirm-address", in), nil
}

func (s *Server) confirm(ctx context.Context, who *access.Caller, in tokenIn) (endpoint.Drawing, error) {
	if err := s.doors.ConfirmAddress(ctx, in.Token); err != nil {
		return s.again(s.page(who, "confirm-address", in), err)
	}
	return s.told(who, "confirm-address.done"), nil
}

// told is a page that says that something is done, and leads on.
func (s *Server) told(who *access.Caller, key string) *Page {
	return s.page(who, "done", key)
}
