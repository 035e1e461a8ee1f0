package httpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"lectern/internal/ground/fault"
)

// Problem is what is told of a request that failed: in JSON it is the whole body.
type Problem struct {
	Status int               `json:"-"`
	Text   string            `json:"error"` // a sentence a person can act on
	Code   string            `json:"code"`  // a stable word a program can rely on
	Fields map[string]string `json:"fields,omitempty"`
	Stands any               `json:"stands,omitempty"` // what stands instead of what was asked for
}

var statuses = map[fault.Kind]int{
	fault.Invalid: 400, fault.Unknown: 401, fault.Denied: 403, fault.Missing: 404, fault.TooSlow: 408,
	fault.Conflict: 409, fault.Stale: 412,
	fault.TooLarge: 413, fault.Unsupported: 415, fault.Refused: 422, fault.Throttled: 429,
	fault.Upstream: 502, fault.Unavailable: 503, fault.Internal: 500,
}

// RetryAfter is the header's value for a failure that passes; else "".
func RetryAfter(e *fault.Error) string {
	if e.Wait <= 0 {
		return ""
	}
	return strconv.Itoa(int((e.Wait + time.Second - 1) / time.Second))
}

// ProblemOf is what is told of a failure that the caller should hear of.
func ProblemOf(e *fault.Error) Problem {
	p := Problem{Status: statuses[e.Kind], Text: e.Sentence(), Code: cmp.Or(e.Code, e.Kind.Slug())}
	if e.Kind == fault.Invalid || e.Kind == fault.Refused || e.Kind == fault.Conflict {
		p.Fields = e.Fields
	}
	if e.Kind == fault.Conflict {
		p.Stands = e.Stands
	}
	return p
}

// Fail is the one place where an error becomes an answer, and is logged: a
// fault.Error is told to the caller, of all else only the request's number. The
// face the path belongs to writes the answer.
func (s *Server) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil && fault.KindOf(err) == fault.Internal {
		return // the client left; what broke off because of that is no failure
	}
	e, ok := errors.AsType[*fault.Error](err)
	if (!ok || e.Kind == fault.Internal) && unavailable(err) {
		s.outage(r, err)
		e, ok = errUnavailable, true
	}
	if !ok || e.Kind == fault.Internal {
		s.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "route", r.Pattern, "request_id",
			RequestID(r.Context()), "err", err)
		e = &fault.Error{Kind: fault.Internal, Text: "Something went wrong on our side. If it happens again, tell an " +
			"administrator this number: " + RequestID(r.Context()) + "."}
	}
	if wait := RetryAfter(e); wait != "" {
		w.Header().Set("Retry-After", wait)
	}
	p := ProblemOf(e)
	for _, h := range []string{"Content-Disposition", "ETag", "Location"} {
		w.Header().Del(h)
	}
	Guard(w.Header(), Data)
	s.faceOf(r.URL.Path).Explain(w, r, p)
}

// unrouted answers what no handler takes: 405 with the methods the path has, or
// 404.
func (s *Server) unrouted(w http.ResponseWriter, r *http.Request) {
	probe := &discard{h: http.Header{}}
	s.mux.ServeHTTP(probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		s.Fail(w, r, fault.New(fault.Missing, "There is nothing at %s.", r.URL.Path))
		return
	}
	w.Header().Set("Allow", probe.h.Get("Allow"))
	s.faceOf(r.URL.Path).Explain(w, r, Problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
		Text: "This address does not take " + r.Method + ", only " + probe.h.Get("Allow") + "."})
}

// patience is how long a client may take for one piece of an answer.
const patience = time.Minute

// Write sends b, giving the client some time for this piece, not for the whole.
func Write(w http.ResponseWriter, b []byte) error {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience + time.Duration(len(b))*time.Second/512))
	_, err := w.Write(b)
	return err
}

// encoders are where answers are encoded before they are sent. One that held a large
// answer is not kept.
var encoders = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const largestKept = 64 << 10

// JSON answers with v. A v that does not encode is our mistake, and panics.
func JSON(w http.ResponseWriter, status int, v any) {
	b := encoders.Get().(*bytes.Buffer)
	b.Reset()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		panic(fmt.Sprintf("httpserver: %T does not encode: %v", v, err))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	Write(w, b.Bytes()) //nolint:errcheck // the client left
	if b.Cap() <= largestKept {
		encoders.Put(b)
	}
}
