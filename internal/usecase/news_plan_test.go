package usecase

import (
	"strings"
	"testing"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// News are found by their indexes, in order: nothing is sorted but the few that are
// shown.
func TestNewsAreFoundByTheirIndexes(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	type step struct {
		ID     int    `db:"id"`
		Parent int    `db:"parent"`
		Unused int    `db:"notused"`
		Detail string `db:"detail"`
	}
	p := &newsPlace{who: &access.Caller{ID: 1}, units: []int64{1, 2}}
	text, args := p.query(5, 10)
	steps, err := db.All[step](t.Context(), d.Pool(), "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for _, s := range steps {
		plan.WriteString(s.Detail + "\n")
	}
	for want, times := range map[string]int{"news_of_user (user_id=? AND seq>?)": 1,
		"news_of_unit (unit_id=? AND seq>?)": 2, "TEMP B-TREE": 0, "SCAN e": 0} {
		if got := strings.Count(plan.String(), want); got != times {
			t.Errorf("%q stands %d times, want %d, in\n%s", want, got, times, plan.String())
		}
	}
}
