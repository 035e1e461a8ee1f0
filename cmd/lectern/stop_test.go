package main

import (
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db/dbtest"
)

// A terminal that is closed does not cut off what people are doing.
func TestAHangUpStopsTheServiceInOrder(t *testing.T) {
	// A child ignores what its parent ignores, but not what its parent waits for: the test
	// itself may run under nohup.
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, syscall.SIGHUP)
	defer signal.Stop(hangUp)
	i := start(t, "--data", t.TempDir())
	if err := i.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-i.done:
		if err != nil {
			t.Errorf("stopped badly: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not stop")
	}
}

func TestAHangUpIsIgnoredUnderNohup(t *testing.T) {
	if _, err := exec.LookPath("nohup"); err != nil {
		dbtest.Missing(t, "no nohup: %v", err)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	i := startAs(t, exec.Command("nohup", path, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()))
	for range 3 {
		if err := i.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if status, err := i.call("GET", "/healthz", "", "", "", nil); err != nil || status != 200 {
			t.Fatalf("after a hang-up: %d %v", status, err)
		}
	}
	i.stop()
}

func TestALoadBalancerSeesTheEndBeforeConnectionsAreRefused(t *testing.T) {
	i := start(t, "--data", t.TempDir(), "--stop-delay", "4s")
	status := func(path string) int {
		// A connection of its own, as a load balancer's and a new visitor's are.
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Get(i.url + path)
		if err != nil {
			return 0
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	if got := status("/readyz"); got != 200 {
		t.Fatalf("at first /readyz says %d", got)
	}
	begun := time.Now()
	if err := i.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	seen := false
	waittest.Until(t, "new connections to be refused", func() bool {
		ready, settings := status("/readyz"), status("/api/settings")
		seen = seen || ready == 503 && settings == 200
		return settings == 0
	})
	if took := time.Since(begun); !seen || took < 4*time.Second {
		t.Errorf("503 with an answer elsewhere: %v; refused after %v", seen, took)
	}
	if err := <-i.done; err != nil {
		t.Errorf("stopped badly: %v", err)
	}
}

func TestVersionTellsReleaseCommitAndDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lectern")
	const in = "lectern/internal/app."
	build := exec.Command("go", "build", "-o", path, "-ldflags",
		"-X "+in+"release=1.4.0 -X "+in+"commit=0123abc -X "+in+"date=2026-12-01T10:00:00Z", ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for _, word := range []string{"version", "--version"} {
		out, err := exec.Command(path, word).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "lectern 1.4.0\ncommit 0123abc\ndate 2026-12-01T10:00:00Z\ngo") {
			t.Errorf("%s: %v %s", word, err, out)
		}
	}
	if out, err := exec.Command(path, "openapi").Output(); err != nil ||
		!strings.Contains(string(out), `"version": "1.4.0"`) {
		t.Errorf("openapi: %v %.300s", err, out)
	}
}
