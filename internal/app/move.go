package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/backup"
	"lectern/internal/platform/db"
	"lectern/internal/platform/filelock"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/submit"
)

// Moved tells what a move brought.
type Moved struct {
	Before   bool // it had arrived already
	Rows     int64
	Files    int64
	Bytes    int64
	Receipts int64
	Audit    int64 // entries of the audit log
	Took     time.Duration
}

// Words tells it to people.
func (m *Moved) Words() string {
	if m.Before {
		return "The installation was moved there before, and is used there."
	}
	return fmt.Sprintf("Moved and read back in %s: %d records, %d files (%s), %d receipts and %d entries of the audit "+
		"log.\n"+
		"Serve it there, with --database-url and --files-url; what is here stays and is refused by lectern serve.",
		m.Took.Round(time.Second/10), m.Rows, m.Files, bounds.SizeText(m.Bytes), m.Receipts, m.Audit)
}

// MoveTo brings an installation from SQLite and local files to a place that is empty, looks at
// everything there, and leaves a mark here by which serve refuses it. While it goes on, nothing
// serves the source. What broke off goes on by the same call.
func MoveTo(ctx context.Context, s, to *Storage, tell func(backup.Progress)) (*Moved, error) {
	begun := time.Now()
	if err := movable(s, to); err != nil {
		return nil, err
	}
	free, err := aloneAt(s)
	if err != nil {
		return nil, err
	}
	defer free()
	m, end, err := openMove(ctx, s, to)
	if err != nil {
		return nil, err
	}
	defer end()
	m.Tell = tell
	target := db.Moved{Database: withoutPassword(to.DatabaseURL), Files: withoutPassword(to.FilesURL)}
	if before, err := movedBefore(ctx, m, target); err != nil || before {
		return &Moved{Before: before}, err
	}
	moved, err := carry(ctx, m)
	if err == nil {
		err = m.Leave(ctx, target)
	}
	if err != nil {
		return nil, err
	}
	moved.Took = time.Since(begun)
	return moved, nil
}

// movable refuses what no move is for.
func movable(s, to *Storage) error {
	switch {
	case s.DatabaseURL != "" || s.FilesURL != "":
		return errors.New("an installation is moved from SQLite and files in --data; lectern backup and lectern " +
			"restore bring any other elsewhere")
	case !db.IsPostgres(to.DatabaseURL):
		return errors.New("--to-database-url must be the address of the new database and begin with postgres://")
	}
	if err := (&Settings{Storage: *to}).checkStorage(); err != nil || to.FilesURL == "" {
		return errors.New("--to-files-url must be the address of the new file store and begin with s3://")
	}
	return s.There(true)
}

// aloneAt takes the lock of the process that serves a SQLite database.
func aloneAt(s *Storage) (free func(), err error) {
	lock, ours, err := filelock.Try(filepath.Join(s.Data, "lectern.lock"))
	if err != nil {
		return nil, err
	}
	if !ours {
		return nil, fmt.Errorf("lectern serves the database in %s: stop it first; people can work again at the new "+
			"place when the move is done", s.Data)
	}
	return func() { lock.Close() }, nil
}

// openMove opens both ends.
func openMove(ctx context.Context, s, to *Storage) (m *backup.Move, end func(), err error) {
	m = &backup.Move{}
	end = func() {
		for _, d := range []*db.DB{m.From.DB, m.To.DB} {
			if d != nil {
				d.Close()
			}
		}
	}
	for _, at := range []struct {
		*Storage
		open func(context.Context, string) (files.Store, error)
		into *backup.Installation
	}{{s, files.Existing, &m.From}, {to, files.Open, &m.To}} {
		if at.into.DB, err = connect(ctx, at.Storage, db.Options{}); err == nil {
			at.into.Files, err = at.open(ctx, at.Files())
		}
		if err == nil {
			err = errors.Join(at.into.DB.Fits(ctx), at.into.Files.Try(ctx))
		}
		if err != nil {
			end()
			return nil, nil, err
		}
	}
	return m, end, nil
}

// movedBefore tells whether nothing is left to do, and refuses a source that went elsewhere.
func movedBefore(ctx context.Context, m *backup.Move, to db.Moved) (bool, error) {
	gone, err := db.MovedTo(ctx, m.From.DB.Pool())
	if err != nil || gone == nil {
		return false, err
	}
	if gone.Database != to.Database || gone.Files != to.Files {
		return false, m.From.DB.Here(ctx)
	}
	at, err := db.ArrivingFrom(ctx, m.To.DB.Pool())
	return at == nil, err // else it was broken off between the two marks
}

// carry brings everything and looks at it there.
func carry(ctx context.Context, m *backup.Move) (*Moved, error) {
	if err := m.Fits(ctx); err != nil {
		return nil, err
	}
	var out Moved
	var err error
	if out.Files, out.Bytes, err = m.Files(ctx); err != nil {
		return nil, fmt.Errorf("bring the files: %w", err)
	}
	if out.Rows, err = m.Records(ctx); err != nil {
		return nil, err
	}
	if err := m.Verify(ctx); err != nil {
		return nil, err
	}
	receipts, log, err := chains(ctx, m.To.DB)
	if err != nil {
		return nil, err
	}
	out.Receipts, out.Audit = receipts, log.Last
	return &out, nil
}

// chains looks at every receipt and every entry of the audit log.
func chains(ctx context.Context, d *db.DB) (receipts int64, log *audit.Verdict, err error) {
	keys, err := submit.PublicKeys(ctx, d.Pool())
	if err != nil {
		return 0, nil, err
	}
	if receipts, err = submit.VerifyAll(ctx, d.Pool(), keys); err != nil {
		return 0, nil, err
	}
	if log, err = audit.Verify(ctx, d, keys.Check, nil, func(int64) {}); err != nil {
		return 0, nil, fmt.Errorf("read the audit log: %w", err)
	}
	if !log.Sound() {
		return 0, nil, fmt.Errorf("the audit log was tampered with: %s", log.Problems[0])
	}
	return receipts, log, nil
}

// TakeBack lets an installation that was moved be used here again, and tells where it had gone;
// nil when it is here.
func TakeBack(ctx context.Context, s *Storage) (*db.Moved, error) {
	if s.DatabaseURL != "" {
		return nil, errors.New("only an installation in --data is moved, and can be taken back")
	}
	if err := s.There(false); err != nil {
		return nil, err
	}
	free, err := aloneAt(s)
	if err != nil {
		return nil, err
	}
	defer free()
	d, err := connect(ctx, s, db.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var gone *db.Moved
	return gone, d.Tx(ctx, func(q db.Q) (err error) {
		if gone, err = db.MovedTo(ctx, q); err != nil || gone == nil {
			return err
		}
		return db.EndMove(ctx, q)
	})
}

// checkMoved tells of an installation that is used elsewhere.
func checkMoved(ctx context.Context, d *db.DB) []finding {
	if err := d.Here(ctx); err != nil {
		return []finding{{What: "moved", Saw: err.Error(), Bad: true}}
	}
	return nil
}

// withoutPassword is an address as people may read it.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "…"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
