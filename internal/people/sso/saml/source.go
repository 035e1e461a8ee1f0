package saml

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

const (
	mostMetadata = 1 << 20 // bytes
	fetchWithin  = 10 * time.Second
	refreshEvery = time.Hour
	retryAfter   = 15 * time.Second // doubled at every failure, until it is refreshEvery
)

// client fetches metadata. It follows redirects, but to nothing without TLS.
func client() *http.Client {
	return &http.Client{Timeout: fetchWithin, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 3 || !encrypted(r.URL.String()) {
			return errors.New("the address leads on too often, or to one without https")
		}
		return nil
	}}
}

// IsAddress tells whether metadata is fetched, rather than read from a file.
func IsAddress(metadata string) bool {
	return strings.HasPrefix(metadata, "https://") || strings.HasPrefix(metadata, "http://")
}

// fetched is metadata as it came, and the time that its server had then, if it told.
type fetched struct {
	text []byte
	at   time.Time
}

// fetch reads the metadata from where it is, within bounds of size and time.
func fetch(ctx context.Context, c *http.Client, from string) (*fetched, error) {
	if !IsAddress(from) {
		text, err := os.ReadFile(from)
		if err == nil && len(text) > mostMetadata {
			err = errTooLarge
		}
		return &fetched{text: text}, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return nil, err
	}
	a, err := c.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the address does not answer: %w", err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the address answers %s", a.Status)
	}
	text, err := io.ReadAll(io.LimitReader(a.Body, mostMetadata+1))
	if err == nil && len(text) > mostMetadata {
		err = errTooLarge
	}
	at, _ := http.ParseTime(a.Header.Get("Date")) // zero: not told
	return &fetched{text, at}, err
}

var errTooLarge = errors.New("the metadata is larger than 1 MB: " + ErrMany.Error())

// Run keeps the metadata fresh until ctx ends.
func (p *Provider) Run(ctx context.Context) {
	wait := retryAfter
	for {
		pause := refreshEvery
		if err := p.Refresh(ctx); err != nil && ctx.Err() == nil {
			p.Log.WarnContext(ctx, "the metadata of the identity provider could not be fetched; what was good last "+
				"stays in use", "from", p.Metadata, "have", p.idp.Load() != nil, "err", err)
			pause, wait = wait, min(2*wait, refreshEvery)
		} else {
			wait = retryAfter
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Refresh fetches the metadata once and uses it from then on. Metadata that cannot be had or
// used leaves what there was. One caller at a time. It is for the service itself: at its start
// and by Run.
func (p *Provider) Refresh(ctx context.Context) error {
	f, err := fetch(ctx, p.Client, p.Metadata)
	if err != nil {
		return err
	}
	i, err := parse(f.text, p.Pins)
	if err != nil {
		return err
	}
	if now := p.db.Now().Time; i.over(now) {
		return fmt.Errorf("the metadata was valid until %s only", i.validUntil.Format(time.RFC3339))
	}
	p.idp.Store(i)
	if p.text == string(f.text) {
		return nil
	}
	p.text = string(f.text)
	return p.db.Tx(ctx, func(q db.Q) error { return db.SetInstallation(ctx, q, p.stored(), p.text) })
}

// stored is where the last good metadata of this address is kept, for a start while
// the address does not answer.
func (p *Provider) stored() string { return "saml metadata of " + p.Metadata }

func (p *Provider) recall(ctx context.Context) error {
	text, err := db.One[string](ctx, p.db.Pool(), `SELECT value FROM installation WHERE name = $1`, p.stored())
	if fault.Is(err, fault.Missing) {
		return nil
	}
	if err != nil {
		return err
	}
	// Other pins may refuse what was good last time.
	if i, err := parse([]byte(*text), p.Pins); err == nil {
		p.idp.Store(i)
		p.text = *text
	}
	return nil
}

// Check finds settings with which nobody could sign in, or the wrong people.
func (c *Config) Check() error {
	if IsAddress(c.Metadata) {
		if !encrypted(c.Metadata) && len(c.Pins) == 0 {
			return fmt.Errorf("%s is not an https address, so anybody on the way could change the certificate: pin it",
				c.Metadata)
		}
	} else if _, err := os.Stat(c.Metadata); err != nil {
		return fmt.Errorf("neither an https address nor a file: %w", err)
	}
	return c.Rules.Check()
}
