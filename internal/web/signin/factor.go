package signin

import (
	"encoding/base64"
	"fmt"

	"rsc.io/qr"

	"lectern/internal/ground/totp"
	"lectern/internal/people/access"
)

// Authenticator is the secret of a second factor as an authenticator app takes it.
type Authenticator struct {
	URI string // for an app on the same device
	QR  string // the same as a picture: the address of a PNG, which holds it
}

// Authenticator shows the caller the secret of their second factor.
func (s *Service) Authenticator(who *access.Caller, secret string) (*Authenticator, error) {
	uri := totp.URI(s.Usecases.Name, who.Username, secret)
	picture, err := qr.Encode(uri, qr.M)
	if err != nil {
		return nil, fmt.Errorf("draw the QR code of a second factor: %w", err)
	}
	return &Authenticator{uri, "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture.PNG())}, nil
}
