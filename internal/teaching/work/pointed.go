package work

import (
	"context"
	"fmt"
	"slices"

	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// Point adds comments that point at the work to a held task, in their order, as part of the
// verdict of that number, whose right was asked: they are of the author, who has read them. It
// takes as many statements for one as for MaxPointed. Their texts are checked already.
func Point(ctx context.Context, q db.Q, author int64, t *HeldTask, verdict int64, list []NewComment) ([]int64, error) {
	return pointAll(ctx, q, author, t, &verdict, list)
}

// SayPointed says several things on a task at once, each as Say does, but for what people are told: of the last
// only, as they came as one. All but the last point at the work. What was just said, all of it, is ErrRepeated.
// It is for one of the staff who marks the task, and takes as many statements for two as for MaxPointed.
func SayPointed(ctx context.Context, q db.Q, store files.Store, by Reader, at TaskRef, list []NewComment) error {
	checked := slices.Clone(list)
	for i := range checked {
		if err := checked[i].Check(); err != nil {
			return err
		}
	}
	t, err := lockConversation(ctx, q, at)
	if err != nil {
		return err
	}
	if err := justSaid(ctx, q, by.UserID, t, checked); err != nil {
		return err
	}
	last := len(list) - 1
	if last > 0 {
		if _, err := pointAll(ctx, q, by.UserID, t, nil, checked[:last]); err != nil {
			return err
		}
	}
	_, err = Say(ctx, q, store, by, at, list[last])
	return err
}

// justSaid is ErrRepeated where the last comments on a task are these.
func justSaid(ctx context.Context, q db.Q, author int64, t *HeldTask, list []NewComment) error {
	type row struct {
		Author int64  `db:"user_id"`
		Text   string `db:"comment"`
	}
	said, err := db.All[row](ctx, q, `SELECT user_id, comment FROM task_comments WHERE task_id = $1 AND type = 'text'
		ORDER BY created_at DESC, id DESC LIMIT $2`, t.ID, len(list))
	if err != nil || len(said) < len(list) {
		return err
	}
	for i, c := range said {
		if c.Author != author || c.Text != list[len(list)-1-i].Text {
			return nil
		}
	}
	return ErrRepeated()
}

func pointAll(ctx context.Context, q db.Q, author int64, t *HeldTask, verdict *int64, list []NewComment) ([]int64, error) {
	answers, err := Answers(ctx, q, author, t)
	if err != nil {
		return nil, err
	}
	ids, err := insertPointed(ctx, q, author, t, list, answers[t.ID])
	if err != nil {
		return nil, err
	}
	places := make([]*Place, len(list))
	for i := range list {
		places[i] = list[i].Place
	}
	if err := keepPlaces(ctx, q, ids, places, verdict); err != nil {
		return nil, err
	}
	return ids, countPointed(ctx, q, author, t, int64(len(ids)), answers[t.ID])
}

// insertPointed writes the comments and that their author has read them.
func insertPointed(ctx context.Context, q db.Q, author int64, t *HeldTask, list []NewComment, read bool) ([]int64,
	error) {
	var readAt any
	if read {
		readAt = q.Now()
	}
	rows := make([][]any, len(list))
	for i, c := range list {
		rows[i] = []any{i, c.Text, readAt}
	}
	from, args, err := db.Rows(q, []any{t.ID, t.UnitID, author, t.Addressee(author), q.Now()},
		[]string{"n INTEGER", "comment TEXT", "read_at TIMESTAMPTZ"}, rows)
	if err != nil {
		return nil, err
	}
	ids, err := db.All[int64](ctx, q, `INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment,
			created_at, staff_read_at)
		SELECT $1, $2, $3, $4, 'text', v.comment, $5, v.read_at FROM `+from+` v ORDER BY v.n RETURNING id`, args...)
	if err != nil {
		return nil, fmt.Errorf("write comments that point at the work: %w", err)
	}
	slices.Sort(ids) // they were numbered in the order of their rows
	in, args := db.In([]any{q.Now()}, ids)
	_, err = db.Exec(ctx, q, `INSERT INTO comment_reads (task_comment_id, user_id, read_at)
		SELECT c.id, c.user_id, $1 FROM task_comments c WHERE c.id IN `+in, args...)
	return ids, err
}

// countPointed counts so many comments of the staff as countNew does one.
func countPointed(ctx context.Context, q db.Q, author int64, t *HeldTask, n int64, read bool) error {
	open := n
	if read {
		open = 0
	}
	if _, err := db.Exec(ctx, q, `UPDATE tasks SET new_to_student = new_to_student + $2,
		new_to_staff = new_to_staff + $3 WHERE id = $1`, t.ID, n, open); err != nil || open == 0 {
		return err
	}
	_, err := db.Exec(ctx, q, `INSERT INTO news_seen (task_id, user_id, comments) VALUES ($1, $2, $3)
		ON CONFLICT (task_id, user_id) DO UPDATE SET comments = news_seen.comments + excluded.comments`, t.ID, author,
		open)
	return err
}

// PointedWith gives the comments with a place that came with verdicts, and still stand, by the
// verdict: their numbers and what they say. It is for the undo of a verdict.
func PointedWith(ctx context.Context, q db.Q, verdicts []int64) (map[int64][]PointedComment, error) {
	type row struct {
		ID      int64  `db:"id"`
		Verdict int64  `db:"verdict_id"`
		Text    string `db:"comment"`
		placeRow
	}
	in, args := db.In(nil, verdicts)
	out := map[int64][]PointedComment{}
	for r, err := range db.Each[row](ctx, q, `SELECT c.id, w.verdict_id, c.comment, `+placeColumns+`
		FROM comment_places w JOIN task_comments c ON c.id = w.task_comment_id WHERE w.verdict_id IN `+in+`
		ORDER BY c.id`, args...) {
		if err != nil {
			return nil, err
		}
		out[r.Verdict] = append(out[r.Verdict], PointedComment{r.ID, *r.pointing(r.Text)})
	}
	return out, nil
}

// PointedComment is a comment with a place, by its number.
type PointedComment struct {
	ID int64
	Pointing
}
