package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/web/endpoint"
)

func (s *Server) secondFactorRoutes() {
	endpoint.Route(s.Server, "GET /api/auth/second_factor", 200, policy.OwnFactor, "Tell whether you have a second "+
		"factor, and how many recovery codes are left", s.getFactor)
	endpoint.Route(s.Server, "POST /api/auth/second_factor", 201, policy.OwnFactor, "Begin to set up a second factor: "+
		"get the secret for an authenticator app", s.startFactor,
		endpoint.Unaudited("nothing is on before it is confirmed"),
		endpoint.Also(401, "the password is wrong"),
		endpoint.Also(403, "the sign-in was too long ago to do without the password"),
		endpoint.Also(409, "you have a second factor already"),
		endpoint.Also(429, "too many failed tries"))
	endpoint.Route(s.Server, "POST /api/auth/second_factor/confirm", 201, policy.OwnFactor, "Switch your second factor "+
		"on by its first code; your other sessions end", s.confirmFactor,
		endpoint.Audited(audit.SecondFactor), endpoint.Also(409, "there is no secret to confirm"),
		endpoint.Also(422, "the code is not the one of now"))
	endpoint.Route(s.Server, "POST /api/auth/second_factor/recovery_codes", 201, policy.SignedIn, "Get new recovery "+
		"codes; the old ones work no longer", s.renewCodes,
		endpoint.Audited(audit.SecondFactor), endpoint.Also(409, "you have no second factor"),
		endpoint.Also(422, "the code is wrong"), endpoint.Also(429, "too many wrong codes"))
	endpoint.Route(s.Server, "POST /api/auth/second_factor/disable", 204, policy.SignedIn, "Switch your second factor "+
		"off", s.dropFactor,
		endpoint.Audited(audit.SecondFactor), endpoint.Also(401, "the password is wrong"),
		endpoint.Also(409, "you have no second factor, or your role needs one"),
		endpoint.Also(422, "the code is wrong"), endpoint.Also(429, "too many failed tries"))
	endpoint.Route(s.Server, "DELETE /api/users/{id}/second_factor", 204, policy.ManageAccounts, "Take the second "+
		"factor of a user away who has lost it", s.resetFactor,
		endpoint.Audited(audit.SecondFactor))
}

func (s *Server) getFactor(ctx context.Context, who *access.Caller, _ none) (*ident.Factor, error) {
	return s.usecases.Passwords.Factor(ctx, s.db.Pool(), who)
}

type startFactorIn struct {
	Password string `param:"password" text:"any" doc:"not needed within ten minutes of the sign-in"`
}

type startFactorOut struct {
	Secret string `json:"secret"` // to be typed into an app
	URI    string `json:"uri"`    // the same for an app on this device
	QR     string `json:"qr"`     // the same as a picture: the address of a PNG, which holds it
}

func (s *Server) startFactor(ctx context.Context, who *access.Caller, in startFactorIn) (*startFactorOut, error) {
	secret, err := s.usecases.StartFactor(ctx, who, in.Password)
	if err != nil {
		return nil, err
	}
	a, err := s.signin.Authenticator(who, secret)
	if err != nil {
		return nil, err
	}
	return &startFactorOut{secret, a.URI, a.QR}, nil
}

type codeIn struct {
	OTP string `param:"otp,required" text:"any" doc:"the code that the app shows"`
}

type codesOut struct {
	RecoveryCodes []string `json:"recovery_codes"` // each stands for a code once; shown only now
}

func (s *Server) confirmFactor(ctx context.Context, who *access.Caller, in codeIn) (*codesOut, error) {
	codes, err := s.usecases.Passwords.ConfirmFactor(ctx, who, in.OTP)
	return &codesOut{codes}, err
}

func (s *Server) renewCodes(ctx context.Context, who *access.Caller, in codeIn) (*codesOut, error) {
	codes, err := s.usecases.Passwords.RenewCodes(ctx, who, in.OTP)
	return &codesOut{codes}, err
}

type dropFactorIn struct {
	codeIn
	Password string `param:"password" text:"any" doc:"required of who has one here"`
}

func (s *Server) dropFactor(ctx context.Context, who *access.Caller, in dropFactorIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DropFactor(ctx, who, in.Password, in.OTP)
}

func (s *Server) resetFactor(ctx context.Context, who *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.ResetFactor(ctx, who, in.ID)
}
