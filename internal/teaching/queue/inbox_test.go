package queue

import (
	"context"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/work"
	"lectern/internal/teaching/work/worktest"
)

func TestTheInboxFollowsIndexes(t *testing.T) { inboxFollowsIndexes(t, 200, 20) }

func TestTheInboxOfALargeUnitFollowsIndexes(t *testing.T) {
	dbtest.Long(t)
	inboxFollowsIndexes(t, 1000, 60)
}

func inboxFollowsIndexes(t *testing.T, students, definitions int64) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, students, definitions)
		c.fillInbox()
		tutor := c.Students + 1
		for name, w := range map[string]Inbox{
			"inbox":    {Inbox: true},
			"mine":     {Inbox: true, Mine: true},
			"page":     {Inbox: true, Page: db.Part(50, 100)},
			"feedback": {},
		} {
			w.UnitID, w.CallerID = worktest.Unit, tutor
			var rows []InboxTask
			var took time.Duration
			texts, plans := c.Plans(func(ctx context.Context, q db.Q) (err error) {
				start := time.Now()
				rows, _, err = w.Tasks(ctx, q)
				took = time.Since(start)
				return err
			})
			t.Logf("%s: %d of %d tasks in %v", name, len(rows), c.Students*c.Definitions, took)
			if len(texts) > 4 {
				t.Errorf("%s takes %d statements", name, len(texts))
			}
			for i, plan := range plans {
				if found := worktest.Walked.FindString(plan); found != "" {
					t.Errorf("%s: %q\n%s\n%s", name, found, texts[i], plan)
				}
			}
			slow := c.waitingSlowly(w)
			if name != "page" && int64(len(rows)) != slow {
				t.Errorf("%s has %d tasks, want %d", name, len(rows), slow)
			}
		}
	})
}

func TestTaskListsFollowIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 100, 10)
		c.fillInbox()
		for name, read := range map[string]func(ctx context.Context, q db.Q) (any, error){
			"tasks of a unit": func(ctx context.Context, q db.Q) (any, error) {
				l, _, err := work.TasksOfUnit(ctx, q, worktest.Unit, 0, db.Page{})
				return l, err
			},
			"tasks of a student": func(ctx context.Context, q db.Q) (any, error) {
				l, _, err := work.TasksOfUnit(ctx, q, worktest.Unit, 1, db.Part(3, 0))
				return l, err
			},
			"tasks of a definition": func(ctx context.Context, q db.Q) (any, error) {
				l, _, err := work.TasksOfDefinition(ctx, q, 1, 1, db.Page{})
				return l, err
			},
			"tasks of a project": func(ctx context.Context, q db.Q) (any, error) { return work.TasksOf(ctx, q, 1, 1) },
		} {
			for _, text := range c.Statements(func(ctx context.Context, q db.Q) error {
				_,
					err := read(ctx, q)
				return err
			}) {
				if plan := c.Plan(text, 1, 1, 5, 0); worktest.Walked.MatchString(plan) {
					t.Errorf("%s walks a table:\n%s\n%s", name, text, plan)
				}
			}
		}
	})
}

// waitingSlowly counts what waits by looking at every task.
func (c *crowd) waitingSlowly(w Inbox) int64 {
	c.Helper()
	return c.Number(`SELECT count(*) FROM tasks t WHERE t.unit_id = $1 AND (t.status IN ('ready_for_feedback',
		'need_help') OR CAST($3 AS BOOLEAN) AND (
		t.id IN (SELECT task_id FROM task_pins WHERE user_id = $2)
		OR t.id IN (SELECT c.task_id FROM task_comments c WHERE c.staff_read_at IS NULL AND c.type <> 'status'
			AND c.id NOT IN (SELECT task_comment_id FROM comment_reads WHERE user_id = $2))))`, w.UnitID, w.CallerID,
		w.Inbox)
}
