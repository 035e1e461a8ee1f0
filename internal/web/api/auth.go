package api

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
)

func (s *Server) authRoutes() {
	endpoint.Route(s.Server, "POST /api/auth", 201, policy.Anybody, "Sign in", s.signIn,
		endpoint.Audited(audit.SignIn, audit.SecondFactor, audit.Account, audit.Role),
		endpoint.Also(401, "the username or the password is wrong, the one-time token has expired, or, of code "+
			"second_factor, otp is missing or wrong"),
		endpoint.Also(403, "the password is right, but no account belongs to the person, and none may be made"),
		endpoint.Also(429, "too many failed tries; Retry-After says how long to wait"),
		endpoint.Also(502, "the directory does not answer"),
		endpoint.Also(503, "too many people sign in at once, and Retry-After says when to come back; or the method is "+
			"not set up"))
	endpoint.Route(s.Server, "PUT /api/auth", 201, policy.SignedIn, "Extend the session", s.extendSession,
		endpoint.Unaudited("the same session goes on"))
	endpoint.Route(s.Server, "DELETE /api/auth", 204, policy.SignOut, "Sign out", s.signOut,
		endpoint.Audited(audit.SignOut))
	endpoint.Route(s.Server, "GET /api/auth/method", 200, policy.Anybody, "Tell how people sign in", s.signInMethod)
	endpoint.Route(s.Server, "GET /api/auth/signout_url", 200, policy.Anybody, "Tell where a sign-out leads",
		s.signoutURL)
	endpoint.Route(s.Server, "POST /api/auth/password", 204, policy.Anybody, "Set a password by a link, or change "+
		"your own", s.setPassword,
		endpoint.Audited(audit.Password),
		endpoint.Also(401, "the old password is wrong"), endpoint.Also(404, "the link has been used or has expired"),
		endpoint.Also(422, "the password is too short, too long or the user's name"),
		endpoint.Also(429, "too many failed tries"), endpoint.Asks(policy.SignedIn))
	endpoint.Route(s.Server, "POST /api/auth/email", 204, policy.Anybody, "Confirm a new address by the link mailed "+
		"to it", s.confirmAddress,
		endpoint.Audited(audit.Account),
		endpoint.Also(404, "the link has been used or has expired"),
		endpoint.Also(409, "another user has the address by now"))
}

type confirmIn struct {
	Token string `param:"token,required" text:"any" doc:"of the link, which leads to the page /confirm-address?token=…"`
}

func (s *Server) confirmAddress(ctx context.Context, _ *access.Caller, in confirmIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.ConfirmAddress(ctx, in.Token)
}

type signInIn struct {
	Username  string `param:"username,required"`
	Password  string `param:"password" text:"any" unless:"auth_token" doc:"required unless auth_token is given"`
	Method    string `param:"method" enum:"database,ldap" doc:"where the password is kept; ldap where that is set up"`
	AuthToken string `param:"auth_token" text:"any" doc:"the one-time token of a sign-in elsewhere"`
	OTP       string `param:"otp" text:"any" doc:"the code of the second factor, or a recovery code, where there is one"`
	Remember  bool   `param:"remember" doc:"stay signed in: two weeks for students, one for tutors"`
}

type signInOut struct {
	User      ident.User `json:"user"`
	AuthToken string     `json:"auth_token"`
	// Enrol tells that the session may only set up a second factor.
	Enrol bool `json:"second_factor_enrolment,omitempty"`
}

func (s *Server) signIn(ctx context.Context, who *access.Caller, in signInIn) (*signInOut, error) {
	entry := ident.Entry{Remember: in.Remember, From: who.From, Agent: who.Agent}
	var got *ident.SignedIn
	var err error
	if in.AuthToken != "" {
		got, err = s.usecases.TradeTicket(ctx, in.Username, in.AuthToken, entry)
	} else {
		got, err = s.signin.SignIn(ctx, in.Method, ident.Credentials{Username: in.Username, Password: in.Password,
			OTP: in.OTP, Entry: entry})
	}
	if err != nil {
		return nil, err
	}
	u, err := s.withTerms(ctx, got.User.For(got.User.ID, got.User.Role))
	if err != nil {
		return nil, err
	}
	return &signInOut{*u, got.Token, got.Enrolling}, nil
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
	for _, m := range s.signin.AllMethods(ctx) {
		list = append(list, namedMethod{m.Method, m.Name, opt.NonZero(m.Address)})
	}
	return &methodOut{list[0].Method, list[0].RedirectTo, list}, nil
}

type signoutOut struct {
	URL *string `json:"auth_signout_url"`
}

func (s *Server) signoutURL(context.Context, *access.Caller, none) (*signoutOut, error) {
	return &signoutOut{opt.NonZero(s.signin.SignoutURL())}, nil
}

type tokenOut struct {
	AuthToken string `json:"auth_token"`
}

func (s *Server) extendSession(ctx context.Context, who *access.Caller, in struct {
	Remember bool `param:"remember"`
}) (*tokenOut, error) {
	return &tokenOut{endpoint.Token(ctx)}, s.usecases.ExtendSession(ctx, who, in.Remember)
}

func (s *Server) signOut(ctx context.Context, who *access.Caller, _ none) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.EndSession(ctx, who)
}

type passwordIn struct {
	Token       string `param:"token" text:"any" doc:"of the link, or leave it out and sign in"`
	OldPassword string `param:"old_password" text:"any" doc:"of whoever is signed in"`
	Password    string `param:"password,required" text:"any" doc:"at least 8 characters"`
}

func (s *Server) setPassword(ctx context.Context, who *access.Caller, in passwordIn) (endpoint.NoContent, error) {
	switch {
	case in.Token != "":
		return endpoint.NoContent{}, s.usecases.Passwords.UseLink(ctx, in.Token, in.Password)
	case who.ID == 0:
		return endpoint.NoContent{}, fault.New(fault.Unknown, "Send the token of your link, or sign in first.")
	case in.OldPassword == "":
		return endpoint.NoContent{}, fault.Field(fault.Invalid, "old_password", "is required")
	}
	ctx = access.Guarded(ctx, who, access.Scope{}, policy.SignedIn)
	return endpoint.NoContent{}, s.usecases.Passwords.ChangePassword(ctx, who, in.OldPassword, in.Password,
		who.From)
}

type linkOut struct {
	PasswordLink string     `json:"password_link"`
	ExpiresAt    clock.Time `json:"expires_at"`
}

// passwordLink is the address a person opens to set a password.
func (s *Server) passwordLink(token string) string {
	return s.usecases.PublicURL + links.With(links.Password, token)
}
