package httpserver

import (
	"errors"
	"net/http"
	"syscall"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// errUnavailable is what is told while nothing can be stored.
var errUnavailable = &fault.Error{Kind: fault.Unavailable, Wait: 15 * time.Second,
	Text: "The service cannot store or read this right now, but nothing that was saved is lost. Try again in a " +
		"minute."}

// unavailable tells whether err came about because the database is away, or a disk is
// full or may only be read.
func unavailable(err error) bool {
	for _, no := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		if errors.Is(err, no) {
			return true
		}
	}
	return db.Unavailable(err)
}

// outage logs that requests begin to fail for want of a database or of room: one
// line, however many they are.
func (s *Server) outage(r *http.Request, err error) {
	if s.failing.CompareAndSwap(false, true) {
		s.Log.ErrorContext(r.Context(), "the database or a disk cannot be used; requests get 503 until it can",
			"request_id", RequestID(r.Context()), "err", err)
	}
}

// recovered logs that they work again, once something has been written.
func (s *Server) recovered(r *http.Request, status int) {
	if status >= 200 && status < 300 && r.Method != http.MethodGet && r.Method != http.MethodHead &&
		s.failing.CompareAndSwap(true, false) {
		s.Log.InfoContext(r.Context(), "the database and the disks can be used again", "request_id",
			RequestID(r.Context()))
	}
}
