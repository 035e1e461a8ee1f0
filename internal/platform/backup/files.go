package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// stored is a file that the records refer to.
type stored struct {
	Hash string `db:"hash"`
	Size int64  `db:"size"`
}

// filePath is where a place keeps the file of a hash.
func filePath(h string) []string { return []string{"files", h[:2], h} }

// files copies what the place does not have, then lists what the backup holds: hash and size,
// one a line.
func (m *Maker) files(ctx context.Context, from Installation, set string, made *Manifest, list []stored) error {
	kept := list[:0]
	for i, f := range list {
		m.tell(Progress{Doing: "files", Done: int64(i), Of: int64(len(list))})
		there, err := m.file(ctx, from, f)
		if err != nil {
			return err
		}
		if there {
			kept = append(kept, f)
		}
	}
	var err error
	made.Files, err = save(m.path("sets", set, filesName), true, m.Key, nil, func(w io.Writer) error {
		for _, f := range kept {
			made.FileCount++
			made.FileBytes += f.Size
			if _, err := fmt.Fprintf(w, "%s %d\n", f.Hash, f.Size); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// file copies one file, unless the place has it. It tells whether the backup holds it: a file
// that nothing referred to may have been swept as the copy began.
func (m *Maker) file(ctx context.Context, from Installation, f stored) (bool, error) {
	path := m.path(filePath(f.Hash)...)
	if _, err := os.Stat(path); err == nil {
		return true, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	r, err := from.Files.Open(ctx, files.Hash(f.Hash))
	if fault.Is(err, fault.Missing) {
		return false, lostOrSwept(ctx, from.DB, f.Hash)
	}
	if err != nil {
		return false, err
	}
	defer r.Close()
	_, err = save(path, false, m.Key, &Part{f.Size, f.Hash}, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
	if errors.Is(err, errOther) {
		err = fmt.Errorf("the stored file %s is damaged; lectern doctor names the work it belongs to", f.Hash)
	}
	return true, err
}

// lostOrSwept tells a file that was swept on purpose from one that the store has lost.
func lostOrSwept(ctx context.Context, d *db.DB, hash string) error {
	_, err := db.One[string](ctx, d.Pool(), `SELECT hash FROM blobs WHERE hash = $1`, hash)
	if fault.Is(err, fault.Missing) {
		return nil
	}
	return errors.Join(err, fmt.Errorf("the store has lost the file %s; lectern doctor names the work it belongs to",
		hash))
}
