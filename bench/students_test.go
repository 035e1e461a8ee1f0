package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// The page of those who enrol shows a hundred of 2,000 students in under a tenth of a second, and takes at most
// twice as long as the calls behind it.
func TestManyStudentsAreListedQuickly(t *testing.T) {
	dbtest.Load(t)
	u := newUniversity(t)
	u.enrolMany(2000)
	const page = "/units/{id}/settings/students"
	for _, query := range []string{"", "?tutorial=0", "?text=many1", "?show=all&sort=-tutorial&page=9"} {
		var times []time.Duration
		for range 60 {
			start := time.Now()
			u.ask(aConvenor, page+query)
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		p50, p95 := times[len(times)/2], times[len(times)*95/100]
		t.Logf("a page of 2,000 students %q: p50 %v, p95 %v", query, p50, p95)
		if p95 > 100*time.Millisecond {
			t.Errorf("%s takes %v", query, p95)
		}
	}
	shown, calls, times := u.compare(page)
	t.Logf("the page takes %v, the calls behind it %v: %.1f times", shown, calls, times)
	if times > wantedPage {
		t.Errorf("the page takes %v, the calls behind it %v", shown, calls)
	}
}

// enrolMany enrols so many in the first unit, every other one in a tutorial.
func (u *university) enrolMany(n int) {
	u.Helper()
	err := u.db.Tx(context.Background(), func(q db.Q) error {
		ctx := context.Background()
		for i := range n {
			name := fmt.Sprintf("many%04d", i)
			if _, err := db.Exec(ctx, q, `INSERT INTO users (username, username_key, email, email_key, first_name, last_name,
				name_key, role, created_at, updated_at) VALUES ($1, $1, $2, $2, $1, 'Person', $1, 1, $3, $3)`, name,
				name+"@example.edu", q.Now()); err != nil {
				return err
			}
		}
		if _, err := db.Exec(ctx, q, `INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT 1, id, $1, $1
			FROM users WHERE username LIKE 'many%'`, q.Now()); err != nil {
			return err
		}
		_, err := db.Exec(ctx, q, `INSERT INTO tutorial_enrolments (project_id, tutorial_id, tutorial_stream_id)
			SELECT p.id, t.id, t.tutorial_stream_id FROM projects p JOIN users u ON u.id = p.user_id, tutorials t
			WHERE u.username LIKE 'many%' AND p.id % 2 = 0 AND t.id = (SELECT min(id) FROM tutorials WHERE unit_id = 1)`)
		return err
	})
	if err != nil {
		u.Fatal(err)
	}
}
