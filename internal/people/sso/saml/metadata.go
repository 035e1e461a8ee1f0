package saml

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	saml2 "github.com/russellhaering/gosaml2"
	"github.com/russellhaering/gosaml2/types"
)

// idp is what we know of the identity provider.
type idp struct {
	entityID     string
	signOn       string // where people are sent
	certificates []*x509.Certificate
	validUntil   time.Time // zero: for good
	wantsSigned  bool      // it takes signed requests only, which we do not send
}

// over tells whether the metadata says of itself that it is too old.
func (i *idp) over(now time.Time) bool { return !i.validUntil.IsZero() && !i.validUntil.After(now) }

// ErrMany tells of a list of many providers where one is asked for.
var ErrMany = errors.New("this is a list of many providers; give the address of your own provider's metadata")

// parse reads the metadata of one provider. It refuses what a sign-in could not be
// trusted to: no certificate, one that is not pinned, or an address without TLS.
func parse(text []byte, pins []string) (*idp, error) {
	if upper := bytes.ToUpper(text); bytes.Contains(upper, []byte("<!DOCTYPE")) ||
		bytes.Contains(upper, []byte("<!ENTITY")) {
		return nil, errors.New("the metadata has a document type, which no provider needs")
	}
	if bytes.Contains(text, []byte("EntitiesDescriptor")) {
		return nil, ErrMany
	}
	var e types.EntityDescriptor
	if err := xml.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("this is no SAML metadata: %w", err)
	}
	if e.EntityID == "" || e.IDPSSODescriptor == nil {
		return nil, errors.New("the metadata describes no identity provider")
	}
	i := &idp{entityID: e.EntityID, validUntil: e.ValidUntil, wantsSigned: e.IDPSSODescriptor.WantAuthnRequestsSigned}
	for _, s := range e.IDPSSODescriptor.SingleSignOnServices {
		if s.Binding == saml2.BindingHttpRedirect && i.signOn == "" {
			i.signOn = s.Location
		}
	}
	if !encrypted(i.signOn) {
		return nil, fmt.Errorf("the metadata has no sign-in by HTTP-Redirect at an https address (%q)", i.signOn)
	}
	var err error
	i.certificates, err = certificates(e.IDPSSODescriptor.KeyDescriptors, pins)
	return i, err
}

// certificates gives those that answers are signed with and that are pinned.
func certificates(keys []types.KeyDescriptor, pins []string) (out []*x509.Certificate, err error) {
	for _, k := range keys {
		if k.Use != "" && k.Use != "signing" {
			continue
		}
		for _, c := range k.KeyInfo.X509Data.X509Certificates {
			der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(c.Data), ""))
			if err != nil {
				return nil, fmt.Errorf("a certificate of the metadata cannot be read: %w", err)
			}
			cert, err := x509.ParseCertificate(der)
			if err != nil {
				return nil, fmt.Errorf("a certificate of the metadata cannot be read: %w", err)
			}
			if key, ok := cert.PublicKey.(*rsa.PublicKey); ok && key.N.BitLen() >= 2048 && pinned(cert, pins) {
				out = append(out, cert)
			}
		}
	}
	if len(out) == 0 && len(pins) > 0 {
		return nil, errors.New("no signing certificate of the metadata has one of the SHA-256 that are set")
	}
	if len(out) == 0 {
		return nil, errors.New("the metadata has no signing certificate with an RSA key of at least 2048 bits")
	}
	return out, nil
}

func pinned(c *x509.Certificate, pins []string) bool {
	return len(pins) == 0 || slices.Contains(pins, Fingerprint(c))
}

// Fingerprint is how a certificate is pinned: its SHA-256 in hexadecimal.
func Fingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// ParsePin reads a fingerprint, with or without colons, in either case.
func ParsePin(text string) (string, error) {
	pin := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), ":", ""))
	if b, err := hex.DecodeString(pin); err != nil || len(b) != sha256.Size {
		return "", fmt.Errorf("%q is not the SHA-256 of a certificate: 64 hexadecimal digits", text)
	}
	return pin, nil
}

// encrypted tells whether nobody on the way can read what goes to an address: it has
// https, or does not leave this machine.
func encrypted(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && ip != nil && ip.IsLoopback()
}
