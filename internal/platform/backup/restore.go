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
func (b *Backup) Check(ctx context.Context, tell func(Progress)) error {
	if _, err := b.Settings(ctx); err != nil {
		return err
	}
	if _, err := erasures(ctx, b.on); err != nil {
		return err
	}
	if err := b.Records(ctx, nowhere{}); err != nil {
		return err
	}
	done := int64(0)
	return b.Files(ctx, func(stored, io.Reader) error {
		tell(Progress{Doing: "files", Done: done, Of: b.Manifest.FileCount})
		done++
		return nil
	})
}

// nowhere takes records and keeps none.
type nowhere struct{}

func (nowhere) Rows(context.Context, string, []string, [][]any) error { return nil }
func (nowhere) Numbers(context.Context, map[string]int64) error       { return nil }

// Restore brings the backup back into a place that is empty: its files first, then all records
// in one transaction, so that a place has either none of them or all. What broke off is begun
// again by the same call. What is restored is paused: what it is a copy of may still run. Whoever
// calls it then does what ToErase says, before anybody is served.
func (b *Backup) Restore(ctx context.Context, into Installation, tell func(Progress)) error {
	if err := b.Fits(ctx, into); err != nil {
		return err
	}
	if err := b.Records(ctx, nowhere{}); err != nil { // before many files are copied in vain
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

// Fetch brings single files back.
func (b *Backup) Fetch(ctx context.Context, hashes []files.Hash, into files.Store) error {
	for _, h := range hashes {
		r, err := open(ctx, b.on, fileName(string(h)), false, b.key)
		if err != nil {
			return err
		}
		info, err := into.Put(ctx, r)
		if err == nil && info.Hash != h {
			err = fmt.Errorf("%w: the file %s", errDamaged, h)
		}
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Rebuild reads the whole backup and brings its records back into an empty database, but keeps no
// file, to see that all is well.
func (b *Backup) Rebuild(ctx context.Context, d *db.DB, tell func(Progress)) error {
	if err := b.fitsDB(ctx, d); err != nil {
		return err
	}
	if err := b.Check(ctx, tell); err != nil {
		return err
	}
	return b.load(ctx, d, tell)
}

// load brings the records back in one transaction, on the schema that they had, and then the
// schema up to date.
func (b *Backup) load(ctx context.Context, d *db.DB, tell func(Progress)) error {
	tell(Progress{Doing: "records", Of: int64(len(b.Manifest.Tables))})
	later, err := erasures(ctx, b.on)
	if err != nil {
		return err
	}
	if err := d.MigrateTo(ctx, b.Manifest.Schema); err != nil {
		return err
	}
	if err := d.Load(ctx, func(q db.Q, l *db.Loading) error {
		if err := b.Records(ctx, l); err != nil {
			return err
		}
		return errors.Join(blob.EndHolds(ctx, q), // that of the backup itself came along
			db.Restored(ctx, q, b.Manifest.Made), eraseFirst(ctx, q, later))
	}); err != nil {
		return fmt.Errorf("bring the records back: %w", err)
	}
	tell(Progress{Doing: "records", Done: int64(len(b.Manifest.Tables)), Of: int64(len(b.Manifest.Tables))})
	_, err = d.Migrate(ctx)
	return err
}

// Fits refuses what must not be overwritten, and changes nothing.
func (b *Backup) Fits(ctx context.Context, into Installation) error {
	if err := b.fitsDB(ctx, into.DB); err != nil {
		return err
	}
	ours := map[files.Hash]bool{}
	if err := b.list(ctx, func(f stored) error { ours[files.Hash(f.Hash)] = true; return nil }); err != nil {
		return err
	}
	return into.Files.List(ctx, func(f files.Info) error {
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
