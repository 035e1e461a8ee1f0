package saml

import (
	"context"
	"crypto/x509"
	"time"
)

// Seen is what can be told of an identity provider from its metadata.
type Seen struct {
	EntityID     string
	Certificates []*x509.Certificate // those that are believed
	WantsSigned  bool                // it takes signed requests only, which we do not send
	Skew         time.Duration       // how far its server's clock is ahead of ours; 0 where it does not tell
	ValidUntil   time.Time           // zero: for good
}

// Look fetches the provider's metadata to tell what is right or wrong with it.
func Look(ctx context.Context, c Config) (*Seen, error) {
	f, err := fetch(ctx, client(), c.Metadata)
	if err != nil {
		return nil, err
	}
	i, err := parse(f.text, c.Pins)
	if err != nil {
		return nil, err
	}
	s := &Seen{EntityID: i.entityID, Certificates: i.certificates, WantsSigned: i.wantsSigned, ValidUntil: i.validUntil}
	if !f.at.IsZero() {
		s.Skew = time.Until(f.at).Round(time.Second)
	}
	return s, nil
}
