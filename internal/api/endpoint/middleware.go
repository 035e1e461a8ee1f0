package endpoint

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"lectern/internal/access"
	"lectern/internal/fault"
	"lectern/internal/policy"
)

type contextKey struct{}

// arrival is what a request's context knows of the request.
type arrival struct {
	id      string
	address netip.Addr
	token   string
	last    string // of Last-Event-ID
}

var nowhere arrival

func arrived(ctx context.Context) *arrival {
	if a, ok := ctx.Value(contextKey{}).(*arrival); ok {
		return a
	}
	return &nowhere
}

// RequestID is the number of the request, as in X-Request-Id and the logs.
func RequestID(ctx context.Context) string { return arrived(ctx).id }

// Address is the client's address, as far as trusted proxies tell it.
func Address(ctx context.Context) netip.Addr { return arrived(ctx).address }

// Token is the session token the caller sent, for the one endpoint that gives
// it back.
func Token(ctx context.Context) string { return arrived(ctx).token }

// LastEventID is where a client that heard events before says it was.
func LastEventID(ctx context.Context) string { return arrived(ctx).last }

// ServeHTTP implements http.Handler: everything that holds for every request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	id := rand.Text()[:16]
	a := &arrival{id: id, address: s.Proxies.Client(r), token: tokenOf(r.Header), last: r.Header.Get("Last-Event-ID")}
	r = normal(r.WithContext(context.WithValue(r.Context(), contextKey{}, a)))
	rec := &recorder{ResponseWriter: w}
	h := w.Header()
	h.Set("X-Request-Id", id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if strings.HasPrefix(r.URL.Path, "/api") {
		h.Set("Cache-Control", "no-store")
	}
	route := ""
	defer func() { s.finish(rec, r, route, start, recover()) }()
	if s.cors(rec, r) {
		return
	}
	_, route = s.mux.Handler(r)
	if route == "" {
		s.unrouted(rec, r)
		return
	}
	s.mux.ServeHTTP(rec, r)
}

// finish logs and counts the request, and answers for a handler that panicked.
func (s *Server) finish(w *recorder, r *http.Request, route string, start time.Time, p any) {
	if p != nil && p != http.ErrAbortHandler { //nolint:errorlint // a sentinel that is never wrapped
		s.Log.ErrorContext(r.Context(), "handler panicked", "request_id", RequestID(r.Context()), "panic",
			fmt.Sprint(p), "stack", string(debug.Stack()))
		if w.status == 0 {
			s.fail(w, r, errors.New("panic"))
		}
	}
	took := time.Since(start)
	s.Log.InfoContext(r.Context(), "request", "request_id", RequestID(r.Context()), "method", r.Method, "route", route,
		"status", w.status, "bytes", w.bytes, "ms", float64(took.Microseconds())/1000, "address",
		Address(r.Context()).String())
	if s.Metrics != nil {
		s.Metrics.Answered(r.Method, route, w.status, took)
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // as above
		panic(p)
	}
}

// normal tolerates a trailing slash, doubled slashes and a .json suffix, without
// a redirect, which a client would not follow with its body.
func normal(r *http.Request) *http.Request {
	p := tidy(r.URL.EscapedPath())
	if p == r.URL.EscapedPath() {
		return r
	}
	u := *r.URL
	u.RawPath = p
	if plain, err := url.PathUnescape(p); err == nil {
		u.Path = plain
	}
	r2 := *r
	r2.URL = &u
	return &r2
}

func tidy(p string) string {
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	if len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	if p != "/api/openapi.json" {
		p = strings.TrimSuffix(p, ".json")
	}
	return p
}

// cors answers preflights and lets the configured origins in. Credentials are
// headers of ours, never cookies, so no origin gains what it does not send.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) (done bool) {
	origin := r.Header.Get("Origin")
	if origin == "" || !slices.Contains(s.Origins, origin) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "Content-Disposition, Location, X-Total-Count, X-Request-Id, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers", "Username, Auth_Token, Auth-Token, Content-Type, Accept, Range, "+
		"Idempotency-Key, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// unrouted answers what no endpoint takes, in JSON as all else: 405 with the
// methods the path has, or 404.
func (s *Server) unrouted(w http.ResponseWriter, r *http.Request) {
	probe := &discard{h: http.Header{}}
	s.mux.ServeHTTP(probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		s.fail(w, r, fault.New(fault.Missing, "There is nothing at %s.", r.URL.Path))
		return
	}
	w.Header().Set("Allow", probe.h.Get("Allow"))
	reply(w, http.StatusMethodNotAllowed, problem{Code: "method_not_allowed",
		Error: "This address does not take " + r.Method + ", only " + probe.h.Get("Allow") + "."})
}

// caller finds out who asks. Public endpoints take wrong credentials for none:
// a browser with an old session must still reach the sign-in page.
func (s *Server) caller(r *http.Request, i *Info) (*access.Caller, error) {
	public := i.Right.Allows(policy.Visitor)
	name, token := r.Header.Get("Username"), Token(r.Context())
	if name == "" || token == "" {
		if public {
			return &access.Caller{}, nil
		}
		return nil, fault.New(fault.Unknown, "Sign in first: send the headers Username and Auth_Token.")
	}
	who, err := s.Authenticate(r.Context(), name, token)
	if public && fault.Is(err, fault.Unknown) {
		return &access.Caller{}, nil
	}
	return who, err
}

func tokenOf(h http.Header) string {
	if token := h.Get("Auth_Token"); token != "" {
		return token
	}
	return h.Get("Auth-Token")
}

// recorder notes the status and size of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// discard takes an answer that is only looked at.
type discard struct {
	h      http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }
