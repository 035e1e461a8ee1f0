package oidc

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/sso"
	"lectern/internal/platform/db"
)

// keyName is where the installation keeps the key of states.
const keyName = "oidc state key"

// Return is what a browser brings back from the provider.
type Return struct {
	Browser string // its own secret, as at the start
	State   string
	Code    string
	Error   string // a word of the provider's, when it did not sign anybody in
	Issuer  string // who says so, where the provider tells (RFC 9207)
}

var (
	errState = fault.New(fault.Unknown, "This sign-in started in another browser, took too long or was used before. "+
		"Sign in again, and allow cookies for this service.")
	errIssuer = fault.New(fault.Unknown, "This sign-in comes from a different service than the one it started at. "+
		"Sign in again.")
	errToken = fault.New(fault.Unknown, "What your institution sent could not be verified. Sign in again, and tell "+
		"an administrator if it happens again.")
)

// refused tells a person that the provider signed nobody in.
func refused(word string) error {
	if len(word) > 40 || strings.ContainsFunc(word, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		word = "no reason"
	}
	return fault.New(fault.Unknown, "Your institution's sign-in did not accept you (%s). Sign in again, or another "+
		"way.",
		word)
}

// Take verifies what a browser brings back and gives who the person is. What cannot
// be believed is fault.Unknown, why is for the log only; a provider that does not
// answer is fault.Upstream. A return is good once, on however many instances. Take
// owns its transaction, since nobody may wait for the provider in one.
func (p *Provider) Take(ctx context.Context, r Return) (sso.Identity, error) {
	s, ok := resume(p.key, r.Browser, r.State, p.db.Now().Time)
	switch {
	case !ok:
		return sso.Identity{}, errState
	case r.Issuer != "" && r.Issuer != p.Issuer:
		return sso.Identity{}, errIssuer
	}
	if err := p.spend(ctx, s); err != nil {
		return sso.Identity{}, err
	}
	if r.Error != "" || r.Code == "" {
		return sso.Identity{}, refused(r.Error)
	}
	known, err := p.discover(ctx)
	if err != nil {
		return sso.Identity{}, err
	}
	ctx, stop := p.within(gooidc.ClientContext(ctx, p.Client))
	defer stop()
	id, err := p.identify(ctx, known, s, r.Code)
	if err != nil {
		p.Log.WarnContext(ctx, "an OpenID sign-in was refused", "err", err)
		if _, told := errors.AsType[*fault.Error](err); !told {
			err = unavailable(err)
		}
	}
	return id, err
}

// Next gives where a browser goes on to whose return was taken.
func (p *Provider) Next(r Return) string {
	s, _ := resume(p.key, r.Browser, r.State, p.db.Now().Time)
	return s.next
}

// spend notes that a sign-in came back.
func (p *Provider) spend(ctx context.Context, s begun) error {
	sum := sha256.Sum256([]byte("oidc " + s.state))
	return p.db.Tx(ctx, func(q db.Q) error {
		n, err := db.Exec(ctx, q, `INSERT INTO spent_proofs (name, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			hex.EncodeToString(sum[:]), clock.At(s.end))
		if err == nil && n == 0 {
			err = errState
		}
		return err
	})
}

// identify trades the code for tokens and reads the signed one.
func (p *Provider) identify(ctx context.Context, known *gooidc.Provider, s begun, code string) (sso.Identity, error) {
	tokens, err := p.oauth(known).Exchange(ctx, code, oauth2.VerifierOption(s.verifier))
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok && answer.ErrorCode == "invalid_grant" {
		return sso.Identity{}, &fault.Error{Kind: fault.Unknown, Text: errState.Error(), Err: err}
	}
	if err != nil {
		return sso.Identity{}, err
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := known.Verifier(&gooidc.Config{ClientID: p.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return sso.Identity{}, &fault.Error{Kind: fault.Unknown, Text: errToken.Error(), Err: err}
	}
	c, err := p.claims(token, s)
	if err != nil {
		return sso.Identity{}, &fault.Error{Kind: fault.Unknown, Text: errToken.Error(), Err: err}
	}
	if _, ok := c["email"]; !ok && known.UserInfoEndpoint() != "" {
		if err := p.addInfo(ctx, known, tokens, token.Subject, c); err != nil {
			return sso.Identity{}, err
		}
	}
	return p.identity(c), nil
}

type claims map[string]any

// claims reads a verified token, which must answer this sign-in and be meant for us
// first of all.
func (p *Provider) claims(token *gooidc.IDToken, s begun) (claims, error) {
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(s.nonce)) != 1 {
		return nil, errors.New("the token answers another sign-in")
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return nil, err
	}
	if azp, _ := c["azp"].(string); azp != "" && azp != p.ClientID || azp == "" && len(token.Audience) > 1 {
		return nil, fmt.Errorf("the token is another client's: azp %q of %q", azp, token.Audience)
	}
	return c, nil
}

// addInfo adds what the provider tells of the person only when asked. It must be the
// same person, and nothing that is signed is replaced.
func (p *Provider) addInfo(ctx context.Context, known *gooidc.Provider, tokens *oauth2.Token, subject string,
	c claims) error {
	info, err := known.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return err
	}
	var more claims
	if err := info.Claims(&more); err != nil {
		return err
	}
	if info.Subject != subject {
		return &fault.Error{Kind: fault.Unknown, Text: errToken.Error(), Err: errors.New("the details are another person's")}
	}
	for name, value := range more {
		if _, ok := c[name]; !ok {
			c[name] = value
		}
	}
	return nil
}

// identity is the person that claims tell of. The provider vouches for an address
// only where it says that it verified it, or the settings say so for all.
func (p *Provider) identity(c claims) sso.Identity {
	id := sso.Identity{LoginID: c.text(p.Login), Attributes: map[string][]string{}}
	if verified := c["email_verified"]; p.TrustEmail || verified == true || verified == "true" {
		id.Email = c.text("email")
	}
	for name := range c {
		id.Attributes[name] = c.texts(name)
	}
	return id
}

func (c claims) text(name string) string {
	if all := c.texts(name); len(all) > 0 {
		return all[0]
	}
	return ""
}

// texts gives the values of a claim that are texts or numbers.
func (c claims) texts(name string) []string {
	values, many := c[name].([]any)
	if !many {
		values = []any{c[name]}
	}
	var out []string
	for _, v := range values {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case float64:
			out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	return out
}
