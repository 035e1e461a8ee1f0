package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTheSpoolOfADeadProcessGoes(t *testing.T) {
	dir := t.TempDir()
	start := func() *App {
		a := &App{Settings: Settings{Storage: Storage{Data: dir}}, log: slog.New(slog.DiscardHandler)}
		if err := a.openSpool(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(a.spool, "upload-1"), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		return a
	}
	there := func(a *App) bool {
		_, err := os.Stat(filepath.Join(a.spool, "upload-1"))
		return err == nil
	}
	dead, alive := start(), start()
	if !there(dead) || !there(alive) {
		t.Fatal("a start removed what a living process has")
	}
	dead.spoolLock.Close() // as the kernel does when the process is killed
	old, young := filepath.Join(dir, "spool", "upload-old"), filepath.Join(dir, "spool", "upload-young")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	next := start()
	if there(dead) || !there(alive) || !there(next) {
		t.Errorf("dead %v, alive %v, next %v", there(dead), there(alive), there(next))
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("an old file lies about")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("a young file went")
	}
	if err := next.closeSpool(); err != nil || there(next) {
		t.Errorf("closing left something: %v", err)
	}
}
