package db_test

import (
	"slices"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
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

func TestListsHaveFewShapes(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	texts := map[string]bool{}
	for n := 1; n <= 600; n++ {
		ids := make([]int, n)
		for i := range ids {
			ids[i] = i + 1
		}
		in, args := db.In([]any{int64(0)}, ids)
		texts[in] = true
		if n%97 != 1 {
			continue
		}
		got, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM (`+numbers+`) WHERE n > $1 AND n IN `+in,
			args...)
		if err != nil || *got != int64(n) {
			t.Errorf("%d of %d found: %v", *got, n, err)
		}
	}
	if len(texts) != 9+2 {
		t.Errorf("%d texts for lists of 1 to 600", len(texts))
	}
	if list, args := db.List([]any{"a"}, []int{7, 8, 9}); list != "($2, $3, $4)" || len(args) != 4 {
		t.Errorf("%s with %v", list, args)
	}
}

const numbers = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000) SELECT n FROM c`
