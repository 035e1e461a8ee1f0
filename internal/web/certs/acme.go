package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Authority issues certificates for Domains by ACME.
type Authority struct {
	Domains   []string
	Directory string // where the authority's directory is; Let's Encrypt when empty
	CA        string // PEM file of who vouches for that address; the system's list when empty
	Email     string // whom the authority may write to; may be empty
	Dir       string // where account, keys and certificates are kept
}

// Issued is the certificates that an authority issues, and renews 30 days before
// they end.
type Issued struct {
	manager *autocert.Manager
	domains []string
}

// FromAuthority prepares to ask the authority; nothing is asked yet. The terms of
// the authority are agreed to by whoever names it.
func FromAuthority(a Authority) (*Issued, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second}
	if a.CA != "" {
		pem, err := os.ReadFile(a.CA)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, errors.New(a.CA + " holds no certificate")
		}
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	}
	return &Issued{domains: a.Domains, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(a.Dir), Email: a.Email,
		HostPolicy: autocert.HostWhitelist(a.Domains...),
		Client: &acme.Client{DirectoryURL: a.Directory, UserAgent: "lectern",
			HTTPClient: &http.Client{Transport: transport, Timeout: time.Minute}},
	}}, nil
}

// Config is what a TLS server needs to show the certificates, and to prove to the
// authority that the domains are ours (tls-alpn-01).
func (i *Issued) Config() *tls.Config {
	c := i.manager.TLSConfig()
	c.MinVersion = tls.VersionTLS12
	return c
}

// Prove answers the authority on plain HTTP (http-01), and hands all else on.
func (i *Issued) Prove(rest http.Handler) http.Handler { return i.manager.HTTPHandler(rest) }

// Fetch asks for the certificates now, so that no visitor waits for them, and says
// in the log what came of it. A domain that fails is tried again when somebody
// visits it.
func (i *Issued) Fetch(ctx context.Context, log *slog.Logger) {
	for _, domain := range i.domains {
		if ctx.Err() != nil {
			return
		}
		c, err := i.manager.GetCertificate(&tls.ClientHelloInfo{ServerName: domain,
			CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}})
		if err != nil {
			log.Error("no certificate was issued; the authority must reach this service by the domain, on port 443 "+
				"or with --redirect-addr on port 80", "domain", domain, "err", err)
			continue
		}
		log.Info("certificate at hand", "domain", domain, "valid_until", fmt.Sprint(c.Leaf.NotAfter))
	}
}
