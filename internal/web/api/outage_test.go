//go:build linux

package api

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lectern/internal/platform/db/dbtest"
)

// logged lets the world's server log into what it gives, from warnings on.
func (w *world) logged() *bytes.Buffer {
	var out bytes.Buffer
	w.api.HTTP.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return &out
}

// isUnavailable fails the test unless the answer is that of a service that has no place
// to store things.
func (a *answered) isUnavailable() {
	a.w.Helper()
	a.status(503).says("cannot store", "nothing that was saved is lost")
	if a.Header().Get("Retry-After") == "" || a.object()["code"] != "unavailable" {
		a.w.Errorf("%s: %v %s", a.what, a.Header(), a.Body)
	}
}

func TestADatabaseThatIsUnavailable(t *testing.T) {
	server := dbtest.NewOwn(t)
	w := newWorldAt(t, server.Address, t.TempDir())
	w.do("student", "POST "+ownTask+"/comments", form{"comment": "before"}).status(201)
	for i := range 2 {
		log := w.logged()
		kept := w.count("task_comments")
		server.Stop()
		for range 3 {
			w.do("student", "POST "+ownTask+"/comments", form{"comment": "lost"}).isUnavailable()
			w.do("student", "GET "+ownTask+"/comments", nil).isUnavailable()
			w.do("", "POST /api/auth", form{"username": "student", "password": "wrong-password"}).isUnavailable()
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "requests get 503") {
			t.Errorf("%d lines in the log:\n%s", n, log)
		}
		server.Start()
		w.do("student", "POST "+ownTask+"/comments", form{"comment": numbered("after", i)}).status(201)
		if n := w.count("task_comments"); n != kept+1 {
			t.Errorf("%d comments, not %d", n, kept+1)
		}
	}
}

// tiny gives a directory on a file system of a few MB, which a test can fill.
func tiny(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=12m"); err != nil {
		if os.Getuid() == 0 {
			dbtest.Missing(t, "the right to mount a file system: %v", err)
		}
		t.Skipf("skipped: only root can mount a file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// inside copies a fresh SQLite database into dir.
func inside(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(dbtest.Address(t, "sqlite"))
	path := filepath.Join(dir, "lectern.db")
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// fillUp writes a file until there is no room left.
func fillUp(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for b := make([]byte, 4096); err == nil; {
		_, err = f.Write(b)
	}
}

func TestOnAFullDiskConversationsAreReadAndNothingIsLost(t *testing.T) {
	dir := tiny(t)
	w := newWorldAt(t, inside(t, dir), dir)
	w.do("student", "POST "+ownTask+"/comments", form{"comment": "before"}).status(201)
	log, kept, ballast := w.logged(), w.count("task_comments"), filepath.Join(dir, "ballast")
	fillUp(t, ballast)
	picture := upload{files: []part{{"attachment", "a.png", strings.Repeat("x", 64<<10)}}}
	for range 3 {
		w.do("student", "POST "+ownTask+"/comments", picture).isUnavailable()
		w.do("student", "POST "+ownTask+"/comments", form{"comment": strings.Repeat("x", 4000)}).isUnavailable()
	}
	list := w.do("tutor", "GET "+ownTask+"/comments", nil).status(200).list()
	if len(list) != 1 || list[0]["is_new"] != true {
		t.Errorf("the tutor reads %v while nothing can be noted", list)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "requests get 503") {
		t.Errorf("%d lines in the log:\n%s", n, log)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	w.do("student", "POST "+ownTask+"/comments", form{"comment": "after"}).status(201)
	for _, want := range []bool{true, false} {
		if list := w.do("tutor", "GET "+ownTask+"/comments", nil).status(200).list(); list[0]["is_new"] != want {
			t.Errorf("with room again the first comment is %v", list[0])
		}
	}
	if n := w.count("task_comments"); n != kept+1 {
		t.Errorf("%d comments, not %d", n, kept+1)
	}
}

// A disk that may only be read is told as one that is full.
func TestAReadOnlyDisk(t *testing.T) {
	dir := tiny(t)
	w := newWorldAt(t, dbtest.Address(t, "sqlite"), dir)
	if err := os.MkdirAll(filepath.Join(dir, "spool"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	w.do("student", "POST "+ownTask+"/comments", upload{files: []part{{"attachment", "a.png", "x"}}}).isUnavailable()
	w.do("student", "POST "+ownTask+"/comments", form{"comment": "text needs no file"}).status(201)
}
