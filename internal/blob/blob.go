// Package blob keeps the list of stored files: a row of the table blobs for
// every hash that the database refers to. The row is what a new reference and
// the sweep of forgotten files both take hold of, so that neither can miss the
// other:
//
//   - Whoever refers to a file puts it into the store first, then calls Keep in
//     the transaction that writes the reference.
//   - Sweep removes a row that nothing refers to and nobody touched for a day,
//     and the file with it, before it commits. A Keep that comes in between
//     waits for the row, then finds the file gone and says so.
//
// Every column that refers to a hash is a foreign key on blobs, and stands in
// the list of this package; a test compares the two.
package blob

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/db"
	"lectern/internal/fault"
	"lectern/internal/files"
)

// grace is how long a file without a reference stays. A row that was touched
// half as long ago cannot have lost its file to a sweep.
const grace = 24 * time.Hour

// Keep records that the transaction of q refers to the file: it makes or
// touches its row and holds it until the transaction ends. Call it after the
// store's Put and before writing the reference. It fails with fault.Conflict
// when the file was swept meanwhile, in which case it must be sent again.
func Keep(ctx context.Context, q db.Q, store files.Store, info files.Info) error {
	young, err := db.Exec(ctx, q, `UPDATE blobs SET touched_at = $2 WHERE hash = $1 AND touched_at > $3`,
		string(info.Hash), q.Now(), before(q, grace/2))
	if err != nil || young > 0 {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO blobs (hash, size, touched_at) VALUES ($1, $2, $3)
		ON CONFLICT (hash) DO UPDATE SET touched_at = excluded.touched_at`, string(info.Hash), info.Size, q.Now())
	if err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	// The row is ours now: no sweep can take the file from here on.
	_, err = store.Stat(ctx, info.Hash)
	if fault.Is(err, fault.Missing) {
		return &fault.Error{Kind: fault.Conflict, Err: err,
			Text: "The file was cleared away while it was being stored. Please send it again."}
	}
	return err
}

// Touch holds the rows of files that are referred to already, in the
// transaction that copies those references.
func Touch(ctx context.Context, q db.Q, hashes []string) error {
	if len(hashes) == 0 {
		return nil
	}
	in, args := db.In([]any{q.Now()}, hashes)
	_, err := db.Exec(ctx, q, `UPDATE blobs SET touched_at = $1 WHERE hash IN `+in, args...)
	return err
}
