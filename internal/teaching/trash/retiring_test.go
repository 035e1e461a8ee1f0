package trash

import (
	"fmt"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/work/worktest"
)

// busyUnit is a unit of last year, in which everybody handed in every task twice, with a file, and said something.
func busyUnit(t *testing.T, d *db.DB, students, definitions int64) *worktest.Crowd {
	c := worktest.New(t, d, students, definitions)
	if d.Postgres() {
		for _, name := range []string{"users", "projects"} { // numbers were given by hand
			c.Set(`SELECT setval(pg_get_serial_sequence($1, 'id'), 100000)`, name)
		}
	}
	c.Set(`UPDATE units SET start_date = $1, end_date = $2`, clock.Day(d.Now().AddDate(-1, -4, 0)),
		clock.Day(d.Now().AddDate(-1, 0, 0)))
	c.Set(`INSERT INTO blobs (hash, size, touched_at) VALUES ('h', 1, $1)`, d.Now())
	c.Set(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, grade, submission_date, created_at,
		updated_at) SELECT p.id, f.id, 1, 'complete', 2, $1, $1, $1 FROM projects p, task_definitions f`, d.Now())
	for i := range 2 {
		c.Set(`INSERT INTO submissions (unit_id, task_id, user_id, at, parts, state, document_hash)
			SELECT 1, t.id, p.user_id, $1, 1, 'ready', 'h' FROM tasks t JOIN projects p ON p.id = t.project_id`,
			clock.At(d.Now().Add(time.Duration(i)*time.Minute)))
	}
	c.Set(`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts) SELECT task_id, at, id, 100, 3
		FROM submissions`)
	c.Set(`INSERT INTO submission_files (submission_id, position, key, title, kind, name, hash, size)
		SELECT id, 0, 'file0', 'Essay', 'code', 'u1.txt', 'h', 1 FROM submissions`)
	for _, kind := range []string{"text", "text", "status"} {
		c.Set(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
			SELECT t.id, 1, p.user_id, p.user_id, $2, 'I am u7, ' || t.id, $1 FROM tasks t
			JOIN projects p ON p.id = t.project_id`, d.Now(), kind)
	}
	return c
}

// carriesOut does all steps of a plan, and tells how many statements and how long each took.
func carriesOut(c *worktest.Crowd, plan Plan) (r *Retirement, most int64, longest time.Duration) {
	c.Helper()
	ctx, _ := db.Counting(c.Context(), nil)
	err := c.Tx(ctx, func(q db.Q) error {
		p, err := PlanOf(ctx, q, worktest.Unit)
		if err != nil {
			return err
		}
		r, err = Retire(ctx, q, worktest.Unit, c.Students+1, Intent{Plan: plan, Confirm: "A", Submissions: p.Submissions,
			Comments: p.Comments, Portfolios: p.Portfolios})
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	for last := false; !last; {
		ctx, counted := db.Counting(c.Context(), nil)
		began := time.Now()
		if err := c.Tx(ctx, func(q db.Q) error {
			s, err := RetireStep(ctx, q, r)
			last = err == nil && s.Last
			return err
		}); err != nil {
			c.Fatal(err)
		}
		most, longest = max(most, counted.N()), max(longest, time.Since(began))
	}
	return r, most, longest
}

// A large unit takes as many statements for a task as a small one.
func TestRetiringTakesFewStatements(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, plan := range []Plan{Anonymise, DeleteWork} {
			t.Run(fmt.Sprint(engine, " ", plan), func(t *testing.T) {
				_, few, _ := carriesOut(busyUnit(t, dbtest.New(t, engine, clock.Real), 3, 2), plan)
				c := busyUnit(t, dbtest.New(t, engine, clock.Real), 60, 2)
				_, many, _ := carriesOut(c, plan)
				if few != many {
					t.Errorf("%d statements for 3 students, %d for 60", few, many)
				}
				want := int64(0)
				if plan == Anonymise {
					want = 60 * 2 * 2
				}
				if n := c.Number(`SELECT count(*) FROM submissions`); n != want {
					t.Errorf("%d submissions are left, want %d", n, want)
				}
				if n := c.Number(`SELECT count(*) FROM task_comments c JOIN users u ON u.id = c.user_id
					WHERE u.erased_at IS NULL OR c.type = 'status'`); n != 0 {
					t.Errorf("%d comments still tell who it was", n)
				}
			})
		}
	}
}
