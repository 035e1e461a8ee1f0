package work

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Tick says of a comment that points at the work that it is done, or opens it again. It is for
// holders of policy.Comment on the task: the student, in a group any of its members, and the
// staff. The first who ticks it is who did; a tick on what is ticked changes nothing, nor does
// opening what is open. Nobody has more to do by it: nothing is new to anybody, and the task
// stays as it is. What is no comment of this conversation is fault.Missing, and one without a
// place is fault.Conflict.
func Tick(ctx context.Context, q db.Q, by Reader, at TaskRef, unitID, id int64, done bool) (*Comment, error) {
	if err := holdTaskOf(ctx, q, id); err != nil {
		return nil, err
	}
	c, err := oneComment(ctx, q, at, by.UserID, id)
	if err != nil {
		return nil, err
	}
	if c.place == nil {
		return nil, fault.New(fault.Conflict, "This comment points at nothing in the work, so there is nothing to "+
			"tick. Reply to it instead.")
	}
	p := c.place
	if done == (p.DoneAt != nil) {
		return c.view(by), nil
	}
	action := "reopened"
	if p.DoneAt, p.DoneBy = nil, nil; done {
		action, p.DoneAt, p.DoneBy = "done", new(q.Now()), &by.UserID
	}
	if _, err := db.Exec(ctx, q, `UPDATE comment_places SET done_at = $2, done_by = $3 WHERE task_comment_id = $1`, id,
		p.DoneAt, p.DoneBy); err != nil {
		return nil, err
	}
	return c.view(by), c.tell(ctx, q, by, at, unitID, action)
}
