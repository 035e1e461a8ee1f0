package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// reason says in our own words why a receiver was not reached, and what can be
// done. The words of the error name addresses and the name server of the network
// the service runs in, and a receiver may have written part of them.
func reason(err error) string {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return nameReason(err)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificateReason(err)
	}
	switch {
	case errors.Is(err, errInside):
		return errInside.Error()
	case timedOut(err):
		return fmt.Sprintf("the receiver did not answer within %s: see whether it runs and is reachable", patience)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the receiver refused the connection: see whether it runs and listens on that port"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no way leads to the receiver's network from here: see whether a firewall is between"
	case errors.Is(err, http.ErrSchemeMismatch), isType[tls.RecordHeaderError](err):
		return "the receiver does not encrypt on that port: correct the webhook's address"
	case isType[tls.AlertError](err):
		return "the receiver broke off when encryption was agreed on: see its log"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the receiver closed the connection without an answer: see its log"
	}
	return "the receiver's answer was not understood: see the log of this service for the webhook's number"
}

func nameReason(err error) string {
	if d, _ := errors.AsType[*net.DNSError](err); d.IsNotFound {
		return "the receiver's name is not known: see whether the webhook's address is spelled right"
	}
	return "the receiver's name could not be looked up: if this happens again, check whether name resolution works " +
		"here"
}

func certificateReason(err error) string {
	invalid, _ := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case isType[x509.HostnameError](err):
		return "the receiver's certificate is for another name: correct the address or the certificate"
	case isType[x509.UnknownAuthorityError](err):
		return "the receiver's certificate comes from an authority that is not trusted here: see whether it sends " +
			"the whole chain"
	case isType[x509.CertificateInvalidError](err) && invalid.Reason == x509.Expired:
		return "the receiver's certificate has expired or is not valid yet: renew it"
	}
	return "the receiver's certificate is not good: see its settings"
}

func timedOut(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout() || errors.Is(err, os.ErrDeadlineExceeded)
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// mostCause bounds what the log takes of an error, in characters.
const mostCause = 300

// cause is an error as the log shows it: without the webhook's address, which may
// hold a token, and short, since a receiver may have written it.
func cause(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	text := []rune(strings.ToValidUTF8(err.Error(), ""))
	return string(text[:min(len(text), mostCause)])
}
