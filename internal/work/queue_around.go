package work

import (
	"context"

	"lectern/internal/db"
)

// Around is where a task stands in a queue.
type Around struct {
	Position int64   `json:"position"` // 1 is the first; 0: it does not wait, or the filters leave it out
	Total    int64   `json:"total"`
	Before   []int64 `json:"before"` // the tasks before it, the nearest first
	After    []int64 `json:"after"`  // those after it, the nearest first
}

// Around tells where a task stands in the queue, and up to n tasks on either side. For
// one that does not wait, because it was judged just now, they are those around the
// place it would have. With the task 0 it gives the beginning.
func (w Queue) Around(ctx context.Context, q db.Q, taskID int64, n int) (*Around, error) {
	s, err := w.selection(ctx, q)
	if err != nil {
		return nil, err
	}
	by := w.Sort.known()
	rows, err := db.All[struct {
		ID     int64 `db:"id"`
		Passed bool  `db:"passed"`
	}](ctx, q, s.more()+`k AS (`+s.keyed(by, "")+`), h AS (`+s.here(by)+`)
		SELECT `+standsFor+` AS id, coalesce((k.place, k.name, k.since, k.id) <= (h.place, h.name, h.since, h.id),
			FALSE) AS passed
		FROM k JOIN tasks o ON o.id = k.id LEFT JOIN h ON TRUE ORDER BY k.place, k.name, k.since, k.id`,
		append(s.args, taskID)...)
	if err != nil {
		return nil, err
	}
	a := &Around{Total: int64(len(rows)), Before: []int64{}, After: []int64{}}
	at := 0 // of the first behind the task
	for i, r := range rows {
		if r.ID == taskID {
			a.Position, at = int64(i+1), i+1
			break
		}
		if r.Passed {
			at = i + 1
		}
	}
	before := at
	if a.Position > 0 {
		before--
	}
	for i := before - 1; i >= max(0, before-n); i-- {
		a.Before = append(a.Before, rows[i].ID)
	}
	for _, r := range rows[at:min(len(rows), at+n)] {
		a.After = append(a.After, r.ID)
	}
	return a, nil
}

// here selects the task in the first argument after the others with what puts it in
// order, whether it waits or not.
func (s *selection) here(by Sort) string {
	o := orders[by]
	if o.join == "" {
		o.name = `''`
		o.place = `CASE WHEN EXISTS (SELECT 1 FROM task_pins b JOIN tasks m ON m.id = b.task_id WHERE b.user_id = $2
				AND (m.id = t.id OR m.group_submission_id = t.group_submission_id)) THEN 0
			WHEN t.status NOT IN ` + awaitingStatuses + ` AND ` + called("t") + ` THEN 2 ELSE 1 END`
	}
	return `SELECT t.id, ` + o.place + ` AS place, ` + o.name + ` AS name, ` + since + ` AS since FROM tasks t` + o.join +
		` WHERE t.unit_id = $1 AND t.id = ` + s.arg(1)
}

// RowsOf gives the rows of tasks of the unit in the order of their ids in the list,
// whether they wait or not. A task of which the caller may not be told is left out.
func (w Queue) RowsOf(ctx context.Context, q db.Q, ids []int64) ([]QueueRow, error) {
	args := []any{w.UnitID, w.CallerID}
	list := make([][]any, len(ids))
	for i, id := range ids {
		list[i] = []any{i, id}
	}
	text, args, err := db.Rows(q, args, []string{"place BIGINT", "id BIGINT"}, list)
	if err != nil {
		return nil, err
	}
	return db.All[QueueRow](ctx, q, `WITH k AS (SELECT w.place, w.id, '' AS name, `+since+` AS since
		FROM `+text+` w JOIN tasks t ON t.id = w.id WHERE t.unit_id = $1`+ofOthers+`) `+rowsOf, args...)
}
