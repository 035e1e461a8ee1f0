package saml

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	saml2 "github.com/russellhaering/gosaml2"
	"github.com/russellhaering/gosaml2/types"

	"lectern/internal/people/sso"
)

// skew is how far two clocks may differ.
const skew = time.Minute

// Proof is what a verified answer proves, and what of it is good once.
type Proof struct {
	identity sso.Identity
	request  string // that it answers; empty: none
	once     []single
}

// verify takes an answer of the provider at a time, or tells why it does not.
func (p *Provider) verify(answer string, now time.Time) (*Proof, error) {
	idp, err := p.current(now)
	if err != nil {
		return nil, err
	}
	raw, err := decode(answer)
	if err != nil {
		return nil, err
	}
	if err := shape(raw); err != nil {
		return nil, err
	}
	r, err := p.service(idp, now).ValidateEncodedResponse(base64.StdEncoding.EncodeToString(raw))
	if v, ok := errors.AsType[saml2.ErrInvalidValue](err); ok && v.Reason == saml2.ReasonExpired {
		return nil, saying(saysLate, "%v", err)
	}
	if err != nil {
		return nil, refuse("%v", err)
	}
	if len(r.Assertions) != 1 || !r.SignatureValidated && !r.Assertions[0].SignatureValidated {
		return nil, refuse("its one assertion is not signed")
	}
	a := &r.Assertions[0]
	until, err := p.conditions(a, now)
	if err != nil {
		return nil, err
	}
	once := []single{{"assertion " + a.ID + " of " + idp.entityID, until}}
	request, err := p.answered(r, a, now)
	if err != nil {
		return nil, err
	}
	identity, err := p.identity(a)
	return &Proof{identity, a.Subject.SubjectConfirmation.SubjectConfirmationData.InResponseTo,
		append(once, request...)}, err
}

// conditions refuses an assertion that is not for us or not for now, and tells until
// when it is good. The library warns of an audience that is not ours, but takes an
// assertion for everybody.
func (p *Provider) conditions(a *types.Assertion, now time.Time) (until time.Time, err error) {
	if a.ID == "" || a.Conditions == nil || len(a.Conditions.AudienceRestrictions) == 0 {
		return until, refuse("its assertion has no id, no conditions or no audience")
	}
	for _, r := range a.Conditions.AudienceRestrictions {
		if !slices.ContainsFunc(r.Audiences, func(au types.Audience) bool { return au.Value == p.EntityID }) {
			return until, refuse("it is for another audience than %s: %v", p.EntityID, r.Audiences)
		}
	}
	data := a.Subject.SubjectConfirmation.SubjectConfirmationData // there, or the library had refused it
	if data.Recipient != p.Consumer {
		return until, refuse("it is for the recipient %q", data.Recipient)
	}
	if from := a.Conditions.NotBefore; from != "" {
		t, err := time.Parse(time.RFC3339, from)
		if err != nil || t.After(now.Add(skew)) {
			return until, saying(saysClock, "it is good from %s, it is %s now", from, now.Format(time.RFC3339))
		}
	}
	for _, end := range []string{a.Conditions.NotOnOrAfter, data.NotOnOrAfter} {
		t, err := time.Parse(time.RFC3339, end)
		if err != nil || !t.Add(skew).After(now) {
			return until, saying(saysLate, "it was good until %s, it is %s now", end, now.Format(time.RFC3339))
		}
		if t = t.Add(skew); t.After(until) {
			until = t
		}
	}
	return until, nil
}

// answered refuses an answer to no request of ours, and tells which it answers. The
// one that the signed assertion names counts; the response around it, which need not
// be signed, must not contradict it.
func (p *Provider) answered(r *types.Response, a *types.Assertion, now time.Time) ([]single, error) {
	id := a.Subject.SubjectConfirmation.SubjectConfirmationData.InResponseTo
	switch {
	case r.InResponseTo != id && (r.InResponseTo != "" || r.SignatureValidated):
		return nil, refuse("it answers %q and %q", r.InResponseTo, id)
	case id == "" && p.Unsolicited:
		return nil, nil
	case id == "":
		return nil, saying(saysStart, "it answers no request")
	}
	end, err := readRequestID(p.key, id, now)
	return []single{{"request " + id, end}}, err
}

// identity reads who the assertion is about.
func (p *Provider) identity(a *types.Assertion) (out sso.Identity, err error) {
	out.Attributes = attributes(a)
	name := a.Subject.NameID
	out.LoginID, err = p.loginID(name, out.Attributes)
	if err != nil {
		return out, err
	}
	if values := out.Attributes[p.Email]; p.Email != "" && len(values) > 0 {
		out.Email = values[0]
	} else if name != nil && name.Format == saml2.NameIdFormatEmailAddress {
		out.Email = strings.TrimSpace(name.Value)
	}
	return out, nil
}

// loginID gives the name of the person for good. A NameID that is another one at
// every sign-in is none.
func (p *Provider) loginID(name *types.NameID, attributes map[string][]string) (string, error) {
	switch values := attributes[p.Login]; {
	case p.Login != "" && len(values) == 1:
		return values[0], nil
	case p.Login != "":
		return "", saying(saysAttribute, "the attribute %s has %d values instead of one", p.Login, len(values))
	case name == nil || name.Format == saml2.NameIdFormatTransient:
		return "", saying(saysAttribute, "the NameID is missing or changes with every sign-in")
	}
	return strings.TrimSpace(name.Value), nil
}

const saysAttribute = "Your institution did not tell who you are. Ask an administrator to look at the attributes it " +
	"sends."

// attributes gives the values by the name of each attribute, and by its friendly
// name where no other attribute is named so.
func attributes(a *types.Assertion) map[string][]string {
	out, friendly := map[string][]string{}, map[string][]string{}
	if a.AttributeStatement == nil {
		return out
	}
	for _, at := range a.AttributeStatement.Attributes {
		for _, v := range at.Values {
			value := strings.TrimSpace(v.Value)
			if v.NameID != nil {
				value = strings.TrimSpace(v.NameID.Value)
			}
			if value != "" {
				out[at.Name] = append(out[at.Name], value)
				friendly[at.FriendlyName] = append(friendly[at.FriendlyName], value)
			}
		}
	}
	for name, values := range friendly {
		if _, taken := out[name]; name != "" && !taken {
			out[name] = values
		}
	}
	return out
}
