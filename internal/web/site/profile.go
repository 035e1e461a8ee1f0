package site

import (
	"context"
	"encoding/base64"
	"fmt"
	"html/template"

	"rsc.io/qr"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/ground/totp"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/web/endpoint"
)

const (
	profile      = links.Profile
	secondFactor = "/second-factor"
)

func (s *Server) profileRoutes() {
	page(s, profile, policy.SignedIn, "Your account", s.profile)
	form(s, profile+"/preferences", policy.SignedIn, "Change how you want your pages", s.prefer,
		endpoint.Unaudited("a matter of taste"))
	form(s, profile+"/password", policy.SignedIn, "Change your password", s.changePassword,
		endpoint.Audited(audit.Password))
	form(s, profile+"/sessions/{id}/end", policy.SignedIn, "Sign out one of your sessions", s.endSession,
		endpoint.Audited(audit.SignOut))
	page(s, secondFactor, policy.OwnFactor, "Second factor", s.factor)
	form(s, secondFactor, policy.OwnFactor, "Begin to set up a second factor", s.startFactor,
		endpoint.Unaudited("nothing is on before it is confirmed"))
	form(s, secondFactor+"/confirm", policy.OwnFactor, "Switch the second factor on", s.confirmFactor,
		endpoint.Audited(audit.SecondFactor))
	form(s, secondFactor+"/off", policy.SignedIn, "Switch the second factor off", s.dropFactor,
		endpoint.Audited(audit.SecondFactor))
}

// profilePage is what a person sees of their own account.
type profilePage struct {
	User     *ident.User
	Typed    ownFields
	Sessions []ident.Session
	Factor   *ident.Factor
	Prefer   *ident.Preferences
	Themes   []ident.Theme
}

func (s *Server) profile(ctx context.Context, who *access.Caller, _ struct{}) (*Page, error) {
	v := profilePage{Themes: ident.Themes}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.User, err = ident.ByID(ctx, q, who.ID); err != nil {
			return err
		}
		v.Typed = fieldsOf(v.User)
		if v.Prefer, err = ident.PreferencesOf(ctx, q, who.ID); err != nil {
			return err
		}
		if v.Sessions, err = ident.Sessions(ctx, q, who); err != nil {
			return err
		}
		v.Factor, err = s.doors.Passwords().Factor(ctx, q, who)
		return err
	})
	return s.page(who, "profile", v), err
}

func (s *Server) prefer(ctx context.Context, who *access.Caller, in struct {
	Theme     ident.Theme `param:"theme"`
	Shortcuts bool        `param:"shortcuts"`
}) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error {
		return ident.SetPreferences(ctx, q, who.ID, ident.Preferences{Theme: in.Theme, Shortcuts: in.Shortcuts})
	})
	return endpoint.Redirect{To: profile}, err
}

func (s *Server) changePassword(ctx context.Context, who *access.Caller, in struct {
	Old      string `param:"old_password" text:"any"`
	Password string `param:"password" text:"any"`
	Again    string `param:"again" text:"any"`
}) (endpoint.Drawing, error) {
	var err error
	if in.Password != in.Again {
		err = fault.New(fault.Refused, "%s", s.word("password.differ"))
	} else {
		err = s.doors.Passwords().ChangePassword(ctx, who, in.Old, in.Password, who.From)
	}
	if err != nil {
		p, drawn := s.profile(ctx, who, struct{}{})
		if drawn != nil {
			return nil, drawn
		}
		return s.again(p, err)
	}
	return s.told(who, "profile.done"), nil
}

func (s *Server) endSession(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id"`
}) (endpoint.Drawing, error) {
	err := s.DB.Tx(ctx, func(q db.Q) error { return ident.EndOwn(ctx, q, who, in.ID) })
	return endpoint.Redirect{To: profile}, err
}

// factorPage leads through setting up a second factor: the password, the secret, and
// once it is confirmed the recovery codes.
type factorPage struct {
	*ident.Factor
	Secret string
	QR     template.URL
	Codes  []string
}

func (s *Server) factorPage(ctx context.Context, who *access.Caller, v factorPage) (p *Page, err error) {
	v.Factor, err = s.doors.Passwords().Factor(ctx, s.DB.Pool(), who)
	return s.page(who, "second-factor", v), err
}

func (s *Server) factor(ctx context.Context, who *access.Caller, _ struct{}) (*Page, error) {
	return s.factorPage(ctx, who, factorPage{})
}

type factorIn struct {
	Password string `param:"password" text:"any"`
	Secret   string `param:"secret" text:"any"`
	Code     string `param:"otp" text:"any"`
}

// proof takes the caller's password, if they sent one.
func (s *Server) proof(ctx context.Context, who *access.Caller, password string) (*ident.Proof, error) {
	if password == "" {
		return nil, nil //nolint:nilnil // no proof is no failure
	}
	return s.doors.Passwords().Prove(ctx, who.ID, password, who.From)
}

func (s *Server) startFactor(ctx context.Context, who *access.Caller, in factorIn) (endpoint.Drawing, error) {
	proof, err := s.proof(ctx, who, in.Password)
	var secret string
	if err == nil {
		secret, err = s.doors.Passwords().StartFactor(ctx, who, proof)
	}
	if err != nil {
		return s.factorAgain(ctx, who, factorPage{}, err)
	}
	v, err := s.showSecret(who, secret)
	if err != nil {
		return nil, err
	}
	return s.factorPage(ctx, who, v)
}

// showSecret gives a secret to type and as a picture.
func (s *Server) showSecret(who *access.Caller, secret string) (factorPage, error) {
	picture, err := qr.Encode(totp.URI(s.product, who.Username, secret), qr.M)
	if err != nil {
		return factorPage{}, fmt.Errorf("draw the QR code of a second factor: %w", err)
	}
	return factorPage{Secret: secret, QR: template.URL("data:image/png;base64," + //nolint:gosec // our own bytes
		base64.StdEncoding.EncodeToString(picture.PNG()))}, nil
}

func (s *Server) factorAgain(ctx context.Context, who *access.Caller, v factorPage, err error) (endpoint.Drawing,
	error) {
	p, drawn := s.factorPage(ctx, who, v)
	if drawn != nil {
		return nil, drawn
	}
	return s.again(p, err)
}

func (s *Server) confirmFactor(ctx context.Context, who *access.Caller, in factorIn) (endpoint.Drawing, error) {
	codes, err := s.doors.Passwords().ConfirmFactor(ctx, who, in.Code)
	if err != nil {
		v, shown := s.showSecret(who, in.Secret)
		if shown != nil {
			return nil, shown
		}
		return s.factorAgain(ctx, who, v, err)
	}
	return s.factorPage(ctx, who, factorPage{Codes: codes})
}

func (s *Server) dropFactor(ctx context.Context, who *access.Caller, in factorIn) (endpoint.Drawing, error) {
	proof, err := s.proof(ctx, who, in.Password)
	if err == nil {
		err = s.doors.Passwords().DropFactor(ctx, who, proof, in.Code)
	}
	if err != nil {
		return s.factorAgain(ctx, who, factorPage{}, err)
	}
	return endpoint.Redirect{To: profile}, nil
}
