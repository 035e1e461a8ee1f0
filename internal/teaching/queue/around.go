package queue

import (
	"context"
	"slices"

	"lectern/internal/platform/db"
)

// Around is where a task stands in a queue.
type Around struct {
	Position int64 `json:"position"` // 1 is the first; 0: it does not wait, or the filters leave it out
	Total    int64 `json:"total"`    // rows, with what is only pinned
	Tally    `json:"-"`
	Before   []int64 `json:"before"` // the tasks before it, the nearest first
	After    []int64 `json:"after"`  // those after it, the nearest first
}

// Around tells where a task stands in the queue, and up to n tasks on either side. For
// one that does not wait, because it was marked just now, they are those around the
// place it would have. With the task 0 it gives the beginning.
func (w Queue) Around(ctx context.Context, q db.Q, taskID int64, n int) (*Around, error) {
	l, err := w.lined(ctx, q, false)
	if err != nil {
		return nil, err
	}
	a := &Around{Total: l.total(), Tally: l.tally(), Before: []int64{}, After: []int64{}}
	at, err := l.at(ctx, taskID)
	if err != nil {
		return nil, err
	}
	first := max(0, at-int64(n))
	near, err := l.part(ctx, first, at-first+int64(n)+1)
	if err != nil {
		return nil, err
	}
	i := min(int(at-first), len(near)) // of the task, or of the first behind it
	for _, s := range slices.Backward(near[:i]) {
		a.Before = append(a.Before, s.Shown)
	}
	if i < len(near) && near[i].Shown == taskID {
		a.Position = at + 1
		i++
	}
	for _, s := range near[i:min(len(near), i+n)] {
		a.After = append(a.After, s.Shown)
	}
	return a, nil
}

// at counts what comes before a task in the queue.
func (l *lined) at(ctx context.Context, taskID int64) (int64, error) {
	if i := slices.IndexFunc(l.apart, func(s spot) bool { return s.Shown == taskID }); i >= 0 {
		return l.countBefore(ctx, l.apart[i])
	}
	list, err := db.All[spot](ctx, l.q, l.here(), l.UnitID, l.CallerID, taskID)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	if l.by != ByWaiting {
		list[0].Place = l.order.line
	}
	l.placed(list)
	return l.countBefore(ctx, list[0])
}

func (l *lined) countBefore(ctx context.Context, s spot) (int64, error) {
	n, err := l.ahead(ctx, s)
	return n - before(l.leftOut, s) + before(l.apart, s), err
}

// here selects the spot of a task, whether it waits or not, as it is in the order of
// waiting.
func (l *lined) here() string {
	return `SELECT ` + l.order.spotOf(`FALSE`, `CASE WHEN EXISTS (SELECT 1 FROM task_pins b JOIN tasks m ON m.id = b.task_id
			WHERE b.user_id = $2 AND (m.id = t.id OR m.group_submission_id = t.group_submission_id)) THEN 0
		WHEN t.status NOT IN `+awaitingStatuses+` AND `+called+` THEN 2 ELSE 1 END`, waitsSince, `t.id`, `3`) +
		` FROM tasks t WHERE t.unit_id = $1 AND t.id = $3`
}

// RowsOf gives the rows of tasks of the unit in the order of their ids in the list,
// whether they wait or not. A task of which the caller may not be told is left out.
func (w Queue) RowsOf(ctx context.Context, q db.Q, ids []int64) ([]Row, error) {
	list := make([][]any, len(ids))
	for i, id := range ids {
		list[i] = []any{i, id}
	}
	text, args, err := db.Rows(q, []any{w.UnitID, w.CallerID, q.Now()}, []string{"place BIGINT", "id BIGINT"}, list)
	if err != nil {
		return nil, err
	}
	return db.All[Row](ctx, q, `WITH k AS (SELECT w.place, w.id, `+waitsSince+` AS since
		FROM `+text+` w JOIN tasks t ON t.id = w.id JOIN projects o ON o.id = t.project_id AND o.enrolled
			AND o.user_id <> $2 WHERE t.unit_id = $1) `+rowsOf, args...)
}
