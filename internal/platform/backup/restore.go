package backup

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// Check reads the whole backup and refuses it where a byte is not what was written.
func (b *Backup) Check(ctx context.Context) error {
	return errors.Join(b.Records(ctx, nowhere{}), b.Files(ctx, func(stored, io.Reader) error { return nil }))
}

// nowhere takes records and keeps none.
type nowhere struct{}

func (nowhere) Rows(context.Context, string, []string, [][]any) error { return nil }
func (nowhere) Numbers(context.Context, map[string]int64) error       { return nil }

// Restore brings the backup back into a place that is empty: its files first, then all records
// in one transaction, so that a place has either none of them or all. What broke off is begun
// again by the same call. What is restored is paused: what it is a copy of may still run.
func (b *Backup) Restore(ctx context.Context, into Installation, tell func(Progress)) error {
	if err := b.fits(ctx, into.DB, into.Files); err != nil {
		return err
	}
	done := int64(0)
	if err := b.Files(ctx, func(f stored, r io.Reader) error {
		tell(Progress{Doing: "files", Done: done, Of: b.Manifest.FileCount})
		done++
		if info, err := into.Files.Stat(ctx, files.Hash(f.Hash)); err == nil && info.Size == f.Size {
			return nil
		}
		_, err := into.Files.Put(ctx, r)
		return err
	}); err != nil {
		return fmt.Errorf("bring the files back: %w", err)
	}
	return b.load(ctx, into.DB, tell)
}

// Rebuild brings the records back into an empty database and reads every file without keeping
// one, to see that the backup is whole.
func (b *Backup) Rebuild(ctx context.Context, d *db.DB, tell func(Progress)) error {
	if err := b.fitsDB(ctx, d); err != nil {
		return err
	}
	done := int64(0)
	if err := b.Files(ctx, func(stored, io.Reader) error {
		tell(Progress{Doing: "files", Done: done, Of: b.Manifest.FileCount})
		done++
		return nil
	}); err != nil {
		return err
	}
	return b.load(ctx, d, tell)
}

// load brings the records back in one transaction, on the schema that they had, and then the
// schema up to date.
func (b *Backup) load(ctx context.Context, d *db.DB, tell func(Progress)) error {
	tell(Progress{Doing: "records", Of: int64(len(b.Manifest.Tables))})
	if err := d.MigrateTo(ctx, b.Manifest.Schema); err != nil {
		return err
	}
	if err := d.Load(ctx, func(q db.Q, l *db.Loading) error {
		if err := b.Records(ctx, l); err != nil {
			return err
		}
		return errors.Join(blob.EndHolds(ctx, q), // that of the backup itself came along
			db.Restored(ctx, q, b.Manifest.Made))
	}); err != nil {
		return fmt.Errorf("bring the records back: %w", err)
	}
	tell(Progress{Doing: "records", Done: int64(len(b.Manifest.Tables)), Of: int64(len(b.Manifest.Tables))})
	_, err := d.Migrate(ctx)
	return err
}

// fits refuses what must not be overwritten.
func (b *Backup) fits(ctx context.Context, d *db.DB, store files.Store) error {
	if err := b.fitsDB(ctx, d); err != nil {
		return err
	}
	ours := map[files.Hash]bool{}
	if err := b.list(func(f stored) error { ours[files.Hash(f.Hash)] = true; return nil }); err != nil {
		return err
	}
	return store.List(ctx, func(f files.Info) error {
		if !ours[f.Hash] {
			return errors.New("the file store is not empty: a backup is restored into an empty one only")
		}
		return nil
	})
}

// fitsDB refuses a database that is in use, and a backup of a newer program.
func (b *Backup) fitsDB(ctx context.Context, d *db.DB) error {
	s, err := d.Schema(ctx)
	if err != nil {
		return err
	}
	if b.Manifest.Schema > s.Newest {
		return fmt.Errorf("the backup has schema %d, of a newer Lectern; this program knows schema %d",
			b.Manifest.Schema, s.Newest)
	}
	if s.Applied == 0 {
		return nil
	}
	used, err := d.Used(ctx)
	if err == nil && used {
		err = errors.New("the database is not empty: a backup is restored into an empty one only")
	}
	return err
}
