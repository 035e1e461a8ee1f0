package api

import (
	"context"
	"encoding/base64"
	"fmt"

	"rsc.io/qr"

	"lectern/internal/ground/totp"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
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
	return s.passwords.Factor(ctx, s.db.Pool(), who)
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
	proof, err := s.proof(ctx, who, in.Password)
	if err != nil {
		return nil, err
	}
	secret, err := s.passwords.StartFactor(ctx, who, proof)
	if err != nil {
		return nil, err
	}
	uri := totp.URI(s.settings.ExternalName, who.Username, secret)
	picture, err := qr.Encode(uri, qr.M)
	if err != nil {
		return nil, fmt.Errorf("draw the QR code of a second factor: %w", err)
	}
	return &startFactorOut{secret, uri, "data:image/png;base64," +
		base64.StdEncoding.EncodeToString(picture.PNG())}, nil
}

// proof takes the caller's password, if they sent one.
func (s *Server) proof(ctx context.Context, who *access.Caller, password string) (*ident.Proof, error) {
	if password == "" {
		return nil, nil
	}
	return s.passwords.Prove(ctx, who.ID, password, who.From)
}

type codeIn struct {
	OTP string `param:"otp,required" text:"any" doc:"the code that the app shows"`
}

type codesOut struct {
	RecoveryCodes []string `json:"recovery_codes"` // each stands for a code once; shown only now
}

func (s *Server) confirmFactor(ctx context.Context, who *access.Caller, in codeIn) (*codesOut, error) {
	codes, err := s.passwords.ConfirmFactor(ctx, who, in.OTP)
	return &codesOut{codes}, err
}

func (s *Server) renewCodes(ctx context.Context, who *access.Caller, in codeIn) (*codesOut, error) {
	codes, err := s.passwords.RenewCodes(ctx, who, in.OTP)
	return &codesOut{codes}, err
}

type dropFactorIn struct {
	codeIn
	Password string `param:"password" text:"any" doc:"required of who has one here"`
}

func (s *Server) dropFactor(ctx context.Context, who *access.Caller, in dropFactorIn) (endpoint.NoContent, error) {
	proof, err := s.proof(ctx, who, in.Password)
	if err != nil {
		return endpoint.NoContent{}, err
	}
	return endpoint.NoContent{}, s.passwords.DropFactor(ctx, who, proof, in.OTP)
}

func (s *Server) resetFactor(ctx context.Context, who *access.Caller, in byID) (endpoint.NoContent, error) {
	return remove(ctx, s.db, func(q db.Q) error { return ident.ResetFactor(ctx, q, who, in.ID) })
}
