// Package samltest runs a real identity provider, crewjam's samlidp, for tests.
package samltest

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"html"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crewjam/saml/samlidp"
	dsig "github.com/russellhaering/goxmldsig"
	"golang.org/x/crypto/bcrypt"
)

// IDP is a running identity provider. Its people have the password "correct horse".
type IDP struct {
	*testing.T
	URL         string
	Metadata    string // the address of its metadata
	Key         *rsa.PrivateKey
	Certificate *x509.Certificate
	server      *samlidp.Server
}

// key is made once: an RSA key takes its time.
var key = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// NewCertificate gives a certificate for a key, which signs itself, and its times.
func NewCertificate(t *testing.T, k *rsa.PrivateKey, from, until time.Time) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "idp"},
		NotBefore: from, NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err == nil {
		template, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// Start runs a provider until the test ends.
func Start(t *testing.T) *IDP {
	t.Helper()
	k, err := key()
	if err != nil {
		t.Fatal(err)
	}
	i := &IDP{T: t, Key: k, Certificate: NewCertificate(t, k, time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour))}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.server.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	i.URL, i.Metadata = s.URL, s.URL+"/metadata"
	at, err := url.Parse(s.URL)
	if err == nil {
		i.server, err = samlidp.New(samlidp.Options{URL: *at, Key: k, Certificate: i.Certificate,
			Store: &samlidp.MemoryStore{}, Logger: log.New(io.Discard, "", 0)})
	}
	if err != nil {
		t.Fatal(err)
	}
	i.server.IDP.SignatureMethod = dsig.RSASHA256SignatureMethod
	return i
}

// Register tells the provider of a service, by the service's own metadata.
func (i *IDP) Register(metadata []byte) {
	i.Helper()
	r, err := http.NewRequestWithContext(i.Context(), http.MethodPut, i.URL+"/services/lectern",
		bytes.NewReader(metadata))
	if err != nil {
		i.Fatal(err)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		i.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(a.Body)
		i.Fatalf("the provider does not take our metadata: %s %s", a.Status, text)
	}
}

// Person makes somebody who can sign in, in some groups.
func (i *IDP) Person(name, email string, groups ...string) {
	i.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte("correct horse"), bcrypt.MinCost)
	if err == nil {
		err = i.server.Store.Put("/users/"+name, samlidp.User{Name: name, HashedPassword: hash, Email: email,
			GivenName: strings.ToUpper(name[:1]) + name[1:], Surname: "Person", Groups: groups})
	}
	if err != nil {
		i.Fatal(err)
	}
}

var answered = regexp.MustCompile(`name="(SAMLResponse|RelayState)" value="([^"]*)"`)

// SignIn does what a browser does: it signs a person in, follows an address that
// begins a sign-in, and gives the answer that the provider's form would post.
func (i *IDP) SignIn(address, name string) string {
	i.Helper()
	return i.Form(address, name).Get("SAMLResponse")
}

// Form is what the provider's page has a browser post to us once a person signed in.
func (i *IDP) Form(address, name string) url.Values {
	i.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		i.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	form := url.Values{"user": {name}, "password": {"correct horse"}}
	i.read(browser.PostForm(i.URL+"/login", form))
	page := i.read(browser.Get(address))
	out := url.Values{}
	for _, m := range answered.FindAllStringSubmatch(page, -1) {
		out.Set(m[1], html.UnescapeString(m[2]))
	}
	if out.Get("SAMLResponse") == "" {
		i.Fatalf("the provider gave no answer: %s", page)
	}
	return out
}

func (i *IDP) read(a *http.Response, err error) string {
	i.Helper()
	if err != nil {
		i.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		i.Fatal(err)
	}
	return string(b)
}
