package course

import (
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// UnitVersion names the state of everything that a unit's record shows, with what is
// taught in it: while it stays the same, nothing of it has changed. It is read before
// what it stands for, and may come again after a day (see PruneVersions).
func UnitVersion(ctx context.Context, q db.Q, unitID int64) (string, error) {
	// That a transaction ended tells the number of rows, even where one with a higher
	// id was there before it; and where an old row was forgotten meanwhile, the sum of
	// ids does, as the forgotten are lower than any that come.
	v, err := db.One[string](ctx, q, `SELECT CAST(count(*) AS TEXT) || '.' || CAST(coalesce(sum(id), 0) AS TEXT)
		FROM unit_changes WHERE unit_id = $1`, unitID)
	if err != nil {
		return "", err
	}
	return *v, nil
}

// keptChanges is how long a change of a unit is told from those before it.
const keptChanges = 24 * time.Hour

// PruneVersions forgets the changes of units that nobody compares any more. It removes a
// bounded number of rows and tells how many. It is for the job that cleans up.
func PruneVersions(ctx context.Context, q db.Q) (int64, error) {
	return db.Exec(ctx, q, `DELETE FROM unit_changes WHERE id IN (SELECT id FROM unit_changes WHERE at < $1
		ORDER BY id LIMIT 1000)`, clock.At(q.Now().Add(-keptChanges)))
}
