package db_test

import (
	"slices"
	"testing"

	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/db/dbtest"
)

func TestRows(t *testing.T) {
	type row struct {
		ID   int64       `db:"id"`
		Text string      `db:"name"`
		On   *clock.Date `db:"day"`
		Yes  bool        `db:"yes"`
		Part float64     `db:"part"`
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		day := clock.On(2026, 3, 2)
		from, args, err := db.Rows(d.Pool(), []any{int64(1)}, []string{"id BIGINT", "name TEXT", "day DATE",
			"yes BOOLEAN", "part DOUBLE PRECISION"},
			[][]any{{1, "ä \"q\" 'x'", day, true, 0.25}, {2, "12", nil, false, 1}, {3, "", day, true, 0}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.All[row](t.Context(), d.Pool(), `SELECT id, name, day, yes, part FROM `+from+
			` v WHERE id > $1 ORDER BY id`, args...)
		if err != nil || len(got) != 2 || got[0].Text != "12" || got[0].On != nil || got[0].Yes || got[0].Part != 1 ||
			*got[1].On != day || !got[1].Yes {
			t.Errorf("%+v, %v", got, err)
		}
		from, args, _ = db.Rows(d.Pool(), nil, []string{"id BIGINT"}, nil)
		none, err := db.All[int64](t.Context(), d.Pool(), `SELECT id FROM `+from+` v`, args...)
		if err != nil || !slices.Equal(none, []int64{}) {
			t.Errorf("%v, %v", none, err)
		}
	})
}

func TestFailing(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	ctx, c := db.Failing(t.Context(), 2)
	for i, ok := range []bool{true, false, true} {
		if _, err := db.One[int64](ctx, d.Pool(), `SELECT 1`); (err == nil) != ok {
			t.Errorf("statement %d: %v", i+1, err)
		}
	}
	if c.N() != 3 {
		t.Errorf("%d statements", c.N())
	}
}
