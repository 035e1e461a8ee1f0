package work

import (
	"context"
	"maps"
	"slices"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Reader is who looks at a conversation: its student, or one of the staff.
type Reader struct {
	UserID  int64
	Staff   bool
	Reasons bool // may read why others ask for more time
}

// isNew tells whether the reader has yet to see the comment. Once who answers the student,
// their tutor or who has the tutor's queue, has read it, it is new for none of the staff.
func (c *commentRow) isNew(by Reader) bool {
	return c.Type != typeStatus && c.ReadAt == nil && !(by.Staff && c.StaffReadAt != nil)
}

// reached is when the recipient read the comment; a status is there to be seen
// and has no such moment.
func (c *commentRow) reached() *clock.Time {
	switch {
	case c.Type == typeStatus:
		return nil
	case c.ReachedAt == nil && c.RecipientID != c.OwnerID:
		return c.StaffReadAt
	}
	return c.ReachedAt
}

// answers tells whether the reader is the one who answers the student now.
func (c *commentRow) answers(by Reader) bool { return by.Staff && c.Answers }

// stays tells whether looking at the comment does not count as reading it: a
// discussion is read when it is answered, a request for an extension by the
// tutor when it is decided.
func (c *commentRow) stays(by Reader) bool {
	return c.Type == typeDiscussion && c.CompletedAt == nil || c.Type == typeExtension && c.AssessedAt == nil &&
		c.answers(by)
}

// Unread is what a reader sees for the first time.
type Unread struct {
	own   [][]any        // ids of comments, for the reader
	staff [][]any        // ids of comments, for all the staff
	mine  map[int64]bool // comments on the reader's own task
	task  int64          // that task
	other map[int64]bool // tasks of others
	close map[int64]bool // those of them where staff has some
}

// None tells whether there is nothing to mark.
func (u Unread) None() bool { return len(u.own) == 0 }

func (u *Unread) note(c *commentRow, by Reader) {
	if c.stays(by) || !c.isNew(by) {
		return
	}
	u.own = append(u.own, []any{c.ID})
	switch {
	case c.OwnerID == by.UserID:
		u.mine, u.task = with(u.mine, c.ID), c.TaskID
	case c.answers(by):
		u.staff = append(u.staff, []any{c.ID})
		u.close = with(u.close, c.TaskID)
	default:
		u.other = with(u.other, c.TaskID)
	}
}

func with(set map[int64]bool, id int64) map[int64]bool {
	if set == nil {
		set = map[int64]bool{}
	}
	set[id] = true
	return set
}

// Conversation is a part of what was said at a place, as one reader finds it.
type Conversation struct {
	Comments []*Comment
	Total    int64  // how many there are in all; -1 when all were asked for
	Unread   Unread // what the reader sees for the first time, for MarkRead
}

// Comments gives the conversation at a place, the oldest first.
func Comments(ctx context.Context, q db.Q, by Reader, at TaskRef, p db.Page) (*Conversation, error) {
	v := &Conversation{Total: -1}
	if p.Asked() {
		n, err := db.One[int64](ctx, q, talk+`SELECT count(*) FROM talk t JOIN task_comments c ON c.task_id = t.id`,
			at.ProjectID, at.DefinitionID)
		if err != nil {
			return nil, err
		}
		v.Total = *n
	}
	var pointed []*Comment
	for c, err := range db.Each[commentRow](ctx, q, commentPage,
		at.ProjectID, at.DefinitionID, by.UserID, q.Now(), p.Limit(), p.Offset()) {
		if err != nil {
			return nil, err
		}
		v.Comments = append(v.Comments, c.view(by))
		v.Unread.note(&c, by)
		if c.Pointed {
			pointed = append(pointed, v.Comments[len(v.Comments)-1])
		}
	}
	return v, addPlaces(ctx, q, at, pointed)
}

// NewAmong gives what is new to the reader among the first comments at a place, for
// MarkRead. It reads nothing but that, however much was said.
func NewAmong(ctx context.Context, q db.Q, by Reader, at TaskRef, first int64) (u Unread, err error) {
	isNew := `x.type <> 'status' AND x.read_at IS NULL`
	if by.Staff {
		isNew += ` AND x.staff_read_at IS NULL`
	}
	for c, err := range db.Each[commentRow](ctx, q, talk+heard+`SELECT * FROM (SELECT c.id, c.task_id, t.owner_id,
			t.answers, c.type, m.read_at, c.staff_read_at, c.extension_assessed_at, c.discussion_completed_at
		FROM heard t JOIN task_comments c ON c.task_id = t.id
		LEFT JOIN comment_reads m ON m.task_comment_id = c.id AND m.user_id = $3
		ORDER BY c.created_at, c.id LIMIT $5) x WHERE `+isNew, at.ProjectID, at.DefinitionID, by.UserID, q.Now(), first) {
		if err != nil {
			return u, err
		}
		u.note(&c, by)
	}
	return u, nil
}

// MarkRead records that the reader has seen comments, and counts what is new after it. It takes
// as many statements for one as for a thousand. What was deleted meanwhile is passed over. It
// is for whoever may read the conversation (policy.ReadTask), and notes their own reading only.
func MarkRead(ctx context.Context, q db.Q, by Reader, u Unread) error {
	if u.None() {
		return nil
	}
	if err := u.lock(ctx, q); err != nil {
		return err
	}
	seen, err := u.receipts(ctx, q, by.UserID)
	if err != nil {
		return err
	}
	if len(u.staff) > 0 {
		if err := u.forStaff(ctx, q); err != nil {
			return err
		}
	}
	if len(u.other) > 0 {
		if err := countSeen(ctx, q, by.UserID, slices.Sorted(maps.Keys(u.other))); err != nil {
			return err
		}
	}
	read := 0
	for _, id := range seen {
		if u.mine[id] {
			read++
		}
	}
	if read == 0 {
		return nil
	}
	_, err = db.Exec(ctx, q, `UPDATE tasks SET new_to_student = new_to_student - $2 WHERE id = $1`, u.task, read)
	return err
}

// lock holds the tasks on PostgreSQL, so that what two readers count is right.
func (u *Unread) lock(ctx context.Context, q db.Q) error {
	if !q.Postgres() {
		return nil
	}
	tasks := slices.Concat(slices.Collect(maps.Keys(u.other)), slices.Collect(maps.Keys(u.close)), []int64{u.task})
	in, args := db.In(nil, tasks)
	_, err := db.Exec(ctx, q, `SELECT id FROM tasks WHERE id IN `+in+` ORDER BY id FOR NO KEY UPDATE`, args...)
	return err
}

// receipts writes the reader's own and gives the comments that had none.
func (u *Unread) receipts(ctx context.Context, q db.Q, reader int64) ([]int64, error) {
	from, args, err := db.Rows(q, []any{reader, q.Now()}, []string{"id BIGINT"}, u.own)
	if err != nil {
		return nil, err
	}
	text := `INSERT INTO comment_reads (task_comment_id, user_id, read_at)
		SELECT c.id, $1, $2 FROM task_comments c JOIN ` + from + ` v ON v.id = c.id WHERE TRUE ORDER BY c.id`
	if q.Postgres() {
		text += ` FOR KEY SHARE OF c`
	}
	return db.All[int64](ctx, q, text+` ON CONFLICT (task_comment_id, user_id) DO NOTHING RETURNING task_comment_id`,
		args...)
}

// forStaff marks what who answers the student has read for all the staff.
func (u *Unread) forStaff(ctx context.Context, q db.Q) error {
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"id BIGINT"}, u.staff)
	if err != nil {
		return err
	}
	if _, err = db.Exec(ctx, q, `UPDATE task_comments SET staff_read_at = $1 FROM `+from+` v
		WHERE task_comments.id = v.id AND task_comments.staff_read_at IS NULL`, args...); err != nil {
		return err
	}
	return countOpen(ctx, q, slices.Sorted(maps.Keys(u.close))...)
}

// MarkUnread makes a comment new for the reader again, and for nobody else: if all the staff
// had read it by their tutor's reading, each of the others keeps a receipt of their own. It is
// for holders of policy.Comment on the task. A change of status is never unread: that is
// fault.Conflict.
func MarkUnread(ctx context.Context, q db.Q, by Reader, at TaskRef, id int64) (*Comment, error) {
	if err := holdTaskOf(ctx, q, id); err != nil {
		return nil, err
	}
	c, err := oneComment(ctx, q, at, by.UserID, id)
	if err != nil {
		return nil, err
	}
	if c.Type == typeStatus {
		return nil, fault.New(fault.Conflict, "A change of status cannot be marked as unread.")
	}
	if by.Staff && c.StaffReadAt != nil {
		if _, err := db.Exec(ctx, q, `INSERT INTO comment_reads (task_comment_id, user_id, read_at)
			SELECT c.id, r.user_id, c.staff_read_at FROM task_comments c JOIN unit_roles r ON r.unit_id = c.unit_id
			WHERE c.id = $1 AND r.user_id NOT IN ($2, $3) ON CONFLICT (task_comment_id, user_id) DO NOTHING`, id,
			by.UserID, c.OwnerID); err != nil {
			return nil, err
		}
		if _, err := db.Exec(ctx, q, `UPDATE task_comments SET staff_read_at = NULL WHERE id = $1`, id); err != nil {
			return nil, err
		}
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM comment_reads WHERE task_comment_id = $1 AND user_id = $2`, id,
		by.UserID); err != nil {
		return nil, err
	}
	if err := RecountNews(ctx, q, c.TaskID); err != nil {
		return nil, err
	}
	return FindComment(ctx, q, by, at, id)
}
