package verdict

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// Undone is a verdict that was taken back.
type Undone struct {
	ID      int64         `json:"id" doc:"the number of the verdict"`
	At      clock.Time    `json:"date" doc:"when it was undone"`
	TaskID  int64         `json:"task_id" doc:"the number of the task"`
	Status  status.Status `json:"status" doc:"the status the task has again"`
	Version int64         `json:"version" doc:"of the task, after it"`
	Comment string        `json:"comment" doc:"the words that came with the verdict, to be a draft again; empty: none"`
	// Pointed are the comments with a place, to be drafts again.
	Pointed []work.Pointing `json:"pointed" doc:"the comments with a place that came with the verdict, to be drafts again"`
	// Rubric are the levels that came with it, to be picked again.
	Rubric *rubric.Pick `json:"rubric" doc:"the levels that came with the verdict, to be picked again; null: none did"`
}

// verdictRow is a verdict as it is stored.
type verdictRow struct {
	ID           int64       `db:"id"`
	TaskID       int64       `db:"task_id"`
	AuthorID     int64       `db:"user_id"`
	CommentID    *int64      `db:"comment_id"`
	Said         *string     `db:"comment"`
	LastComment  int64       `db:"last_comment_id"`
	UndoneAt     *clock.Time `db:"undone_at"`
	Answer       string      `db:"undo_answer"`
	ProjectID    int64       `db:"project_id"`
	DefinitionID int64       `db:"task_definition_id"`
}

const verdictRows = `SELECT v.id, v.task_id, v.user_id, v.comment_id, c.comment, v.last_comment_id, v.undone_at,
		v.undo_answer, t.project_id, t.task_definition_id
	FROM verdicts v JOIN tasks t ON t.id = v.task_id LEFT JOIN task_comments c ON c.id = v.comment_id WHERE `

// verdictTask is what stood of a task before a verdict.
type verdictTask struct {
	VerdictID int64 `db:"verdict_id"`
	TaskID    int64 `db:"task_id"`
	Version   int64 `db:"version"` // after it
	HistoryID int64 `db:"history_id"`
	work.StateRow
	SubmissionID *int64 `db:"group_submission_id"`
	Pct          int    `db:"contribution_pct"`
}

// undoing is a verdict that is to be undone, with the tasks it concerns, all held.
type undoing struct {
	verdictRow
	own    *work.HeldTask
	around []*work.HeldTask
	before []verdictTask
	after  int64 // the version of own
	points []work.PointedComment
	picked *rubric.Pick // the levels that are taken back with it
}

// Undo takes a verdict back, on all tasks it reached: they are what they were, its comment is
// gone and its words are given back, and the history says so. Only its author can, else it is
// fault.Denied, and only while nobody has acted since, else it is fault.Conflict. Where the
// unit has no such verdict it is fault.Missing. Asked again, it gives the first answer. Its
// author must still hold what Give needs.
func Undo(ctx context.Context, q db.Q, by work.Mover, unitID, id int64) (*Undone, error) {
	const one = verdictRows + `v.id = $1 AND t.unit_id = $2`
	v, err := db.OneOf[verdictRow](ctx, q, "verdict", one, id, unitID)
	if err != nil {
		return nil, err
	}
	own, around, err := lockTalk(ctx, q, work.TaskRef{ProjectID: v.ProjectID, DefinitionID: v.DefinitionID})
	if err != nil {
		return nil, err
	}
	// Again, now that nobody else can undo it.
	if v, err = db.OneOf[verdictRow](ctx, q, "verdict", one, id, unitID); err != nil {
		return nil, err
	}
	list := []*undoing{{verdictRow: *v, own: own, around: around}}
	no, err := refuseUndo(ctx, q, by, list)
	if err != nil {
		return nil, err
	}
	if no[id] != nil {
		return nil, no[id]
	}
	if v.UndoneAt != nil {
		first := Undone{Pointed: []work.Pointing{}}
		return &first, json.Unmarshal([]byte(v.Answer), &first)
	}
	done, err := undo(ctx, q, by, list)
	if err != nil {
		return nil, err
	}
	return &done[0], nil
}

// refuseUndo tells which verdicts cannot be undone, and why, and reads what stood before
// the others. A verdict that is undone already is not refused.
func refuseUndo(ctx context.Context, q db.Q, by work.Mover, list []*undoing) (map[int64]error, error) {
	no, byID := map[int64]error{}, map[int64]*undoing{}
	var ids []int64
	for _, u := range list {
		byID[u.ID], ids = u, append(ids, u.ID)
		if u.AuthorID != by.UserID {
			no[u.ID] = errNotTheirs()
		}
	}
	in, args := db.In(nil, ids)
	before, err := db.All[verdictTask](ctx, q, `SELECT * FROM verdict_tasks WHERE verdict_id IN `+in+
		` ORDER BY verdict_id, task_id`, args...)
	if err != nil {
		return nil, err
	}
	for _, p := range before {
		byID[p.VerdictID].before = append(byID[p.VerdictID].before, p)
	}
	points, err := work.PointedWith(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	answered, err := answeredSince(ctx, q, list)
	if err != nil {
		return nil, err
	}
	for _, u := range list {
		u.points = points[u.ID]
		switch {
		case no[u.ID] != nil || u.UndoneAt != nil:
		case u.changed():
			no[u.ID] = fault.New(fault.Conflict, "This task has changed since you marked it, so that cannot be "+
				"undone. Set another status instead.")
		case answered[u.ID] != "":
			no[u.ID] = fault.New(fault.Conflict, "%s has replied since you marked this, so it cannot be undone. Set "+
				"another status instead.", answered[u.ID])
		case u.ticked():
			no[u.ID] = fault.New(fault.Conflict, "One of your comments has been ticked as done since you marked this, "+
				"so it cannot be undone. Set another status instead.")
		default:
			if err := work.RefuseOwnWork(ctx, q, by.UserID, u.own); err != nil {
				no[u.ID] = err
			}
		}
	}
	return no, nil
}

func errNotTheirs() error {
	return fault.New(fault.Denied, "Somebody else marked this, and only they can undo it. Set another status "+
		"instead.")
}

// task gives one of the tasks that are held; nil where it is none of them.
func (u *undoing) task(id int64) *work.HeldTask {
	if u.own.ID == id {
		return u.own
	}
	if i := slices.IndexFunc(u.around, func(t *work.HeldTask) bool { return t.ID == id }); i >= 0 {
		return u.around[i]
	}
	return nil
}

// changed tells whether somebody has changed a task since the verdict, or its group.
func (u *undoing) changed() bool {
	return slices.ContainsFunc(u.before, func(p verdictTask) bool {
		t := u.task(p.TaskID)
		return t == nil || t.Version != p.Version
	})
}

// answeredSince names somebody else who has spoken since each verdict.
func answeredSince(ctx context.Context, q db.Q, list []*undoing) (map[int64]string, error) {
	var rows [][]any
	for _, u := range list {
		for _, t := range append([]*work.HeldTask{u.own}, u.around...) {
			rows = append(rows, []any{u.ID, t.ID, u.LastComment, u.AuthorID})
		}
	}
	from, args, err := db.Rows(q, nil, []string{"verdict_id BIGINT", "task_id BIGINT", "last BIGINT",
		"author_id BIGINT"}, rows)
	if err != nil {
		return nil, err
	}
	type row struct {
		ID   int64  `db:"verdict_id"`
		Name string `db:"name"`
	}
	found, err := db.All[row](ctx, q, `SELECT v.verdict_id, min(u.first_name || ' ' || u.last_name) AS name FROM `+from+` v
		JOIN task_comments c ON c.task_id = v.task_id AND c.id > v.last AND c.user_id <> v.author_id
		JOIN users u ON u.id = c.user_id GROUP BY v.verdict_id`, args...)
	out := map[int64]string{}
	for _, f := range found {
		out[f.ID] = f.Name
	}
	return out, err
}

// undo takes verdicts on tasks of one unit back, which nothing speaks against. The number
// of statements does not depend on how many there are.
func undo(ctx context.Context, q db.Q, by work.Mover, list []*undoing) ([]Undone, error) {
	if err := takeBackWords(ctx, q, by, list); err != nil {
		return nil, err
	}
	if err := regroup(ctx, q, list); err != nil {
		return nil, err
	}
	levels, err := takeBackLevels(ctx, q, list)
	if err != nil {
		return nil, err
	}
	var changes []work.TaskChange
	for _, u := range list {
		changes = append(changes, u.inverse(levels)...)
	}
	if err := work.Record(ctx, q, by, changes); err != nil {
		return nil, err
	}
	out, rows := make([]Undone, len(list)), make([][]any, len(list))
	for i, u := range list {
		out[i] = Undone{ID: u.ID, At: q.Now(), TaskID: u.TaskID, Status: u.own.Status, Version: u.after,
			Pointed: u.pointings(), Rubric: u.picked}
		if u.Said != nil {
			out[i].Comment = *u.Said
		}
		text, err := json.Marshal(out[i])
		if err != nil {
			return nil, err
		}
		rows[i] = []any{u.ID, string(text)}
	}
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"id BIGINT", "answer TEXT"}, rows)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `UPDATE verdicts SET undone_at = $1, undo_answer = v.answer FROM `+from+` v
		WHERE verdicts.id = v.id`, args...)
	return out, err
}

// inverse is what makes the tasks again what they were.
func (u *undoing) inverse(levels map[int64]rubric.Pick) []work.TaskChange {
	var out []work.TaskChange
	u.after = u.own.Version
	for _, p := range u.before {
		t := u.task(p.TaskID)
		after, now := p.State(), t.State()
		c := work.TaskChange{HeldTask: t, Plan: status.Plan{After: after}, Undoes: &p.HistoryID}
		_, c.Levels = levels[t.ID]
		if after.Status != now.Status || !reflect.DeepEqual(after.AssessedAt, now.AssessedAt) ||
			!reflect.DeepEqual(after.SubmittedAt, now.SubmittedAt) {
			c.Plan.Entries = []status.Entry{{Status: after.Status, By: status.Mover, Comment: t == u.own}}
		}
		if t == u.own && !c.Idle() {
			u.after++
		}
		out = append(out, c)
	}
	return out
}

// takeBackWords deletes the comments that came with verdicts.
func takeBackWords(ctx context.Context, q db.Q, by work.Mover, list []*undoing) error {
	var comments, tasks []int64
	var told []events.Event
	var entries []audit.Entry
	for _, u := range list {
		said := u.said()
		if len(said) == 0 {
			continue
		}
		comments, tasks = append(comments, said...), append(tasks, u.TaskID)
		told = append(told, spoken(by, u.own, u.around, said[len(said)-1], "deleted")...)
		for _, id := range said {
			entries = append(entries, audit.Entry{Kind: audit.Comment, Action: audit.Deleted, UserID: by.UserID,
				UnitID: u.own.UnitID, ProjectID: u.ProjectID, RecordID: id})
		}
	}
	if len(comments) == 0 {
		return nil
	}
	in, args := db.In(nil, comments)
	if _, err := db.Exec(ctx, q, `DELETE FROM task_comments WHERE id IN `+in, args...); err != nil {
		return err
	}
	if err := work.RecountNews(ctx, q, tasks...); err != nil {
		return err
	}
	if err := events.Add(ctx, q, told...); err != nil {
		return err
	}
	return audit.Add(ctx, q, entries...)
}

// regroup takes back that verdicts made groups share their work, where what was before
// is still there.
func regroup(ctx context.Context, q db.Q, list []*undoing) error {
	var rows [][]any
	var left []int64
	for _, u := range list {
		for _, p := range u.before {
			if t := u.task(p.TaskID); t.SubmissionID != nil && (p.SubmissionID == nil || *p.SubmissionID != *t.SubmissionID) {
				rows, left = append(rows, []any{t.ID, p.SubmissionID, p.Pct}), append(left, *t.SubmissionID)
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	from, args, err := db.Rows(q, nil, []string{"task_id BIGINT", "submission_id BIGINT", "pct INTEGER"}, rows)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET group_submission_id = v.submission_id, contribution_pct = v.pct
		FROM `+from+` v WHERE tasks.id = v.task_id AND (v.submission_id IS NULL
			OR EXISTS (SELECT 1 FROM group_submissions g WHERE g.id = v.submission_id))`, args...); err != nil {
		return err
	}
	return work.DropEmptySubmissions(ctx, q, left)
}

// verdictLife is how long a verdict can be undone, and a repeated one is known.
const verdictLife = 30 * 24 * time.Hour

// Prune forgets some of the verdicts that can no longer be undone, and tells how many. What
// they did stays. It is for the job that cleans up.
func Prune(ctx context.Context, q db.Q) (n int64, err error) {
	for _, table := range []string{"verdicts", "verdict_batches"} {
		gone, err := db.Exec(ctx, q, `DELETE FROM `+table+` WHERE id IN (SELECT id FROM `+table+` WHERE at < $1
			ORDER BY at LIMIT $2)`, clock.At(q.Now().Add(-verdictLife)), pruneAtOnce)
		if err != nil {
			return n, err
		}
		n += gone
	}
	return n, nil
}

// pruneAtOnce keeps the transactions that delete short.
const pruneAtOnce = 1000
