package queue

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work/worktest"
)

// fillQueue fills the inbox with groups of two, whose tasks stand at statuses of their
// own, tasks that were never handed in, and students who have withdrawn.
func (c *crowd) fillQueue() {
	c.Helper()
	c.fillInbox()
	c.Set(`UPDATE tasks SET submission_date = NULL WHERE id % 13 = 0`)
	c.Set(`UPDATE projects SET enrolled = FALSE WHERE id % 17 = 0`)
	c.Set(`INSERT INTO group_sets (id, unit_id, name) VALUES (1, $1, 'Sets')`, worktest.Unit)
	c.Set(`INSERT INTO unit_groups (id, group_set_id, tutorial_id, name) SELECT id, 1, 1, 'G' || id
		FROM projects WHERE id % 6 = 0`)
	c.Set(`INSERT INTO group_submissions (id, unit_group_id, task_definition_id, submitted_by_project_id, created_at)
		SELECT g.id * 1000 + d.id, g.id, d.id, g.id - 1, $1 FROM unit_groups g JOIN task_definitions d ON d.id <= 3`,
		c.Now())
	c.Set(`UPDATE tasks SET group_submission_id = (project_id - project_id % 6 + 6) * 1000 + task_definition_id
		WHERE task_definition_id <= 3 AND project_id % 6 >= 4 AND EXISTS (SELECT 1 FROM group_submissions g
			WHERE g.id = (tasks.project_id - tasks.project_id % 6 + 6) * 1000 + tasks.task_definition_id)`)
	if c.Postgres() {
		c.Set(`ANALYZE`)
	}
}

// inboxOf lists what the inbox has, by task.
func (c *crowd) inboxOf(w Queue) map[int64]InboxTask {
	c.Helper()
	rows, _, err := Inbox{UnitID: w.UnitID, CallerID: w.CallerID, Inbox: true, Mine: w.Mine}.Tasks(c.Context(), c.Pool())
	if err != nil {
		c.Fatal(err)
	}
	by := map[int64]InboxTask{}
	for _, r := range rows {
		by[r.ID] = r
	}
	return by
}

func (c *crowd) queue(w Queue) []Row {
	c.Helper()
	rows, _, err := w.Rows(c.Context(), c.Pool())
	if err != nil {
		c.Fatal(err)
	}
	if !w.Page.Asked() {
		w.Page = db.Part(1, 0)
		if _, total, err := w.Rows(c.Context(), c.Pool()); err != nil || total != int64(len(rows)) {
			c.Errorf("%+v: %d rows, counted as %d, %v", w, len(rows), total, err)
		}
	}
	return rows
}

func TestTheQueueHasWhatTheInboxHas(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 120, 8)
		c.fillQueue()
		for _, w := range []Queue{{}, {Mine: true}, {CallerID: 122}, {CallerID: 122, Mine: true}, {CallerID: 5}} {
			w.UnitID = worktest.Unit
			if w.CallerID == 0 {
				w.CallerID = 121
			}
			want := c.inboxOf(w)
			for _, w.Sort = range []Sort{ByWaiting, ByTask, ByStudent} {
				rows := c.queue(w)
				if len(rows) != len(want) {
					t.Errorf("%+v: %d rows, want %d", w, len(rows), len(want))
				}
				groups := 0
				for _, r := range rows {
					i := want[r.ID]
					if r.Group != nil {
						groups++
					}
					if i.ProjectID != r.ProjectID || i.Status != r.Status || i.NewComments != r.NewComments ||
						i.Pinned != r.Pinned || i.HasExtensions != r.HasExtensions || !slices.Equal(i.Members, r.Members) {
						t.Fatalf("%+v has %+v, the inbox has %+v", w, r, i)
					}
				}
				if len(want) > 0 && groups == 0 {
					t.Errorf("%+v has no group", w)
				}
			}
			if len(want) == 0 && !(w.Mine && w.CallerID == 122) {
				t.Errorf("%+v: nothing waits", w)
			}
		}
	})
}

func TestPagesOfTheQueueFollowEachOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 60, 8)
		c.fillQueue()
		for _, by := range []Sort{"", ByWaiting, ByTask, ByStudent, "nonsense"} {
			w := Queue{UnitID: worktest.Unit, CallerID: 61, Sort: by}
			var all, paged []int64
			for _, r := range c.queue(w) {
				all = append(all, r.ID)
			}
			for offset := int64(0); ; offset += 7 {
				w.Page = db.Part(7, offset)
				rows := c.queue(w)
				if len(rows) == 0 {
					break
				}
				for _, r := range rows {
					paged = append(paged, r.ID)
				}
			}
			if len(all) < 15 || !slices.Equal(all, paged) {
				t.Fatalf("%s: in pages %v, at once %v", by, paged, all)
			}
			for _, i := range []int{0, 3, len(all) - 1} {
				a, err := w.Around(t.Context(), d.Pool(), all[i], 2)
				if err != nil {
					t.Fatal(err)
				}
				before := slices.Clone(all[max(0, i-2):i])
				slices.Reverse(before)
				if a.Position != int64(i+1) || a.Total != int64(len(all)) || !slices.Equal(a.Before, before) ||
					!slices.Equal(a.After, all[i+1:min(len(all), i+3)]) {
					t.Errorf("%s: around %d is %+v", by, i, a)
				}
			}
		}
	})
}

func TestWhatWasMarkedKeepsItsPlaceInTheQueue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 60, 8)
		c.fillInbox()
		for _, by := range []Sort{ByWaiting, ByTask, ByStudent} {
			w := Queue{UnitID: worktest.Unit, CallerID: 62, Status: status.ReadyForFeedback, Sort: by}
			rows := c.queue(w)
			i := rand.IntN(len(rows)-3) + 1
			c.Set(`UPDATE tasks SET status = 'complete', new_to_staff = 0 WHERE id = $1`, rows[i].ID)
			a, err := w.Around(t.Context(), d.Pool(), rows[i].ID, 1)
			if err != nil || a.Position != 0 || a.Total != int64(len(rows)-1) || a.Before[0] != rows[i-1].ID ||
				a.After[0] != rows[i+1].ID {
				t.Fatalf("%s: around the %d. of %d: %+v, %v", by, i, len(rows), a, err)
			}
			next, err := w.RowsOf(t.Context(), d.Pool(), a.After)
			if err != nil || len(next) != 1 || next[0].ID != rows[i+1].ID {
				t.Fatalf("next is %+v, %v", next, err)
			}
		}
	})
}

func TestTheQueueIsFiltered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 60, 8)
		c.fillInbox()
		c.Set(`UPDATE users SET first_name = 'José', last_name = '100%_sure', username = 'jo_se' WHERE id = 5`)
		c.Set(`UPDATE task_definitions SET abbreviation = '1.1P', name = 'ÜBUNG eins' WHERE id = 2`)
		c.Set(`INSERT INTO tutorials (id, unit_id, unit_role_id, abbreviation, meeting_day, meeting_time, meeting_location)
			VALUES (2, $1, 2, 'T2', 'M', '9', 'H')`, worktest.Unit)
		c.Set(`UPDATE tutorial_enrolments SET tutorial_id = 2 WHERE project_id % 5 = 0`)
		c.Set(`UPDATE tasks SET status = 'ready_for_feedback' WHERE project_id = 5`)
		for name, x := range map[string]struct {
			filter func(w *Queue)
			kept   func(r Row) bool
		}{
			"mine":     {func(w *Queue) { w.Mine = true }, func(r Row) bool { return r.ProjectID%5 != 0 }},
			"tutorial": {func(w *Queue) { w.TutorialID = 2 }, func(r Row) bool { return r.ProjectID%5 == 0 }},
			"not mine": {func(w *Queue) { w.Mine, w.TutorialID = true, 2 }, func(Row) bool { return false }},
			"task":     {func(w *Queue) { w.DefinitionID = 3 }, func(r Row) bool { return r.DefinitionID == 3 }},
			"status": {func(w *Queue) { w.Status = status.NeedHelp },
				func(r Row) bool { return r.Status == status.NeedHelp }},
			"no status":   {func(w *Queue) { w.Status = "none" }, func(Row) bool { return false }},
			"first name":  {func(w *Queue) { w.Text = "JOSE" }, func(r Row) bool { return r.ProjectID == 5 }},
			"wildcards":   {func(w *Queue) { w.Text = "100%_" }, func(r Row) bool { return r.ProjectID == 5 }},
			"a wildcard":  {func(w *Queue) { w.Text = "J%E" }, func(Row) bool { return false }},
			"words":       {func(w *Queue) { w.Text = " sure  josé " }, func(r Row) bool { return r.ProjectID == 5 }},
			"username":    {func(w *Queue) { w.Text = "jo_se" }, func(r Row) bool { return r.ProjectID == 5 }},
			"task's name": {func(w *Queue) { w.Text = "übung" }, func(r Row) bool { return r.DefinitionID == 2 }},
			"a quote":     {func(w *Queue) { w.Text = `' OR ''='"` }, func(Row) bool { return false }},
		} {
			w := Queue{UnitID: worktest.Unit, CallerID: 61}
			want := []int64{}
			for _, r := range c.queue(w) {
				if x.kept(r) {
					want = append(want, r.ID)
				}
			}
			x.filter(&w)
			got := []int64{}
			sum, waiting := int64(0), int64(0)
			for _, r := range c.queue(w) {
				if got = append(got, r.ID); r.Kind != Pinned { // what is only pinned is not counted
					waiting++
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
			counts, err := w.Counts(t.Context(), d.Pool())
			for _, n := range counts {
				if w.DefinitionID == 0 || n.DefinitionID == w.DefinitionID {
					sum += n.Count
				}
			}
			if err != nil || sum != waiting {
				t.Errorf("%s: counted %v, %v, want %d", name, counts, err, waiting)
			}
		}
	})
}

// The line is walked and counted off its indexes, with the tasks left alone and nothing put
// in order, and what a filter finds is looked up by student: no table is gone through.
func TestTheQueueIsReadOffItsIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 200, 20)
		c.fillQueue()
		for name, x := range map[string]struct {
			w     Queue
			index string // of SQLite, which is not free to take another for so few
		}{
			"all":           {Queue{}, "COVERING INDEX tasks_line ("},
			"mine":          {Queue{Mine: true}, "INDEX tasks_line_of_project ("},
			"mine and text": {Queue{Mine: true, Text: "u1"}, "INDEX tasks_line_of_project ("},
			"text":          {Queue{Text: "u1"}, "INDEX tasks_line_of_project ("},
			"a definition":  {Queue{DefinitionID: 4}, "COVERING INDEX tasks_line_by_task ("},
			"a status":      {Queue{Status: status.NeedHelp}, "COVERING INDEX tasks_line ("},
			"to mark":       {Queue{Kind: ToMark}, "COVERING INDEX tasks_line ("},
			"to answer":     {Queue{Kind: ToAnswer, Mine: true}, "INDEX tasks_line_of_project ("},
			"task":          {Queue{Sort: ByTask}, "COVERING INDEX tasks_line_by_task ("},
			"student":       {Queue{Sort: ByStudent}, "COVERING INDEX tasks_line_by_student ("},
			"inbox":         {Queue{Sort: bySubmission}, "COVERING INDEX tasks_line ("},
			"feedback":      {Queue{Sort: bySubmission, Feedback: true}, "COVERING INDEX tasks_line ("},
		} {
			w := x.w
			w.UnitID, w.CallerID, w.Page = worktest.Unit, c.Students+1, db.Part(30, 30)
			texts, plans := c.Plans(func(ctx context.Context, q db.Q) error {
				if _, _, err := w.Rows(ctx, q); err != nil {
					return err
				}
				if _, err := w.Counts(ctx, q); err != nil {
					return err
				}
				_, err := w.Around(ctx, q, 17, 2)
				return err
			})
			for i, plan := range plans {
				if strings.Contains(texts[i], "AS names") {
					continue // the names of a unit are gone through
				}
				if found := worktest.Walked.FindString(plan); found != "" {
					t.Errorf("%s: %q\n%s\n%s", name, found, texts[i], plan)
				}
				if walk := strings.Contains(texts[i], ") w LIMIT"); walk && !d.Postgres() &&
					(strings.Contains(plan, "TEMP B-TREE") || !strings.Contains(plan, x.index)) {
					t.Errorf("%s: not by %s\n%s\n%s", name, x.index, texts[i], plan)
				}
			}
			if all := strings.Join(plans, "\n"); !d.Postgres() && !strings.Contains(all, x.index) ||
				!strings.Contains(all, "tasks_apart") {
				t.Errorf("%s: neither %s nor tasks_apart in\n%s", name, x.index, all)
			}
		}
	})
}

// What waits in units is counted off the same indexes.
func TestUnitsAreCountedOffTheIndexesOfTheQueue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newCrowd(t, d, 200, 20)
		c.fillQueue()
		days := int64(5)
		unit := Target{worktest.Unit, &days}
		texts, plans := c.Plans(func(ctx context.Context, q db.Q) error {
			if _, err := Tallies(ctx, q, c.Students+1, []Target{unit}); err != nil {
				return err
			}
			_, err := Shares(ctx, q, c.Students+1, unit, []int{1, 3})
			return err
		})
		for i, plan := range plans {
			if found := worktest.Walked.FindString(plan); found != "" || !strings.Contains(plan, "tasks_apart") ||
				!d.Postgres() && !strings.Contains(plan, "INDEX tasks_line") {
				t.Errorf("%q\n%s\n%s", found, texts[i], plan)
			}
		}
	})
}
