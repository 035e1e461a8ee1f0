package app

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	goldap "github.com/go-ldap/ldap/v3"
)

// remedy says what to do about the trouble of reaching a server elsewhere.
func remedy(err error) string {
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	_, isName := errors.AsType[x509.HostnameError](err)
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, isRecord := errors.AsType[tls.RecordHeaderError](err)
	_, isDNS := errors.AsType[*net.DNSError](err)
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case isInvalid && invalid.Reason == x509.Expired:
		return "Its certificate has expired or is not valid yet: have it renewed. If the dates are right, this machine's " +
			"clock is off: set it by a time server."
	case isName:
		return "Its certificate is for another name: use the name that the certificate has."
	case isUnknown:
		return "Nobody this machine trusts vouches for its certificate: name the PEM file of the institution's authority."
	case isRecord || errors.Is(err, io.EOF):
		return "It does not speak TLS there: check the port, and ldap:// against ldaps://."
	case isDNS:
		return "The name cannot be found: check the address and this machine's name servers."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nobody listens there: check the address, the port, and that the server runs."
	case errors.Is(err, os.ErrDeadlineExceeded) || isNet && timeout.Timeout():
		return "It does not answer in time: check the address and the firewalls on the way."
	case goldap.IsErrorWithCode(err, goldap.LDAPResultInvalidCredentials):
		return "The name or the password of who searches is wrong: check --ldap-bind-dn and --ldap-bind-password."
	case goldap.IsErrorWithCode(err, goldap.LDAPResultNoSuchObject):
		return "There is no such base in the directory: check --ldap-base."
	}
	return "Check the address, and that this machine may connect to it."
}
