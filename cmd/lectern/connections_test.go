package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ask sends a request on a connection of its own and gives the status; the
// connection stays open. Nothing comes within the time: a deadline's error.
func ask(c net.Conn, header string, within time.Duration) (int, error) {
	_ = c.SetDeadline(time.Now().Add(within))
	if _, err := fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n%s\r\n", header); err != nil {
		return 0, err
	}
	return answer(c)
}

func answer(c net.Conn) (int, error) {
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err
	}
	r.Body.Close()
	return r.StatusCode, nil
}

func dial(t *testing.T, i *instance) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(i.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestAThousandConnectionsFromOneAddress(t *testing.T) {
	i := start(t, "--data", t.TempDir())
	for n := range 1000 {
		if status, err := ask(dial(t, i), "", 30*time.Second); status != 200 {
			t.Fatalf("connection %d: %d %v", n+1, status, err)
		}
	}
	i.Process.Kill() // it would wait for what stays open
}

func TestOneConnectionTooManyWaits(t *testing.T) {
	i := start(t, "--data", t.TempDir(), "--max-connections", "3")
	first := dial(t, i)
	for _, c := range []net.Conn{first, dial(t, i), dial(t, i)} {
		if status, err := ask(c, "", 30*time.Second); status != 200 {
			t.Fatal(status, err)
		}
	}
	late := dial(t, i)
	if status, err := ask(late, "", 300*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the fourth of three was served: %d %v", status, err)
	}
	first.Close()
	_ = late.SetDeadline(time.Now().Add(30 * time.Second))
	if status, err := answer(late); status != 200 {
		t.Errorf("when one ended, the next was not served: %d %v", status, err)
	}
}

func TestHeadersAreBounded(t *testing.T) {
	i := start(t, "--data", t.TempDir())
	for size, want := range map[int]int{32 << 10: 200, 100 << 10: 431} {
		header := "X-Long: " + strings.Repeat("x", size) + "\r\n"
		if status, err := ask(dial(t, i), header, 30*time.Second); status != want {
			t.Errorf("%d bytes: got %d %v, want %d", size, status, err, want)
		}
	}
}

// certify writes a certificate for 127.0.0.1 and localhost, and its key, and gives who vouches.
func certify(t *testing.T, cert, key string, serial int64) *x509.CertPool {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		DNSNames: []string{"localhost"}, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	err = errors.Join(os.WriteFile(cert, text, 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return roots
}

// TestTLSByFiles serves by TLS, sends plain HTTP on, and shows a renewed
// certificate without a new start.
func TestTLSByFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	roots := certify(t, cert, key, 1)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	plain := l.Addr().String()
	l.Close()
	i := start(t, "--data", dir, "--tls-cert", cert, "--tls-key", key, "--redirect-addr", plain,
		"--public-url", "https://lectern.example.edu")
	visit := func() *http.Response {
		client := http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}}}
		defer client.CloseIdleConnections()
		r, err := client.Get(i.url + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r
	}
	if r := visit(); r.StatusCode != 200 || r.ProtoMajor != 2 || r.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%s %s %v", r.Status, r.Proto, r.Header)
	}
	roots = certify(t, cert, key, 2)
	if got := visit().TLS.PeerCertificates[0].SerialNumber.Int64(); got != 2 {
		t.Errorf("certificate %d is shown", got)
	}
	redirects(t, "http://"+plain)
	i.stop()
}

// redirects sees where plain HTTP is sent on to, and that it cannot be led astray.
func redirects(t *testing.T, plain string) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for path, want := range map[string]string{"/api/docs?x=1": "/api/docs?x=1", "//evil.example": "//evil.example",
		"/%2e%2e/a%20b": "/../a%20b"} {
		r, err := client.Get(plain + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if to := r.Header.Get("Location"); r.StatusCode != 308 || to != "https://lectern.example.edu"+want {
			t.Errorf("%s: %d to %q", path, r.StatusCode, to)
		}
	}
	r, err := client.Post(plain+"/api/auth", "application/x-www-form-urlencoded", strings.NewReader("password=x"))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 403 || r.Header.Get("Location") != "" {
		t.Errorf("a password sent in the clear: %d %v", r.StatusCode, r.Header)
	}
}
