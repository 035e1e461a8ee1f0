package blob

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
)

// shelf is a database with a store, a clock that can be moved, and a row that
// can refer to files.
type shelf struct {
	testing.TB
	db    *db.DB
	store files.Store
	ahead atomic.Int64 // of the machine's clock
}

func each(t *testing.T, f func(t *testing.T, s *shelf)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s := &shelf{TB: t}
			s.db = dbtest.New(t, engine, func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) })
			store, err := files.Open(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			s.store = store
			s.seed()
			f(t, s)
		})
	}
}

func (s *shelf) seed() {
	s.tx(func(q db.Q) error {
		_, err := db.Exec(s.Context(), q, `INSERT INTO units (code, name, description, start_date, end_date,
			created_at, updated_at)
			VALUES ('U', 'U', 'U', '2026-03-02', '2026-06-05', $1, $1)`, q.Now())
		return err
	})
}

func (s *shelf) tx(f func(q db.Q) error) {
	s.Helper()
	if err := s.db.Tx(s.Context(), f); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) put(text string) files.Info {
	s.Helper()
	info, err := s.store.Put(s.Context(), strings.NewReader(text))
	if err != nil {
		s.Fatal(err)
	}
	return info
}

// refer keeps the file and refers to it by a definition of that name.
func (s *shelf) refer(ctx context.Context, name string, info files.Info) error {
	return s.db.Tx(ctx, func(q db.Q) error {
		if err := Keep(ctx, q, s.store, info); err != nil {
			return err
		}
		_, err := db.Exec(ctx, q, `INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting,
			target_grade,
			start_date, target_date, sheet_hash) SELECT id, $1, $1, '', 1, 0, start_date, end_date, $2 FROM units`,
			name, string(info.Hash))
		return err
	})
}

func (s *shelf) forget(name string) {
	s.tx(func(q db.Q) error {
		_, err := db.Exec(s.Context(), q, `DELETE FROM task_definitions WHERE name = $1`, name)
		return err
	})
}

func (s *shelf) sweep(want int) {
	s.Helper()
	n, err := Sweep(s.Context(), s.db, s.store)
	if err != nil || n != want {
		s.Fatalf("swept %d, %v; want %d", n, err, want)
	}
}

func (s *shelf) has(info files.Info) bool {
	s.Helper()
	_, err := s.store.Stat(s.Context(), info.Hash)
	if err != nil && !fault.Is(err, fault.Missing) {
		s.Fatal(err)
	}
	return err == nil
}

func (s *shelf) rows() int64 {
	s.Helper()
	n, err := db.One[int64](s.Context(), s.db.Pool(), `SELECT count(*) FROM blobs`)
	if err != nil {
		s.Fatal(err)
	}
	return *n
}

func (s *shelf) pass(d time.Duration) { s.ahead.Add(int64(d)) }

func TestSweepTakesOnlyWhatIsForgottenForADay(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		kept, forgotten, never := s.put("kept"), s.put("forgotten"), s.put("never kept")
		for name, info := range map[string]files.Info{"kept": kept, "forgotten": forgotten} {
			if err := s.refer(t.Context(), name, info); err != nil {
				t.Fatal(err)
			}
		}
		s.forget("forgotten")
		s.pass(23 * time.Hour)
		s.sweep(0)
		s.pass(2 * time.Hour)
		s.sweep(2)
		if !s.has(kept) || s.has(forgotten) || s.has(never) || s.rows() != 1 {
			t.Errorf("kept %v, forgotten %v, never kept %v, %d rows", s.has(kept), s.has(forgotten), s.has(never),
				s.rows())
		}
		s.sweep(0)
	})
}

func TestKeepTouches(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		info := s.put("x")
		for range 3 {
			if err := s.db.Tx(t.Context(), func(q db.Q) error {
				return Keep(t.Context(), q, s.store,
					info)
			}); err != nil {
				t.Fatal(err)
			}
			s.pass(20 * time.Hour)
			s.sweep(0)
		}
		both := s.put("y")
		s.tx(func(q db.Q) error { return Keep(t.Context(), q, s.store, both, info, both) })
		s.tx(func(q db.Q) error { return Keep(t.Context(), q, s.store) })
		s.pass(20 * time.Hour)
		s.sweep(0)
		s.pass(5 * time.Hour)
		s.sweep(2)
		err := s.db.Tx(t.Context(), func(q db.Q) error { return Keep(t.Context(), q, s.store, info) })
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("kept a file that is gone: %v", err)
		}
		if s.rows() != 0 {
			t.Error("a refused Keep left a row")
		}
	})
}

// A copied reference is touched, so the sweep leaves it alone even before the
// copy is committed; here the original goes first.
func TestTouch(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		info := s.put("x")
		if err := s.refer(t.Context(), "a", info); err != nil {
			t.Fatal(err)
		}
		s.pass(48 * time.Hour)
		s.tx(func(q db.Q) error { return Touch(t.Context(), q, []string{string(info.Hash)}) })
		s.forget("a")
		s.sweep(0)
		s.tx(func(q db.Q) error { return Touch(t.Context(), q, nil) })
	})
}

// A slow store lets a test act while the sweep holds a row.
type slow struct {
	files.Store
	deleting func()
}

func (s slow) Delete(ctx context.Context, h files.Hash) error {
	s.deleting()
	return s.Store.Delete(ctx, h)
}

// Someone puts the same content again while the sweep is about to delete it,
// and refers to it: either they are told, or the file stays.
func TestReferenceDuringTheSweep(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		info := s.put("contested")
		s.pass(48 * time.Hour)
		answer := make(chan error, 1)
		_, err := Sweep(t.Context(), s.db, slow{s.store, func() {
			s.put("contested")
			started := make(chan struct{})
			go func() { close(started); answer <- s.refer(context.WithoutCancel(t.Context()), "late", info) }()
			<-started
		}})
		if err != nil {
			t.Fatal(err)
		}
		err = <-answer
		if (err == nil) != s.has(info) {
			t.Errorf("reference: %v; file there: %v", err, s.has(info))
		}
		if err != nil && !fault.Is(err, fault.Conflict) {
			t.Errorf("reference: %v", err)
		}
	})
}

// Many write and forget the same few files while others sweep, on a clock on
// which everything is old at once: no reference ever loses its file.
func TestNoReferenceLosesItsFile(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		var writers, sweepers sync.WaitGroup
		var kept atomic.Int64
		done := make(chan struct{})
		for range 2 {
			sweepers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					s.pass(25 * time.Hour)
					if _, err := Sweep(t.Context(), s.db, s.store); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for w := range 4 {
			writers.Go(func() {
				for i := range 12 {
					info, err := s.store.Put(t.Context(), strings.NewReader(fmt.Sprint("file ", i%3)))
					if err != nil {
						t.Error(err)
						return
					}
					if err := s.refer(t.Context(), fmt.Sprint(w, ".", i), info); err == nil {
						kept.Add(1)
					} else if !fault.Is(err, fault.Conflict) {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		close(done)
		sweepers.Wait()
		if kept.Load() == 0 {
			t.Error("nothing was ever kept")
		}
		hashes, err := db.All[string](t.Context(), s.db.Pool(), `SELECT DISTINCT sheet_hash FROM task_definitions`)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hashes {
			if !s.has(files.Info{Hash: files.Hash(h)}) {
				t.Errorf("a definition refers to %s, which is gone", h)
			}
		}
	})
}

// The list of referring columns is the schema's, and each has an index.
func TestReferencesAreComplete(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	got, err := db.All[string](t.Context(), d.Pool(), `SELECT m.name || '.' || f."from" FROM sqlite_master m,
		pragma_foreign_key_list(m.name) f
		WHERE m.type = 'table' AND f."table" = 'blobs' AND f.on_delete <> 'CASCADE'`)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, r := range references {
		want = append(want, r.table+"."+r.column)
		n, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM pragma_index_list($1) l,
			pragma_index_info(l.name) i
			WHERE i.seqno = 0 AND i.name = $2`, r.table, r.column)
		if err != nil {
			t.Fatal(err)
		}
		if *n == 0 {
			t.Errorf("%s.%s has no index", r.table, r.column)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the schema refers to blobs by\n%v\nthe list says\n%v", got, want)
	}
}

// A file that was put again a moment ago is about to be kept, however old its
// row is.
func TestSweepSparesWhatWasJustPut(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		info := s.put("x")
		s.tx(func(q db.Q) error {
			_, err := db.Exec(t.Context(), q, `INSERT INTO blobs (hash, size, touched_at) VALUES ($1, 1, $2)`,
				string(info.Hash), before(q, 48*time.Hour))
			return err
		})
		s.sweep(0)
		if err := s.refer(t.Context(), "a", info); err != nil {
			t.Error(err)
		}
	})
}
