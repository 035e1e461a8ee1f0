package db

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

// A paused installation reaches nobody: it sends no email and calls no other service. One that
// was restored from a backup begins so, because the one that it is a copy of may still run.

// Restored pauses an installation that was brought back from the backup of a moment, and notes it
// for those whose records must say so.
func Restored(ctx context.Context, q Q, from clock.Time) error {
	if err := Pause(ctx, q, "it was restored from the backup of "+from.Format("2 January 2006, 15:04 UTC")); err != nil {
		return err
	}
	return SetInstallation(ctx, q, "restored from", from.String())
}

// TakeRestored gives the moment that Restored noted, once; nil when there is none.
func TakeRestored(ctx context.Context, q Q) (*clock.Time, error) {
	all, err := All[string](ctx, q, `DELETE FROM installation WHERE name = 'restored from' RETURNING value`)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var from clock.Time
	return &from, from.Scan(all[0])
}

// Pause pauses the installation, and says why.
func Pause(ctx context.Context, q Q, why string) error {
	return SetInstallation(ctx, q, "paused", why)
}

// Paused tells why the installation is paused; empty when it is not.
func Paused(ctx context.Context, q Q) (string, error) {
	why, err := One[string](ctx, q, `SELECT value FROM installation WHERE name = 'paused'`)
	if fault.Is(err, fault.Missing) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("ask whether the installation is paused: %w", err)
	}
	return *why, nil
}

// Resume ends the pause, and tells whether there was one.
func Resume(ctx context.Context, q Q) (bool, error) {
	n, err := Exec(ctx, q, `DELETE FROM installation WHERE name = 'paused'`)
	return n > 0, err
}
