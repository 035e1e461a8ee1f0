package app

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// issued writes a certificate for learn.example.edu that lasts so long, and its
// key, into one file each.
func issued(t *testing.T, dir, name string, from, to time.Duration) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(from),
		NotAfter: time.Now().Add(to), DNSNames: []string{"learn.example.edu"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestDoctorLooksAtCertificates gives the doctor certificates that browsers would
// refuse, and one they take.
func TestDoctorLooksAtCertificates(t *testing.T) {
	dir := t.TempDir()
	good, goodKey := issued(t, dir, "good", -day, 60*day)
	old, oldKey := issued(t, dir, "old", -60*day, -day)
	short, shortKey := issued(t, dir, "short", -day, 13*day)
	early, earlyKey := issued(t, dir, "early", day, 60*day)
	garbled := filepath.Join(dir, "garbled")
	if err := os.WriteFile(garbled, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, cert, key, public, want string }{
		{"a good one", good, goodKey, "https://learn.example.edu", "ok   certificate valid until "},
		{"an expired one", old, oldKey, "https://learn.example.edu", "FIX  certificate expired on "},
		{"one that ends soon", short, shortKey, "https://learn.example.edu", "FIX  certificate expires on "},
		{"one of the future", early, earlyKey, "https://learn.example.edu", "FIX  certificate not valid before "},
		{"another's key", good, oldKey, "https://learn.example.edu", "private key does not match"},
		{"no file", filepath.Join(dir, "none"), goodKey, "https://learn.example.edu", "no such file"},
		{"no PEM", garbled, goodKey, "https://learn.example.edu", "FIX  certificate"},
		{"another name", good, goodKey, "https://teach.example.edu:8443",
			"FIX  certificate names [learn.example.edu], not teach.example.edu"},
		{"no public address", good, goodKey, "", "ok   certificate valid until "},
	} {
		s := Settings{}
		s.Addr, s.PublicURL, s.TLSCert, s.TLSKey = ":8443", c.public, c.cert, c.key
		s.Data = filepath.Join(dir, "data")
		var out bytes.Buffer
		err := Doctor(t.Context(), s, &out)
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v\n%s, want %s", c.what, err, &out, c.want)
		}
		if strings.Contains(out.String(), "FIX  certificate") && err == nil {
			t.Errorf("%s: the doctor is content", c.what)
		}
	}
}

// TestDoctorLooksAtIssuedCertificates does the same for those of an authority.
func TestDoctorLooksAtIssuedCertificates(t *testing.T) {
	dir := t.TempDir()
	s := Settings{}
	s.Data, s.ACMEDomain = dir, []string{"learn.example.edu", "other.example.edu"}
	if err := os.Mkdir(filepath.Join(dir, "certificates"), 0o700); err != nil {
		t.Fatal(err)
	}
	cert, key := issued(t, dir, "c", -90*day, -day)
	var both []byte
	for _, name := range []string{key, cert} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, data...)
	}
	if err := os.WriteFile(filepath.Join(dir, "certificates", "learn.example.edu"), both, 0o600); err != nil {
		t.Fatal(err)
	}
	all := checkCertificates(&s, time.Now())
	if len(all) != 2 || !all[0].Bad || !strings.HasPrefix(all[0].Saw, "expired on") || all[1].Bad ||
		!strings.Contains(all[1].Saw, "none for other.example.edu yet") {
		t.Errorf("%+v", all)
	}
}
