package oidc

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

const (
	// fresh is how long what the provider says of itself is taken for true.
	fresh = time.Hour
	// again is how long after a failure it is asked again.
	again = 10 * time.Second
)

// Provider signs people in by one OpenID provider.
type Provider struct {
	Config
	db  *db.DB
	key []byte // of states

	mu     sync.Mutex
	known  *gooidc.Provider // the last good answer
	asked  time.Time        // when there was an answer, or none, for the last time
	failed error            // why the last question got none
	asking bool             // another answer is on its way
}

// New prepares a Provider. It asks nothing yet, so that the service starts without
// the provider.
func New(ctx context.Context, d *db.DB, c Config) (*Provider, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	key, err := db.InstallationKey(ctx, d, keyName)
	return &Provider{Config: c.withDefaults(), db: d, key: key}, err
}

// unavailable tells a person that the provider cannot be used.
func unavailable(cause error) error {
	return &fault.Error{Kind: fault.Upstream, Err: cause, Text: "Your institution's sign-in does not answer " +
		"correctly. Try again in a few minutes, or sign in another way."}
}

// discover gives what the provider says of itself. While it does not answer the last
// good answer counts; where there is none, those who come in the next seconds hear at
// once what the first one waited for.
func (p *Provider) discover(ctx context.Context) (*gooidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	good := fresh
	if p.failed != nil {
		good = again
	}
	old := time.Since(p.asked) > good
	switch {
	case p.known != nil && old && !p.asking:
		p.asking = true
		go func() {
			found, err := p.ask(context.WithoutCancel(ctx))
			p.mu.Lock()
			defer p.mu.Unlock()
			p.asking = false
			p.note(ctx, found, err)
		}()
	case p.known == nil && old:
		found, err := p.ask(ctx) // those who wait for the lock wait no longer than this one
		p.note(ctx, found, err)
	}
	if p.known == nil {
		return nil, unavailable(p.failed)
	}
	return p.known, nil
}

// note keeps an answer, and the last good one where there is none. The caller holds
// the lock.
func (p *Provider) note(ctx context.Context, found *gooidc.Provider, err error) {
	p.asked, p.failed = time.Now(), err
	if err == nil {
		p.known = found
		return
	}
	p.Log.WarnContext(ctx, "the OpenID provider does not answer as it should", "issuer", p.Issuer, "err", err)
}

// ask reads the provider's discovery document. That must name the issuer it was
// asked for, or another could speak for it.
func (p *Provider) ask(ctx context.Context) (*gooidc.Provider, error) {
	// The library keeps the client of the context to fetch keys with later.
	ctx, stop := p.within(ctx)
	defer stop()
	return gooidc.NewProvider(gooidc.ClientContext(ctx, p.Client), p.Issuer)
}

func (p *Provider) oauth(known *gooidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: known.Endpoint(),
		RedirectURL: p.Callback, Scopes: append([]string{gooidc.ScopeOpenID}, p.Scopes...)}
}

func (p *Provider) now() time.Time { return p.db.Now().Time }

// Start gives the address at which a browser with a secret of its own begins to sign
// in. It waits for the provider for seconds at most, and fails with fault.Upstream.
func (p *Provider) Start(ctx context.Context, browser, next string) (string, error) {
	known, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	s := begin(p.key, browser, next, p.db.Now().Time)
	return p.oauth(known).AuthCodeURL(s.state, gooidc.Nonce(s.nonce), oauth2.S256ChallengeOption(s.verifier)), nil
}

// Look is what the doctor sees of a provider.
type Look struct {
	Skew    time.Duration // between its clock and ours
	Expires time.Time     // its certificate; zero without TLS
}

// See asks a provider what a sign-in would need of it.
func See(ctx context.Context, c Config) (*Look, error) {
	c = c.withDefaults()
	ctx, stop := c.within(ctx)
	defer stop()
	client := *c.Client
	seen := &witness{RoundTripper: client.Transport}
	client.Transport = seen
	p, err := gooidc.NewProvider(gooidc.ClientContext(ctx, &client), c.Issuer)
	if err != nil {
		return nil, err
	}
	var told struct {
		Methods []string `json:"code_challenge_methods_supported"`
		Keys    string   `json:"jwks_uri"`
	}
	if err := p.Claims(&told); err != nil || told.Keys == "" {
		return nil, errors.Join(errors.New("its discovery document names no keys"), err)
	}
	if p.Endpoint().AuthURL == "" || p.Endpoint().TokenURL == "" {
		return nil, errors.New("its discovery document names no address to sign in at, or none for tokens")
	}
	return &seen.Look, nil
}

// witness notes what an answer tells beside its content.
type witness struct {
	http.RoundTripper
	Look
}

func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := w.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if at, err := http.ParseTime(a.Header.Get("Date")); err == nil {
		w.Skew = time.Since(at).Truncate(time.Second)
	}
	if a.TLS != nil && len(a.TLS.PeerCertificates) > 0 {
		w.Expires = a.TLS.PeerCertificates[0].NotAfter
	}
	return a, nil
}
