package container

import (
	"strings"
	"testing"
)

// Whatever way a link-local address is written that an engine's resolver would take, no
// image is pulled from it; addresses of this machine and of private networks are taken.
func TestImagesAtLinkLocalAddressesAreRefused(t *testing.T) {
	for _, ref := range []string{"169.254.169.254/latest/meta:1", "169.254.169.254:80/latest/meta", "169.254.0.1/x",
		"0251.0376.0251.0376/x", "0251.254.0xa9.254/x", "0xa9.0xfe.0xa9.0xfe/x", "0XA9FEA9FE:80/x", "0xa9fea9fe:80/x",
		"2852039166:80/x", "025177524776:80/x", "169.254.43518/x", "169.16689662/x", "169.0376.43518:443/a/b:c"} {
		if err := CheckReference(ref); err == nil || !strings.Contains(err.Error(), "link-local") {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for _, ref := range []string{"[fe80::1]:5000/x:1", "[fe80::1%25eth0]/x", "[::ffff:169.254.169.254]/x", "fe80::1/x",
		"169.254.169.254./x", "http://169.254.169.254/x"} {
		if err := CheckReference(ref); err == nil {
			t.Errorf("%s is taken", ref)
		}
	}
	for _, ref := range []string{"localhost:5000/x", "127.0.0.1:5000/x:1", "10.0.0.5:5000/x", "192.168.1.1/x", "image",
		"169.254/x", "169.255.0.1/x", "1.2.3.4.5/x", "256.1.1.1/x", "169.254.example.edu/x", "2852039166/x", "user/169.254.1.1"} {
		if err := CheckReference(ref); err != nil {
			t.Errorf("%s: %v", ref, err)
		}
	}
}
