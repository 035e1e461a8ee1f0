package work

import (
	"context"

	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/fault"
)

// Reader is who looks at a conversation: its student, or one of the staff.
type Reader struct {
	UserID int64
	Staff  bool
}

// isNew tells whether the reader has yet to see the comment. Once the student's
// own tutor has read it, it is new for none of the staff.
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

// isTutor tells whether the reader is the one who answers the student.
func (c *commentRow) isTutor(by Reader) bool {
	return by.Staff && c.TutorID != nil && *c.TutorID == by.UserID
}

// stays tells whether looking at the comment does not count as reading it: a
// discussion is read when it is answered, a request for an extension by the
// tutor when it is decided.
func (c *commentRow) stays(by Reader) bool {
	return c.Type == typeDiscussion || c.Type == typeExtension && c.AssessedAt == nil && c.isTutor(by)
}

// Unread is what a reader sees for the first time.
type Unread struct {
	own   [][]any // ids of comments, for the reader
	staff [][]any // ids of comments, for all the staff
}

// None tells whether there is nothing to mark.
func (u Unread) None() bool { return len(u.own) == 0 }

func (u *Unread) note(c *commentRow, by Reader) {
	if c.stays(by) || !c.isNew(by) {
		return
	}
	u.own = append(u.own, []any{c.ID})
	if c.isTutor(by) {
		u.staff = append(u.staff, []any{c.ID})
	}
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
	for c, err := range db.Each[commentRow](ctx, q, commentRows+`ORDER BY c.created_at, c.id LIMIT $4 OFFSET $5`,
		at.ProjectID, at.DefinitionID, by.UserID, p.Limit(), p.Offset()) {
		if err != nil {
			return nil, err
		}
		v.Comments = append(v.Comments, c.view(by))
		v.Unread.note(&c, by)
	}
	return v, nil
}

// MarkRead records that the reader has seen comments. It takes as many
// statements for one as for a thousand, and as many for a tutor, who reads for
// all the staff. What was deleted meanwhile is passed over.
func MarkRead(ctx context.Context, q db.Q, by Reader, u Unread) error {
	if len(u.own) > 0 {
		from, args, err := db.Rows(q, []any{by.UserID, q.Now()}, []string{"id BIGINT"}, u.own)
		if err != nil {
			return err
		}
		text := `INSERT INTO comment_reads (task_comment_id, user_id, read_at)
			SELECT c.id, $1, $2 FROM task_comments c JOIN ` + from + ` v ON v.id = c.id WHERE TRUE ORDER BY c.id`
		if q.Postgres() {
			text += ` FOR KEY SHARE OF c`
		}
		if _, err := db.Exec(ctx, q, text+` ON CONFLICT (task_comment_id, user_id) DO NOTHING`, args...); err != nil {
			return err
		}
	}
	if len(u.staff) == 0 {
		return nil
	}
	from, args, err := db.Rows(q, []any{q.Now()}, []string{"id BIGINT"}, u.staff)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE task_comments SET staff_read_at = $1 FROM `+from+` v
		WHERE task_comments.id = v.id AND task_comments.staff_read_at IS NULL`, args...)
	return err
}

// MarkUnread makes a comment new for the reader again, and for nobody else: if
// all the staff had read it by their tutor's reading, each of the others keeps
// a receipt of their own.
func MarkUnread(ctx context.Context, q db.Q, by Reader, at TaskRef, id int64) (*Comment, error) {
	c, err := oneComment(ctx, q, at, by.UserID, id)
	if err != nil {
		return nil, err
	}
	if c.Type == typeStatus {
		return nil, fault.New(fault.Conflict, "A change of status is never unread.")
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
	return FindComment(ctx, q, by, at, id)
}
