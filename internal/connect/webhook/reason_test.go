package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// What an administrator reads of a failed delivery tells what to do, and nothing
// of the network the service runs in.
func TestReasonsTellNothingOfTheNetwork(t *testing.T) {
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 40000},
			Addr: &net.TCPAddr{IP: net.IPv4(192, 168, 7, 8), Port: 443}, Err: err}
	}
	call := func(n syscall.Errno) error { return dial(os.NewSyscallError("connect", n)) }
	name := func(found, late bool) error {
		return dial(&net.DNSError{Err: "server misbehaving", Name: "hook.example.edu", Server: "10.0.0.53:53",
			IsNotFound: !found, IsTimeout: late})
	}
	bad := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	for want, err := range map[string]error{
		"is not known":              name(false, false),
		"could not be looked up":    name(true, true),
		"refused the connection":    call(syscall.ECONNREFUSED),
		"firewall":                  call(syscall.EHOSTUNREACH),
		"without an answer":         call(syscall.ECONNRESET),
		"did not answer within 10s": call(syscall.ETIMEDOUT),
		"public internet":           dial(Guard{}.permit(netip.MustParseAddr("10.20.30.40"))),
		"for another name":          bad(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "10.9.9.9"}),
		"an authority":              bad(x509.UnknownAuthorityError{}),
		"has expired":               bad(x509.CertificateInvalidError{Reason: x509.Expired}),
		"certificate is not good":   bad(errors.New("10.0.0.1")),
		"does not encrypt":          http.ErrSchemeMismatch,
		"see the log":               errors.New("malformed HTTP answer of 10.0.0.1"),
	} {
		got := reason(&url.Error{Op: "Post", URL: "https://hook.example.edu/?token=abc", Err: err})
		if !strings.Contains(got, want) || strings.ContainsFunc(got, isAddress) || strings.Contains(got, "token") {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

// isAddress finds the parts of network addresses: no reason has a point or a
// number but the seconds waited.
func isAddress(r rune) bool { return r == '.' || r >= '2' && r <= '9' }

// The reason that is stored, and shown with the webhook, is such a one.
func TestFailuresAreToldWithoutAddresses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dead := httptest.NewServer(http.NotFoundHandler())
		dead.Close()
		crypt := httptest.NewTLSServer(http.NotFoundHandler())
		t.Cleanup(crypt.Close)
		plain := listen(t, nil)
		in := startWith(t, d, time.Hour, patience)
		hooks := map[string]string{
			dead.URL: "the receiver refused the connection: see whether it runs and listens on that port",
			crypt.URL: "the receiver's certificate comes from an authority that is not trusted here: see whether it " +
				"sends " +
				"the whole chain",
			strings.Replace(plain.URL, "http:", "https:", 1): "the receiver does not encrypt on that port: correct " +
				"the " +
				"webhook's address",
		}
		ids := map[int64]string{}
		for at, want := range hooks {
			ids[register(t, in.DB, at).ID] = want
		}
		happen(t, d, "status", 1)
		for id, want := range ids {
			waittest.Until(t, "it fails", func() bool { return state(t, d, id).Failures == 1 })
			if got := *state(t, d, id).LastError; got != fmt.Sprintf("event 1: %s", want) {
				t.Errorf("got %q", got)
			}
		}
	})
}
