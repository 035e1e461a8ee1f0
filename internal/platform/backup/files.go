package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// stored is a file that the records refer to.
type stored struct {
	Hash string `db:"hash"`
	Size int64  `db:"size"`
}

// fileName is what a place calls the file of a hash.
func fileName(h string) string { return "files/" + h[:2] + "/" + h }

// files copies what the place does not have, then lists what the backup holds: hash and size,
// one a line.
func (m *Maker) files(ctx context.Context, from Installation, set string, made *Manifest, list []stored) error {
	have, err := m.have(ctx, list)
	if err != nil {
		return err
	}
	kept := list[:0]
	for i, f := range list {
		m.tell(Progress{Doing: "files", Done: int64(i), Of: int64(len(list))})
		there := have[i]
		if !there {
			begun := time.Now()
			if there, err = m.file(ctx, from, f); err != nil {
				return err
			}
			rest(time.Since(begun))
		}
		if there {
			kept = append(kept, f)
		}
	}
	made.Files, err = save(ctx, m.on, inSet(set, filesName), form{compressed: true}, func(w io.Writer) error {
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

// longestRest bounds how long a backup rests after a file: what it waited for a bucket was no work.
const longestRest = 2 * time.Millisecond

// rest lets others work for as long as a file took: nobody waits for a backup, and many for the rest of
// the service.
func rest(took time.Duration) { time.Sleep(min(took, longestRest)) }

// have tells of each file, in the order of their hashes, whether the place has it: one listing
// is quicker than as many questions.
func (m *Maker) have(ctx context.Context, list []stored) ([]bool, error) {
	have := make([]bool, len(list))
	return have, m.on.each(ctx, "files/", func(name string) error {
		hash := name[strings.LastIndex(name, "/")+1:]
		if i, found := slices.BinarySearchFunc(list, hash, func(f stored, h string) int {
			return strings.Compare(f.Hash, h)
		}); found && name == fileName(hash) {
			have[i] = true
		}
		return nil
	})
}

// file copies one file. It tells whether the backup holds it: a file that nothing referred to may
// have been swept as the copy began.
func (m *Maker) file(ctx context.Context, from Installation, f stored) (bool, error) {
	r, err := from.Files.Open(ctx, files.Hash(f.Hash))
	if fault.Is(err, fault.Missing) {
		return false, lostOrSwept(ctx, from.DB, f.Hash)
	}
	if err != nil {
		return false, err
	}
	defer r.Close()
	how := form{key: m.Key, want: &Part{f.Size, f.Hash}}
	_, err = save(ctx, m.on, fileName(f.Hash), how, func(w io.Writer) error {
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
