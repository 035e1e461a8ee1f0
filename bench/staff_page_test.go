package bench

import (
	"context"
	"fmt"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// manyStaff gives the first unit so many more people on its staff, each with a tutorial.
func (u *university) manyStaff(n int) {
	u.Helper()
	err := u.db.Tx(u.Context(), func(q db.Q) error {
		for i := range n {
			if err := oneMore(u.Context(), q, fmt.Sprintf("staff%02d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		u.Fatal(err)
	}
}

func oneMore(ctx context.Context, q db.Q, name string) error {
	user, err := db.One[int64](ctx, q, `INSERT INTO users (username, username_key, email, email_key, first_name, last_name,
		role, created_at, updated_at) VALUES ($1, $1, $2, $2, 'Staff', $1, 2, $3, $3) RETURNING id`, name,
		name+"@example.edu", q.Now())
	if err != nil {
		return err
	}
	role, err := db.One[int64](ctx, q, `INSERT INTO unit_roles (unit_id, user_id, role, created_at, updated_at)
		VALUES (1, $1, 2, $2, $2) RETURNING id`, *user, q.Now())
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO tutorials (unit_id, unit_role_id, tutorial_stream_id, abbreviation, meeting_day,
			meeting_time, meeting_location, capacity)
		SELECT 1, $1, min(id), $2, 'Monday', '10:30', 'ATC101', 30 FROM tutorial_streams WHERE unit_id = 1`, *role, name)
	return err
}

// The staff and tutorials of a large unit are drawn in at most a few times of what the calls behind take.
func TestThePageOfALargeStaffIsQuick(t *testing.T) {
	dbtest.Load(t)
	u := newUniversity(t)
	u.manyStaff(60)
	page, calls, times := u.compare(staffPage)
	for try := 0; try < 2 && times > wantedPage; try++ {
		if p, c, n := u.compare(staffPage); n < times {
			page, calls, times = p, c, n
		}
	}
	t.Logf("60 staff and tutorials: %v, the calls behind %v: %.1f times", page, calls, times)
	if times > mostPage {
		t.Errorf("the page takes %v, the calls behind it %v", page, calls)
	}
}
