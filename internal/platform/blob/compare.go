package blob

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"iter"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// Kept is what the database says of a stored file.
type Kept struct {
	Hash files.Hash `db:"hash"`
	Size int64      `db:"size"`
}

// Lost is a file on record that the store does not have as it should be.
type Lost struct {
	Kept
	Found *int64 // how long what is there instead is; nil: there is nothing
}

// Sample is how many files CompareSome picks by chance, and how many of those that came last.
const Sample = 500

// CompareSome holds a sample of the list of files against the store: some by chance, and those
// that came last, which an older copy of the store lacks. It hands those that are lost to tell,
// and gives how many it looked at. It only reads.
func CompareSome(ctx context.Context, d *db.DB, store files.Store, tell func([]Lost) error) (int, error) {
	var some []Kept
	err := d.View(ctx, func(q db.Q) (err error) {
		some, err = sample(ctx, q)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read the list of files: %w", err)
	}
	lost, err := confirm(ctx, store, some)
	if err == nil && len(lost) > 0 {
		err = tell(lost)
	}
	return len(some), err
}

// sample picks rows. Hashes are chance themselves: those that follow any one are a fair sample.
func sample(ctx context.Context, q db.Q) ([]Kept, error) {
	start := make([]byte, 8)
	rand.Read(start) //nolint:errcheck // it never fails
	from := hex.EncodeToString(start)
	some, err := db.All[Kept](ctx, q, `SELECT hash, size FROM blobs WHERE hash >= $1 ORDER BY hash LIMIT $2`,
		from, int64(Sample))
	if err != nil {
		return nil, err
	}
	rest, err := db.All[Kept](ctx, q, `SELECT hash, size FROM blobs WHERE hash < $1 ORDER BY hash LIMIT $2`,
		from, int64(Sample-len(some)))
	if err != nil {
		return nil, err
	}
	last, err := db.All[Kept](ctx, q, `SELECT hash, size FROM blobs ORDER BY touched_at DESC LIMIT $1`, int64(Sample))
	if err != nil {
		return nil, err
	}
	some = append(some, rest...)
	picked := map[files.Hash]bool{}
	for _, k := range some {
		picked[k.Hash] = true
	}
	for _, k := range last {
		if !picked[k.Hash] {
			some = append(some, k)
		}
	}
	return some, nil
}

// CompareAll holds the whole list of files against the store, and hands those that are lost to
// tell, a few hundred at a time. It gives how many it looked at. It only reads, and neither
// holds all of the list nor asks the store for each file: both tell theirs in one order.
func CompareAll(ctx context.Context, d *db.DB, store files.Store, tell func([]Lost) error) (int, error) {
	next, stop := iter.Pull2(inOrder(ctx, d))
	defer stop()
	w := &walk{next: next, check: func(doubtful []Kept) error {
		lost, err := confirm(ctx, store, doubtful)
		if err != nil || len(lost) == 0 {
			return err
		}
		return tell(lost)
	}}
	err := w.advance()
	if err == nil {
		err = store.List(ctx, w.see)
	}
	for err == nil && w.more {
		err = w.doubt()
	}
	if err == nil {
		err = w.check(w.doubtful)
	}
	return w.looked, err
}

// walk goes along the rows while the store tells its files.
type walk struct {
	next     func() (Kept, error, bool)
	row      Kept // the one that comes next
	more     bool // there is one
	looked   int
	doubtful []Kept // that the store did not tell
	check    func([]Kept) error
}

// see takes a file that the store has.
func (w *walk) see(i files.Info) error {
	for w.more && w.row.Hash < i.Hash {
		if err := w.doubt(); err != nil {
			return err
		}
	}
	switch {
	case !w.more || w.row.Hash != i.Hash:
		return nil // nobody refers to it yet, or any more
	case w.row.Size != i.Size:
		return w.doubt()
	}
	w.looked++
	return w.advance()
}

// doubt notes the row, to be asked for by itself: its file may have come meanwhile.
func (w *walk) doubt() error {
	w.looked++
	if w.doubtful = append(w.doubtful, w.row); len(w.doubtful) == batch {
		if err := w.check(w.doubtful); err != nil {
			return err
		}
		w.doubtful = w.doubtful[:0]
	}
	return w.advance()
}

// advance goes to the next row.
func (w *walk) advance() (err error) {
	w.row, err, w.more = w.next()
	return err
}

// inOrder gives the rows of all files by their hashes, a page at a time.
func inOrder(ctx context.Context, d *db.DB) iter.Seq2[Kept, error] {
	return func(yield func(Kept, error) bool) {
		for last := ""; ; {
			page, err := db.All[Kept](ctx, d.Pool(), `SELECT hash, size FROM blobs WHERE hash > $1 ORDER BY hash LIMIT $2`,
				last, int64(batch))
			if err != nil {
				yield(Kept{}, fmt.Errorf("read the list of files: %w", err))
				return
			}
			for _, k := range page {
				if !yield(k, nil) {
					return
				}
			}
			if len(page) < batch {
				return
			}
			last = string(page[len(page)-1].Hash)
		}
	}
}

// confirm asks the store for each file, and gives those that it does not have.
func confirm(ctx context.Context, store files.Store, list []Kept) (lost []Lost, err error) {
	hashes := make([]files.Hash, len(list))
	for i, k := range list {
		hashes[i] = k.Hash
	}
	infos, errs := files.StatAll(ctx, store, hashes)
	for i, k := range list {
		switch {
		case fault.Is(errs[i], fault.Missing):
			lost = append(lost, Lost{Kept: k})
		case errs[i] != nil:
			return nil, errs[i]
		case infos[i].Size != k.Size:
			lost = append(lost, Lost{Kept: k, Found: &infos[i].Size})
		}
	}
	return lost, nil
}
