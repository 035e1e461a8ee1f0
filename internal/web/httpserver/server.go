// Package httpserver is what every face of the service needs of HTTP: routing,
// the request's number and the client's address, the log, metrics, recovery from
// panics, limits, and errors as answers. It knows no endpoint and no page.
package httpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// Config is what a Server stands on.
type Config struct {
	Proxies Proxies      // who may tell the client's address
	Log     *slog.Logger // slog.Default() when nil
	Metrics Metrics      // may be nil
	HTTPS   bool         // people reach the service by https, so browsers need try nothing else
	Pace    Pace         // of bodies and files
}

// Metrics hears of every answered request. Route is its pattern, not its path.
type Metrics interface {
	Answered(method, route string, status int, took time.Duration)
}

// Face is one way in which the service shows itself under a prefix of its paths:
// as an API, as pages.
type Face interface {
	// Begin runs ahead of routing. It may set headers that every answer of the
	// face has, change the path that is routed, or answer itself, as it does a
	// preflight, and say that it is done.
	Begin(w http.ResponseWriter, r *http.Request) (next *http.Request, done bool)
	// Explain writes the answer to a request that failed.
	Explain(w http.ResponseWriter, r *http.Request, p Problem)
}

// Server routes the requests of every face.
type Server struct {
	Config
	mux       *http.ServeMux
	faces     []mounted
	transfers *transfers
	answers   answers
	failing   atomic.Bool // for want of a database or of room
}

type mounted struct {
	prefix string
	face   Face
}

// New makes a Server without handlers. Until a face is added for them, its
// errors are our own plain page for browsers, and JSON for everybody else.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &Server{Config: c, mux: http.NewServeMux(), transfers: newTransfers(c.Pace)}
}

// Handle adds a handler. Its pattern is one of http.ServeMux.
func (s *Server) Handle(pattern string, h http.Handler) { s.mux.Handle(pattern, h) }

// Reads tells whether a path can be asked for with GET.
func (s *Server) Reads(path string) bool {
	_, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	return strings.HasPrefix(pattern, http.MethodGet+" ")
}

// AddFace lets f begin every request under prefix, such as /api, and explain what
// goes wrong with it. The longest prefix that fits decides; / fits all.
func (s *Server) AddFace(prefix string, f Face) {
	s.faces = append(s.faces, mounted{strings.TrimSuffix(prefix, "/"), f})
}

// faceOf gives the face a path belongs to.
func (s *Server) faceOf(path string) Face {
	best := mounted{"", plain{}}
	for _, m := range s.faces {
		rest, fits := strings.CutPrefix(path, m.prefix)
		if fits && (rest == "" || rest[0] == '/') && len(m.prefix) >= len(best.prefix) {
			best = m
		}
	}
	return best.face
}

// Net gives the net/http server that serves s, with bounds on how long a client
// may take to ask and how much its headers may hold. Bodies have their Pace; how
// large they are is bounded by whoever reads them.
func (s *Server) Net() *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn)}
}

type contextKey struct{}

// arrival is what a request's context knows of the request.
type arrival struct {
	id      string
	address netip.Addr
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

// ServeHTTP implements http.Handler: everything that holds for every request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	a := &arrival{id: rand.Text()[:16], address: s.Proxies.Client(r)}
	r = AtPath(r.WithContext(context.WithValue(r.Context(), contextKey{}, a)), tidy(r.URL.EscapedPath()))
	// net/http leaves a deadline on the connection for the next request.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	r, received := s.paced(w, r)
	defer received()
	rec := &recorder{ResponseWriter: w}
	s.answers.begin(rec)
	defer s.answers.end(rec)
	h := w.Header()
	h.Set("X-Request-Id", a.id)
	Guard(h, Data)
	if s.HTTPS {
		h.Set("Strict-Transport-Security", twoYears)
	}
	route := ""
	defer func() { s.finish(rec, r, route, start, recover()) }()
	next, done := s.faceOf(r.URL.Path).Begin(rec, r)
	if done {
		return
	}
	r = next
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
			s.Fail(w, r, errors.New("panic"))
		}
	}
	s.recovered(r, w.status)
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

// AtPath gives r with another escaped path, without a redirect, which a client
// would not follow with its body.
func AtPath(r *http.Request, escaped string) *http.Request {
	if escaped == r.URL.EscapedPath() {
		return r
	}
	u := *r.URL
	u.RawPath = escaped
	if path, err := url.PathUnescape(escaped); err == nil {
		u.Path = path
	}
	r2 := *r
	r2.URL = &u
	return &r2
}

// tidy tolerates a trailing slash and doubled slashes.
func tidy(p string) string {
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	if len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	return p
}

// discard takes an answer that is only looked at.
type discard struct {
	h      http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }
