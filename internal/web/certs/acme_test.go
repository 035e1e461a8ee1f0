package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
)

const domain = "lectern.example.edu"

// program finds a program, or skips the test; fails where all are required.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("LECTERN_TEST_REQUIRE") != "" {
			t.Fatalf("%s is needed (Debian: apt-get install pebble)", name)
		}
		t.Skipf("%s is not installed (Debian: apt-get install pebble)", name)
	}
	return path
}

// freePort gives an address of 127.0.0.1 that nobody listens at.
func freePort(t *testing.T) (addr string, port int) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String(), l.Addr().(*net.TCPAddr).Port
}

// run starts a program until the test ends, and waits until it answers at every
// address.
func run(t *testing.T, at []string, path string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), path, args...)
	c.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	for _, addr := range at {
		waittest.Until(t, path+" listens at "+addr, func() bool {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
	}
}

// authority is a running ACME authority that asks 127.0.0.1, whatever the domain.
type authority struct{ directory, management, ca string }

// startAuthority starts pebble, which finds our TLS at tlsPort and our plain HTTP
// at httpPort.
func startAuthority(t *testing.T, tlsPort, httpPort int) authority {
	t.Helper()
	pebble, dns := program(t, "pebble"), program(t, "pebble-challtestsrv")
	dir := t.TempDir()
	cert, key := issue(t, 1)
	put(t, dir+"/cert.pem", cert, time.Now())
	put(t, dir+"/key.pem", key, time.Now())
	listen, _ := freePort(t)
	manage, _ := freePort(t)
	names, _ := freePort(t)
	dnsManage, _ := freePort(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{"listenAddress": listen,
		"managementListenAddress": manage, "certificate": dir + "/cert.pem", "privateKey": dir + "/key.pem",
		"httpPort": httpPort, "tlsPort": tlsPort, "ocspResponderURL": ""}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir+"/config.json", config, time.Now())
	run(t, []string{names}, dns, "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dns01", names,
		"-http01", "", "-https01", "", "-tlsalpn01", "", "-management", dnsManage)
	run(t, []string{listen, manage}, pebble, "-config", dir+"/config.json", "-dnsserver", names)
	return authority{"https://" + listen + "/dir", "https://" + manage, dir + "/cert.pem"}
}

// root is the certificate behind those the authority issues, which it makes anew
// at every start.
func (a authority) root(t *testing.T) *x509.CertPool {
	t.Helper()
	trusted := x509.NewCertPool()
	pem, err := os.ReadFile(a.ca)
	if err != nil {
		t.Fatal(err)
	}
	trusted.AppendCertsFromPEM(pem)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted,
		MinVersion: tls.VersionTLS12}}}
	r, err := client.Get(a.management + "/roots/0")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	pem, err = io.ReadAll(r.Body)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		t.Fatalf("no root: %v %s", err, pem)
	}
	return roots
}

// visit asks a TLS server for a page by a name, and gives the certificate's number.
func visit(t *testing.T, addr, name string, roots *x509.CertPool) (string, error) {
	t.Helper()
	d := tls.Dialer{Config: &tls.Config{ServerName: name, RootCAs: roots, MinVersion: tls.VersionTLS12}}
	c, err := d.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return fmt.Sprint(c.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber), nil
}

// serve listens at addr by TLS until the test ends.
func serve(t *testing.T, i *Issued, addr string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.NotFoundHandler(), TLSConfig: i.Config(), ReadHeaderTimeout: time.Second,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go srv.ServeTLS(l, "", "")
	t.Cleanup(func() { srv.Close() })
}

// TestCertificatesAreIssued gets a certificate from a real authority, by each of
// the ways it can ask, and shows that the certificate outlives the process.
func TestCertificatesAreIssued(t *testing.T) {
	for _, way := range []string{"tls-alpn-01", "http-01"} {
		t.Run(way, func(t *testing.T) {
			addr, port := freePort(t)
			plain, plainPort := freePort(t)
			tlsPort := port
			if way == "http-01" { // the authority finds nobody by TLS
				_, tlsPort = freePort(t)
			}
			ca := startAuthority(t, tlsPort, plainPort)
			dir := filepath.Join(t.TempDir(), "certificates")
			a := Authority{Domains: []string{domain}, Directory: ca.directory, CA: ca.ca, Dir: dir,
				Email: "a@example.edu"}
			i, err := FromAuthority(a)
			if err != nil {
				t.Fatal(err)
			}
			serve(t, i, addr)
			if way == "http-01" {
				proving(t, i, plain)
			}
			roots := ca.root(t)
			var log strings.Builder
			i.Fetch(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
			if !strings.Contains(log.String(), "certificate at hand") {
				t.Fatal(log.String())
			}
			first, err := visit(t, addr, domain, roots)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := visit(t, addr, "other.example.edu", roots); err == nil {
				t.Error("a certificate for a domain that is not ours")
			}
			keptFor(t, a, first)
		})
	}
}

// proving serves the authority's questions on plain HTTP until the test ends.
func proving(t *testing.T, i *Issued, addr string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	prove := i.Prove(http.NotFoundHandler())
	s := &httptest.Server{Listener: l, Config: &http.Server{ReadHeaderTimeout: time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Host, _, _ = strings.Cut(r.Host, ":") // port 80 is not named in a Host
			prove.ServeHTTP(w, r)
		})}}
	s.Start()
	t.Cleanup(s.Close)
}

// keptFor sees that another process has the certificate at once, without asking
// the authority, and that nobody else may read the keys.
func keptFor(t *testing.T, a Authority, serial string) {
	t.Helper()
	a.Directory = "https://127.0.0.1:1/nobody"
	i, err := FromAuthority(a)
	if err != nil {
		t.Fatal(err)
	}
	c, err := i.manager.GetCertificate(&tls.ClientHelloInfo{ServerName: domain,
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}})
	if err != nil || fmt.Sprint(c.Leaf.SerialNumber) != serial {
		t.Errorf("the certificate was not kept: %v", err)
	}
	info, err := os.Stat(a.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
}

func TestAnAuthorityThatCannotBeReachedIsToldOnce(t *testing.T) {
	i, err := FromAuthority(Authority{Domains: []string{domain}, Directory: "https://127.0.0.1:1/dir",
		Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	i.Fetch(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
	if strings.Count(log.String(), "level=ERROR") != 1 || !strings.Contains(log.String(), "--redirect-addr") {
		t.Error(log.String())
	}
	over, end := context.WithCancel(t.Context())
	end()
	i.Fetch(over, slog.New(slog.DiscardHandler))
	if _, err := FromAuthority(Authority{CA: "/nowhere"}); err == nil {
		t.Error("no file, no error")
	}
}
