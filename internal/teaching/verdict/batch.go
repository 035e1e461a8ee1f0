package verdict

import (
	"context"
	"encoding/json"
	"slices"

	"lectern/internal/teaching/work"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// Most is how many tasks a batch may name.
const Most = 200

// TaskVersion is a task and the version of it that was looked at.
type TaskVersion struct {
	ID      int64 `json:"id"`
	Version int64 `json:"version"`
}

// Batch is what one verdict on many tasks came to, or would come to.
type Batch struct {
	ID      *int64     `json:"id" doc:"the number of the batch, to undo it by; null where nothing was done"`
	Done    int        `json:"done" doc:"how many tasks the verdict reaches"`
	Refused int        `json:"refused" doc:"how many tasks it is refused for"`
	Tasks   []BatchRow `json:"tasks" doc:"the tasks in the order they were asked for"`

	Repeated bool `json:"-"` // its key was sent before: nothing was changed
}

// Reached are the definitions of the tasks that the verdict was given on.
func (b *Batch) Reached() (definitions []int64) {
	for _, r := range b.Tasks {
		if r.VerdictID != nil && !slices.Contains(definitions, r.DefinitionID) {
			definitions = append(definitions, r.DefinitionID)
		}
	}
	return definitions
}

// BatchTask is a task of a batch, and whose it is.
type BatchTask struct {
	TaskID       int64  `db:"id" json:"task_id" doc:"the number of the task"`
	ProjectID    int64  `db:"project_id" json:"project_id" doc:"the number of the student's project"`
	DefinitionID int64  `db:"task_definition_id" json:"task_definition_id" doc:"the number of the task definition"`
	FirstName    string `db:"first_name" json:"first_name" doc:"the student's first name"`
	LastName     string `db:"last_name" json:"last_name" doc:"the student's last name"`
	Username     string `db:"username" json:"username" doc:"the student's username"`
	Abbreviation string `db:"abbreviation" json:"abbreviation" doc:"of the task definition"`
	Grouped      bool   `db:"grouped" json:"-"`
}

// BatchRow is what the verdict of a batch comes to on one of its tasks.
type BatchRow struct {
	BatchTask
	From      *status.Status `json:"from_status" doc:"the status before it; null where it is refused"`
	To        *status.Status `json:"to_status" doc:"the status after it; null where it is refused"`
	Version   *int64         `json:"version" doc:"of the task, after it; null where it is refused"`
	VerdictID *int64         `json:"verdict_id" doc:"the number of the verdict; null where there is none of its own"`
	With      *int64         `json:"with_task_id" doc:"the task of the same group by whose verdict it was reached"`
	Grade     *grade.Grade   `json:"grade" doc:"the grade after it; null where there is none, or it is refused"`
	Quality   *int           `json:"quality_pts" doc:"the quality points after it; null where there are none, or it is refused"`
	Refused   *string        `json:"refused" doc:"why it is refused, in words; null where it is not"`
	Needs     []string       `json:"needs" doc:"the marks it is refused for want of: grade, quality_pts"`
	Levels    bool           `json:"levels" doc:"whether it was given the levels of the rubric"`

	decision *decision
}

// batchTasks reads tasks of a unit in the order they are asked for. One that is not of
// the unit is fault.Missing.
func batchTasks(ctx context.Context, q db.Q, unitID int64, ids []int64) ([]BatchTask, error) {
	in, args := db.In([]any{unitID}, ids)
	found, err := db.All[BatchTask](ctx, q, `SELECT t.id, t.project_id, t.task_definition_id, u.first_name, u.last_name,
			u.username, d.abbreviation, d.group_set_id IS NOT NULL OR t.group_submission_id IS NOT NULL AS grouped
		FROM tasks t JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
		JOIN task_definitions d ON d.id = t.task_definition_id WHERE t.unit_id = $1 AND t.id IN `+in, args...)
	if err != nil {
		return nil, err
	}
	byID := map[int64]BatchTask{}
	for _, t := range found {
		byID[t.TaskID] = t
	}
	out := make([]BatchTask, len(ids))
	for i, id := range ids {
		var ok bool
		if out[i], ok = byID[id]; !ok {
			return nil, fault.New(fault.Missing, "There is no task %d in this unit.", id)
		}
	}
	return out, nil
}

// held are tasks that nobody else can change now.
type held struct {
	own    *work.HeldTask
	around []*work.HeldTask
}

// holder holds the tasks of a batch: those that one student works on alone all at once,
// those of groups one after the other, as a move does.
type holder map[int64]*work.HeldTask

func newHolder(ctx context.Context, q db.Q, list []BatchTask) (holder, error) {
	var alone []int64
	for _, t := range list {
		if !t.Grouped {
			alone = append(alone, t.TaskID)
		}
	}
	in, args := db.In(nil, alone)
	tasks, err := work.LockTasks(ctx, q, `t.id IN `+in, args...)
	h := holder{}
	for _, t := range tasks {
		h[t.ID] = t
	}
	return h, err
}

func (h holder) get(ctx context.Context, q db.Q, t BatchTask) (held, error) {
	if own := h[t.TaskID]; own != nil {
		return held{own: own}, nil
	}
	own, around, err := lockTalk(ctx, q, work.TaskRef{ProjectID: t.ProjectID, DefinitionID: t.DefinitionID})
	return held{own, around}, err
}

// GiveBatch gives one verdict on many tasks of a unit: on each as Give does, if it can be given
// there, else the row says why not. Its marks are for the tasks that have a place for them. In
// a group the first of its tasks stands for all it reaches. More than Most, the same twice and
// none are fault.Invalid, a task of another unit is fault.Missing. The same key again gives the
// first answer. It is for holders of policy.GiveFeedback in the unit, with what Give needs.
func GiveBatch(ctx context.Context, q db.Q, by work.Mover, unitID int64, v Verdict, tasks []TaskVersion) (*Batch,
	error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	ids, err := batchIDs(tasks)
	if err != nil {
		return nil, err
	}
	list, err := batchTasks(ctx, q, unitID, ids)
	if err != nil {
		return nil, err
	}
	id, first, err := v.claim(ctx, q, by, unitID, ids)
	if err != nil || first != nil {
		return first.named(list), err
	}
	if err := v.pick(ctx, q, definitionsOf(list)...); err != nil {
		return nil, err
	}
	if v.unfit != nil {
		return nil, v.unfit
	}
	rows, err := v.checkAll(ctx, q, by, list, tasks)
	if err != nil {
		return nil, err
	}
	var decisions []*decision
	for _, r := range rows {
		if r.decision != nil && r.With == nil {
			decisions = append(decisions, r.decision)
		}
	}
	if len(decisions) == 0 {
		_, err := db.Exec(ctx, q, `DELETE FROM verdict_batches WHERE id = $1`, id)
		return (&Batch{Tasks: rows}).count(), err
	}
	single := v
	single.Key = "" // it is the batch's
	if err := single.write(ctx, q, by, decisions, &id); err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].settle()
	}
	out := (&Batch{ID: &id, Tasks: rows}).count()
	return out, v.keepBatch(ctx, q, out)
}

// batchIDs checks what tasks a batch names.
func batchIDs(tasks []TaskVersion) ([]int64, error) {
	if len(tasks) == 0 || len(tasks) > Most {
		return nil, fault.Field(fault.Invalid, "tasks", "must be 1 to %d tasks, not %d", Most, len(tasks))
	}
	ids, seen := make([]int64, len(tasks)), map[int64]bool{}
	for i, t := range tasks {
		if seen[t.ID] {
			return nil, fault.Field(fault.Invalid, "tasks", "name the task %d twice", t.ID)
		}
		ids[i], seen[t.ID] = t.ID, true
	}
	return ids, nil
}

// claim makes the row of a batch, or gives what an earlier request with its key was
// answered.
func (v Verdict) claim(ctx context.Context, q db.Q, by work.Mover, unitID int64, ids []int64) (int64, *Batch, error) {
	hash, err := v.hash(unitID, ids)
	if err != nil {
		return 0, nil, err
	}
	var key *string
	if v.Key != "" {
		key = &v.Key
	}
	made, err := db.All[int64](ctx, q, `INSERT INTO verdict_batches (unit_id, user_id, at, key, request_hash)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id`, unitID, by.UserID, q.Now(), key, hash)
	if err != nil {
		return 0, nil, err
	}
	if len(made) > 0 {
		return made[0], nil, nil
	}
	text, err := firstAnswer(ctx, q, "verdict_batches", by.UserID, v.Key, hash)
	if err != nil {
		return 0, nil, err
	}
	first := Batch{Repeated: true}
	return 0, &first, json.Unmarshal([]byte(text), &first)
}

// checkAll tells for each task whether the verdict may be given, and holds the tasks.
func (v Verdict) checkAll(ctx context.Context, q db.Q, by work.Mover, list []BatchTask, asked []TaskVersion) ([]BatchRow,
	error) {
	h, err := newHolder(ctx, q, list)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(list))
	for i, t := range list {
		ids[i] = t.TaskID
	}
	echo, err := v.echoes(ctx, q, by, ids...)
	if err != nil {
		return nil, err
	}
	rows, leader := make([]BatchRow, len(list)), map[int64]*decision{}
	for i, t := range list {
		r := &rows[i]
		r.BatchTask, r.Needs = t, []string{}
		if r.decision = leader[t.TaskID]; r.decision != nil {
			r.With = &r.decision.Own.ID
			continue
		}
		at, err := h.get(ctx, q, t)
		if err != nil {
			return nil, err
		}
		single := v.fitting(at.own)
		if r.decision, err = single.checkOn(ctx, q, by, at.own, asked[i].Version, echo[t.TaskID]); err != nil {
			if err := r.refuse(single, at.own, echo[t.TaskID], err); err != nil {
				return nil, err
			}
			continue
		}
		r.decision.around = at.around
		if at.own.GroupID != nil {
			for _, member := range at.around {
				leader[member.ID] = r.decision
			}
		}
	}
	return rows, nil
}

// settle fills in what became of the task.
func (r *BatchRow) settle() {
	switch {
	case r.decision == nil:
	case r.With == nil:
		r.From, r.To = &r.decision.Before.Status, &r.decision.Own.Status
		r.Version, r.VerdictID = &r.decision.version, &r.decision.id
		r.marks(r.decision.Own)
		r.Levels = r.decision.picked != nil
	default:
		for _, member := range r.decision.around {
			if version, ok := r.decision.reached[member.ID]; ok && member.ID == r.TaskID {
				r.From, r.To, r.Version = new(r.decision.were[member.ID]), &member.Status, &version
				r.marks(member)
				r.Levels = r.decision.picked != nil
				return
			}
		}
		r.Refused = new("Marking the group does not change this task. Mark it on its own.")
	}
}

// marks fills in the marks that the task has now.
func (r *BatchRow) marks(t *work.HeldTask) {
	r.Grade = t.Grade
	if t.Quality >= 0 && t.MaxQuality > 0 {
		r.Quality = &t.Quality
	}
}

// count counts the rows.
func (b *Batch) count() *Batch {
	for _, r := range b.Tasks {
		if r.Refused != nil {
			b.Refused++
		} else {
			b.Done++
		}
	}
	return b
}

// keepBatch keeps the answer for a repeat, without the names of people.
func (v Verdict) keepBatch(ctx context.Context, q db.Q, b *Batch) error {
	if v.Key == "" {
		return nil
	}
	bare := *b
	bare.Tasks = make([]BatchRow, len(b.Tasks))
	for i, r := range b.Tasks {
		r.FirstName, r.LastName, r.Username = "", "", ""
		bare.Tasks[i] = r
	}
	text, err := json.Marshal(bare)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE verdict_batches SET answer = $2 WHERE id = $1`, *b.ID, string(text))
	return err
}

// named is a batch that was kept, with the people as they are called now.
func (b *Batch) named(list []BatchTask) *Batch {
	if b == nil {
		return nil
	}
	for i := range b.Tasks {
		b.Tasks[i].BatchTask = list[i]
	}
	return b
}
