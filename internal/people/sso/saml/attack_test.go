package saml

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"lectern/internal/ground/fault"
	"lectern/internal/people/sso/saml/samltest"
)

func child(e *etree.Element, tag string) *etree.Element {
	for _, c := range e.ChildElements() {
		if c.Tag == tag {
			return c
		}
	}
	return nil
}

// evil is a copy of an assertion, or of a response with one, that names another
// person, with another id and no signature.
func evil(e *etree.Element) *etree.Element {
	c := e.Copy()
	c.CreateAttr("ID", "_evil")
	if s := child(c, "Signature"); s != nil {
		c.RemoveChild(s)
	}
	for _, v := range c.FindElements(".//NameID") {
		v.SetText("adi@example.edu")
	}
	for _, v := range c.FindElements(".//AttributeValue") {
		v.SetText("adi")
	}
	return c
}

// without is a copy of an element that lacks its signature.
func without(e *etree.Element) *etree.Element {
	c := e.Copy()
	c.RemoveChild(child(c, "Signature"))
	return c
}

// wrappings are the eight ways to wrap a signed response (1, 2) or assertion (3 to
// 8), after Somorovsky and others, "On Breaking SAML" (2012). Each gets the root of
// a good document and gives that of the attack.
var wrappings = map[string]func(root *etree.Element) *etree.Element{
	"XSW1": func(root *etree.Element) *etree.Element {
		bad, sig := evil(root), child(root, "Signature").Copy()
		sig.AddChild(without(root))
		bad.AddChild(sig)
		return bad
	},
	"XSW2": func(root *etree.Element) *etree.Element {
		bad := evil(root)
		bad.AddChild(without(root))
		bad.AddChild(child(root, "Signature").Copy())
		return bad
	},
	"XSW3": func(root *etree.Element) *etree.Element {
		root.InsertChildAt(0, evil(child(root, "Assertion")))
		return root
	},
	"XSW4": func(root *etree.Element) *etree.Element {
		good := child(root, "Assertion")
		bad := evil(good)
		root.RemoveChild(good)
		bad.AddChild(good)
		root.AddChild(bad)
		return root
	},
	"XSW5": func(root *etree.Element) *etree.Element {
		good := child(root, "Assertion")
		bad := evil(good)
		bad.AddChild(child(good, "Signature").Copy())
		root.RemoveChild(good)
		root.AddChild(bad)
		root.AddChild(without(good))
		return root
	},
	"XSW6": func(root *etree.Element) *etree.Element {
		good := child(root, "Assertion")
		bad, sig := evil(good), child(good, "Signature").Copy()
		sig.AddChild(without(good))
		bad.AddChild(sig)
		root.RemoveChild(good)
		root.AddChild(bad)
		return root
	},
	"XSW7": func(root *etree.Element) *etree.Element {
		e := etree.NewElement("samlp:Extensions")
		e.AddChild(evil(child(root, "Assertion")))
		root.InsertChildAt(0, e)
		return root
	},
	"XSW8": func(root *etree.Element) *etree.Element {
		good := child(root, "Assertion")
		bad, sig := evil(good), child(good, "Signature").Copy()
		o := etree.NewElement("ds:Object")
		o.AddChild(without(good))
		sig.AddChild(o)
		bad.AddChild(sig)
		root.RemoveChild(good)
		root.AddChild(bad)
		return root
	},
}

func TestWrappedSignaturesAreRefused(t *testing.T) {
	p := newPress(t)
	for name, wrap := range wrappings {
		c := p.claim()
		if name == "XSW1" || name == "XSW2" {
			c.signResponse, c.signAssertion = true, false
		}
		doc := p.print(c)
		p.taken(p.text(doc))
		doc.SetRoot(wrap(doc.Root()))
		p.refused(p.text(doc), "assertion", "stands in", "twice", "refers to", "holds")
	}
}

// TestWrappingWhatARealProviderSigned does the same with an answer of samlidp.
func TestWrappingWhatARealProviderSigned(t *testing.T) {
	p := newPress(t)
	p.idp.Person("ann", "ann@example.edu")
	raw := p.fromProvider("ann")
	for name, wrap := range wrappings {
		doc := p.parse(raw)
		if got := p.taken(p.text(doc)).identity.LoginID; got != "ann" {
			t.Fatalf("got %s", got)
		}
		if name != "XSW1" && name != "XSW2" { // an unsigned response around a signed assertion
			doc.Root().RemoveChild(child(doc.Root(), "Signature"))
			p.taken(p.text(doc))
		}
		doc.SetRoot(wrap(doc.Root()))
		p.refused(p.text(doc), "assertion", "stands in", "twice", "refers to", "holds")
	}
}

// fromProvider lets somebody sign in at samlidp and gives the response's XML.
func (p *press) fromProvider(name string) string {
	p.Helper()
	about, err := p.Describe()
	if err != nil {
		p.Fatal(err)
	}
	p.idp.Register(about)
	sp := p.service(p.Provider.idp.Load(), p.now.Add(skew))
	doc, err := sp.BuildAuthRequestDocumentNoSig()
	if err != nil {
		p.Fatal(err)
	}
	doc.Root().CreateAttr("ID", newRequestID(p.key, p.now, ""))
	address, err := sp.BuildAuthURLRedirect("", doc)
	if err != nil {
		p.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(p.idp.SignIn(address, name))
	if err != nil {
		p.Fatal(err)
	}
	return string(raw)
}

func TestForgedAnswersAreRefused(t *testing.T) {
	p := newPress(t)
	for why, change := range map[string]func(c *claim){
		"0 signatures":       func(c *claim) { c.signAssertion = false },
		"stands twice":       func(c *claim) { c.responseID = c.id },
		"rsa-sha1":           func(c *claim) { c.method = dsig.RSASHA1SignatureMethod },
		"Expired NotOnOr":    func(c *claim) { c.until = p.now.Add(-2 * time.Minute) },
		"it is good from":    func(c *claim) { c.from = p.now.Add(2 * time.Minute) },
		"another audience":   func(c *claim) { c.audience = "https://other.example.edu/saml" },
		"no audience":        func(c *claim) { c.audience = "" },
		"Recipient":          func(c *claim) { c.recipient = "https://other.example.edu/api/auth/jwt" },
		"Destination":        func(c *claim) { c.destination = "https://other.example.edu/api/auth/jwt" },
		"Issuer":             func(c *claim) { c.issuer = "https://other-idp.example.edu" },
		"no request of ours": func(c *claim) { c.request, c.outer = "_1234", "_1234" },
		"answers no request": func(c *claim) { c.request, c.outer = "", "" },
		"it answers":         func(c *claim) { c.outer = newRequestID(p.key, p.now, "") },
		"request that ended": func(c *claim) { c.request = newRequestID(p.key, p.now.Add(-time.Hour), ""); c.outer = "" },
		"has 0 values":       func(c *claim) { c.uid = "" },
		"instruction stands": func(c *claim) { c.extra = `<?php x?>` },
		"is no address":      func(c *claim) { c.extra = `<x:y xmlns:x="1"/>` },
		"Conditions twice":   func(c *claim) { c.extra = `<saml:Conditions/>` },
		"NameID twice":       func(c *claim) { c.name += `</saml:NameID><saml:SubjectConfirmation/><saml:NameID>` },
		"nested more":        func(c *claim) { c.extra = strings.Repeat("<x>", 50) + strings.Repeat("</x>", 50) },
		"more than 450":      func(c *claim) { c.extra = strings.Repeat("<x></x>", 451) },
		"has 21 attributes":  func(c *claim) { c.extra = "<x " + attributes21() + "/>" },
		"EncryptedAssertion": func(c *claim) { c.extra = `<saml:EncryptedAssertion/>` },
	} {
		p.refused(p.text(p.spoilt(change)), why)
	}
	foreign := newRequestID([]byte("another key"), p.now, "")
	p.refused(p.text(p.spoilt(func(c *claim) { c.request, c.outer = foreign, foreign })), "no request of ours")
	p.Login = ""
	p.refused(p.text(p.spoilt(func(c *claim) {
		c.nameFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
	})), "changes with every")
}

func attributes21() string {
	var b strings.Builder
	for i := range 21 {
		fmt.Fprintf(&b, ` a%d="1"`, i)
	}
	return b.String()
}

// TestAnAnswerWithManyGroups: what a person in four hundred groups brings is taken.
func TestAnAnswerWithManyGroups(t *testing.T) {
	p := newPress(t)
	groups := "</saml:AttributeValue>" + strings.Repeat("<saml:AttributeValue>g</saml:AttributeValue>", 400)
	got := p.taken(p.text(p.spoilt(func(c *claim) {
		c.mail += groups + "<saml:AttributeValue>"
	})))
	if len(got.identity.Attributes["mail"]) != 401 {
		t.Errorf("%d values", len(got.identity.Attributes["mail"]))
	}
}

func TestAnotherKeyIsRefused(t *testing.T) {
	p := newPress(t)
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	other := samltest.NewCertificate(t, k, p.now.Add(-time.Hour), p.now.Add(time.Hour))
	p.pair = pair(k, other) // signed with it, and says so
	p.refused(p.text(p.print(p.claim())), "trusted certs")
	p.pair = pair(k, p.idp.Certificate) // signed with it, and claims to be the provider
	p.refused(p.text(p.print(p.claim())), "verification error")
	p.pair = pair(p.idp.Key, other) // the provider's key under a certificate nobody knows
	p.refused(p.text(p.print(p.claim())), "trusted certs")
	p.pair = pair(p.idp.Key, p.idp.Certificate)
	p.taken(p.text(p.print(p.claim())))
	p.now = p.idp.Certificate.NotAfter.Add(time.Hour)
	p.refused(p.text(p.print(p.claim())), "Cert is not valid")
}

func TestTwoAssertionsAreRefused(t *testing.T) {
	p := newPress(t)
	doc := p.print(p.claim())
	second := p.claim()
	second.id = "_a2"
	doc.Root().AddChild(p.assertion(second))
	p.refused(p.text(doc), "has 2 assertions")
	c := p.claim()
	c.signAssertion = false
	doc = p.print(c)
	doc.Root().AddChild(p.assertion(second))
	doc.SetRoot(p.sign(doc.Root(), c.method))
	p.refused(p.text(doc), "has 2 assertions")
}

// TestWhatASignatureMayUse covers algorithms and void canonicalisation: a reader that
// canonicalises to nothing takes the digest of nothing for everything.
func TestWhatASignatureMayUse(t *testing.T) {
	p := newPress(t)
	good := p.text(p.print(p.claim()))
	p.taken(good)
	replace := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in %s", old, good)
		}
		return strings.Replace(good, old, with, 1)
	}
	c14n := `<ds:Transform Algorithm="` + exclusive + `"/>`
	for why, text := range map[string]string{
		"holds [Transform]":    replace(c14n, ""),
		"holds []":             replace(`<ds:Transform Algorithm="`+enveloped+`"/>`+c14n, ""),
		"uses the transform":   replace(c14n, `<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/>`),
		"CanonicalizationMeth": replace(`Method Algorithm="`+exclusive, `Method Algorithm="`),
		"C14N11":               strings.ReplaceAll(good, exclusive, "http://www.w3.org/2006/12/xml-c14n11#C14N11"),
		"xmldsig#sha1":         replace("xmlenc#sha256", "xmldsig#sha1"),
		"xmldsig#hmac-sha1":    replace(dsig.RSASHA256SignatureMethod, "http://www.w3.org/2000/09/xmldsig#hmac-sha1"),
		`refers to ""`:         replace(`URI="#_a1"`, `URI=""`),
		`refers to "#_r1"`:     replace(`URI="#_a1"`, `URI="#_r1"`),
		"SignatureValue Key":   replace(`</ds:SignatureValue>`, `</ds:SignatureValue><ds:SignatureValue/>`),
		"another namespace":    replace(`<ds:SignedInfo>`, `<SignedInfo/><ds:SignedInfo>`),
		"could not be verif":   replace(`ann@example.edu</saml:NameID>`, `adi@example.edu</saml:NameID>`),
		"a signature is none":  replace(`http://www.w3.org/2000/09/xmldsig#"`, `http://www.w3.org/2000/09/xmldsig"`),
	} {
		p.refused(text, why)
	}
}

func TestHostileDocumentsAreRefused(t *testing.T) {
	p := newPress(t)
	good := p.text(p.print(p.claim()))
	bomb := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">` + strings.Repeat(`<!ENTITY b "&a;&a;&a;&a;">`, 20) + `]>`
	comment := strings.Replace(good, "ann@example.edu</saml:NameID>", "ann<!---->@example.edu</saml:NameID>", 1)
	for why, text := range map[string]string{
		"a document type": `<!DOCTYPE x SYSTEM "http://evil.example.edu/x">` + good,
		"an entity":       bomb + strings.Replace(good, "ann", "&b;", 1),
		"a comment":       comment,
		"CDATA":           strings.Replace(good, "ann", "<![CDATA[ann]]>", 1),
		"not UTF-8":       "\xff\xfe" + good,
		"instruction":     `<?xml version="1.0" encoding="UTF-16"?>` + good,
		"no response":     `<x/>`,
		"at its top":      good + good,
		"not XML":         good[:len(good)/2],
	} {
		p.refused(text, why, "it is not XML", "it is no response")
	}
	p.taken(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + good)
	large := post(strings.Replace(good, "<saml:Subject>", "<saml:Subject>"+strings.Repeat(" ", 10<<20), 1))
	if n := testing.AllocsPerRun(1, func() {
		if _, err := p.verify(large, p.now); err == nil || !strings.Contains(err.Error(), "characters") {
			t.Errorf("got %v", err)
		}
	}); n > 20 { // nothing of it was decoded or parsed
		t.Errorf("10 MB took %v allocations", n)
	}
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestCompression)
	if _, err := w.Write([]byte(good)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	p.refused(packed.String(), "not UTF-8", "not XML")
	p.refused(good+"x", "at its top", "not XML")
	if _, err := p.verify("%%%", p.now); err == nil || !strings.Contains(err.Error(), "base64") {
		t.Errorf("got %v", err)
	}
	no := p.parse(good)
	no.Root().RemoveChild(child(no.Root(), "Assertion"))
	p.refused(p.text(no), "it has no assertion; its status is urn:oasis")
}

func TestAnswersNobodyAskedFor(t *testing.T) {
	p := newPress(t)
	text := p.text(p.spoilt(func(c *claim) { c.request, c.outer = "", "" }))
	_, err := p.verify(post(text), p.now)
	if r, ok := errors.AsType[*refusal](err); !ok || r.says != saysStart || !fault.Is(r.forPerson(), fault.Unknown) {
		t.Errorf("got %v", err)
	}
	p.Unsolicited = true
	if got := p.taken(text); len(got.once) != 1 {
		t.Errorf("got %+v", got)
	}
	p.refused(p.text(p.spoilt(func(c *claim) { c.request = "" })), "it answers")
	p.refused(p.text(p.spoilt(func(c *claim) { c.request, c.outer = "_1234", "_1234" })), "no request of ours")
}

func TestWhoAnAnswerIsAbout(t *testing.T) {
	p := newPress(t)
	got := p.taken(p.text(p.print(p.claim()))).identity
	if got.LoginID != "ann" || got.Email != "ann@example.edu" {
		t.Errorf("got %+v", got)
	}
	p.Login, p.Email = "", ""
	got = p.taken(p.text(p.spoilt(func(c *claim) { c.name = " x-77 "; c.signResponse = true }))).identity
	if got.LoginID != "x-77" || got.Email != "" {
		t.Errorf("got %+v", got)
	}
	got = p.taken(p.text(p.spoilt(func(c *claim) {
		c.nameFormat, c.signResponse, c.signAssertion = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress", true, false
	}))).identity
	if got.LoginID != "ann@example.edu" || got.Email != "ann@example.edu" || got.Attributes["mail"][0] != got.Email {
		t.Errorf("got %+v", got)
	}
}

func TestClocksMayDifferALittle(t *testing.T) {
	p := newPress(t)
	p.taken(p.text(p.spoilt(func(c *claim) { c.from = p.now.Add(50 * time.Second) })))
	p.taken(p.text(p.spoilt(func(c *claim) { c.until = p.now.Add(-50 * time.Second) })))
}

// FuzzVerify splices bytes into a good answer: whatever is taken is the same person.
func FuzzVerify(f *testing.F) {
	f.Add(uint(10), uint(3), []byte("x"))
	f.Add(uint(900), uint(0), []byte("<!---->"))
	f.Add(uint(0), uint(0), []byte(`<?xml version="1.0"?>`))
	var p *press
	var good string
	f.Fuzz(func(t *testing.T, at, cut uint, with []byte) {
		if p == nil {
			p = newPress(t)
			good = p.text(p.print(p.claim()))
		}
		p.T = t
		from := at % uint(len(good)+1)
		to := from + cut%(uint(len(good))-from+1)
		proof, err := p.verify(post(good[:from]+string(with)+good[to:]), p.now)
		if err == nil && (proof.identity.LoginID != "ann" || proof.identity.Email != "ann@example.edu") {
			t.Errorf("taken as %+v", proof)
		}
	})
}
