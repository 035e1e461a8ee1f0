package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// references are all columns that hold the hash of a file. A new one is added
// here and gets an index, or the sweep slows down with the size of its table.
// A row that only says something about a file goes with it (ON DELETE CASCADE),
// and its hash is none of them.
var references = []struct{ table, column string }{
	{"projects", "portfolio_hash"},
	{"task_definitions", "sheet_hash"},
	{"task_definitions", "resources_hash"},
	{"task_definitions", "assessment_hash"},
	{"task_definitions", "template_hash"},
	{"task_comments", "attachment_hash"},
	{"discussion_files", "hash"},
	{"submission_files", "hash"},
	{"submissions", "document_hash"},
	{"portfolio_files", "hash"},
	{"data_exports", "hash"},
	{"person_exports", "hash"},
	{"marked_copies", "hash"},
	{"task_similarities", "report_hash"},
	{"assessments", "report_hash"},
	{"assessment_trials", "report_hash"},
	{"assessment_trial_files", "hash"},
	{"deleted_files", "hash"},
	{"source_highlights", "runs_hash"},
}

// forgotten is the condition that blobs b has no reference.
var forgotten = func() string {
	var b strings.Builder
	for i, r := range references {
		if i > 0 {
			b.WriteString(" AND ")
		}
		fmt.Fprintf(&b, "NOT EXISTS (SELECT 1 FROM %s WHERE %[1]s.%s = b.hash)", r.table, r.column)
	}
	return b.String()
}()

// batch is how many files are looked at with one statement.
const batch = 500

// Sweep removes the files nothing has referred to for a day, those included
// that were put into the store but never kept, and tells how many. It may run
// on several instances at once, and be cut short anywhere: the next run goes on.
// While somebody holds the files nothing is removed.
func Sweep(ctx context.Context, d *db.DB, store files.Store) (int, error) {
	if err := adopt(ctx, d, store); err != nil {
		return 0, fmt.Errorf("look for files without a row: %w", err)
	}
	swept, last := 0, ""
	for {
		if held, err := isHeld(ctx, d); err != nil || held {
			return swept, err
		}
		hashes, err := db.All[string](ctx, d.Pool(), `SELECT b.hash FROM blobs b WHERE b.touched_at < $1
			AND b.hash > $2 AND `+
			forgotten+` ORDER BY b.hash LIMIT $3`, cutoff(d), last, int64(batch))
		if err != nil || len(hashes) == 0 {
			return swept, err
		}
		for _, h := range hashes {
			gone, err := sweepOne(ctx, d, store, h)
			if err != nil {
				return swept, fmt.Errorf("sweep the file %s: %w", h, err)
			}
			if gone {
				swept++
			}
		}
		last = hashes[len(hashes)-1]
	}
}

// errSpared undoes the removal of a row whose file was put again just now: its
// Keep is still to come.
var errSpared = errors.New("spared")

// sweepOne removes one row and its file in a transaction of their own, short
// enough not to keep other writers waiting. The file goes while the row is
// held; when the commit then fails, a row is left that is too old for Keep to
// trust.
func sweepOne(ctx context.Context, d *db.DB, store files.Store, hash string) (gone bool, err error) {
	err = d.Tx(ctx, func(q db.Q) error {
		n, err := db.Exec(ctx, q, `DELETE FROM blobs AS b WHERE b.hash = $1 AND b.touched_at < $2 AND `+forgotten,
			hash, before(q, grace))
		if gone = n > 0; err != nil || !gone {
			return err
		}
		info, err := store.Stat(ctx, files.Hash(hash))
		if fault.Is(err, fault.Missing) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.Modified.After(q.Now().Add(-grace)) {
			return errSpared
		}
		return store.Delete(ctx, files.Hash(hash))
	})
	// A foreign key has the last word: a reference came up to the very moment.
	if errors.Is(err, errSpared) || db.InUse(err) {
		return false, nil
	}
	return gone && err == nil, err
}

// adopt gives a row to each old file that has none, so that it is removed, if
// at all, in the one safe way.
func adopt(ctx context.Context, d *db.DB, store files.Store) error {
	var found []files.Info
	old := cutoff(d)
	err := store.List(ctx, func(i files.Info) error {
		if !i.Modified.Before(old.Time) {
			return nil
		}
		if found = append(found, i); len(found) < batch {
			return nil
		}
		err := adoptBatch(ctx, d, found)
		found = found[:0]
		return err
	})
	if err != nil {
		return err
	}
	return adoptBatch(ctx, d, found)
}

func adoptBatch(ctx context.Context, d *db.DB, found []files.Info) error {
	if len(found) == 0 {
		return nil
	}
	hashes := make([]string, len(found))
	for i, f := range found {
		hashes[i] = string(f.Hash)
	}
	in, args := db.In(nil, hashes)
	known, err := db.All[string](ctx, d.Pool(), `SELECT hash FROM blobs WHERE hash IN `+in, args...)
	if err != nil || len(known) == len(found) {
		return err
	}
	has := map[string]bool{}
	for _, h := range known {
		has[h] = true
	}
	var rows [][]any
	for _, f := range found {
		if !has[string(f.Hash)] {
			rows = append(rows, []any{string(f.Hash), f.Size, clock.At(f.Modified)})
		}
	}
	return d.Tx(ctx, func(q db.Q) error {
		return db.Insert(ctx, q, "blobs (hash, size, touched_at)", "ON CONFLICT (hash) DO NOTHING", rows)
	})
}

func cutoff(d *db.DB) clock.Time { return clock.At(d.Now().Add(-grace)) }

func before(q db.Q, age time.Duration) clock.Time { return clock.At(q.Now().Add(-age)) }
