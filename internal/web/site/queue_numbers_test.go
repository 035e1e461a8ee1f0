package site_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/queue"
)

// What is to mark and to answer has the same two numbers on home, in the inbox, in marking and in
// turnaround, whatever the tasks of a unit are. What is only pinned is in none of them.
func TestWhatWaitsHasTheSameNumbersOnEveryPage(t *testing.T) {
	each(t, func(w *world) {
		w.waiting()
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 1))
		for range 3 {
			w.randomQueue(r)
			w.sameNumbers(seed)
		}
	})
}

// randomQueue gives every student of the unit a task of every definition, which stands anywhere.
func (w *world) randomQueue(r *rand.Rand) {
	w.Helper()
	w.tx(func(ctx context.Context, q db.Q) error {
		for _, text := range []string{`DELETE FROM task_pins`, `DELETE FROM tasks`} {
			if _, err := db.Exec(ctx, q, text); err != nil {
				return err
			}
		}
		if _, err := db.Exec(ctx, q, `INSERT INTO tasks (project_id, task_definition_id, unit_id, status, created_at,
				updated_at) SELECT p.id, d.id, p.unit_id, 'complete', $1, $1 FROM projects p
			JOIN task_definitions d ON d.unit_id = p.unit_id`, q.Now()); err != nil {
			return err
		}
		ids, err := db.All[int64](ctx, q, `SELECT id FROM tasks ORDER BY id`)
		for _, id := range ids {
			var handedIn, asked any
			if r.IntN(3) > 0 {
				handedIn = clock.At(q.Now().Add(-time.Duration(r.IntN(200)) * time.Hour))
			}
			if r.IntN(4) == 0 {
				asked = q.Now()
			}
			st := []string{"ready_for_feedback", "need_help", "complete", "working_on_it"}[r.IntN(4)]
			if err == nil {
				_, err = db.Exec(ctx, q, `UPDATE tasks SET status = $2, submission_date = $3, new_to_staff = $4,
					review_asked_at = $5 WHERE id = $1`, id, st, handedIn, max(0, r.IntN(5)-3), asked)
			}
			if err == nil && r.IntN(4) == 0 {
				_, err = db.Exec(ctx, q, `INSERT INTO task_pins (task_id, user_id) SELECT CAST($1 AS BIGINT), id FROM users
					WHERE username = 'tom'`, id)
			}
		}
		return err
	})
}

var numbersOn = map[string][2]*regexp.Regexp{
	"/home": {regexp.MustCompile(`data-label="To mark">(?:<[^>]+>)*(\d+)<`),
		regexp.MustCompile(`data-label="To answer">(?:<[^>]+>)*(\d+)<`)},
	"/units/{id}/inbox": {regexp.MustCompile(`To mark <span class="tally">(\d+)<`),
		regexp.MustCompile(`To answer <span class="tally">(\d+)<`)},
	"/units/{id}/desk":    {regexp.MustCompile(`(\d+) to mark,`), regexp.MustCompile(`, (\d+) to answer`)},
	"/units/{id}/promise": {regexp.MustCompile(`To mark now \((\d+)\)`), nil},
}

func (w *world) sameNumbers(seed uint64) {
	w.Helper()
	var want queue.Tally
	w.tx(func(ctx context.Context, q db.Q) (err error) {
		ids, err := db.All[int64](ctx, q, `SELECT max(unit_id) FROM unit_roles
			UNION ALL SELECT id FROM users WHERE username = 'tom'`)
		if err == nil {
			want, err = queue.Queue{UnitID: ids[0], CallerID: ids[1]}.Tally(ctx, q)
		}
		return err
	})
	tom := w.as("tom")
	for path, parts := range numbersOn {
		page := tom.do(w.path(path), nil).status(200).text()
		for i, part := range parts {
			if part == nil {
				continue
			}
			n, found := [...]int64{want.ToMark, want.ToAnswer}[i], part.FindStringSubmatch(page)
			if found == nil || found[1] != fmt.Sprint(n) {
				w.Errorf("seed %d: %s says %q where %+v wait", seed, path, found, want)
			}
		}
	}
}
