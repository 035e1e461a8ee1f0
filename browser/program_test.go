package browser

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// program builds the service once.
var program = sync.OnceValues(func() (string, error) { return build("lectern") })

// build makes a program of the service, with more flags where it shall differ.
func build(name string, flags ...string) (string, error) {
	path := filepath.Join(scratch, name)
	out, err := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), "lectern/cmd/lectern")...).
		CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
}

// scratch holds what all tests share, and is removed at the end.
var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lectern-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	code := m.Run()
	stopShared()
	stopMarking()
	stopOther()
	stopRubric()
	stopBrowser()
	os.RemoveAll(dir)
	os.Exit(code)
}

// needed skips a test unless LECTERN_TEST_BROWSER is set: these tests take minutes.
func needed(t *testing.T) {
	t.Helper()
	if os.Getenv("LECTERN_TEST_BROWSER") == "" {
		t.Skip("tests in a browser run with LECTERN_TEST_BROWSER=1")
	}
	if _, err := exec.LookPath(chromium); err != nil {
		dbtest.Missing(t, "no browser: %v", err)
	}
}

// service is a running copy of the program with its demo university.
type service struct {
	url, data string
	database  string            // its address, where it is not the file among its data
	said      bytes.Buffer      // before it was ready
	tokens    map[string]string // of people signed in for the API
	kill      func()            // as a power cut does; it ends when the program has
}

var readyAt = regexp.MustCompile(`ready at (https?://[^ ]+)`)

// serve starts the program with its demo on a free port. It is stopped with the test.
func serve(t *testing.T, args ...string) *service {
	t.Helper()
	s, stop, err := startService(t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return s
}

// quiet gives the one service of all tests that leave it as they found it.
func quiet(t *testing.T) *service {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var shared = sync.OnceValues(func() (s *service, err error) {
	s, stopShared, err = startService(filepath.Join(scratch, "shared"))
	return s, err
})

var stopShared = func() {}

// university is the demo with its documents made, which takes longer than most tests
// need: every service begins with a copy.
var university = sync.OnceValues(func() (string, error) {
	data := filepath.Join(scratch, "university")
	path, err := program()
	if err != nil {
		return "", err
	}
	_, stop, err := run(path, data)
	defer stop()
	if err != nil {
		return "", err
	}
	d, err := db.Open(filepath.Join(data, "lectern.db"), db.Options{Readers: 1})
	if err != nil {
		return "", err
	}
	defer d.Close()
	var left *int64
	made := waittest.Within(3*patience, func() bool {
		left, err = db.One[int64](context.Background(), d.Pool(),
			"SELECT count(*) FROM submissions WHERE state IN ('queued', 'processing')")
		return err != nil || *left == 0
	})
	if err == nil && !made {
		err = fmt.Errorf("%d documents of the demo were not made", *left)
	}
	return data, err
})

// startService starts the program on a directory, which is filled first where it is empty.
func startService(data string, args ...string) (*service, func(), error) {
	path, err := program()
	if err != nil {
		return nil, func() {}, err
	}
	return startProgram(path, data, args...)
}

// startProgram does so with another build of it.
func startProgram(path, data string, args ...string) (*service, func(), error) {
	if _, err := os.Stat(filepath.Join(data, "lectern.db")); errors.Is(err, fs.ErrNotExist) {
		full, err := university()
		if err == nil {
			err = os.CopyFS(data, os.DirFS(full))
		}
		if err != nil {
			return nil, func() {}, err
		}
	}
	return run(path, data, args...)
}

func run(path, data string, args ...string) (*service, func(), error) {
	return runEmpty(path, data, append([]string{"--demo", "--addr", "127.0.0.1:0"}, args...)...)
}

// runEmpty starts the program without the demo, at the address that its flags name.
func runEmpty(path, data string, args ...string) (*service, func(), error) {
	c := exec.Command(path, append([]string{"serve", "--log-level", "error", "--data", data}, args...)...)
	c.Env = []string{"HOME=" + data, "PATH=" + os.Getenv("PATH")}
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return nil, func() {}, err
	}
	s := &service{data: data}
	for lines := bufio.NewScanner(out); s.url == "" && lines.Scan(); {
		fmt.Fprintln(&s.said, lines.Text())
		if m := readyAt.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		}
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = c.Wait()
		close(ended)
	}()
	s.kill = func() {
		_ = c.Process.Kill()
		<-ended
	}
	stop := func() {
		_ = c.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			_ = c.Process.Kill()
		}
	}
	if s.url == "" {
		err = fmt.Errorf("the service did not become ready: %s", s.said.String())
	}
	return s, stop, err
}
