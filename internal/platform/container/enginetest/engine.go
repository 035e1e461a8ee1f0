// Package enginetest gives tests a container engine of their own: Podman with
// runc, started for the test's process, and a registry that holds images made
// from the programs of this machine. Where Podman, runc or the static shell is
// missing, tests are skipped with one line, or fail when LECTERN_TEST_REQUIRE is
// set. With LECTERN_TEST_ENGINE=unix:///path/of/the/socket they use that engine
// instead, such as a Docker of one's own.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/container"
	"lectern/internal/platform/db/dbtest"
)

// Engine is a running engine.
type Engine struct {
	Host     string // its address
	Box      string // a reference of an image with a static shell and its tools, which is pulled already
	Registry string // host and port of the registry
	dir      string
	images   *registry
}

var start = sync.OnceValues(startEngine)

// New gives the engine of this process.
func New(t testing.TB) *Engine {
	t.Helper()
	needs := []string{"podman", "runc", "busybox"}
	if given() != "" {
		needs = []string{"docker", "busybox"}
	}
	for _, name := range needs {
		if _, err := exec.LookPath(name); err != nil {
			dbtest.Missing(t, "a container engine (Debian: apt-get install podman runc busybox-static): %v", err)
		}
	}
	if os.Getuid() != 0 {
		dbtest.Missing(t, "the rights of root, with which these tests run Podman")
	}
	e, err := start()
	if err != nil {
		dbtest.Missing(t, "a container engine that works: %v", err)
	}
	return e
}

// Open gives a client of the engine for a service of its own; what it leaves
// behind fails the test.
func (e *Engine) Open(t testing.TB, service string) *container.Engine {
	t.Helper()
	c, err := container.Open(e.Host, "", service)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n, err := c.RemoveStrays(context.Background(), func(map[string]string) bool { return false })
		if err != nil || n > 0 {
			t.Errorf("%d containers were left behind (%v)", n, err)
		}
	})
	return c
}

// given is the address of an engine that tests are to use, "" for one of their own.
func given() string { return os.Getenv("LECTERN_TEST_ENGINE") }

// CommandLine runs the engine's own command line on the same containers and images.
func (e *Engine) CommandLine(args ...string) *exec.Cmd {
	if given() != "" {
		return exec.Command("docker", append([]string{"--host", e.Host}, args...)...)
	}
	c := exec.Command("podman", append(options(e.dir), args...)...)
	c.Env = environment(e.dir)
	return c
}

// options keep all that the engine stores in a directory.
func options(dir string) []string {
	return []string{"--root", dir + "/root", "--runroot", dir + "/run", "--tmpdir", dir + "/tmp", "--runtime", "runc",
		"--cgroup-manager", "cgroupfs", "--events-backend", "file", "--storage-driver", "overlay"}
}

func environment(dir string) []string {
	return append(os.Environ(), "CONTAINERS_REGISTRIES_CONF="+dir+"/registries.conf", "TMPDIR="+dir)
}

// startEngine starts the registry and the engine. A shell stands between the
// engine and the test: when the test ends, however it ends, the shell's input
// closes, and it ends the engine and removes all it has.
func startEngine() (*Engine, error) {
	dir, err := os.MkdirTemp("", "lectern-engine-")
	if err != nil {
		return nil, err
	}
	e := &Engine{Host: "unix://" + dir + "/engine.sock", dir: dir, images: newRegistry()}
	if e.Registry, err = e.images.listen(); err != nil {
		return nil, err
	}
	if given() != "" {
		e.Host = given()
		return e, errors.Join(os.Remove(dir), e.addBox())
	}
	conf := fmt.Sprintf("unqualified-search-registries = []\n[[registry]]\nlocation = %q\ninsecure = true\n", e.Registry)
	if err := os.WriteFile(dir+"/registries.conf", []byte(conf), 0o600); err != nil {
		return nil, err
	}
	quoted := "podman '" + strings.Join(options(dir), "' '") + "'"
	keep := exec.Command("sh", "-c", quoted+` system service --time=0 "unix://$0/engine.sock" >"$0/log" 2>&1 &
		pid=$!; cat >/dev/null; `+quoted+` rm -fa >/dev/null 2>&1; kill $pid; wait $pid
		umount "$0/root/overlay" 2>/dev/null; rm -rf "$0"`, dir)
	keep.Dir = dir // the engine leaves a file where it runs
	keep.Env, keep.SysProcAttr = environment(dir), &syscall.SysProcAttr{Setpgid: true}
	w, err := keep.StdinPipe()
	if err != nil {
		return nil, err
	}
	held = append(held, w)
	if err := keep.Start(); err != nil {
		return nil, err
	}
	if err := e.answer(); err != nil {
		log, _ := os.ReadFile(dir + "/log")
		return nil, fmt.Errorf("%w: %s", err, log)
	}
	return e, e.addBox()
}

// addBox offers the image of the static shell and pulls it.
func (e *Engine) addBox() error {
	box, err := busybox()
	if err == nil {
		e.Box, err = e.add("box", box)
	}
	return err
}

// held keeps the engine's input from being collected, which would close it.
var held []io.WriteCloser

// answer waits until the engine does.
func (e *Engine) answer() error {
	c, err := container.Open(e.Host, "", "test")
	if err != nil {
		return err
	}
	waittest.Within(30*time.Second, func() bool {
		err = c.Check(context.Background())
		return err == nil
	})
	return err
}

// Add puts an image of the given layer, a tar archive, into the registry, pulls
// it and gives its reference.
func (e *Engine) Add(t testing.TB, name string, layer []byte) string {
	t.Helper()
	ref, err := e.add(name, layer)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func (e *Engine) add(name string, layer []byte) (string, error) {
	ref := e.Offer(name, layer)
	c, err := container.Open(e.Host, "", "test")
	if err != nil {
		return "", err
	}
	return ref, c.Pull(context.Background(), ref, func(string) {})
}

// Offer puts an image into the registry and gives its reference.
func (e *Engine) Offer(name string, layer []byte) string {
	e.images.put(name, layer)
	return e.Registry + "/" + name + ":1"
}

// Stall makes the registry give half of a layer and then wait, until the function it
// returns is called.
func (e *Engine) Stall() (release func()) { return e.images.stall() }

// Proxy listens at an address whose connections go to the engine, until down is
// called; up lets them through again, at the same address.
func (e *Engine) Proxy(t testing.TB) (host string, down, up func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine.sock")
	target, _ := url.Parse(e.Host)
	up = func() {
		if err := os.Symlink(target.Path, path); err != nil {
			t.Error(err)
		}
	}
	up()
	return "unix://" + path, func() { _ = os.Remove(path) }, up
}
