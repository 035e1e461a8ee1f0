package verdict

import (
	"context"
	"encoding/json"
	"errors"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/work"
)

// UndoneBatch is what the undo of a batch came to.
type UndoneBatch struct {
	ID      int64       `json:"id" doc:"the number of the batch"`
	Done    int         `json:"done" doc:"how many of its verdicts are undone"`
	Refused int         `json:"refused" doc:"how many of them cannot be"`
	Tasks   []UndoneRow `json:"tasks" doc:"the tasks on which there were verdicts"`
}

// UndoneRow is one verdict of a batch that was to be undone.
type UndoneRow struct {
	BatchTask
	VerdictID int64   `json:"verdict_id" doc:"the number of the verdict"`
	Undone    *Undone `json:"undone" doc:"what came of it; null where it is refused"`
	Refused   *string `json:"refused" doc:"why it is refused, in words; null where it is not"`
}

// UndoBatch takes the verdicts of a batch back: each as Undo does, if it can be,
// else its row says why not. It is fault.Denied for somebody else's, and fault.Missing
// where the unit has no such batch. Asked again, it tells the same of those that are undone.
func UndoBatch(ctx context.Context, q db.Q, by work.Mover, unitID, id int64) (*UndoneBatch, error) {
	author, err := db.OneOf[int64](ctx, q, "batch of verdicts", `SELECT user_id FROM verdict_batches
		WHERE id = $1 AND unit_id = $2`, id, unitID)
	if err != nil {
		return nil, err
	}
	if *author != by.UserID {
		return nil, errNotTheirs()
	}
	list, heads, err := holdBatch(ctx, q, unitID, id)
	if err != nil {
		return nil, err
	}
	no, err := refuseUndo(ctx, q, by, list)
	if err != nil {
		return nil, err
	}
	var now []*undoing
	for _, u := range list {
		if no[u.ID] == nil && u.UndoneAt == nil {
			now = append(now, u)
		}
	}
	done := map[int64]Undone{}
	if len(now) > 0 {
		all, err := undo(ctx, q, by, now)
		if err != nil {
			return nil, err
		}
		for _, d := range all {
			done[d.ID] = d
		}
	}
	return undoneBatch(id, list, heads, no, done)
}

// holdBatch holds the tasks of a batch and reads its verdicts while nobody else can undo
// one.
func holdBatch(ctx context.Context, q db.Q, unitID, id int64) ([]*undoing, []BatchTask, error) {
	ids, err := db.All[int64](ctx, q, `SELECT task_id FROM verdicts WHERE batch_id = $1 ORDER BY id`, id)
	if err != nil {
		return nil, nil, err
	}
	heads, err := batchTasks(ctx, q, unitID, ids)
	if err != nil {
		return nil, nil, err
	}
	h, err := newHolder(ctx, q, heads)
	if err != nil {
		return nil, nil, err
	}
	at := map[int64]held{}
	for _, t := range heads {
		if at[t.TaskID], err = h.get(ctx, q, t); err != nil {
			return nil, nil, err
		}
	}
	rows, err := db.All[verdictRow](ctx, q, verdictRows+`v.batch_id = $1 ORDER BY v.id`, id)
	list := make([]*undoing, len(rows))
	for i, r := range rows {
		list[i] = &undoing{verdictRow: r, own: at[r.TaskID].own, around: at[r.TaskID].around}
	}
	return list, heads, err
}

// undoneBatch tells what came of each verdict.
func undoneBatch(id int64, list []*undoing, heads []BatchTask, no map[int64]error,
	done map[int64]Undone) (*UndoneBatch, error) {
	out := &UndoneBatch{ID: id, Tasks: make([]UndoneRow, len(list))}
	for i, u := range list {
		row := UndoneRow{BatchTask: heads[i], VerdictID: u.ID}
		d, ok := done[u.ID]
		switch {
		case ok:
			row.Undone = &d
		case u.UndoneAt != nil && no[u.ID] == nil:
			row.Undone = &Undone{Pointed: []work.Pointing{}}
			if err := json.Unmarshal([]byte(u.Answer), row.Undone); err != nil {
				return nil, err
			}
		default:
			e, isFault := errors.AsType[*fault.Error](no[u.ID])
			if !isFault {
				return nil, no[u.ID]
			}
			row.Refused = new(e.Sentence())
		}
		if row.Refused != nil {
			out.Refused++
		} else {
			out.Done++
		}
		out.Tasks[i] = row
	}
	return out, nil
}
