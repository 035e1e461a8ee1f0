package tca

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Error is a call that failed.
type Error struct {
	Call       string        // method and path
	Status     int           // as the service answered; 0 when it was not reached
	Message    string        // why, in words a person can read; may be empty
	RetryAfter time.Duration // how long the service asks to wait; 0 when it does not say
	Err        error         // what went wrong on the way, never shown

	rubbish bool
}

func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return fmt.Sprintf("%s: the similarity service was not reached: %s", e.Call, e.Message)
	case e.Message == "":
		return fmt.Sprintf("%s: the similarity service answered %d", e.Call, e.Status)
	}
	return fmt.Sprintf("%s: the similarity service answered %d: %s", e.Call, e.Status, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Unavailable tells whether the service was not reached, was in trouble of its own, or gave
// an answer that makes no sense: another try may succeed.
func (e *Error) Unavailable() bool {
	return e.Status == 0 || e.rubbish || e.Status >= 500 || e.Status == http.StatusRequestTimeout ||
		e.Status/100 == 3
}

// StatusOf gives the status of a failed call, 0 when the service was not reached or
// err is none of this package.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok && !e.rubbish {
		return e.Status
	}
	return 0
}

// reason says in our own words why the service was not reached: those of the error
// name addresses of the network the service runs in.
func reason(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok && u.Timeout() || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, os.ErrDeadlineExceeded) {
		return "it did not answer in time"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "its name could not be looked up"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not one that can be trusted"
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "the call was given up because Lectern is stopping"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it refused the connection"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return "it broke the connection off"
	}
	return "the connection failed"
}

// mostMessage bounds what is kept of the service's words.
const mostMessage = 300

// short keeps a sentence of the service on one line and bounded.
func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if r := []rune(text); len(r) > mostMessage {
		return string(r[:mostMessage]) + "…"
	}
	return text
}

func retryAfter(text string) time.Duration {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, time.Hour)
}
