// Package saml lets people sign in with their institution by SAML 2.0: it sends them
// to the identity provider and verifies what they bring back. The provider's data is
// fetched in the background, so that nobody who signs in waits for it.
//
// Of an answer only one narrow form is taken, and everything else is refused before
// a signature is looked at; who the person is, is read from the signed bytes alone.
package saml

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	saml2 "github.com/russellhaering/gosaml2"
	"github.com/russellhaering/gosaml2/types"
	dsig "github.com/russellhaering/goxmldsig"

	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/people/sso"
	"lectern/internal/platform/db"
)

// Config says who we are to the provider, where its data is, and what its answers
// may do.
type Config struct {
	EntityID    string   // our name at the provider
	Consumer    string   // the address that answers are posted to
	Metadata    string   // where the provider's metadata is: an https address or a file
	Pins        []string // SHA-256 of the certificates to believe; all of the metadata when empty
	Unsolicited bool     // take answers to requests we did not make
	Login       string   // the attribute that holds the login_id; the NameID when empty
	Email       string   // the attribute that holds the address
	Rules       sso.Rules
	Log         *slog.Logger
	Client      *http.Client // fetches the metadata; one of our own when nil
}

// Provider signs people in by one identity provider.
type Provider struct {
	Config
	db   *db.DB
	key  []byte // of the ids of requests
	idp  atomic.Pointer[idp]
	text string // the metadata in use; only Refresh touches it
}

// New makes a Provider with the metadata that was good last time, if any. It does
// not wait for the identity provider; Run and Refresh do.
func New(ctx context.Context, d *db.DB, c Config) (*Provider, error) {
	if c.Client == nil {
		c.Client = client()
	}
	p := &Provider{Config: c, db: d}
	var err error
	if p.key, err = db.InstallationKey(ctx, d, keyName); err != nil {
		return nil, err
	}
	return p, p.recall(ctx)
}

var errUnavailable = fault.New(fault.Unavailable, "Your institution's sign-in does not work right now. Sign in "+
	"another way, or try again later.")

// current gives the provider's data, if there is some that is still valid.
func (p *Provider) current(now time.Time) (*idp, error) {
	i := p.idp.Load()
	if i == nil || i.over(now) {
		return nil, errUnavailable
	}
	return i, nil
}

// service is what the library verifies by. Its clock goes a little late, so that it
// refuses nothing that our own check of the times takes.
func (p *Provider) service(i *idp, now time.Time) *saml2.SAMLServiceProvider {
	return &saml2.SAMLServiceProvider{IdentityProviderSSOURL: i.signOn, IdentityProviderIssuer: i.entityID,
		AssertionConsumerServiceURL: p.Consumer, ServiceProviderIssuer: p.EntityID, AudienceURI: p.EntityID,
		IDPCertificateStore: &dsig.MemoryX509CertificateStore{Roots: i.certificates},
		Clock:               dsig.NewFakeClockAt(now.Add(-skew)), MaximumDecompressedBodySize: mostBytes}
}

// RedirectTo gives an address of the provider that begins a sign-in, "" while there
// is none. It writes nothing down: the request's id carries its own proof. The provider
// gives next back beside its answer, as RelayState, where it is short enough for one.
// Where browser is not empty, it is a secret of the browser that is to come back.
func (p *Provider) RedirectTo(ctx context.Context, next, browser string) string {
	now := p.db.Now().Time
	i, err := p.current(now)
	if err != nil {
		return ""
	}
	sp := p.service(i, now.Add(skew))
	doc, err := sp.BuildAuthRequestDocumentNoSig()
	if err == nil {
		doc.Root().CreateAttr("ID", newRequestID(p.key, now, browser))
		var address string
		if address, err = sp.BuildAuthURLRedirect(relayed(next), doc); err == nil {
			return address
		}
	}
	p.Log.ErrorContext(ctx, "no SAML request could be made", "err", err)
	return ""
}

// mostRelayed is how many bytes a RelayState may have (SAML 2.0 Bindings, 3.4.3).
const mostRelayed = 80

func relayed(next string) string {
	if len(next) > mostRelayed {
		return ""
	}
	return next
}

// Describe gives our own metadata, which the provider is told of.
func (p *Provider) Describe() ([]byte, error) {
	b, err := xml.MarshalIndent(&description{EntityID: p.EntityID, SP: types.SPSSODescriptor{WantAssertionsSigned: true,
		ProtocolSupportEnumeration: saml2.SAMLProtocolNamespace,
		AssertionConsumerServices: []types.IndexedEndpoint{{Binding: saml2.BindingHttpPost, Location: p.Consumer,
			Index: 1}}}}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describe this service: %w", err)
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}

// description is our metadata. It has no end: it changes only with the settings.
type description struct {
	XMLName  xml.Name              `xml:"urn:oasis:names:tc:SAML:2.0:metadata EntityDescriptor"`
	EntityID string                `xml:"entityID,attr"`
	SP       types.SPSSODescriptor `xml:"SPSSODescriptor"`
}

// Verify takes an answer that somebody brought from the provider. What cannot be
// believed is fault.Unknown, with what to do; why is for the log only. It writes
// nothing and needs no transaction.
func (p *Provider) Verify(ctx context.Context, answer string) (*Proof, error) {
	proof, err := p.verify(answer, p.db.Now().Time)
	if err != nil {
		return nil, p.answerTo(ctx, err)
	}
	return proof, nil
}

// BeganIn refuses an answer that another browser than the one with this secret asked for.
// What nobody asked for is taken where the settings take it.
func (p *Provider) BeganIn(ctx context.Context, proof *Proof, browser string) error {
	if proof.request == "" || browser != "" && beganIn(p.key, proof.request, browser) {
		return nil
	}
	return p.answerTo(ctx, saying(saysStart, "another browser asked for it"))
}

// SignIn gives the account that a verified answer signs in to, held until the
// transaction ends. An answer is good once, however many instances there are.
func (p *Provider) SignIn(ctx context.Context, q db.Q, proof *Proof) (*ident.User, error) {
	if err := spend(ctx, q, proof); err != nil {
		return nil, p.answerTo(ctx, err)
	}
	return p.Rules.Match(ctx, q, proof.identity)
}

// Account gives what finds the account of a verified answer in a transaction, by SignIn.
func (p *Provider) Account(ctx context.Context, proof *Proof) ident.Matching {
	return func(q db.Q) (*ident.User, error) { return p.SignIn(ctx, q, proof) }
}

// answerTo gives the error that the person is shown in place of a refusal: what to do, and
// nothing of how far a forgery got. The reason goes into the log.
func (p *Provider) answerTo(ctx context.Context, err error) error {
	r, refused := errors.AsType[*refusal](err)
	if !refused {
		return err
	}
	p.Log.WarnContext(ctx, "a SAML answer was refused", "why", r.why)
	return r.forPerson()
}
