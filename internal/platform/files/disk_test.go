package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"time"

	"lectern/internal/ground/fault"
)

func TestDisk(t *testing.T) {
	testStore(t, func(t *testing.T) string { return filepath.Join(t.TempDir(), "a", "new place") })
}

func TestDiskLayout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir)
	h := put(t, s, []byte("hello")).Hash
	name := filepath.Join(dir, string(h[:2]), string(h[2:4]), string(h))
	if got, err := os.ReadFile(name); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		info, _ := e.Info()
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = fs.ModeDir | 0o700
		}
		if info.Mode() != want {
			t.Errorf("%s: mode %v, want %v", path, info.Mode(), want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// leftovers counts what lies in the spool directory.
func leftovers(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, spoolDir))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestDiskLeavesNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, []byte("good"))
	s.Put(t.Context(), iotest.ErrReader(errors.New("broken")))
	ctx, cancel := context.WithCancel(t.Context())
	s.Put(ctx, cancelling{bytes.NewReader(noise(1, 300_000)), cancel})
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	func() {
		defer func() { recover() }()
		s.Put(t.Context(), nil) // the nil reader panics
	}()
	if n := leftovers(t, dir); n > 0 {
		t.Errorf("%d temporary files are left", n)
	}
}

func TestDiskHealsOnPut(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	h := put(t, s, []byte("content")).Hash
	name := filepath.Join(dir, pathOf(h))
	if err := os.WriteFile(name, []byte("cont\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	info := put(t, s, []byte("content"))
	if got := read(t, s, h); string(got) != "content" || time.Since(info.Modified) > time.Minute {
		t.Errorf("read %q, modified %v", got, info.Modified)
	}
}

func TestDiskSweep(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, []byte("stays"))
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "young": time.Hour} {
		name = filepath.Join(dir, spoolDir, name)
		then := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, then, then)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Sweep(t.Context(), 24*time.Hour); n != 1 || err != nil {
		t.Errorf("Sweep: %d, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(dir, spoolDir, "young")); err != nil || leftovers(t, dir) != 1 {
		t.Errorf("%d left; the young one: %v", leftovers(t, dir), err)
	}
	if len(list(t, s)) != 1 {
		t.Error("Sweep removed a stored file")
	}
}

// TestDiskIgnoresStrangers plants files where only a fault or an intruder can.
func TestDiskIgnoresStrangers(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	s := open(t, dir)
	a, b := hashOf([]byte("a")), hashOf([]byte("b"))
	for _, err := range []error{
		os.WriteFile(outside, []byte("secret"), 0o600),
		os.MkdirAll(filepath.Join(dir, dirOf(a)), 0o700),
		os.Symlink(outside, filepath.Join(dir, pathOf(a))),
		os.WriteFile(filepath.Join(dir, spoolDir, string(b)), []byte("b"), 0o600),
		os.WriteFile(filepath.Join(dir, dirOf(a), string(b)), []byte("b"), 0o600),
		os.WriteFile(filepath.Join(dir, "README"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if f, err := s.Open(t.Context(), a); err == nil {
		t.Errorf("a link out of the store was followed: %v", f)
	}
	if f, err := s.Open(t.Context(), b); !fault.Is(err, fault.Missing) {
		t.Errorf("a file without its name was served: %v, %v", f, err)
	}
	if all := list(t, s); len(all) != 0 {
		t.Errorf("listed %v", all)
	}
}

func TestDiskCheckFails(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, spoolDir)); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err == nil {
		t.Error("a store that cannot be written to passes")
	}
}
