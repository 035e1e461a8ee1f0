package blob

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// held is how long a hold lasts when whoever has it died; a third of it passes before it is
// renewed.
const held = 10 * time.Minute

// heldName begins the names of holds among the rows of the installation.
const heldName = "files held by "

// Hold keeps every sweep from removing files until it is released: what a snapshot refers to can
// be copied, however long that takes.
func Hold(ctx context.Context, d *db.DB) (release func(), err error) {
	name := heldName + rand.Text()
	renew := func(ctx context.Context) error {
		return d.Tx(ctx, func(q db.Q) error {
			return db.SetInstallation(ctx, q, name, clock.At(d.Now().Add(held)).String())
		})
	}
	if err := renew(ctx); err != nil {
		return nil, fmt.Errorf("hold the files: %w", err)
	}
	ended, stop := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for tick := time.NewTicker(held / 3); ; {
			select {
			case <-ended.Done():
				tick.Stop()
				return
			case <-tick.C:
				if err := renew(ended); err != nil {
					slog.WarnContext(ended, "the hold on the files was not renewed", "err", err)
				}
			}
		}
	})
	return func() {
		stop()
		renewing.Wait()
		if err := d.Tx(context.WithoutCancel(ctx), func(q db.Q) error {
			_, err := db.Exec(ctx, q, `DELETE FROM installation WHERE name = $1`, name)
			return err
		}); err != nil {
			slog.WarnContext(ctx, "the hold on the files ends by itself", "err", err)
		}
	}, nil
}

// isHeld tells whether somebody holds the files.
func isHeld(ctx context.Context, d *db.DB) (bool, error) {
	n, err := db.One[int64](ctx, d.Pool(), `SELECT count(*) FROM installation WHERE name LIKE $1 AND value > $2`,
		heldName+"%", d.Now().String())
	if err != nil {
		return false, fmt.Errorf("ask who holds the files: %w", err)
	}
	return *n > 0, nil
}

// IsHold tells by its name whether a row of the installation is a hold.
func IsHold(name string) bool { return strings.HasPrefix(name, heldName) }

// EndHolds ends every hold, where nobody can have one.
func EndHolds(ctx context.Context, q db.Q) error {
	_, err := db.Exec(ctx, q, `DELETE FROM installation WHERE name LIKE $1`, heldName+"%")
	return err
}
