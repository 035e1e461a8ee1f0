// Package filelock holds locks that a file stands for, among all processes of the machine. A lock ends
// with the process that has it, however that ends.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Try takes the lock of a file, which it makes where there is none; false when another has it. Closing
// the file gives the lock back.
func Try(path string) (*os.File, bool, error) {
	f, err := take(path, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, false, nil
	}
	return f, err == nil, err
}

// Wait is Try that waits until nobody else has the lock.
func Wait(path string) (*os.File, error) { return take(path, syscall.LOCK_EX) }

func take(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		return nil, errors.Join(fmt.Errorf("take the lock %s: %w", path, err), f.Close())
	}
	return f, nil
}
