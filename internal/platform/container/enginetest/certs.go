package enginetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Authority signs the certificates of an engine and of those it lets in, as one does
// for Docker's --tlsverify.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// NewAuthority makes one that nobody else trusts.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{}
	der, key := a.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.key, a.pem = key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

// sign makes a certificate with a key of its own; the first is the authority's.
func (a *Authority) sign(t testing.TB, c *x509.Certificate) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber = big.NewInt(time.Now().UnixNano())
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	return der, key
}

// Server is what an engine at 127.0.0.1 shows, and whom it lets in: those with a
// certificate of the authority.
func (a *Authority) Server(t testing.TB) *tls.Config {
	t.Helper()
	der, key := a.sign(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, ClientCAs: pool,
		ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
}

// Client writes ca.pem, cert.pem and key.pem into a directory: the certificate is this
// authority's, and it trusts the engine of another.
func (a *Authority) Client(t testing.TB, trusts *Authority) (dir string) {
	t.Helper()
	der, key := a.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: "lectern"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, content := range map[string][]byte{"ca.pem": trusts.pem,
		"cert.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		"key.pem":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Secure listens at a TCP address that takes TLS and hands what comes to the engine.
func (e *Engine) Secure(t testing.TB, c *tls.Config) (host string) {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	target, _ := url.Parse(e.Host)
	over := make(chan struct{})
	var open sync.WaitGroup
	open.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			open.Go(func() { carry(near.(*tls.Conn), target.Path, over) })
		}
	})
	t.Cleanup(func() { close(over); l.Close(); open.Wait() })
	return "tcp://" + l.Addr().String()
}

// carry hands bytes on both ways until both sides are done or all is over, and ends each
// way by itself: what is attached to a container closes its input first.
func carry(near *tls.Conn, socket string, over <-chan struct{}) {
	defer near.Close()
	if near.Handshake() != nil {
		return
	}
	to, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	far := to.(*net.UnixConn)
	defer far.Close()
	var ways sync.WaitGroup
	ways.Go(func() { _, _ = io.Copy(far, near); _ = far.CloseWrite() })
	ways.Go(func() { _, _ = io.Copy(near, far); _ = near.CloseWrite() })
	done := make(chan struct{})
	go func() { ways.Wait(); close(done) }()
	select {
	case <-done:
	case <-over:
	}
}
