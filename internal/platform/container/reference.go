package container

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// The parts of a reference: host and port, path, tag, digest.
const (
	hostPart = `[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::[0-9]+)?`
	pathPart = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`
)

var reference = regexp.MustCompile(`^(?:` + hostPart + `/)?` + pathPart + `(?:/` + pathPart + `)*` +
	`(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`)

// CheckReference tells why a text cannot name an image to be pulled, in words that go on a
// sentence about it: it must be a repository such as registry.example.edu:5000/tests/python
// with an optional tag or digest, and its registry no link-local address. Nobody has a registry
// there, but machines in a cloud are told their secrets at one. Addresses of this machine and
// of private networks are fine.
func CheckReference(text string) error {
	if len(text) > 255 || !reference.MatchString(text) {
		return errors.New("must be the reference of an image, such as registry.example.edu/tests/python:3.12")
	}
	host, _, more := strings.Cut(text, "/")
	if !more || !strings.ContainsAny(host, ".:") { // a folder of the default registry
		return nil
	}
	host, _, _ = strings.Cut(host, ":")
	if a, ok := ipv4(host); ok && a.IsLinkLocalUnicast() {
		return errors.New("may not name a registry at a link-local address (169.254.0.0/16)")
	}
	return nil
}

// ipv4 reads an address in every spelling that the resolvers of engines take: one to four
// numbers, decimal, octal (0…) or hexadecimal (0x…), of which the last fills what is left.
func ipv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, p := range parts {
		width := 8
		if i == len(parts)-1 {
			width = 32 - 8*i
		}
		n, err := strconv.ParseUint(p, 0, width)
		if err != nil {
			return netip.Addr{}, false
		}
		sum = sum<<width | n
	}
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(sum)))), true //nolint:gosec // 32 bits
}
