package saml

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"lectern/internal/people/sso/saml/samltest"
)

// press makes answers as a provider does, and as one never would.
type press struct {
	*testing.T
	*Provider
	idp  *samltest.IDP
	now  time.Time
	pair tls.Certificate
}

func newPress(t *testing.T) *press {
	t.Helper()
	i := samltest.Start(t)
	p := &press{T: t, idp: i, now: time.Now().UTC().Truncate(time.Second), pair: pair(i.Key, i.Certificate)}
	p.Provider = &Provider{Config: Config{EntityID: "https://us.example.edu/saml", Login: "uid", Email: "mail",
		Consumer: "https://us.example.edu/api/auth/jwt", Log: slog.New(slog.DiscardHandler)}, key: []byte("a key")}
	f, err := fetch(t.Context(), client(), i.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	known, err := parse(f.text, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Provider.idp.Store(known)
	return p
}

func pair(k *rsa.PrivateKey, c *x509.Certificate) tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{c.Raw}, PrivateKey: k, Leaf: c}
}

// claim is what an answer says.
type claim struct {
	id, name, uid, mail           string
	issuer, audience, recipient   string
	destination, request, outer   string // outer is the request that the response names
	from, until                   time.Time
	signResponse, signAssertion   bool
	method                        string
	responseID, nameFormat, extra string // extra stands in the assertion
}

// claim gives a good one, to be spoilt.
func (p *press) claim() claim {
	id := newRequestID(p.key, p.now, "")
	return claim{id: "_a1", name: "ann@example.edu", uid: "ann", mail: "ann@example.edu", issuer: p.idp.Metadata,
		audience: p.EntityID, recipient: p.Consumer, destination: p.Consumer, request: id, outer: id,
		from: p.now.Add(-time.Minute), until: p.now.Add(5 * time.Minute), signAssertion: true, responseID: "_r1",
		method: dsig.RSASHA256SignatureMethod, nameFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"}
}

// spoilt is claim with a change.
func (p *press) spoilt(change func(c *claim)) *etree.Document {
	p.Helper()
	c := p.claim()
	change(&c)
	return p.print(c)
}

func (p *press) assertion(c claim) *etree.Element {
	p.Helper()
	stamp := func(t time.Time) string { return t.Format(time.RFC3339) }
	inResponse, audience := "", ""
	if c.request != "" {
		inResponse = ` InResponseTo="` + c.request + `"`
	}
	if c.audience != "" {
		audience = `<saml:AudienceRestriction><saml:Audience>` + c.audience + `</saml:Audience></saml:AudienceRestriction>`
	}
	e := p.parse(`<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="` + c.id +
		`" Version="2.0" IssueInstant="` + stamp(p.now) + `"><saml:Issuer>` + c.issuer + `</saml:Issuer><saml:Subject>` +
		`<saml:NameID Format="` + c.nameFormat + `">` + c.name + `</saml:NameID>` +
		`<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData` +
		inResponse + ` NotOnOrAfter="` + stamp(c.until) + `" Recipient="` + c.recipient + `"/></saml:SubjectConfirmation>` +
		`</saml:Subject><saml:Conditions NotBefore="` + stamp(c.from) + `" NotOnOrAfter="` + stamp(c.until) + `">` +
		audience + `</saml:Conditions><saml:AttributeStatement><saml:Attribute Name="uid"><saml:AttributeValue>` + c.uid +
		`</saml:AttributeValue></saml:Attribute><saml:Attribute Name="urn:oid:0.9.2342.19200300.100.1.3" ` +
		`FriendlyName="mail"><saml:AttributeValue>` + c.mail + `</saml:AttributeValue></saml:Attribute>` +
		`</saml:AttributeStatement>` + c.extra + `</saml:Assertion>`).Root()
	if !c.signAssertion {
		return e
	}
	return p.sign(e, c.method)
}

func (p *press) print(c claim) *etree.Document {
	p.Helper()
	inResponse := ""
	if c.outer != "" {
		inResponse = ` InResponseTo="` + c.outer + `"`
	}
	doc := p.parse(`<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="` + c.responseID +
		`" Version="2.0" IssueInstant="` + p.now.Format(time.RFC3339) + `" Destination="` + c.destination + `"` + inResponse +
		`><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">` + c.issuer + `</saml:Issuer><samlp:Status>` +
		`<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status></samlp:Response>`)
	doc.Root().AddChild(p.assertion(c))
	if c.signResponse {
		doc.SetRoot(p.sign(doc.Root(), c.method))
	}
	return doc
}

func (p *press) parse(text string) *etree.Document {
	p.Helper()
	doc := etree.NewDocument()
	if err := doc.ReadFromString(text); err != nil {
		p.Fatalf("%v in %s", err, text)
	}
	return doc
}

// sign puts a signature into an element.
func (p *press) sign(e *etree.Element, method string) *etree.Element {
	p.Helper()
	c := dsig.NewDefaultSigningContext(dsig.TLSCertKeyStore(p.pair))
	c.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")
	if err := c.SetSignatureMethod(method); err != nil {
		p.Fatal(err)
	}
	signed, err := c.SignEnveloped(e)
	if err != nil {
		p.Fatal(err)
	}
	return signed
}

func (p *press) text(doc *etree.Document) string {
	p.Helper()
	s, err := doc.WriteToString()
	if err != nil {
		p.Fatal(err)
	}
	return s
}

func post(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// taken wants an answer to be believed.
func (p *press) taken(text string) *Proof {
	p.Helper()
	proof, err := p.verify(post(text), p.now)
	if err != nil {
		p.Fatalf("refused: %v\n%s", err, text)
	}
	return proof
}

// refused wants an answer not to be believed, for a reason.
func (p *press) refused(text string, whys ...string) {
	p.Helper()
	proof, err := p.verify(post(text), p.now)
	if err == nil {
		p.Fatalf("taken as %+v: %.2000s", proof, text)
	}
	for _, why := range whys {
		if strings.Contains(err.Error(), why) {
			return
		}
	}
	p.Errorf("refused because %q, want one of %q", err, whys)
}
