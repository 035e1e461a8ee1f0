package verdict

import (
	"context"
	"fmt"

	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/work"
)

// write makes verdicts true on tasks of one unit, and keeps what their undo needs. The
// number of statements does not depend on how many tasks there are, but for groups that
// have handed in nothing yet.
func (v Verdict) write(ctx context.Context, q db.Q, by work.Mover, list []*decision, batch *int64) error {
	if err := v.open(ctx, q, by, list, batch); err != nil {
		return err
	}
	var changes []work.TaskChange
	for _, r := range list {
		var err error
		r.were = map[int64]status.Status{}
		for _, t := range r.around {
			r.were[t.ID] = t.Status
		}
		if r.changes, err = r.Reach(ctx, q, r.around); err != nil {
			return err
		}
		r.level(by)
		changes = append(changes, r.changes...)
	}
	if err := v.point(ctx, q, by, list); err != nil {
		return err
	}
	if v.Comment != "" {
		if err := v.say(ctx, q, by, list); err != nil {
			return err
		}
	}
	if err := work.Record(ctx, q, by, changes); err != nil {
		return err
	}
	if err := giveLevels(ctx, q, by, list); err != nil {
		return err
	}
	return finish(ctx, q, list)
}

// open writes the rows of verdicts, and what stands before them.
func (v Verdict) open(ctx context.Context, q db.Q, by work.Mover, list []*decision, batch *int64) error {
	var key *string
	if v.Key != "" {
		key = &v.Key
	}
	rows, byTask := make([][]any, len(list)), map[int64]*decision{}
	for i, r := range list {
		rows[i] = []any{i, r.Own.ID, r.hash, key, batch}
		byTask[r.Own.ID] = r
	}
	from, args, err := db.Rows(q, []any{by.UserID, q.Now()}, []string{"n INTEGER", "task_id BIGINT", "hash TEXT",
		"key TEXT", "batch_id BIGINT"}, rows)
	if err != nil {
		return err
	}
	type row struct {
		ID     int64 `db:"id"`
		TaskID int64 `db:"task_id"`
	}
	made, err := db.All[row](ctx, q, `INSERT INTO verdicts (task_id, user_id, at, request_hash, key, batch_id)
		SELECT v.task_id, $1, $2, v.hash, v.key, v.batch_id FROM `+from+` v WHERE TRUE ORDER BY v.n
		ON CONFLICT DO NOTHING RETURNING id, task_id`, args...)
	if err != nil {
		return fmt.Errorf("write verdicts: %w", err)
	}
	if len(made) < len(list) {
		return errKeyUsed() // meanwhile, on another task
	}
	for _, m := range made {
		byTask[m.TaskID].id = m.ID
	}
	return keepBefore(ctx, q, list)
}

// parts are the verdicts with each task they may reach, and the comments that came with
// them.
func parts(list []*decision) [][]any {
	var rows [][]any
	for _, r := range list {
		for _, t := range append([]*work.HeldTask{r.Own}, r.around...) {
			rows = append(rows, []any{r.id, t.ID, r.comment})
		}
	}
	return rows
}

var partColumns = []string{"verdict_id BIGINT", "task_id BIGINT", "comment_id BIGINT"}

// keepBefore keeps what stands of the tasks that verdicts may reach.
func keepBefore(ctx context.Context, q db.Q, list []*decision) error {
	from, args, err := db.Rows(q, nil, partColumns, parts(list))
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO verdict_tasks (verdict_id, task_id, version, history_id, status,
			submission_date, file_uploaded_at, assessment_date, completion_date, times_assessed, grade,
			failed_for_lateness, quality_pts, extensions, group_submission_id, contribution_pct)
		SELECT v.verdict_id, t.id, t.version, coalesce((SELECT max(h.id) FROM task_history h WHERE h.task_id = t.id), 0),
			t.status, t.submission_date, t.file_uploaded_at, t.assessment_date, t.completion_date, t.times_assessed,
			t.grade, t.failed_for_lateness, t.quality_pts, t.extensions, t.group_submission_id, t.contribution_pct
		FROM `+from+` v JOIN tasks t ON t.id = v.task_id`, args...)
	if err != nil {
		return fmt.Errorf("keep what stands before verdicts: %w", err)
	}
	return nil
}

// finish notes what verdicts left behind: the versions of the tasks they reached,
// and the last comment of each conversation. Tasks they did not reach are forgotten.
func finish(ctx context.Context, q db.Q, list []*decision) error {
	from, args, err := db.Rows(q, nil, partColumns, parts(list))
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE verdicts SET comment_id = x.comment_id, last_comment_id = x.last
		FROM (SELECT v.verdict_id, max(v.comment_id) AS comment_id, max(c.id) AS last FROM `+from+` v
			JOIN task_comments c ON c.task_id = v.task_id GROUP BY v.verdict_id) x
		WHERE verdicts.id = x.verdict_id`, args...); err != nil {
		return err
	}
	byID, grouped := map[int64]*decision{}, false
	for _, r := range list {
		byID[r.id], r.reached = r, map[int64]int64{}
		grouped = grouped || len(r.around) > 0
	}
	if grouped {
		if _, err := db.Exec(ctx, q, `DELETE FROM verdict_tasks WHERE EXISTS (SELECT 1 FROM `+from+` v
			JOIN verdicts w ON w.id = v.verdict_id AND w.task_id <> v.task_id JOIN tasks t ON t.id = v.task_id
			WHERE v.verdict_id = verdict_tasks.verdict_id AND v.task_id = verdict_tasks.task_id
				AND t.version = verdict_tasks.version
				AND coalesce(t.group_submission_id, 0) = coalesce(verdict_tasks.group_submission_id, 0))`,
			args...); err != nil {
			return err
		}
	}
	type row struct {
		ID      int64 `db:"verdict_id"`
		TaskID  int64 `db:"task_id"`
		Version int64 `db:"version"`
	}
	after, err := db.All[row](ctx, q, `UPDATE verdict_tasks SET version = t.version FROM `+from+` v
		JOIN tasks t ON t.id = v.task_id WHERE verdict_tasks.verdict_id = v.verdict_id
			AND verdict_tasks.task_id = v.task_id
		RETURNING verdict_tasks.verdict_id, verdict_tasks.task_id, verdict_tasks.version`, args...)
	for _, a := range after {
		r := byID[a.ID]
		r.reached[a.TaskID] = a.Version
		if r.Own.ID == a.TaskID {
			r.version = a.Version
		}
	}
	return err
}

// echoes tells which tasks have the comment of the verdict as their last one already.
func (v Verdict) echoes(ctx context.Context, q db.Q, by work.Mover, tasks ...int64) (map[int64]bool, error) {
	if v.Comment == "" {
		return nil, nil
	}
	in, args := db.In([]any{by.UserID, v.Comment}, tasks)
	ids, err := db.All[int64](ctx, q, `SELECT t.id FROM tasks t JOIN task_comments c ON c.id = (SELECT x.id
			FROM task_comments x WHERE x.task_id = t.id ORDER BY x.created_at DESC, x.id DESC LIMIT 1)
		WHERE c.user_id = $1 AND c.comment = $2 AND c.type = 'text' AND c.reply_to_id IS NULL AND t.id IN `+in, args...)
	out := map[int64]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out, err
}

// say adds the comment of the verdict to each task, as Say does.
func (v Verdict) say(ctx context.Context, q db.Q, by work.Mover, list []*decision) error {
	rows, byTask := make([][]any, len(list)), map[int64]*decision{}
	held := make([]*work.HeldTask, len(list))
	for i, r := range list {
		held[i] = r.Own
	}
	answers, err := work.Answers(ctx, q, by.UserID, held...)
	if err != nil {
		return err
	}
	for i, r := range list {
		var read any
		open := 1
		if answers[r.Own.ID] {
			read, open = q.Now(), 0
		}
		rows[i] = []any{i, r.Own.ID, r.Own.UnitID, r.Own.Addressee(by.UserID), read, open}
		byTask[r.Own.ID] = r
	}
	from, args, err := db.Rows(q, []any{by.UserID, v.Comment, q.Now()}, []string{"n INTEGER", "task_id BIGINT",
		"unit_id BIGINT", "recipient_id BIGINT", "read_at TIMESTAMPTZ", "open INTEGER"}, rows)
	if err != nil {
		return err
	}
	type row struct {
		ID     int64 `db:"id"`
		TaskID int64 `db:"task_id"`
	}
	made, err := db.All[row](ctx, q, `INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment,
			created_at, staff_read_at)
		SELECT v.task_id, v.unit_id, $1, v.recipient_id, 'text', $2, $3, v.read_at FROM `+from+` v ORDER BY v.n
		RETURNING id, task_id`, args...)
	if err != nil {
		return fmt.Errorf("write the comments of verdicts: %w", err)
	}
	ids := make([]int64, len(made))
	for i, m := range made {
		ids[i] = m.ID
		byTask[m.TaskID].comment = &m.ID
	}
	if err := countSaid(ctx, q, by, ids, rows); err != nil {
		return err
	}
	var told []events.Event
	for _, r := range list {
		told = append(told, spoken(by, r.Own, r.around, *r.comment, "created")...)
	}
	return events.Add(ctx, q, told...)
}

// countSaid notes that the author has read comments just written, and counts them as
// countNew does.
func countSaid(ctx context.Context, q db.Q, by work.Mover, ids []int64, rows [][]any) error {
	in, args := db.In([]any{q.Now()}, ids)
	if _, err := db.Exec(ctx, q, `INSERT INTO comment_reads (task_comment_id, user_id, read_at)
		SELECT c.id, c.user_id, $1 FROM task_comments c WHERE c.id IN `+in, args...); err != nil {
		return err
	}
	counts := make([][]any, len(rows))
	for i, r := range rows {
		counts[i] = []any{r[1], r[5]}
	}
	columns := []string{"task_id BIGINT", "open INTEGER"}
	from, args, err := db.Rows(q, nil, columns, counts)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET new_to_student = new_to_student + 1,
		new_to_staff = new_to_staff + v.open FROM `+from+` v WHERE tasks.id = v.task_id`, args...); err != nil {
		return err
	}
	if from, args, err = db.Rows(q, []any{by.UserID}, columns, counts); err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO news_seen (task_id, user_id, comments)
		SELECT v.task_id, $1, 1 FROM `+from+` v WHERE v.open = 1
		ON CONFLICT (task_id, user_id) DO UPDATE SET comments = news_seen.comments + 1`, args...)
	return err
}

// spoken are the events of a comment that came with a verdict, or goes with it: for the
// student and the staff, and for each other student who has it in their own conversation.
func spoken(by work.Mover, own *work.HeldTask, around []*work.HeldTask, comment int64, action string) []events.Event {
	var out []events.Event
	for _, t := range append([]*work.HeldTask{own}, around...) {
		if t != own && (own.SubmissionID == nil || t.SubmissionID == nil || *t.SubmissionID != *own.SubmissionID) {
			continue
		}
		e := events.Event{Kind: events.Comment, ActorID: by.UserID, UserID: t.OwnerID, ProjectID: t.ProjectID,
			TaskID: t.ID, Body: work.CommentEvent{DefinitionID: t.DefinitionID, CommentID: comment, Type: work.CommentText,
				Action: action}}
		if t == own {
			e.UnitID = t.UnitID
		}
		out = append(out, e)
	}
	return out
}
