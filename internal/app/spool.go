package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"lectern/internal/platform/filelock"
)

// spoolLock is the file in a process's part of the spool that tells it is alive.
const spoolLock = "lock"

// openSpool makes this process's own part of the spool and removes those of
// processes that are no more.
func (a *App) openSpool() error {
	if err := os.MkdirAll(a.Spool(), 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	var err error
	if a.spool, err = os.MkdirTemp(a.Spool(), "process-"); err != nil {
		return err
	}
	if a.spoolLock, _, err = filelock.Try(filepath.Join(a.spool, spoolLock)); err != nil {
		return err
	}
	return sweepSpool(a.Spool(), a.spool)
}

// sweepSpool removes the parts of dead processes, and what lies about for more
// than an hour. Young parts are spared: their process may be about to lock.
func sweepSpool(dir, own string) error {
	parts, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range parts {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if path == own || err != nil {
			continue
		}
		if !e.IsDir() {
			if time.Since(info.ModTime()) > time.Hour {
				_ = os.Remove(path)
			}
			continue
		}
		if _, err := os.Stat(filepath.Join(path, spoolLock)); err != nil && time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if lock, dead, err := filelock.Try(filepath.Join(path, spoolLock)); err == nil && dead {
			_ = os.RemoveAll(path)
			lock.Close()
		}
	}
	return nil
}

// sweepHourly keeps the spool clean while the service runs.
func (a *App) sweepHourly(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := sweepSpool(a.Spool(), a.spool); err != nil {
				a.log.WarnContext(ctx, "the spool was not swept", "err", err)
			}
		}
	}
}

// closeSpool removes this process's part of the spool.
func (a *App) closeSpool() error {
	if a.spoolLock == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(a.spool), a.spoolLock.Close())
}

// serveAlone refuses to serve a SQLite database that another process serves: two
// servers would wake each other's work too late and fight over the one writer.
// Other commands still work beside the server.
func (a *App) serveAlone() (err error) {
	if a.DatabaseURL != "" {
		return nil
	}
	var free bool
	if a.alone, free, err = filelock.Try(filepath.Join(a.Data, "lectern.lock")); err != nil {
		return err
	}
	if !free {
		return fmt.Errorf("another lectern serves the SQLite database in %s already; stop that one first, or run "+
			"several on PostgreSQL (--database-url)", a.Data)
	}
	return nil
}
