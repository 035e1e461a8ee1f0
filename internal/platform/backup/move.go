package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// Move brings an installation that nobody uses to another place, which is empty, in the form of a
// backup: its files, then all records in one transaction. It can be broken off at any moment and
// begun again: what is there already is not brought twice.
type Move struct {
	From, To Installation
	Tell     func(Progress)

	name  string // of the installation
	state string // of the source as its records are read
	sums  *sums  // of the records as they were read
}

// Fits refuses a place that is in use, unless it is this move that broke off, and marks it as one
// into which an installation is on its way.
func (m *Move) Fits(ctx context.Context) error {
	name, err := db.InstallationKey(ctx, m.From.DB, "name in backups")
	if err != nil {
		return err
	}
	m.name = string(name)
	s, err := m.From.DB.Schema(ctx)
	if err == nil && s.Applied != s.Newest {
		err = fmt.Errorf("the database has schema %d and this program schema %d: give lectern migrate first", s.Applied,
			s.Newest)
	}
	if err != nil {
		return err
	}
	at, err := db.ArrivingFrom(ctx, m.To.DB.Pool())
	if err != nil {
		return err
	}
	if at != nil {
		if at.Installation != m.name {
			return errors.New("another installation is on its way to that database: give an empty one")
		}
		return nil
	}
	if err := m.empty(ctx); err != nil {
		return err
	}
	if _, err := m.To.DB.Migrate(ctx); err != nil {
		return err
	}
	return m.To.DB.Tx(ctx, func(q db.Q) error {
		return db.MarkArriving(ctx, q, db.Arriving{Installation: m.name})
	})
}

// empty refuses a place that holds anything.
func (m *Move) empty(ctx context.Context) error {
	s, err := m.To.DB.Schema(ctx)
	if err != nil {
		return err
	}
	if s.Applied > 0 {
		if err := s.Fits(); err != nil {
			return err
		}
		if used, err := m.To.DB.Used(ctx); err != nil || used {
			return errors.Join(err, errors.New("the new database is not empty: an installation is moved into an "+
				"empty one only"))
		}
	}
	return m.To.Files.List(ctx, func(files.Info) error {
		return errors.New("the new file store is not empty: an installation is moved into an empty one only")
	})
}

// Files copies every file on record that is not there yet, several at once.
func (m *Move) Files(ctx context.Context) (count, bytes int64, err error) {
	list, err := m.list(ctx)
	if err != nil {
		return 0, 0, err
	}
	there := map[string]int64{}
	if err := m.To.Files.List(ctx, func(f files.Info) error {
		there[string(f.Hash)] = f.Size
		return nil
	}); err != nil {
		return 0, 0, fmt.Errorf("list what the new file store holds: %w", err)
	}
	for _, f := range list {
		bytes += f.Size
	}
	return int64(len(list)), bytes, m.each(ctx, "files", list, func(ctx context.Context, f stored) error {
		if size, has := there[f.Hash]; has && size == f.Size {
			return nil
		}
		return m.bring(ctx, f)
	})
}

func (m *Move) list(ctx context.Context) ([]stored, error) {
	list, err := db.All[stored](ctx, m.From.DB.Pool(), `SELECT hash, size FROM blobs ORDER BY hash`)
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	return list, nil
}

// bring copies one file.
func (m *Move) bring(ctx context.Context, f stored) error {
	r, err := m.From.Files.Open(ctx, files.Hash(f.Hash))
	if fault.Is(err, fault.Missing) {
		return fmt.Errorf("the store has lost the file %s; lectern doctor names the work it belongs to", f.Hash)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	put, err := m.To.Files.Put(ctx, r)
	if err == nil && string(put.Hash) != f.Hash {
		err = fmt.Errorf("the stored file %s is damaged; lectern doctor names the work it belongs to", f.Hash)
	}
	return err
}

// Records brings all records, unless they are there as they are here, and tells how many they are.
func (m *Move) Records(ctx context.Context) (int64, error) {
	var err error
	if m.state, err = m.From.DB.Version(ctx); err != nil {
		return 0, err
	}
	at, err := db.ArrivingFrom(ctx, m.To.DB.Pool())
	if err != nil || at == nil {
		return 0, errors.Join(err, errors.New("the new database lost the mark of the move"))
	}
	if at.Records != "" {
		if m.sums, err = sum(ctx, m.From.DB, m.Tell); err != nil || m.sums.String() == at.Records {
			return m.sums.rows(), err
		}
	}
	if err := m.load(ctx); err != nil {
		return 0, fmt.Errorf("bring the records: %w", err)
	}
	return m.sums.rows(), nil
}

// load hands every row over, in the form of a backup, and commits when all are there.
func (m *Move) load(ctx context.Context) error {
	return m.To.DB.Load(ctx, func(q db.Q, l *db.Loading) error {
		ctx, stop := context.WithCancel(ctx) // whichever end fails ends the other
		defer stop()
		m.sums = &sums{}
		out, in := io.Pipe()
		go func() { in.CloseWithError(writeRecords(ctx, m.From.DB, io.MultiWriter(m.sums, in), m.Tell)) }()
		err := readRecords(ctx, out, withoutMarks{l})
		out.CloseWithError(err)
		if err != nil {
			return err
		}
		return errors.Join(blob.EndHolds(ctx, q),
			db.MarkArriving(ctx, q, db.Arriving{Installation: m.name, Records: m.sums.String()}))
	})
}

// Verify reads back what was brought, every row and every file, and refuses what is not the same.
func (m *Move) Verify(ctx context.Context) error {
	there, err := sum(ctx, m.To.DB, m.Tell)
	if err != nil {
		return fmt.Errorf("read the records again: %w", err)
	}
	if what := m.sums.differs(there); what != "" {
		return fmt.Errorf("the new database has not what was brought: %s", what)
	}
	list, err := m.list(ctx)
	if err != nil {
		return err
	}
	return m.each(ctx, "files read back", list, func(ctx context.Context, f stored) error {
		r, err := m.To.Files.Open(ctx, files.Hash(f.Hash))
		if err != nil {
			return fmt.Errorf("the new file store lacks the file %s: %w", f.Hash, err)
		}
		defer r.Close()
		got := counted{sum: sha256.New()}
		if _, err := io.Copy(&got, r); err != nil {
			return err
		}
		if got.part() != (Part{f.Size, f.Hash}) {
			return fmt.Errorf("the file %s is not the same in the new file store; remove it there and move again",
				f.Hash)
		}
		return nil
	})
}

// Leave marks the source as moved, unless something was written to it since its records were read,
// and then lets the new place be used: at no moment can both be.
func (m *Move) Leave(ctx context.Context, to db.Moved) error {
	if err := m.From.DB.Tx(ctx, func(q db.Q) error {
		now, err := m.From.DB.Version(ctx)
		if err != nil {
			return err
		}
		if now != m.state {
			return errors.New("another command changed the installation while it was moved: give the same lectern " +
				"move again, which brings what changed")
		}
		to.At = q.Now()
		return db.MarkMoved(ctx, q, to)
	}); err != nil {
		return err
	}
	return m.To.DB.Tx(ctx, func(q db.Q) error { return db.EndMove(ctx, q) })
}

// withoutMarks leaves out what the source says of itself alone.
type withoutMarks struct{ Into }

func (w withoutMarks) Rows(ctx context.Context, table string, columns []string, rows [][]any) error {
	if table == ownTable {
		kept := rows[:0]
		for _, row := range rows {
			if name, _ := row[0].(string); !ownRow(name) {
				kept = append(kept, row)
			}
		}
		rows = kept
	}
	return w.Into.Rows(ctx, table, columns, rows)
}

// readRecords hands over what writeRecords wrote.
func readRecords(ctx context.Context, r io.Reader, to Into) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<20), longestLine)
	c := &copying{to: to}
	for in.Scan() {
		if err := c.line(ctx, in.Bytes()); err != nil {
			return err
		}
	}
	return in.Err()
}
