package work

import (
	"context"
	"fmt"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// MaxPrompts is how many recordings a discussion may begin with.
const MaxPrompts = 10

// replyNumber is where the student's answer stands among the recordings; the
// prompts are numbered from 0.
const replyNumber = -1

// stage tells how far a discussion is.
func (c *commentRow) stage() string {
	switch {
	case c.CompletedAt != nil:
		return "complete"
	case c.StartedAt != nil:
		return "opened"
	}
	return "not started"
}

// Discuss begins a discussion: the staff ask by recordings, the student answers with one. The
// staff have read it; for the student it stays new until they answer. It is for holders of
// policy.StartDiscussion on the task.
func Discuss(ctx context.Context, q db.Q, store files.Store, by Reader, at TaskRef, prompts []Media) (*Comment, error) {
	t, err := lockConversation(ctx, q, at)
	if err != nil {
		return nil, err
	}
	count := len(prompts)
	c, err := newComment{Type: typeDiscussion, Text: "Discussion", Author: by.UserID, Prompts: &count,
		StaffRead: true}.add(ctx, q, t)
	if err != nil {
		return nil, err
	}
	if err := keepRecordings(ctx, q, store, c.ID, 0, prompts...); err != nil {
		return nil, err
	}
	return c.announced(ctx, q, by, at, t, "created")
}

// keepRecordings writes the recordings of a discussion from a number on.
func keepRecordings(ctx context.Context, q db.Q, store files.Store, id int64, from int, list ...Media) error {
	infos, rows := make([]files.Info, len(list)), make([][]any, len(list))
	for i, m := range list {
		infos[i] = m.File
		rows[i] = []any{id, from + i, string(m.File.Hash), m.Type, m.File.Size}
	}
	if err := blob.Keep(ctx, q, store, infos...); err != nil {
		return err
	}
	return db.Insert(ctx, q, `discussion_files (task_comment_id, number, hash, content_type, size)`, "", rows)
}

// discussion finds a discussion in the conversation at a place.
func discussion(ctx context.Context, q db.Q, at TaskRef, reader, id int64) (*commentRow, error) {
	c, err := oneComment(ctx, q, at, reader, id)
	if err == nil && c.Type != typeDiscussion {
		return nil, fault.New(fault.Missing, "That comment is not a discussion.")
	}
	return c, err
}

// Recording is a stored recording of a discussion.
type Recording struct {
	Media
	Name   string // to save it under
	Begins bool   // hearing it begins the discussion for the reader: see BeginDiscussion
}

// Prompt gives a recording the discussion began with. Whichever the student it is
// with hears first begins the discussion.
func Prompt(ctx context.Context, q db.Q, by Reader, at TaskRef, id, number int64) (*Recording, error) {
	if number < 0 {
		return nil, fault.New(fault.Missing, "There is no such question.")
	}
	c, err := discussion(ctx, q, at, by.UserID, id)
	if err != nil {
		return nil, err
	}
	r, err := recording(ctx, q, id, number, fmt.Sprintf("discussion-%d-%d", id, number))
	if err == nil {
		r.Begins = c.StartedAt == nil && c.OwnerID == by.UserID
	}
	return r, err
}

// Response gives the student's answer in a discussion.
func Response(ctx context.Context, q db.Q, by Reader, at TaskRef, id int64) (*Recording, error) {
	if _, err := discussion(ctx, q, at, by.UserID, id); err != nil {
		return nil, err
	}
	return recording(ctx, q, id, replyNumber, fmt.Sprintf("discussion-%d-reply", id))
}

func recording(ctx context.Context, q db.Q, id, number int64, name string) (*Recording, error) {
	type row struct {
		Hash string `db:"hash"`
		Type string `db:"content_type"`
	}
	r, err := db.OneOf[row](ctx, q, "recording in this discussion", `SELECT hash, content_type FROM discussion_files
		WHERE task_comment_id = $1 AND number = $2`, id, number)
	if err != nil {
		return nil, err
	}
	return &Recording{Media: Media{File: files.Info{Hash: files.Hash(r.Hash)}, Kind: "audio", Type: r.Type},
		Name: name + mediaExtensions[r.Type]}, nil
}

// BeginDiscussion notes that the student has begun to listen. It is for holders of
// policy.ReplyDiscussion; staff may listen without beginning it.
func BeginDiscussion(ctx context.Context, q db.Q, id int64) error {
	_, err := db.Exec(ctx, q, `UPDATE task_comments SET discussion_started_at = $2 WHERE id = $1
		AND discussion_started_at IS NULL`, id, q.Now())
	return err
}

// Answer adds the student's answer to a discussion and completes it, which makes the discussion
// new for the staff. There is one answer only: a second is fault.Conflict. In a group only the
// student the discussion is with may give it. It is for holders of policy.ReplyDiscussion on
// the task.
func Answer(ctx context.Context, q db.Q, store files.Store, by Reader, at TaskRef, id int64, m Media) (*Comment,
	error) {
	if err := holdTaskOf(ctx, q, id); err != nil {
		return nil, err
	}
	c, err := discussion(ctx, q, at, by.UserID, id)
	if err != nil {
		return nil, err
	}
	if c.OwnerID != by.UserID {
		return nil, fault.New(fault.Denied, "This discussion is with another member of your group.")
	}
	n, err := db.Exec(ctx, q, `UPDATE task_comments SET discussion_completed_at = $2, discussion_started_at =
		coalesce(discussion_started_at, $2)
		WHERE id = $1 AND discussion_completed_at IS NULL`, id, q.Now())
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fault.New(fault.Conflict, "You have already answered this discussion.")
	}
	if err := keepRecordings(ctx, q, store, id, replyNumber, m); err != nil {
		return nil, err
	}
	t, err := taskAt(ctx, q, at.ProjectID, at.DefinitionID)
	if err != nil {
		return nil, err
	}
	if err := renew(ctx, q, by, t, id); err != nil {
		return nil, err
	}
	if err := noteActivity(ctx, q, at.ProjectID); err != nil {
		return nil, err
	}
	return announceChanged(ctx, q, by, at, t, id, "replied")
}

// renew makes a comment new again for everybody but the one who renewed it.
func renew(ctx context.Context, q db.Q, by Reader, t *HeldTask, id int64) error {
	if _, err := db.Exec(ctx, q, `UPDATE task_comments SET staff_read_at = NULL WHERE id = $1`, id); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, q, `DELETE FROM comment_reads WHERE task_comment_id = $1 AND user_id <> $2`, id,
		by.UserID); err != nil {
		return err
	}
	if err := MarkRead(ctx, q, by, Unread{own: [][]any{{id}}}); err != nil {
		return err
	}
	return RecountNews(ctx, q, t.ID)
}
