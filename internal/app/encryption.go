package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"lectern/internal/web/certs"
)

// Encryption says how the service speaks TLS itself: by a certificate in files, or
// by one that an authority issues. With neither it speaks plain HTTP, as it should
// behind a proxy.
type Encryption struct {
	TLSCert       string   `name:"tls-cert" placeholder:"FILE" help:"PEM file of the certificate, to speak TLS here."`
	TLSKey        string   `name:"tls-key" placeholder:"FILE" help:"PEM file of the certificate's key."`
	ACMEDomain    []string `name:"acme-domain" placeholder:"DOMAIN" help:"Get certificates for these domains by ACME."`
	ACMEDirectory string   `name:"acme-directory" placeholder:"URL" help:"ACME authority, whose terms you agree to."`
	ACMECA        string   `name:"acme-ca" placeholder:"FILE" help:"PEM file of who vouches for the authority."`
	ACMEEmail     string   `name:"acme-email" placeholder:"ADDRESS" help:"Address the authority may write to."`
	RedirectAddr  string   `placeholder:"ADDR" help:"Where plain HTTP is sent on to TLS, such as :80; ACME may ask here."`
}

// encrypted tells whether the service speaks TLS itself.
func (e *Encryption) encrypted() bool { return e.TLSCert != "" || len(e.ACMEDomain) > 0 }

// check finds settings that do not go together.
func (e *Encryption) check() error {
	switch {
	case (e.TLSCert == "") != (e.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key go together")
	case e.TLSCert != "" && len(e.ACMEDomain) > 0:
		return errors.New("--tls-cert shows a certificate of yours and --acme-domain gets one: choose one")
	case e.RedirectAddr != "" && !e.encrypted():
		return errors.New("--redirect-addr sends people on to TLS: give --tls-cert or --acme-domain too")
	}
	for _, d := range e.ACMEDomain {
		if net.ParseIP(d) != nil || !strings.Contains(d, ".") || strings.ContainsAny(d, ":/* ") {
			return fmt.Errorf("--acme-domain %q is not a name such as lectern.example.edu", d)
		}
	}
	if u, err := url.Parse(e.ACMEDirectory); e.ACMEDirectory != "" && (err != nil || u.Scheme != "https" ||
		u.Host == "") {
		return fmt.Errorf("--acme-directory %q is not an address such as https://acme.example.edu/directory",
			e.ACMEDirectory)
	}
	return nil
}

// certificates is what shows them, and what a plain HTTP server hands requests to
// first so that an authority can ask there.
type certificates struct {
	config *tls.Config
	prove  func(http.Handler) http.Handler
	fetch  func(context.Context)
}

// openCertificates reads the certificate or prepares to get it; nil without TLS.
func (a *App) openCertificates() (*certificates, error) {
	same := func(h http.Handler) http.Handler { return h }
	switch {
	case a.TLSCert != "":
		f, err := certs.FromFiles(a.TLSCert, a.TLSKey, a.log)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert: %w", err)
		}
		return &certificates{f.Config(), same, func(context.Context) {}}, nil
	case len(a.ACMEDomain) > 0:
		i, err := certs.FromAuthority(certs.Authority{Domains: a.ACMEDomain, Directory: a.ACMEDirectory, CA: a.ACMECA,
			Email: a.ACMEEmail, Dir: filepath.Join(a.Data, "certificates")})
		if err != nil {
			return nil, fmt.Errorf("--acme-ca: %w", err)
		}
		return &certificates{i.Config(), i.Prove, func(ctx context.Context) { i.Fetch(ctx, a.log) }}, nil
	}
	return nil, nil
}

// redirect sends people who come by plain HTTP on to the public address. Only
// reading is sent on: a form must not go over the wire twice.
func (a *App) redirect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "Use "+a.Public()+".", http.StatusForbidden)
		return
	}
	to := url.URL{Path: "/" + strings.TrimPrefix(r.URL.Path, "/"), RawQuery: r.URL.RawQuery}
	http.Redirect(w, r, a.Public()+to.RequestURI(), http.StatusPermanentRedirect)
}

// listen opens an address, with a bound on the connections that are open at once.
// One more waits until another ends.
func (a *App) listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil || a.MaxConnections == 0 {
		return l, err
	}
	return netutil.LimitListener(l, a.MaxConnections), nil
}

// serveOn gives what serves l, by TLS where that is ours.
func (a *App) serveOn(ctx context.Context, srv *http.Server, l net.Listener) (func() error, error) {
	if a.certificates == nil {
		return func() error { return srv.Serve(l) }, nil
	}
	if err := a.redirector(ctx, a.certificates); err != nil {
		return nil, err
	}
	srv.TLSConfig = a.certificates.config
	go a.certificates.fetch(ctx)
	return func() error { return srv.ServeTLS(l, "", "") }, nil
}

// redirector listens where plain HTTP is sent on; its end is ctx's.
func (a *App) redirector(ctx context.Context, c *certificates) error {
	if a.RedirectAddr == "" {
		return nil
	}
	l, err := a.listen(ctx, a.RedirectAddr)
	if err != nil {
		return fmt.Errorf("--redirect-addr: %w", err)
	}
	a.serveBeside(ctx, l, c.prove(http.HandlerFunc(a.redirect)), "the redirect from plain HTTP")
	return nil
}

// serveBeside serves small answers on a listener of their own until ctx ends.
func (a *App) serveBeside(ctx context.Context, l net.Listener, h http.Handler, what string) {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	context.AfterFunc(ctx, func() { srv.Close() })
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			a.log.Error(what+" ended", "err", err)
		}
	}()
}
