package saml

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"
	saml2 "github.com/russellhaering/gosaml2"
	dsig "github.com/russellhaering/goxmldsig"
)

// What an answer may cost. Those of real providers have some ten kilobytes.
const (
	mostBytes      = 512 << 10
	mostElements   = 450 // the library goes over 1000, some of them twice
	mostDepth      = 40
	mostAttributes = 20 // of an element: every reader pays for its namespaces in all below
)

// algorithms are those that signatures may use; SHA-1 is not among them.
var algorithms = map[string][]string{
	"CanonicalizationMethod": {exclusive},
	"SignatureMethod": {dsig.RSASHA256SignatureMethod, dsig.RSASHA384SignatureMethod,
		dsig.RSASHA512SignatureMethod},
	"DigestMethod": {"http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384",
		"http://www.w3.org/2001/04/xmlenc#sha512"},
}

const (
	exclusive = string(dsig.CanonicalXML10ExclusiveAlgorithmId)
	enveloped = string(dsig.EnvelopedSignatureAltorithmId)
)

// decode reads the text of a form's field. It refuses what is too large before
// anything is parsed, and with <! whatever could mean one thing to one reader and
// another to the next: document types, entities, comments and CDATA. The provider
// has no reason to send any of them.
func decode(answer string) ([]byte, error) {
	if len(answer) > mostBytes/3*4+1024 {
		return nil, refuse("it has %d characters", len(answer))
	}
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(answer), ""))
	switch {
	case err != nil:
		return nil, refuse("it is not base64")
	case len(raw) > mostBytes:
		return nil, refuse("it has %d bytes", len(raw))
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return nil, refuse("it is not UTF-8")
	case bytes.Contains(raw, []byte("<!")):
		return nil, refuse("it has a document type, an entity, a comment or CDATA")
	case bytes.Count(raw, []byte("</"))+bytes.Count(raw, []byte("/>")) > mostElements:
		return nil, refuse("it has more than %d elements", mostElements)
	}
	return raw, nil
}

// shape refuses a document that is not exactly a response with one assertion, signed
// where it should be and nowhere else. Whatever wraps, doubles or hides a part of a
// signed document needs a form that is refused here.
func shape(raw []byte) error {
	doc := etree.NewDocument()
	if err := doc.ReadFromBytes(raw); err != nil {
		return refuse("it is not XML: %v", err)
	}
	root := doc.Root()
	if root == nil || !is(root, saml2.SAMLProtocolNamespace, "Response") {
		return refuse("it is no response")
	}
	if err := alone(doc); err != nil {
		return err
	}
	s := &shaper{root: root, ids: map[string]bool{}}
	if err := s.walk(root, 0); err != nil {
		return err
	}
	if s.assertions == 0 {
		return saying(saysNo, "it has no assertion; its status is %s", status(root))
	}
	if s.assertions != 1 || s.signatures == 0 {
		return refuse("it has %d assertions and %d signatures", s.assertions, s.signatures)
	}
	return nil
}

// alone refuses a document with anything at its top but one element and an XML
// declaration before it.
func alone(doc *etree.Document) error {
	for i, t := range doc.Child {
		p, instruction := t.(*etree.ProcInst)
		switch space, text := t.(*etree.CharData); {
		case t == doc.Root() || text && space.IsWhitespace():
		case i > 0 || !instruction || p.Target != "xml" || !declaresUTF8(p.Inst):
			return refuse("it has an instruction, or more than one element at its top")
		}
	}
	return nil
}

// status gives the codes of a response, for the log: a provider that says no tells
// why there.
func status(root *etree.Element) string {
	var codes []string
	for _, c := range root.FindElements("./Status//StatusCode") {
		codes = append(codes, c.SelectAttrValue("Value", ""))
	}
	return strings.Join(codes, " ")
}

// declaresUTF8 tells whether an XML declaration names no other encoding.
func declaresUTF8(inst string) bool {
	_, named, ok := strings.Cut(inst, "encoding=")
	return !ok || strings.EqualFold(strings.Trim(named[:min(len(named), 7)], `"' `), "utf-8")
}

func is(e *etree.Element, space, tag string) bool { return e.Tag == tag && e.NamespaceURI() == space }

// shaper looks at every element of an answer.
type shaper struct {
	root                   *etree.Element
	ids                    map[string]bool
	assertions, signatures int
}

func (s *shaper) walk(e *etree.Element, depth int) error {
	if depth > mostDepth {
		return refuse("it is nested more than %d deep", mostDepth)
	}
	if err := s.attributes(e); err != nil {
		return err
	}
	if err := s.place(e); err != nil {
		return err
	}
	for _, c := range e.Child {
		switch c := c.(type) {
		case *etree.Element:
			if err := s.walk(c, depth+1); err != nil {
				return err
			}
		case *etree.CharData:
		default:
			return refuse("an instruction stands in %s", e.Tag)
		}
	}
	return nil
}

// attributes refuses an id that stands twice, under any of its names, and
// namespaces that are no addresses: some readers canonicalise those to nothing.
func (s *shaper) attributes(e *etree.Element) error {
	if len(e.Attr) > mostAttributes {
		return refuse("%s has %d attributes", e.Tag, len(e.Attr))
	}
	for _, a := range e.Attr {
		switch {
		case strings.EqualFold(a.Key, "id") && a.Space != "xmlns":
			if a.Value == "" || s.ids[a.Value] {
				return refuse("the id %q stands twice or is empty", a.Value)
			}
			s.ids[a.Value] = true
		case (a.Space == "xmlns" || a.Space == "" && a.Key == "xmlns") && !strings.Contains(a.Value, ":"):
			return refuse("the namespace %q is no address", a.Value)
		}
	}
	return nil
}

// once are the parts of which an element may have one only.
var once = []string{"Issuer", "Status", "Subject", "NameID", "SubjectConfirmation", "SubjectConfirmationData",
	"Conditions", "AttributeStatement", "AuthnStatement"}

// place refuses what matters to a signature anywhere but where it belongs, whatever
// its namespace.
func (s *shaper) place(e *etree.Element) error {
	parent := e.Parent()
	switch e.Tag {
	case "Response", "EncryptedAssertion":
		if e != s.root {
			return refuse("%s stands in %s", e.Tag, parent.Tag)
		}
	case "Assertion":
		s.assertions++
		if parent != s.root || !is(e, saml2.SAMLAssertionNamespace, "Assertion") {
			return refuse("an assertion stands in %s", parent.Tag)
		}
	case "Signature":
		s.signatures++
		if parent != s.root && (parent.Tag != "Assertion" || parent.Parent() != s.root) {
			return refuse("a signature stands in %s", parent.Tag)
		}
		return signature(e)
	}
	seen := map[string]bool{}
	for _, c := range e.ChildElements() {
		if (slices.Contains(once, c.Tag) || c.Tag == "Signature") && seen[c.Tag] {
			return refuse("%s has %s twice", e.Tag, c.Tag)
		}
		seen[c.Tag] = true
	}
	return nil
}

// signature refuses one that is not exactly an enveloped signature of its parent
// with algorithms of the list.
func signature(e *etree.Element) error {
	if !is(e, dsig.Namespace, "Signature") || e.Parent().SelectAttrValue("ID", "") == "" {
		return refuse("a signature is none, or of something without an id")
	}
	if err := parts(e, "SignedInfo", "SignatureValue", "KeyInfo"); err != nil {
		if err := parts(e, "SignedInfo", "SignatureValue"); err != nil {
			return err
		}
	}
	info := e.ChildElements()[0]
	if err := parts(info, "CanonicalizationMethod", "SignatureMethod", "Reference"); err != nil {
		return err
	}
	reference := info.ChildElements()[2]
	if err := parts(reference, "Transforms", "DigestMethod", "DigestValue"); err != nil {
		return err
	}
	if got := reference.SelectAttrValue("URI", ""); got != "#"+e.Parent().SelectAttrValue("ID", "") {
		return refuse("a signature refers to %q", got)
	}
	transforms := reference.ChildElements()[0]
	if err := parts(transforms, "Transform", "Transform"); err != nil {
		return err
	}
	for i, want := range []string{enveloped, exclusive} {
		if got := transforms.ChildElements()[i].SelectAttrValue("Algorithm", ""); got != want {
			return refuse("a signature uses the transform %q", got)
		}
	}
	for _, m := range []*etree.Element{info.ChildElements()[0], info.ChildElements()[1], reference.ChildElements()[1]} {
		if got := m.SelectAttrValue("Algorithm", ""); !slices.Contains(algorithms[m.Tag], got) {
			return refuse("a signature uses the %s %q", m.Tag, got)
		}
	}
	return nil
}

// parts refuses an element of a signature that has other children than these, in
// this order.
func parts(e *etree.Element, want ...string) error {
	var got []string
	for _, c := range e.ChildElements() {
		if c.NamespaceURI() != dsig.Namespace {
			return refuse("%s holds %s of another namespace", e.Tag, c.Tag)
		}
		got = append(got, c.Tag)
	}
	if slices.Equal(got, want) {
		return nil
	}
	return refuse("%s holds %s", e.Tag, fmt.Sprint(got))
}
