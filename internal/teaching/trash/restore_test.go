package trash

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/work/worktest"
)

// bin is a unit of two students whose work for definition 1 is deleted and restored.
type bin struct {
	*worktest.Crowd
	now time.Time
}

// eachBin runs a test on both engines. Student 1 handed in, got a grade and a comment;
// student 2 did nothing yet.
func eachBin(t *testing.T, f func(b *bin)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			b := &bin{now: clock.Real()}
			b.Crowd = worktest.New(t, dbtest.New(t, engine, func() time.Time { return b.now }), 2, 2)
			b.Set(`INSERT INTO tasks (project_id, task_definition_id, unit_id, status, grade, submission_date, created_at,
				updated_at) VALUES (1, 1, 1, 'complete', 2, $1, $1, $1), (2, 1, 1, 'not_started', NULL, NULL, $1, $1),
				(1, 2, 1, 'redo', NULL, $1, $1, $1)`, b.Now())
			b.Set(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
				SELECT id, 1, 3, 1, 'text', 'Well "done", é', $1 FROM tasks WHERE project_id = 1 AND task_definition_id = 1`,
				b.Now())
			f(b)
		})
	}
}

var first = Thing{Kind: Definition, ID: 1}

// remove deletes definition 1 as its package does, and gives what was kept.
func (b *bin) remove() (d *Deletion, told []Student) {
	b.Helper()
	err := b.Tx(b.Context(), func(q db.Q) (err error) {
		if d, told, err = Keep(b.Context(), q, first, 3); err != nil {
			return err
		}
		_, err = db.Exec(b.Context(), q, `DELETE FROM task_definitions WHERE id = 1`)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return d, told
}

func (b *bin) restore(unit, id int64) (r *Restored, err error) {
	err = b.Tx(b.Context(), func(q db.Q) error { r, err = Restore(b.Context(), q, unit, id); return err })
	return r, err
}

// rows gives every row of the tables of the work, as text.
func (b *bin) rows() (out []string) {
	b.Helper()
	for _, t := range []string{definitions, tasks, "task_comments"} {
		for r, err := range db.Records(context.Background(), b.Pool(), `SELECT * FROM `+t+` ORDER BY id`) {
			if err != nil {
				b.Fatal(err)
			}
			text, err := toRow(r).encode()
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, t+" "+text)
		}
	}
	return out
}

func TestRestoredWorkIsAsItWas(t *testing.T) {
	eachBin(t, func(b *bin) {
		before := b.rows()
		d, told := b.remove()
		if want := []Student{{1, 1}}; !slices.Equal(told, want) || d.Students != 1 || d.DeletedBy != 3 {
			b.Errorf("told %v, %+v", told, d)
		}
		if left := b.rows(); len(left) != 2 {
			b.Errorf("left behind: %v", left)
		}
		r, err := b.restore(worktest.Unit, d.ID)
		if err != nil || !slices.Equal(r.Students, told) {
			b.Fatalf("%+v, %v", r, err)
		}
		if after := b.rows(); !slices.Equal(before, after) {
			b.Errorf("before:\n%s\nafter:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
		if _, err := b.restore(worktest.Unit, d.ID); !fault.Is(err, fault.Missing) {
			b.Errorf("twice: %v", err)
		}
	})
}

// What cannot come back is refused, says why, and leaves everything as it is.
func TestRestoringIsRefusedWhereItsPlaceIsTaken(t *testing.T) {
	eachBin(t, func(b *bin) {
		d, _ := b.remove()
		if _, err := b.restore(worktest.Unit+1, d.ID); !fault.Is(err, fault.Missing) {
			b.Errorf("from another unit: %v", err)
		}
		b.Set(`INSERT INTO task_definitions (id, unit_id, name, abbreviation, description, weighting, target_grade,
			start_date, target_date, due_date) SELECT 9, unit_id, 'D1', 'D1', '', 1, 0, start_date, target_date, due_date
			FROM task_definitions WHERE id = 2`)
		before := b.rows()
		_, err := b.restore(worktest.Unit, d.ID)
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "D1 D1 is now used by another task") {
			b.Errorf("with its name taken: %v", err)
		}
		if !slices.Equal(before, b.rows()) {
			b.Error("a refusal changed something")
		}
		b.Set(`DELETE FROM task_definitions WHERE id = 9`)
		if _, err := b.restore(worktest.Unit, d.ID); err != nil {
			b.Errorf("with its name free again: %v", err)
		}
	})
}

// Thirty days, to the moment; after them it is gone, whether it was pruned or not.
func TestDeletedWorkIsKeptForThirtyDays(t *testing.T) {
	eachBin(t, func(b *bin) {
		d, _ := b.remove()
		if until := d.KeptUntil.Sub(d.At.Time); until != Lasts {
			b.Errorf("kept for %v", until)
		}
		prune := func() (n int64) {
			err := b.Tx(b.Context(), func(q db.Q) (err error) { n, err = Prune(b.Context(), q); return err })
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
		list := func() []Deletion {
			all, err := Of(b.Context(), b.Pool(), worktest.Unit)
			if err != nil {
				b.Fatal(err)
			}
			return all
		}
		b.now = d.KeptUntil.Add(-time.Millisecond)
		if n := prune(); n != 0 || len(list()) != 1 {
			b.Errorf("a moment before: %d pruned, %v", n, list())
		}
		b.now = d.KeptUntil.Time
		if _, err := b.restore(worktest.Unit, d.ID); len(list()) != 0 || !fault.Is(err, fault.Missing) {
			b.Errorf("at the end: %v, %v", list(), err)
		}
		if n := prune(); n != 1 || b.Number(`SELECT count(*) FROM deleted_rows`) != 0 {
			b.Errorf("%d pruned", n)
		}
	})
}

// What refuses a deletion names the work that would go, and only that.
func TestRefusalsNameTheWork(t *testing.T) {
	eachBin(t, func(b *bin) {
		refuse := func(id int64) error {
			return Refuse(b.Context(), b.Pool(), Thing{Kind: Definition, ID: id}, "The task D")
		}
		err := refuse(1)
		if !fault.Is(err, fault.Conflict) ||
			!strings.Contains(err.Error(), "The task D holds students' work (submissions: 1; comments: 1; grades: 1; students: 1)") {
			b.Errorf("%v", err)
		}
		b.Set(`DELETE FROM task_comments`)
		b.Set(`UPDATE tasks SET submission_date = NULL, grade = NULL`)
		if err := refuse(1); err != nil {
			b.Errorf("without work: %v", err)
		}
		for column, value := range map[string]any{"extensions": 1, "quality_pts": 0, "grade": 1} {
			b.Set(`UPDATE tasks SET `+column+` = $1 WHERE project_id = 2`, value)
			if err := refuse(1); !fault.Is(err, fault.Conflict) {
				b.Errorf("with %s: %v", column, err)
			}
			b.Set(`UPDATE tasks SET extensions = 0, quality_pts = -1, grade = NULL`)
		}
	})
}

// A row comes back from the archive as it went in, whatever is in it.
func TestRowsSurviveTheArchive(t *testing.T) {
	in := row{"id": int64(1 << 60), "text": "a\x00b \"é\" ", "none": nil, "yes": true, "bytes": []byte{0, 255, 7}}
	text, err := in.encode()
	if err != nil {
		t.Fatal(err)
	}
	out, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if b, ok := out["bytes"].([]byte); !ok || !slices.Equal(b, []byte{0, 255, 7}) {
		t.Errorf("bytes: %v", out["bytes"])
	}
	delete(in, "bytes")
	delete(out, "bytes")
	if !maps.Equal(in, out) {
		t.Errorf("%v came back as %v", in, out)
	}
}
