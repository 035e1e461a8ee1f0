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
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// grace is how long a file without a reference stays. A row that was touched
// half as long ago cannot have lost its file to a sweep.
const grace = 24 * time.Hour

// Keep records that the transaction of q refers to the files: it makes or
// touches their rows and holds them until the transaction ends. Call it after
// the store's Put and before writing the references. It fails with
// fault.Conflict when a file was swept meanwhile, which must be sent again.
func Keep(ctx context.Context, q db.Q, store files.Store, infos ...files.Info) error {
	// In one order everywhere, so that two transactions cannot wait for each other.
	infos = slices.Clone(infos)
	slices.SortFunc(infos, func(a, b files.Info) int { return strings.Compare(string(a.Hash), string(b.Hash)) })
	infos = slices.CompactFunc(infos, func(a, b files.Info) bool { return a.Hash == b.Hash })
	for chunk := range slices.Chunk(infos, batch) {
		doubtful, err := hold(ctx, q, chunk)
		if err != nil {
			return fmt.Errorf("keep files: %w", err)
		}
		if err := vouch(ctx, store, doubtful); err != nil {
			return err
		}
	}
	return nil
}

// hold makes or touches the rows of files, which then are ours, so that no sweep can
// take them, and gives those files that one may have taken before. Most files are new:
// those take one statement.
func hold(ctx context.Context, q db.Q, infos []files.Info) (doubtful []files.Info, err error) {
	made, err := add(ctx, q, infos, `NOTHING`)
	if err != nil || len(made) == len(infos) {
		return infos, err
	}
	doubtful, known := split(infos, made)
	hashes := make([]string, len(known))
	for i, f := range known {
		hashes[i] = string(f.Hash)
	}
	in, args := db.In([]any{q.Now(), before(q, grace/2)}, hashes)
	young, err := db.All[string](ctx, q, `UPDATE blobs SET touched_at = $1 WHERE touched_at > $2 AND hash IN `+in+
		` RETURNING hash`, args...)
	if err != nil || len(young) == len(known) {
		return doubtful, err
	}
	_, old := split(known, young)
	_, err = add(ctx, q, old, `UPDATE SET touched_at = excluded.touched_at`)
	return append(doubtful, old...), err
}

// add makes rows of files, does something else where there are some, and gives the
// hashes of what it wrote.
func add(ctx context.Context, q db.Q, infos []files.Info, otherwise string) ([]string, error) {
	rows := make([][]any, len(infos))
	for i, f := range infos {
		rows[i] = []any{string(f.Hash), f.Size}
	}
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"hash TEXT", "size BIGINT"}, rows)
	if err != nil {
		return nil, err
	}
	return db.All[string](ctx, q, `INSERT INTO blobs (hash, size, touched_at) SELECT v.hash, v.size, $1 FROM `+from+` v
		WHERE TRUE ORDER BY v.hash ON CONFLICT (hash) DO `+otherwise+` RETURNING hash`, args...)
}

// split gives the files whose hash is in a list, and the others.
func split(infos []files.Info, list []string) (in, out []files.Info) {
	for _, f := range infos {
		if slices.Contains(list, string(f.Hash)) {
			in = append(in, f)
		} else {
			out = append(out, f)
		}
	}
	return in, out
}

// vouch makes sure that files whose rows are held are there.
func vouch(ctx context.Context, store files.Store, infos []files.Info) error {
	for _, f := range infos {
		_, err := store.Stat(ctx, f.Hash)
		if fault.Is(err, fault.Missing) {
			return &fault.Error{Kind: fault.Conflict, Err: err,
				Text: "The file was removed while it was being stored. Upload it again."}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Touch holds the rows of files that are referred to already, in the
// transaction that copies those references.
func Touch(ctx context.Context, q db.Q, hashes []string) error {
	if len(hashes) == 0 {
		return nil
	}
	rows := make([][]any, len(hashes))
	for i, h := range hashes {
		rows[i] = []any{h}
	}
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"hash TEXT"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE blobs SET touched_at = $1 WHERE hash IN (SELECT v.hash FROM `+from+` v)`, args...)
	return err
}
