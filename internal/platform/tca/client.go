// Package tca speaks with the outside similarity service: it calls what the service
// publishes as version 1 of its interface (TCA), and checks the signatures of what the
// service sends back. It decides nothing: when to call, what to send and what an
// answer means is for the caller to know.
package tca

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bounds on one call. Moving a file takes longer than asking a question.
const (
	askWithin  = 30 * time.Second
	moveWithin = 5 * time.Minute
	mostJSON   = 1 << 20
	mostEULA   = 2 << 20
	// MostPDF bounds a report that is downloaded, in bytes.
	MostPDF = 100 << 20
	// MostFile is the largest file the service takes, in bytes.
	MostFile = 100 << 20
)

// Config says where the service is and who calls it.
type Config struct {
	URL     string // such as https://example.turnitin.com; a path before /api/v1 is kept
	Key     string // of the integration, sent as a bearer
	Name    string // of the integration, as the service lists it
	Version string // of the integration
	// AskWithin and MoveWithin bound a call without and with a file; half a minute
	// and five minutes when zero.
	AskWithin, MoveWithin time.Duration
	// May is asked before each call, and what it refuses is not called. Nil lets all through.
	May func(context.Context) error
}

// Client calls the service. Its methods may be called from many goroutines; each
// fails with an *Error.
type Client struct {
	conf Config
	base string
	http *http.Client
}

// New makes a client, and refuses an address that cannot be one.
func New(c Config) (*Client, error) {
	base, err := Base(c.URL)
	if err != nil {
		return nil, err
	}
	if c.AskWithin <= 0 {
		c.AskWithin = askWithin
	}
	if c.MoveWithin <= 0 {
		c.MoveWithin = moveWithin
	}
	return &Client{conf: c, base: base, http: &http.Client{
		// A redirect would carry the key to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4,
			IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10},
	}}, nil
}

// Base gives the address all calls begin with. It refuses what is no address of the
// web.
func Base(text string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return "", fmt.Errorf("%q is not an address such as https://example.turnitin.com", text)
	}
	path := strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/api/v1")
	return u.Scheme + "://" + u.Host + path + "/api/v1", nil
}

// Host is the name of the service's machine, to tell people where their work went.
func (c *Client) Host() string {
	u, err := url.Parse(c.base)
	if err != nil {
		return c.base
	}
	return u.Host
}

// Close ends the connections that wait to be used again.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call is one request to the service.
type call struct {
	method, path string
	send         any       // as JSON, where it is not nil
	file         io.Reader // in place of JSON
	length       int64     // of the file
	name         string    // of the file
	into         any       // what the answer is decoded into; nil: nothing of it matters
	slow         bool      // it moves a file
}

// do makes a call. An empty answer is no failure unless something is read from it; one
// that is no JSON is, as it is not the service that gave it.
func (c *Client) do(ctx context.Context, in call) error {
	answer, done, err := c.open(ctx, in)
	if err != nil {
		return err
	}
	defer done()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostJSON+1))
	if err != nil {
		return in.broken(err)
	}
	if len(body) > mostJSON {
		return in.rubbish(answer.StatusCode, fmt.Sprintf("it is longer than %d bytes", mostJSON))
	}
	if in.into == nil && len(body) == 0 {
		return nil
	}
	if in.into == nil {
		in.into = new(json.RawMessage)
	}
	if err := json.Unmarshal(body, in.into); err != nil {
		return in.rubbish(answer.StatusCode, "it is not the JSON that was expected")
	}
	return nil
}

// open sends a call and gives its answer where that is a success.
func (c *Client) open(ctx context.Context, in call) (*http.Response, func(), error) {
	within := c.conf.AskWithin
	if in.slow {
		within = c.conf.MoveWithin
	}
	ctx, stop := context.WithTimeout(ctx, within)
	if c.conf.May != nil {
		if err := c.conf.May(ctx); err != nil {
			stop()
			return nil, nil, in.broken(err)
		}
	}
	r, err := c.request(ctx, in)
	if err != nil {
		stop()
		return nil, nil, err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		stop()
		return nil, nil, in.broken(err)
	}
	done := func() {
		answer.Body.Close()
		stop()
	}
	if answer.StatusCode/100 != 2 {
		defer done()
		return nil, nil, in.refused(answer)
	}
	return answer, done, nil
}

func (c *Client) request(ctx context.Context, in call) (*http.Request, error) {
	body, kind := in.file, "binary/octet-stream"
	if in.file == nil {
		kind = "application/json"
		if in.send != nil {
			text, err := json.Marshal(in.send)
			if err != nil {
				return nil, fmt.Errorf("encode %s %s: %w", in.method, in.path, err)
			}
			body = bytes.NewReader(text)
		}
	}
	r, err := http.NewRequestWithContext(ctx, in.method, c.base+in.path, body)
	if err != nil {
		return nil, err
	}
	h := r.Header
	h.Set("Authorization", "Bearer "+c.conf.Key)
	h.Set("X-Turnitin-Integration-Name", c.conf.Name)
	h.Set("X-Turnitin-Integration-Version", c.conf.Version)
	h.Set("Accept", "application/json")
	h.Set("Content-Type", kind)
	if in.file != nil {
		r.ContentLength = in.length
		if in.length == 0 {
			r.Body = http.NoBody
		}
		h.Set("Content-Disposition", `inline; filename="`+plain(in.name)+`"`)
	}
	return r, nil
}

// plain keeps what may stand between the quotes of a header.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
}

// errStatus is an answer of the service that tells of a failure.
func (in call) refused(answer *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 16<<10))
	var told struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(body, &told) // what is no JSON has nothing to tell
	return &Error{Call: in.method + " " + in.path, Status: answer.StatusCode, Message: short(told.Message),
		RetryAfter: retryAfter(answer.Header.Get("Retry-After"))}
}

func (in call) rubbish(status int, why string) error {
	return &Error{Call: in.method + " " + in.path, Status: status, Message: "the answer cannot be used: " + why,
		rubbish: true}
}

func (in call) broken(err error) error {
	return &Error{Call: in.method + " " + in.path, Message: reason(err), Err: err}
}

// isPDF tells whether bytes begin as a PDF does.
func isPDF(b []byte) bool { return bytes.HasPrefix(b, []byte("%PDF-")) }

var errNoPDF = errors.New("it is not a PDF")
