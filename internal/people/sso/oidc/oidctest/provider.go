// Package oidctest runs zitadel's OpenID provider for tests, and a browser that signs
// in at it.
package oidctest

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Who we are to the provider, and who signs in there.
const (
	ClientID = "lectern"
	Secret   = "a secret of the client's"
	Callback = "https://learn.example.edu/api/auth/oidc/callback"
	Username = "ann"
	Subject  = "ann-id"
	password = "correct horse"
)

// Provider is a running one, which can be made to misbehave.
type Provider struct {
	*httptest.Server
	provider atomic.Pointer[http.Handler]
	wrap     atomic.Pointer[func(http.ResponseWriter, *http.Request, http.Handler)]
}

// people is who the provider knows.
type people struct{ user *storage.User }

func (p people) GetUserByID(id string) *storage.User {
	if id == p.user.ID {
		return p.user
	}
	return nil
}

func (p people) GetUserByUsername(name string) *storage.User {
	if name == p.user.Username {
		return p.user
	}
	return nil
}

func (people) ExampleClientID() string { return "service" }

// Start runs a provider until the test ends. It knows ann, whose address it has
// verified or not.
func Start(t testing.TB, verified bool) *Provider {
	t.Helper()
	p := &Provider{}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	p.Renew(verified)
	return p
}

// making lets one provider be made at a time.
var making sync.Mutex

// Renew makes the provider another one at the same address, with another key.
func (p *Provider) Renew(verified bool) {
	user := &storage.User{ID: Subject, Username: Username, Password: password, FirstName: "Ann", LastName: "Smith",
		Email: "ann@example.edu", EmailVerified: verified}
	client := storage.WebClient(ClientID, Secret, Callback)
	making.Lock() // each with endpoints of its own: the library writes into those of all
	defer making.Unlock()
	endpoints := *op.DefaultEndpoints
	op.DefaultEndpoints = &endpoints
	var h http.Handler = exampleop.SetupServer(p.URL, storage.NewStorageWithClients(people{user},
		map[string]*storage.Client{ClientID: client}), slog.New(slog.DiscardHandler), false)
	p.provider.Store(&h)
}

// Wrap puts f before the provider; nil takes it away.
func (p *Provider) Wrap(f func(w http.ResponseWriter, r *http.Request, next http.Handler)) {
	if f == nil {
		p.wrap.Store(nil)
		return
	}
	p.wrap.Store(&f)
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	next := *p.provider.Load()
	if f := p.wrap.Load(); f != nil {
		(*f)(w, r, next)
		return
	}
	next.ServeHTTP(w, r)
}

// SignIn goes to an address of the provider's, signs ann in there, and gives the
// address that her browser is sent back to.
func (p *Provider) SignIn(t testing.TB, address string) *url.URL {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	next := func(a *http.Response, err error) *url.URL {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		to, err := a.Location()
		if err != nil {
			text, _ := io.ReadAll(a.Body)
			t.Fatalf("%d %s", a.StatusCode, bytes.TrimSpace(text))
		}
		return to
	}
	login := next(client.Get(address))
	done := next(client.PostForm(p.URL+"/login/username", url.Values{"username": {Username}, "password": {password},
		"id": {login.Query().Get("authRequestID")}}))
	return next(client.Get(done.String()))
}
