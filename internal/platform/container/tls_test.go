package container_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lectern/internal/platform/container"
	"lectern/internal/platform/container/enginetest"
)

// An engine that is reached by TCP lets in whoever has a certificate of its authority,
// and is believed only with a certificate of the one that is trusted.
func TestEngineByTLS(t *testing.T) {
	t.Parallel()
	engine := enginetest.New(t)
	ours, theirs := enginetest.NewAuthority(t), enginetest.NewAuthority(t)
	host := engine.Secure(t, ours.Server(t))
	e, err := container.Open(host, ours.Client(t, ours), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended, out, report := sh(t, e, engine.Box, small, "cat; echo to you >&2; exit 3", "from us")
	if ended != (container.Ended{Cause: container.Exited, ExitCode: 3}) || out != "from us" || report != "to you\n" {
		t.Errorf("%+v: %q and %q", ended, out, report)
	}
	for what, certs := range map[string]string{"a certificate of another authority": theirs.Client(t, ours),
		"an engine of another authority": ours.Client(t, theirs)} {
		e, err := container.Open(host, certs, t.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Check(t.Context()); !errors.Is(err, container.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Without certificates, or with such as cannot be read, no engine is spoken to by TCP.
func TestTCPNeedsCertificates(t *testing.T) {
	t.Parallel()
	a := enginetest.NewAuthority(t)
	without := func(name string) string {
		dir := a.Client(t, a)
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	garbled := a.Client(t, a)
	if err := os.WriteFile(filepath.Join(garbled, "ca.pem"), []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for certs, want := range map[string]string{"": "whoever reaches it without them rules its machine",
		without("ca.pem"): "ca.pem: no such file", without("cert.pem"): "cert.pem: no such file",
		without("key.pem"): "key.pem: no such file", garbled: "holds no certificate"} {
		if _, err := container.Open("tcp://127.0.0.1:2376", certs, "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, host := range []string{"tcp://engine", "http://engine:2376", "tcp://engine:2376/path", "unix://", "engine"} {
		if _, err := container.Open(host, a.Client(t, a), "x"); err == nil {
			t.Errorf("%s is taken", host)
		}
	}
}
