package filelock

import (
	"path/filepath"
	"testing"
)

func TestALockIsOnesUntilItIsGivenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, free, err := Try(path)
	if err != nil || !free {
		t.Fatalf("a new lock: %v %v", free, err)
	}
	if f, free, err := Try(path); f != nil || free || err != nil {
		t.Errorf("a lock that another has: %v %v", free, err)
	}
	waited := make(chan error)
	go func() {
		f, err := Wait(path)
		if err == nil {
			err = f.Close()
		}
		waited <- err
	}()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if f, free, err := Try(filepath.Join(path, "nowhere")); f != nil || free || err == nil {
		t.Errorf("a place that cannot be: %v %v", free, err)
	}
}
