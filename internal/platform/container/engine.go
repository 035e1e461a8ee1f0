// Package container speaks to a container engine: it pulls images and runs
// programs nobody trusts, each in a fresh container with limits on all it can use.
//
// It knows the Docker Engine API from version 1.40 on, which Docker and Podman
// both serve, and of that only the calls it needs.
package container

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// version is the version of the API that is spoken.
const version = "1.40"

// ErrUnavailable says that the engine does not answer: what was asked of it may be asked
// again later.
var ErrUnavailable = errors.New("the container engine does not answer")

// Engine is a container engine at some address. Its methods may be called from
// many goroutines.
type Engine struct {
	service string // whose containers these are, told by their label
	network string // unix or tcp
	address string
	tls     *tls.Config // nil on a unix socket
	http    *http.Client

	mu     sync.Mutex
	option string // the security option of the seccomp profile, once it is in place
}

// Open makes the client of an engine at unix:///path/of/the/socket or, with a
// directory that holds ca.pem, cert.pem and key.pem, at tcp://host:port. TCP
// without them is refused: whoever reaches an engine rules its machine. It does
// not connect yet. Service names whose containers are made, so that several can
// share an engine.
func Open(host, certs, service string) (*Engine, error) {
	u, err := url.Parse(host)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address such as unix:///run/podman/podman.sock: %w", host, err)
	}
	e := &Engine{service: service, network: u.Scheme, address: u.Host}
	switch {
	case u.Scheme == "unix" && u.Path != "" && u.Host == "":
		e.address = u.Path
	case u.Scheme == "tcp" && u.Port() != "" && strings.Trim(u.Path, "/") == "":
		if e.tls, err = readCerts(certs, u.Hostname()); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%q is not an address such as unix:///run/podman/podman.sock or tcp://host:2376", host)
	}
	e.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return e.dial(ctx) }}}
	return e, nil
}

// readCerts reads what is shown to an engine that is reached by TCP, and by what
// it is known.
func readCerts(dir, host string) (*tls.Config, error) {
	if dir == "" {
		return nil, errors.New("an engine at a tcp:// address needs a directory with ca.pem, cert.pem and key.pem: " +
			"whoever reaches it without them rules its machine")
	}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s holds no certificate", filepath.Join(dir, "ca.pem"))
	}
	own, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		return nil, err
	}
	return &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{own}, ServerName: host,
		MinVersion: tls.VersionTLS12}, nil
}

// dial connects, with TLS where the engine is reached by TCP.
func (e *Engine) dial(ctx context.Context) (net.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if e.tls != nil {
		return (&tls.Dialer{Config: e.tls}).DialContext(ctx, e.network, e.address)
	}
	return new(net.Dialer).DialContext(ctx, e.network, e.address)
}

// Check tells whether the engine answers and is new enough.
func (e *Engine) Check(ctx context.Context) error {
	var v struct{ ApiVersion string } //nolint:revive // as the engine writes it
	if err := e.call(ctx, http.MethodGet, "/version", nil, nil, &v); err != nil {
		return err
	}
	if !atLeast(v.ApiVersion, version) {
		return fmt.Errorf("the container engine speaks version %q of the API; at least %s is needed", v.ApiVersion,
			version)
	}
	return nil
}

// atLeast compares versions such as 1.9 and 1.40.
func atLeast(have, want string) bool {
	number := func(s string) (int, int) {
		a, b, _ := strings.Cut(s, ".")
		major, _ := strconv.Atoi(a)
		minor, _ := strconv.Atoi(b)
		return major, minor
	}
	major, minor := number(have)
	wantMajor, wantMinor := number(want)
	return major > wantMajor || major == wantMajor && minor >= wantMinor
}

// Refused is an engine's own answer that it will not do something.
type Refused struct {
	Status int
	Text   string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("the container engine says: %s (%d)", r.Text, r.Status)
}

// request makes a request; the host in it means nothing.
func (e *Engine) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	target := "http://engine/v" + version + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, target, body)
	if err == nil && in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

// most bounds an answer of the engine that is held in memory.
const most = 8 << 20

// call asks for something and reads the answer into out, unless that is nil.
func (e *Engine) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	r, err := e.request(ctx, method, path, query, in)
	if err != nil {
		return err
	}
	answer, err := e.http.Do(r)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer answer.Body.Close()
	if err := refused(answer); err != nil {
		return err
	}
	if out == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, most)) // so that the connection is used again
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, most)).Decode(out); err != nil {
		return fmt.Errorf("read the answer of the container engine to %s %s: %w", method, path, err)
	}
	return nil
}

// unavailable tells a broken connection from a caller who gave up.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// refused reads the reason of an answer that is none.
func refused(r *http.Response) error {
	if r.StatusCode < 400 {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(r.Body, 10_000))
	var said struct{ Message string }
	if json.Unmarshal(text, &said) != nil || said.Message == "" {
		said.Message = strings.TrimSpace(string(text))
	}
	return &Refused{r.StatusCode, said.Message}
}
