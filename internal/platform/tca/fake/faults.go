package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Fault is how calls fail: by a status, or in one of the other ways.
type Fault struct {
	Method string `json:"method"` // empty: any
	Path   string `json:"path"`   // a regular expression for the path behind /api/v1; empty: any
	Times  int    `json:"times"`  // how many calls; below zero: all from now on
	Status int    `json:"status"`
	// How is "" for the status, or reset, slow, empty, rubbish.
	How string `json:"how"`
	// After lets the call take effect first, so that only its answer is lost.
	After bool `json:"after"`
	// For is how long a slow answer takes; until the caller leaves when zero.
	For time.Duration `json:"for"`
}

// Inject lets calls fail from now on.
func (s *Service) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Heal ends all faults.
func (s *Service) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// fault gives the one that a call meets, if any.
func (s *Service) fault(r *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	for _, f := range s.faults {
		if f.Times == 0 || f.Method != "" && f.Method != r.Method {
			continue
		}
		if f.Path != "" && !regexp.MustCompile(f.Path).MatchString(path) {
			continue
		}
		if f.Times > 0 {
			f.Times--
		}
		return f
	}
	return nil
}

func (s *Service) fail(w http.ResponseWriter, r *http.Request, f *Fault) {
	switch f.How {
	case "reset":
		s.note(r, 0)
		panic(http.ErrAbortHandler)
	case "slow":
		s.note(r, 0)
		var late <-chan time.Time
		if f.For > 0 {
			late = time.After(f.For)
		}
		select {
		case <-r.Context().Done():
		case <-late:
			w.WriteHeader(http.StatusOK)
		}
	case "empty":
		s.note(r, http.StatusOK)
		w.WriteHeader(http.StatusOK)
	case "rubbish":
		s.note(r, http.StatusOK)
		_, _ = io.WriteString(w, "<html>\x00 not what you asked for")
	default:
		s.note(r, f.Status)
		status, out := problem(f.Status, fmt.Sprintf("This failure (%d) was asked for", f.Status))
		send(w, status, out)
	}
}

// Calls gives the requests that came, oldest first.
func (s *Service) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Complaints gives the requests that no published shape allows.
func (s *Service) Complaints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.complaints)
}

// Submissions gives what was sent, in no order.
func (s *Service) Submissions() []Submission {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Submission
	for _, sub := range s.submissions {
		c := *sub
		c.PDFs = maps.Clone(sub.PDFs)
		list = append(list, c)
	}
	return list
}

// Attachments gives the files of all groups, in no order.
func (s *Service) Attachments() []Attachment {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Attachment
	for _, a := range s.attachments {
		list = append(list, *a)
	}
	return list
}

// Group gives what was last sent of a group; nil: nothing was.
func (s *Service) Group(id string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.groups[id])
}

// Groups counts the groups.
func (s *Service) Groups() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.groups)
}

// Accepted tells whether somebody has accepted the agreement.
func (s *Service) Accepted(user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted[user]
}

// Notified gives the notifications that were sent.
func (s *Service) Notified() []Notified {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

// Find sets what reports find from now on.
func (s *Service) Find(percent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Percent = percent
}

// Refuse lets files come to nothing from now on, for a reason of the service's list.
func (s *Service) Refuse(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = code
}

// Revise changes what the report of a submission found, and notifies of it.
func (s *Service) Revise(id string, percent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.submissions[id]; sub != nil {
		sub.Percent = percent
		s.tell("SIMILARITY_UPDATED", sub.report())
	}
}

// Close waits for the notifications on their way.
func (s *Service) Close() {
	s.posts.Wait()
	poster.CloseIdleConnections()
}

// control lets people steer a stand-in that runs as a program.
func (s *Service) control() {
	s.mux.HandleFunc("POST /control/faults", func(w http.ResponseWriter, r *http.Request) {
		var f Fault
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&f); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.Inject(f)
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("DELETE /control/faults", func(w http.ResponseWriter, _ *http.Request) {
		s.Heal()
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("POST /control/finish", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, map[string]int{"finished": s.Finish()})
	})
	s.mux.HandleFunc("GET /control/calls", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, map[string]any{"calls": s.Calls(), "complaints": s.Complaints(),
			"notified": s.Notified()})
	})
}
