package app

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// soon is how long before its end a certificate should have been renewed: those
// of authorities by ACME are renewed a month before.
const soon = 14 * 24 * time.Hour

// checkCertificates looks at what the service will show where it speaks TLS itself:
// whether it can be read, belongs to its key, lasts, and names the address people
// use.
func checkCertificates(s *Settings, now time.Time) (all []finding) {
	if s.TLSCert != "" {
		c, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
		return []finding{checkCertificate(&c, err, s.publicHost(), now,
			"Check --tls-cert and --tls-key: PEM files of a certificate and of its own key, readable for this user.",
			"Renew it and put it in the place of "+s.TLSCert+"; the service reads it without a restart.")}
	}
	for _, domain := range s.ACMEDomain {
		data, err := os.ReadFile(filepath.Join(s.Data, "certificates", domain))
		if errors.Is(err, os.ErrNotExist) {
			all = append(all, finding{What: "certificate", Saw: "none for " + domain + " yet",
				Advice: "lectern serve will ask the authority for it when it starts."})
			continue
		}
		c, err := tls.X509KeyPair(data, data)
		all = append(all, checkCertificate(&c, err, domain, now,
			"Remove "+filepath.Join(s.Data, "certificates", domain)+": lectern serve will get another.",
			"The authority should have renewed it: look in the log for why it did not."))
	}
	return all
}

// checkCertificate judges one that was read, with what to do where it cannot be
// used and where it must be renewed.
func checkCertificate(c *tls.Certificate, err error, host string, now time.Time, mend, renew string) finding {
	f := finding{What: "certificate", Bad: true, Advice: mend}
	if err != nil {
		f.Saw = err.Error()
		return f
	}
	leaf, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		f.Saw = err.Error()
		return f
	}
	day := leaf.NotAfter.UTC().Format("2 January 2006")
	switch {
	case now.After(leaf.NotAfter):
		f.Saw, f.Advice = "expired on "+day, renew
	case now.Before(leaf.NotBefore):
		f.Saw = "not valid before " + leaf.NotBefore.UTC().Format("2 January 2006 15:04") + " UTC"
		f.Advice = "Set this machine's clock, or wait."
	case host != "" && leaf.VerifyHostname(host) != nil:
		f.Saw = fmt.Sprintf("names %s, not %s", names(leaf), host)
		f.Advice = "Get one for " + host + ", or set --public-url to an address it names: browsers refuse it otherwise."
	case leaf.NotAfter.Sub(now) < soon:
		f.Saw, f.Advice = "expires on "+day, renew
	default:
		return finding{What: "certificate", Saw: "valid until " + day}
	}
	return f
}

// names lists what a certificate is for.
func names(c *x509.Certificate) any {
	if len(c.DNSNames) > 0 {
		return c.DNSNames
	}
	return c.IPAddresses
}

// publicHost is the name or number in the public address; empty where none is set
// and the service listens on every address.
func (s *Settings) publicHost() string {
	u, err := url.Parse(s.Public())
	if err != nil {
		return ""
	}
	return u.Hostname()
}
