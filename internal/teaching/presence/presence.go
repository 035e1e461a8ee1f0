// Package presence knows who of the staff looks at which task at this moment, so that
// no two of them mark the same work unawares.
package presence

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/events"
)

const (
	// Lasts is how long somebody counts as looking after they last said so.
	Lasts = 45 * time.Second
	// Renew is how often who looks says so.
	Renew = 15 * time.Second
	// enough is how long what was said is not written again.
	enough = 10 * time.Second
	// forget is how long a row may stay that counts no more.
	forget = 10 * time.Minute
)

// Task names a task, which may have no row yet.
type Task struct{ ProjectID, DefinitionID int64 }

// Looker is somebody who looks at a task.
type Looker struct {
	UserID int64      `db:"user_id" json:"user_id"`
	Name   string     `db:"name" json:"name"`
	Since  clock.Time `db:"since" json:"since"`
}

// ago is the moment a while before the transaction's.
func ago(q db.Q, d time.Duration) clock.Time { return clock.At(q.Now().Add(-d)) }

// Look says that somebody on the staff looks at a task, from now on for Lasts. Where they said
// so before, it changes one row, and none where that was a moment ago. It is for holders of
// policy.SeePresence on the task.
func Look(ctx context.Context, q db.Q, userID int64, at Task) error {
	arrived, err := db.All[bool](ctx, q, `INSERT INTO presences AS h (project_id, task_definition_id, user_id, since,
			seen_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (project_id, task_definition_id, user_id) DO UPDATE SET seen_at = excluded.seen_at,
			since = CASE WHEN h.seen_at <= $5 THEN excluded.since ELSE h.since END
		WHERE h.seen_at <= $6 RETURNING since = $4`, at.ProjectID, at.DefinitionID, userID, q.Now(), ago(q, Lasts),
		ago(q, enough))
	if err != nil {
		return fmt.Errorf("note who looks at a task: %w", err)
	}
	if len(arrived) == 0 || !arrived[0] {
		return nil
	}
	events.Wake(q)
	_, err = db.Exec(ctx, q, `DELETE FROM presences WHERE seen_at < $1`, ago(q, forget))
	return err
}

// Leave says that somebody looks at a task no more; who did not, may say so too. It is for
// holders of policy.SeePresence on the task, and about themselves only.
func Leave(ctx context.Context, q db.Q, userID int64, at Task) error {
	n, err := db.Exec(ctx, q, `DELETE FROM presences WHERE project_id = $1 AND task_definition_id = $2 AND user_id = $3`,
		at.ProjectID, at.DefinitionID, userID)
	if err != nil {
		return fmt.Errorf("note who leaves a task: %w", err)
	}
	if n > 0 {
		events.Wake(q)
	}
	return nil
}

const name = `u.first_name || ' ' || u.last_name AS name`

// Others gives who else looks at a task, or at one that was handed in together with
// it, whoever came first first.
func Others(ctx context.Context, q db.Q, userID int64, at Task) ([]Looker, error) {
	list, err := db.All[Looker](ctx, q, `SELECT h.user_id, `+name+`, min(h.since) AS since
		FROM presences h JOIN users u ON u.id = h.user_id
		WHERE h.task_definition_id = $2 AND h.user_id <> $3 AND h.seen_at > $4 AND (h.project_id = $1
			OR h.project_id IN (SELECT m.project_id FROM tasks t
				JOIN tasks m ON m.group_submission_id = t.group_submission_id
				WHERE t.project_id = $1 AND t.task_definition_id = $2))
		GROUP BY h.user_id, u.first_name, u.last_name ORDER BY min(h.since), h.user_id`, at.ProjectID, at.DefinitionID,
		userID, ago(q, Lasts))
	if err != nil {
		return nil, fmt.Errorf("read who looks at a task: %w", err)
	}
	return list, nil
}

// Of gives who else looks at each of several tasks, or at one that was handed in
// together with it, by the task's id, in one statement.
func Of(ctx context.Context, q db.Q, userID int64, taskIDs []int64) (map[int64][]Looker, error) {
	type row struct {
		Looker
		TaskID int64 `db:"task_id"`
	}
	in, args := db.In([]any{userID, ago(q, Lasts)}, taskIDs)
	out := map[int64][]Looker{}
	for r, err := range db.Each[row](ctx, q, `SELECT t.id AS task_id, h.user_id, `+name+`, min(h.since) AS since
		FROM presences h JOIN users u ON u.id = h.user_id
		JOIN tasks m ON m.project_id = h.project_id AND m.task_definition_id = h.task_definition_id
		JOIN tasks t ON t.id = m.id OR t.group_submission_id = m.group_submission_id
		WHERE h.seen_at > $2 AND h.user_id <> $1 AND t.id IN `+in+`
		GROUP BY t.id, h.user_id, u.first_name, u.last_name ORDER BY t.id, min(h.since), h.user_id`, args...) {
		if err != nil {
			return nil, fmt.Errorf("read who looks at tasks: %w", err)
		}
		out[r.TaskID] = append(out[r.TaskID], r.Looker)
	}
	return out, nil
}
