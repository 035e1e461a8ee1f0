package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// issue makes a certificate for 127.0.0.1 that signs itself, and its key, as PEM.
func issue(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// put writes a file whose time of change is at.
func put(t *testing.T, name string, content []byte, at time.Time) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// shown is the serial number of the certificate a client gets to see.
func shown(t *testing.T, f *Files) int64 {
	t.Helper()
	client, server := net.Pipe()
	go tls.Server(server, f.Config()).Handshake()
	c := tls.Client(client, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13})
	if err := c.Handshake(); err != nil {
		t.Fatal(err)
	}
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func TestChangedFilesAreShown(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "c"), filepath.Join(t.TempDir(), "k")
	c1, k1 := issue(t, 1)
	c2, k2 := issue(t, 2)
	at := time.Now()
	put(t, cert, c1, at)
	put(t, key, k1, at)
	var log strings.Builder
	f, err := FromFiles(cert, key, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		what string
		do   func()
		want int64
	}{
		{"as it was", func() {}, 1},
		{"the certificate alone changed", func() { put(t, cert, c2, at.Add(time.Second)) }, 1},
		{"nothing more", func() {}, 1},
		{"the key follows", func() { put(t, key, k2, at.Add(2*time.Second)) }, 2},
		{"the key is gone", func() { os.Remove(key) }, 2},
		{"rubbish", func() { put(t, key, []byte("rubbish"), at.Add(3*time.Second)) }, 2},
		{"both again", func() { put(t, cert, c1, at.Add(4*time.Second)); put(t, key, k1, at.Add(4*time.Second)) }, 1},
	} {
		step.do()
		if got := shown(t, f); got != step.want {
			t.Errorf("%s: certificate %d is shown, want %d", step.what, got, step.want)
		}
	}
	if warned, told := strings.Count(log.String(), "level=WARN"), strings.Count(log.String(),
		"read again"); warned != 3 ||
		told != 2 {
		t.Errorf("%d warnings and %d words:\n%s", warned, told, log.String())
	}
	if strings.Contains(log.String(), "PRIVATE") {
		t.Error("the key is in the log")
	}
}

func TestWhatIsNoCertificateIsRefusedAtTheStart(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "c"), filepath.Join(t.TempDir(), "k")
	if _, err := FromFiles(cert, key, slog.Default()); err == nil {
		t.Error("no files, no error")
	}
	c, _ := issue(t, 1)
	_, other := issue(t, 2)
	put(t, cert, c, time.Now())
	put(t, key, other, time.Now())
	if _, err := FromFiles(cert, key, slog.Default()); err == nil {
		t.Error("the key belongs to another certificate")
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	dir := t.TempDir()
	c, k := issue(t, 1)
	put(t, dir+"/c", c, time.Now())
	put(t, dir+"/k", k, time.Now())
	f, err := FromFiles(dir+"/c", dir+"/k", slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	client, server := net.Pipe()
	go tls.Server(server, f.Config()).Handshake()
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	if tls.Client(client, old).Handshake() == nil {
		t.Error("TLS 1.1 is spoken")
	}
}
