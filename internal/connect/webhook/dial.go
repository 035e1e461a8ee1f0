package webhook

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"lectern/internal/ground/fault"
)

// Guard keeps hooks away from the inside of the network the service runs in:
// an address given by an administrator must not become a way to reach what
// only this machine can reach.
type Guard struct {
	// AllowPrivate lets hooks go anywhere, and without encryption.
	AllowPrivate bool
}

// Limits of one delivery. The whole of it ends with patience.
const (
	patience   = 10 * time.Second
	headerSize = 16 << 10
	answerSize = 4 << 10
)

// client gives what deliveries are sent with: it follows no redirect, asks no
// proxy (which would look names up for itself), and checks the very address it
// is about to connect to, whatever name led there.
func (g Guard) client() *http.Client {
	dialer := &net.Dialer{Timeout: patience / 2, KeepAliveConfig: net.KeepAliveConfig{Enable: false},
		ControlContext: g.control}
	return &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: patience / 2, MaxResponseHeaderBytes: headerSize,
			DisableCompression: true, MaxIdleConnsPerHost: 1, IdleConnTimeout: 30 * time.Second,
		},
	}
}

// control is called with the address of a socket that is about to connect.
func (g Guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return g.permit(at.Addr())
}

// errInside does not tell the address: a name would otherwise tell the numbers of
// the network the service runs in.
var errInside = fault.New(fault.Refused, "the receiver's address is not on the public internet: use one that is, or "+
	"allow private ones with --allow-private-webhooks")

func (g Guard) permit(a netip.Addr) error {
	if g.AllowPrivate || public(a) {
		return nil
	}
	return errInside
}

// CheckURL refuses addresses that no delivery could or should go to.
func (g Guard) CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > 2000 || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fault.Field(fault.Refused, "url", "must be an address such as https://example.edu/hook")
	case u.User != nil || u.Fragment != "":
		return fault.Field(fault.Refused, "url", "must not hold a user, a password or a #")
	case u.Scheme == "http" && !g.AllowPrivate:
		return fault.Field(fault.Refused, "url", "must begin with https://")
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && g.permit(a) != nil {
		return fault.Field(fault.Refused, "url", "must lead to the public internet")
	}
	return nil
}

// reserved are the parts of the address space that are not the public
// internet, beside those netip knows. Of IPv6, only 2000::/3 is given out.
var reserved = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16")

var (
	given   = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	sixToV4 = netip.MustParsePrefix("2002::/16")
)

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

// public tells whether an address is one of the public internet. An IPv6
// address that stands for an IPv4 address is judged by that.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return public(netip.AddrFrom4([4]byte(b[12:16])))
	case sixToV4.Contains(a):
		return public(netip.AddrFrom4([4]byte(b[2:6])))
	case !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && !given.Contains(a):
		return false
	}
	for _, p := range reserved {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
