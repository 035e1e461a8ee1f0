package account

import (
	"context"
	"net/http"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/signin"
	"lectern/internal/web/site/page"
)

func (s *room) accountRoutes() {
	endpoint.Route(s.Server, "GET /{$}", http.StatusSeeOther, policy.Anybody, "Start page", s.start)
	page.Show(s.Site, "/sign-in", policy.Anybody, "Sign in", s.askSignIn)
	page.Form(s.Site, "/sign-in", policy.Anybody, "Sign in", s.signIn, endpoint.Audited(audit.SignIn))
	page.Form(s.Site, "/sign-out", policy.SignOut, "Sign out", s.signOut, endpoint.Audited(audit.SignOut))
	page.Show(s.Site, links.Password, policy.Anybody, "Choose a password", s.askPassword)
	page.Form(s.Site, links.Password, policy.Anybody, "Choose a password",
		s.setPassword, endpoint.Audited(audit.Password))
	page.Show(s.Site, "/forgot", policy.Anybody, "Forgotten password", s.askForgot)
	page.Form(s.Site, "/forgot", policy.Anybody, "Forgotten password", s.forgot, endpoint.Audited(audit.Password))
	page.Show(s.Site, links.ConfirmAddress, policy.Anybody, "Confirm an address", s.askConfirm)
	page.Form(s.Site, links.ConfirmAddress, policy.Anybody, "Confirm an address",
		s.confirm, endpoint.Audited(audit.Account))
	page.Show(s.Site, links.Unsubscribe, policy.Anybody, "Unsubscribe from a kind of emails", s.askUnsubscribe)
	page.Form(s.Site, links.Unsubscribe, policy.Anybody, "Unsubscribe from a kind of emails",
		s.unsubscribe, endpoint.Audited(audit.Account))
}

// start leads to the home page, or to the sign-in. Old links, whose path stands
// behind a #, are read there by a script: a browser keeps that part.
func (s *room) start(_ context.Context, who *access.Caller, _ struct{}) (endpoint.Redirect, error) {
	if who.ID == 0 {
		return endpoint.Redirect{To: "/sign-in"}, nil
	}
	return endpoint.Redirect{To: links.Home}, nil
}

type signInIn struct {
	Username string `param:"username" text:"any"`
	Password string `param:"password" text:"any"`
	Code     string `param:"otp" text:"any"`
	Method   string `param:"method" enum:"database,ldap"` // where the password is kept
	Remember bool   `param:"remember"`
	Next     string `param:"next" text:"any"`
	Out      bool   `param:"out"` // somebody has just signed out
}

type signInForm struct {
	Username, Next string
	Remember, Code bool
	Methods        []signin.SignInMethod // elsewhere
	Passwords      []signin.SignInMethod // whose passwords are typed here
	Method         string                // of those, the one that is meant
	Elsewhere      string                // where a sign-out goes on to
}

func (s *room) signInPage(ctx context.Context, who *access.Caller, in signInIn) *page.Page {
	methods, keep := s.SignIn.SignInMethods(ctx, in.Next)
	f := signInForm{Username: in.Username, Next: in.Next, Remember: in.Remember, Methods: methods,
		Passwords: s.SignIn.PasswordMethods(), Method: in.Method}
	if f.Method == "" && len(f.Passwords) > 0 {
		f.Method = f.Passwords[0].Method
	}
	p := s.Card(who, "sign-in", f)
	p.Head = http.Header{}
	if keep != nil {
		p.Head.Add("Set-Cookie", keep.String())
	}
	return p
}

func (s *room) askSignIn(ctx context.Context, who *access.Caller, in signInIn) (*page.Page, error) {
	in.Username, in.Method, in.Remember = "", "", false // never from an address
	p := s.signInPage(ctx, who, in)
	if to := s.SignIn.SignoutURL(); in.Out && to != "" {
		f := p.Data.(signInForm)
		f.Elsewhere = to
		p.Data = f
		p.Head.Set("Refresh", "0; url="+to)
	}
	return p, nil
}

func (s *room) signIn(ctx context.Context, who *access.Caller, in signInIn) (endpoint.Drawing, error) {
	if in.Username == "" || in.Password == "" {
		return s.Again(s.signInPage(ctx, who, in), fault.New(fault.Invalid, "%s", s.Word("sign-in.both")))
	}
	method := in.Method
	if method == signin.LDAP {
		// Chosen or not, it is what the page begins with: who is named as having a password
		// here comes in by that, as where no method is sent.
		method = ""
	}
	got, err := s.SignIn.SignIn(ctx, method, ident.Credentials{Username: in.Username, Password: in.Password, OTP: in.Code,
		Entry: ident.Entry{Remember: in.Remember, From: who.From, Agent: who.Agent}})
	if err != nil {
		p, err := s.Again(s.signInPage(ctx, who, in), err)
		if err == nil && p.Wrong.Code == "second_factor" {
			f := p.Data.(signInForm)
			f.Code = true
			p.Data = f
		}
		return p, err
	}
	if got.Enrolling {
		in.Next = secondFactor
	}
	return s.SignIn.StartSession(got.Token, in.Remember, in.Next), nil
}

func (s *room) signOut(ctx context.Context, who *access.Caller, _ struct{}) (endpoint.Drawing, error) {
	return s.SignIn.EndSession(ctx, who)
}

type tokenIn struct {
	Token string `param:"token" text:"any"`
}

// passwordForm is the page of a link that sets a password: whose it is, or that it is no longer good.
type passwordForm struct {
	Token string
	For   *ident.User // nil: nobody's, so far as is known
	Ended bool
}

func (s *room) passwordForm(ctx context.Context, who *access.Caller, token string) (*page.Page, error) {
	f := passwordForm{Token: token}
	if token != "" {
		var err error
		f.For, err = s.Usecases.Passwords.LinkOf(ctx, token)
		if f.Ended = fault.Is(err, fault.Missing); err != nil && !f.Ended {
			return nil, err
		}
	}
	return s.Card(who, "password", f), nil
}

func (s *room) askPassword(ctx context.Context, who *access.Caller, in tokenIn) (*page.Page, error) {
	return s.passwordForm(ctx, who, in.Token)
}

func (s *room) setPassword(ctx context.Context, who *access.Caller, in struct {
	tokenIn
	Password string `param:"password" text:"any"`
	Again    string `param:"again" text:"any"`
}) (endpoint.Drawing, error) {
	var err error
	if in.Password != in.Again {
		err = fault.New(fault.Refused, "%s", s.Word("password.differ"))
	} else {
		err = s.Usecases.Passwords.UseLink(ctx, in.Token, in.Password)
	}
	if err != nil {
		p, drawn := s.passwordForm(ctx, who, in.Token)
		if drawn != nil {
			return nil, drawn
		}
		return s.Again(p, err)
	}
	return s.Done(who, "password.done"), nil
}

// forgotForm asks whose password was forgotten, where a link can be sent.
type forgotForm struct {
	Username string
	Sends    bool
}

func (s *room) forgotForm(who *access.Caller, username string) *page.Page {
	return s.Card(who, "forgot", forgotForm{username, s.Usecases.Mailer.Sends()})
}

func (s *room) askForgot(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	return s.forgotForm(who, ""), nil
}

func (s *room) forgot(ctx context.Context, who *access.Caller, in struct {
	Username string `param:"username" text:"any"`
}) (endpoint.Drawing, error) {
	if err := s.Usecases.Forgot(ctx, who, in.Username); err != nil {
		return s.Again(s.forgotForm(who, in.Username), err)
	}
	return s.Done(who, "forgot.done"), nil
}

// confirmForm is the page of a link that confirms an address: which one, or that it is no longer good.
type confirmForm struct {
	Token, Email string
	Ended        bool
}

func (s *room) confirmForm(ctx context.Context, who *access.Caller, token string) (*page.Page, error) {
	f := confirmForm{Token: token}
	if token != "" {
		var err error
		f.Email, err = ident.AddressOf(ctx, s.DB.Pool(), token)
		if f.Ended = fault.Is(err, fault.Missing); err != nil && !f.Ended {
			return nil, err
		}
	}
	return s.Card(who, "confirm-address", f), nil
}

func (s *room) askConfirm(ctx context.Context, who *access.Caller, in tokenIn) (*page.Page, error) {
	return s.confirmForm(ctx, who, in.Token)
}

func (s *room) confirm(ctx context.Context, who *access.Caller, in tokenIn) (endpoint.Drawing, error) {
	if err := s.Usecases.ConfirmAddress(ctx, in.Token); err != nil {
		p, drawn := s.confirmForm(ctx, who, in.Token)
		if drawn != nil {
			return nil, drawn
		}
		return s.Again(p, err)
	}
	return s.Done(who, "confirm-address.done"), nil
}

// askUnsubscribe changes nothing: programs that look at the links of emails open them all.
func (s *room) askUnsubscribe(_ context.Context, who *access.Caller, in tokenIn) (*page.Page, error) {
	return s.Card(who, "unsubscribe", in), nil
}

func (s *room) unsubscribe(ctx context.Context, who *access.Caller, in tokenIn) (endpoint.Drawing, error) {
	if _, err := s.Usecases.Unsubscribe(ctx, in.Token); err != nil {
		return s.Again(s.Card(who, "unsubscribe", in), err)
	}
	return s.Done(who, "unsubscribe.done"), nil
}
