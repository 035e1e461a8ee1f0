package db_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

type campus struct {
	ID           int64  `db:"id"`
	Name         string `db:"name"`
	Abbreviation string `db:"abbreviation"`
}

func add(ctx context.Context, q db.Q, name, abbr string) (*campus, error) {
	return db.One[campus](ctx, q, `INSERT INTO campuses (name, mode, abbreviation, active)
		VALUES ($1, 'manual', $2, $3) RETURNING id, name, abbreviation`, name, abbr, true)
}

func TestTransactionIsAllOrNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		ran := 0
		stop := errors.New("stop")
		err := d.Tx(ctx, func(q db.Q) error {
			q.After(func() { ran++ })
			if _, err := add(ctx, q, "Ghost", "G"); err != nil {
				return err
			}
			return stop
		})
		if !errors.Is(err, stop) || ran != 0 {
			t.Fatalf("got %v, ran %d", err, ran)
		}
		err = d.Tx(ctx, func(q db.Q) error {
			q.After(func() { ran++ })
			_, err := add(ctx, q, "Burwood", "B")
			return err
		})
		if err != nil || ran != 1 {
			t.Fatalf("got %v, ran %d", err, ran)
		}
		all, err := db.All[campus](ctx, d.Pool(), `SELECT id, name, abbreviation FROM campuses`)
		if err != nil || len(all) != 1 || all[0].Name != "Burwood" {
			t.Fatalf("got %v, %v", all, err)
		}
	})
}

func TestConstraintsBecomeFaults(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		try := func(text string, args ...any) error {
			return d.Tx(ctx, func(q db.Q) error { _, err := db.Exec(ctx, q, text, args...); return err })
		}
		const campus = `INSERT INTO campuses (name, mode, abbreviation, active) VALUES ($1, $2, $3, TRUE)`
		if err := try(campus, "A", "manual", "A"); err != nil {
			t.Fatal(err)
		}
		err := try(campus, "A", "manual", "B")
		if !fault.Is(err, fault.Conflict) || !db.Duplicate(err) {
			t.Errorf("duplicate: %v", err)
		}
		if err := try(campus, "C", "elsewhere", "C"); !fault.Is(err, fault.Invalid) {
			t.Errorf("check: %v", err)
		}
		err = try(`INSERT INTO sessions (user_id, token_hash, created_at, expires_at) VALUES (99, 'x', $1, $1)`,
			d.Now())
		if !fault.Is(err, fault.Conflict) || !db.InUse(err) {
			t.Errorf("foreign key: %v", err)
		}
		_, err = db.OneOf[int64](ctx, d.Pool(), "campus", `SELECT id FROM campuses WHERE id = $1`, 42)
		if !fault.Is(err, fault.Missing) || err.Error() != "there is no such campus" {
			t.Errorf("missing: %v", err)
		}
	})
}

func TestTimesSurviveBothEngines(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		at := clock.At(time.Date(2026, 3, 1, 23, 59, 59, 120_000_000, time.FixedZone("", 11*3600)))
		err := d.Tx(ctx, func(q db.Q) error {
			_, err := db.Exec(ctx, q, `INSERT INTO teaching_periods (period, year, start_date, end_date, active_until)
				VALUES ('T1', 2026, $1, $2, $2)`, at, clock.At(at.AddDate(0, 3, 0)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.One[clock.Time](ctx, d.Pool(), `SELECT coalesce(max(start_date), $1) FROM teaching_periods
			WHERE start_date >= $1 AND start_date < $2`,
			at, clock.At(at.Add(time.Millisecond)))
		if err != nil || *got != at {
			t.Fatalf("wrote %v, read %v, %v", at, got, err)
		}
	})
}

func TestViewSeesOneSnapshot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		n := func(q db.Q) int64 {
			c, err := db.One[int64](ctx, q, `SELECT count(*) FROM campuses`)
			if err != nil {
				t.Fatal(err)
			}
			return *c
		}
		err := d.View(ctx, func(q db.Q) error {
			before := n(q)
			if err := d.Tx(ctx, func(w db.Q) error { _, err := add(ctx, w, "New", "N"); return err }); err != nil {
				return err
			}
			if after := n(q); after != before {
				t.Errorf("saw %d, then %d", before, after)
			}
			if _, err := add(ctx, q, "Bad", "B"); err == nil {
				t.Error("a view could write")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestInsertInPieces(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		var rows [][]any
		for i := range 20_000 {
			rows = append(rows, []any{i, i, d.Now()})
		}
		ctx, c := db.Counting(ctx, nil)
		err := d.Tx(ctx, func(q db.Q) error {
			return db.Insert(ctx, q, "throttles (name, failures, since)", "ON CONFLICT DO NOTHING", text(rows))
		})
		if err != nil {
			t.Fatal(err)
		}
		n, err := db.One[int64](ctx, d.Pool(), `SELECT count(*) FROM throttles`)
		if err != nil || *n != 20_000 || c.N() > 20_000/200+1 {
			t.Fatalf("%d rows with %d statements, %v", *n, c.N(), err)
		}
		list, args := db.In([]any{1}, []string{})
		if list != "(NULL)" || len(args) != 1 {
			t.Errorf("an empty list became %s", list)
		}
	})
}

// However many rows there are, the texts are two, and what is written is what is read.
func TestBulkInsertsHaveFewTexts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		type odd struct {
			N     int64       `db:"n"`
			Text  string      `db:"words"`
			Bytes []byte      `db:"bytes"`
			Real  *float64    `db:"ratio"`
			Flag  bool        `db:"flag"`
			At    *clock.Time `db:"at"`
		}
		kinds := "TEXT, bytes BLOB, ratio REAL, flag BOOLEAN, at TEXT"
		if d.Postgres() {
			kinds = "TEXT, bytes BYTEA, ratio DOUBLE PRECISION, flag BOOLEAN, at TIMESTAMPTZ"
		}
		third, now := 1.0/3, d.Now()
		texts, undo := map[string]bool{}, errors.New("undo")
		err := d.Tx(t.Context(), func(q db.Q) error {
			if _, err := db.Exec(t.Context(), q, `CREATE TABLE odd (n BIGINT PRIMARY KEY, words `+kinds+`)`); err != nil {
				return err
			}
			ctx, _ := db.Counting(t.Context(), func(text string) { texts[text] = true })
			var want []odd
			for size := range 40 {
				rows := make([][]any, size)
				for i := range rows {
					o := odd{N: int64(len(want)), Text: "<\"\\x00\n'é\U0001f600" + strings.Repeat("5", i)}
					if i%2 == 0 {
						o.Bytes, o.Real, o.Flag, o.At = []byte{0, 255, byte(i)}, &third, true, &now
					}
					rows[i] = []any{o.N, o.Text, nil, o.Real, o.Flag, o.At}
					if o.Bytes != nil {
						rows[i][2] = o.Bytes
					}
					want = append(want, o)
				}
				if err := db.Insert(ctx, q, "odd (n, words, bytes,\n\tratio, flag, at)", "ON CONFLICT (n) DO NOTHING",
					rows); err != nil {
					return err
				}
			}
			got, err := db.All[odd](t.Context(), q, `SELECT n, words, bytes, ratio, flag, at FROM odd ORDER BY n`)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v; %d rows, the second %+v, want %d, the second %+v", err, len(got), got[1], len(want), want[1])
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
		if len(texts) != 2 {
			t.Errorf("%d texts: %v", len(texts), texts)
		}
	})
}

func text(rows [][]any) [][]any {
	for i := range rows {
		rows[i][0] = "account " + time.Duration(i).String()
	}
	return rows
}

func TestManyMigrateAtOnce(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			addr := dbtest.Bare(t, engine)
			var wg sync.WaitGroup
			var worked atomic.Int32
			for range 4 {
				wg.Go(func() {
					d, err := db.Open(addr, db.Options{})
					if err != nil {
						t.Error(err)
						return
					}
					defer d.Close()
					names, err := d.Migrate(context.Background())
					if err != nil {
						t.Error(err)
					}
					if len(names) > 0 {
						worked.Add(1)
					}
				})
			}
			wg.Wait()
			if worked.Load() != 1 {
				t.Errorf("%d of 4 migrated", worked.Load())
			}
		})
	}
}

func TestWritersWaitForEachOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				err := d.Tx(ctx, func(q db.Q) error {
					if err := db.LockName(ctx, q, "campuses"); err != nil {
						return err
					}
					_, err := add(ctx, q, time.Duration(i).String(), time.Duration(i).String())
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}
