package bench

import (
	"context"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// The pages of final grades take under 150 ms in a unit of 2,000 students: any part of the grid, what publishing
// comes to, and a student with those beside them.
func TestManyGradesAreShownQuickly(t *testing.T) {
	dbtest.Load(t)
	for _, engine := range []string{"sqlite", "postgres"} { // one after the other: both at once would slow each other
		u := newUniversityOn(t, engine)
		u.enrolMany(2000)
		err := u.db.Tx(context.Background(), func(q db.Q) error {
			_, err := db.Exec(context.Background(), q, `UPDATE projects SET grade = id % 100,
				grade_rationale = 'As shown in class', grade_shown = CASE WHEN id % 3 > 0 THEN id % 90 END WHERE unit_id = 1`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/units/{id}/grades", "/units/{id}/grades?page=40", "/units/{id}/grades?text=many19",
			"/units/{id}/grades?show=changed&page=9", "/units/{id}/grades/publish", "/units/{id}/grades/import",
			"/units/{unit_id}/grades/{project_id}"} {
			u.quick(150*time.Millisecond, aConvenor, path, engine+", "+path+" with 2,000 students")
		}
	}
}
