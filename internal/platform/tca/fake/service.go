// Package fake stands in for the outside similarity service, in tests and for trying
// things out. It keeps what it is sent in memory, holds every request against the
// published shapes, notifies as the service does, and fails in every way it is told to.
package fake

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options say how the stand-in behaves.
type Options struct {
	Key     string // that callers must present
	Percent int64  // what reports find
	// After is how long processing takes; below zero, until Finish is called.
	After time.Duration
	// NoEULA says that nobody need accept an agreement.
	NoEULA bool
}

// Version is the agreement in force.
const Version = "v1beta"

// Agreement is the text of the agreement.
const Agreement = "<h1>Agreement</h1><p>Your work is compared with other work.</p>"

// Service is the stand-in. It is an http.Handler.
type Service struct {
	opts Options
	mux  *http.ServeMux

	mu          sync.Mutex
	submissions map[string]*Submission
	groups      map[string]map[string]any
	attachments map[string]*Attachment
	hooks       []*hook
	accepted    map[string]bool // names of people
	faults      []*Fault
	calls       []Call
	complaints  []string
	events      []Notified
	refusal     string   // why files come to nothing; empty: they do not
	pending     []func() // finish what is being processed
	posts       sync.WaitGroup
}

// Submission is a document that was sent, and what became of it.
type Submission struct {
	ID, Owner, Title, Status string
	Index                    bool
	Uploads                  int // how often a file came
	File                     []byte
	FileName                 string
	Error                    string // why the file came to nothing
	Report                   string // status; empty: not asked for
	Percent                  int64
	Reports                  int               // how often one was asked for
	PDFs                     map[string]string // status by id
	Deleted                  bool
}

// Attachment is a file of a group.
type Attachment struct {
	ID, Group, Title, Status string
	File                     []byte
}

// Call is a request that came.
type Call struct {
	Method, Path string
	Status       int // 0: the connection was broken
}

// New makes a stand-in without anything in it.
func New(o Options) *Service {
	s := &Service{opts: o, mux: http.NewServeMux(), submissions: map[string]*Submission{},
		groups: map[string]map[string]any{}, attachments: map[string]*Attachment{}, accepted: map[string]bool{}}
	s.routes()
	return s
}

func (s *Service) routes() {
	for pattern, f := range map[string]func(*Service, *request) (int, any){
		"GET /features-enabled":                             (*Service).features,
		"GET /eula/{version}":                               (*Service).eula,
		"GET /eula/{version}/view":                          (*Service).eulaText,
		"POST /eula/{version}/accept":                       (*Service).acceptEULA,
		"GET /webhooks":                                     (*Service).listHooks,
		"POST /webhooks":                                    (*Service).addHook,
		"DELETE /webhooks/{id}":                             (*Service).deleteHook,
		"PUT /groups/{group}":                               (*Service).putGroup,
		"GET /groups/{group}/attachments":                   (*Service).listAttachments,
		"POST /groups/{group}/attachments":                  (*Service).addAttachment,
		"PUT /groups/{group}/attachments/{id}/original":     (*Service).uploadAttachment,
		"GET /groups/{group}/attachments/{id}":              (*Service).getAttachment,
		"DELETE /groups/{group}/attachments/{id}":           (*Service).deleteAttachment,
		"POST /submissions":                                 (*Service).addSubmission,
		"PUT /submissions/{id}/original":                    (*Service).uploadSubmission,
		"GET /submissions/{id}":                             (*Service).getSubmission,
		"DELETE /submissions/{id}":                          (*Service).deleteSubmission,
		"PUT /submissions/{id}/similarity":                  (*Service).requestReport,
		"GET /submissions/{id}/similarity":                  (*Service).getReport,
		"POST /submissions/{id}/similarity/pdf":             (*Service).requestPDF,
		"GET /submissions/{id}/similarity/pdf/{pdf}/status": (*Service).pdfStatus,
		"GET /submissions/{id}/similarity/pdf/{pdf}":        (*Service).downloadPDF,
		"POST /submissions/{id}/viewer-url":                 (*Service).viewerURL,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		s.mux.HandleFunc(method+" /api/v1"+path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, f) })
	}
	s.mux.HandleFunc("GET /viewer/{id}", s.showReport)
	s.control()
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// request is a call with its body read and its shape checked.
type request struct {
	*http.Request
	body []byte
	json map[string]any
}

// raw is an answer that is no JSON.
type raw struct {
	kind  string
	bytes []byte
}

// mostBody bounds what is taken: the largest file the service takes, and one byte to
// see that there is more.
const mostBody = 100<<20 + 1

func (s *Service) serve(w http.ResponseWriter, r *http.Request, f func(*Service, *request) (int, any)) {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostBody))
	if err != nil {
		return // the caller left
	}
	fault := s.fault(r)
	if fault != nil && !fault.After {
		s.fail(w, r, fault)
		return
	}
	in := &request{Request: r, body: body}
	status, out := s.check(in)
	if status == 0 {
		s.mu.Lock()
		status, out = f(s, in)
		s.mu.Unlock()
	}
	if fault != nil {
		s.fail(w, r, fault)
		return
	}
	s.note(r, status)
	send(w, status, out)
}

func (s *Service) note(r *http.Request, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, Call{r.Method, strings.TrimPrefix(r.URL.Path, "/api/v1"), status})
}

func send(w http.ResponseWriter, status int, out any) {
	switch v := out.(type) {
	case nil:
		w.WriteHeader(status)
	case raw:
		w.Header().Set("Content-Type", v.kind)
		w.WriteHeader(status)
		_, _ = w.Write(v.bytes)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
}

// check refuses what no caller of the service may send.
func (s *Service) check(in *request) (int, any) {
	switch {
	case in.Header.Get("Authorization") != "Bearer "+s.opts.Key:
		return problem(http.StatusForbidden, "Not properly authenticated")
	case in.Header.Get("X-Turnitin-Integration-Name") == "" || in.Header.Get("X-Turnitin-Integration-Version") == "":
		return s.complain(in, "the headers that name the integration are missing")
	case strings.HasSuffix(in.URL.Path, "/original"):
		return s.checkFile(in)
	case in.Method == http.MethodGet || in.Method == http.MethodDelete:
		return 0, nil
	case in.Header.Get("Content-Type") != "application/json":
		return s.complain(in, "the body is not declared as JSON")
	case json.Unmarshal(in.body, &in.json) != nil:
		return s.complain(in, "the body is not a JSON object")
	}
	if why := shapeOf(in.Request).fits("", in.json); why != "" {
		return s.complain(in, why)
	}
	return 0, nil
}

func (s *Service) checkFile(in *request) (int, any) {
	switch {
	case in.Header.Get("Content-Type") != "binary/octet-stream":
		return s.complain(in, "a file is not declared as binary/octet-stream")
	case !strings.HasPrefix(in.Header.Get("Content-Disposition"), "inline; filename="):
		return s.complain(in, "a file has no name")
	case len(in.body) == 0:
		return problem(http.StatusUnprocessableEntity, "The file is empty")
	case len(in.body) >= mostBody:
		return problem(http.StatusRequestEntityTooLarge, "The file is too large")
	}
	return 0, nil
}

// complain notes a request that no published shape allows, and refuses it.
func (s *Service) complain(in *request, why string) (int, any) {
	s.mu.Lock()
	s.complaints = append(s.complaints, fmt.Sprintf("%s %s: %s", in.Method, in.URL.Path, why))
	s.mu.Unlock()
	return problem(http.StatusBadRequest, why)
}

func problem(status int, text string) (int, any) {
	return status, map[string]any{"status": status, "message": text}
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// process finishes something now, after a while, or when Finish is called. The
// caller holds the lock, and done is called with it held.
func (s *Service) process(done func()) {
	switch {
	case s.opts.After < 0:
		s.pending = append(s.pending, done)
	case s.opts.After == 0:
		done()
	default:
		time.AfterFunc(s.opts.After, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			done()
		})
	}
}

// Finish completes all that is being processed, and tells how much that was.
func (s *Service) Finish() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.pending
	s.pending = nil
	for _, done := range list {
		done()
	}
	return len(list)
}
