package privacy

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/ident"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
)

// EraseAgain does the erasures that are later than the backup which the database was restored
// from, and tells how many. It may be cut short anywhere: the next call goes on. Nobody may be served
// before it has succeeded.
func EraseAgain(ctx context.Context, d *db.DB) (done int, err error) {
	all, err := backup.ToErase(ctx, d.Pool())
	if err != nil || len(all) == 0 {
		return 0, err
	}
	for _, e := range all {
		if e.Kind != backup.ErasedPerson {
			return done, fmt.Errorf("the backup says that a %s was erased, which this program does not know: use a newer one",
				e.Kind)
		}
		there, err := stillThere(ctx, d, e)
		if err != nil {
			return done, err
		}
		if !there {
			continue
		}
		if _, err := Erase(ctx, d, e.ID, e.Files); err != nil {
			return done, fmt.Errorf("person %d was erased after this backup was made, and must be again before the "+
				"service starts: %w", e.ID, err)
		}
		done++
	}
	return done, backup.AllErased(ctx, d)
}

// stillThere tells whether the person of an erasure is in the database, not erased. One who came
// after it has only got the number of somebody who came after the backup.
func stillThere(ctx context.Context, d *db.DB, e backup.Erasure) (bool, error) {
	type row struct {
		Username  string     `db:"username"`
		CreatedAt clock.Time `db:"created_at"`
	}
	u, err := db.One[row](ctx, d.Pool(), `SELECT username, created_at FROM users WHERE id = $1`, e.ID)
	if fault.Is(err, fault.Missing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return u.Username != ident.ErasedName(e.ID) && !u.CreatedAt.After(e.At.Time), nil
}
