package verdict

import (
	"context"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// A session is over after a pause, and none is longer than a day's work.
const (
	sessionPause = time.Hour
	sessionMost  = 12 * time.Hour
)

// MarkingSession is what somebody has marked in a unit without a long pause until now. It is
// for themselves only.
type MarkingSession struct {
	Done   int64         // verdicts, those of batches too
	Median time.Duration // between two single verdicts; 0 where there were fewer than three
}

// SessionOf gives the marking session of a person in a unit; an empty one where they have marked
// nothing within the last hour.
func SessionOf(ctx context.Context, q db.Q, unitID, userID int64) (*MarkingSession, error) {
	type row struct {
		At     clock.Time `db:"at"`
		Single bool       `db:"single"`
	}
	now := q.Now()
	list, err := db.All[row](ctx, q, `SELECT v.at, v.batch_id IS NULL AS single FROM verdicts v
			JOIN tasks t ON t.id = v.task_id AND t.unit_id = $1
		WHERE v.at > $3 AND v.user_id = $2 AND v.undone_at IS NULL ORDER BY v.at DESC, v.id DESC LIMIT 1000`,
		unitID, userID, clock.At(now.Add(-sessionMost)))
	if err != nil {
		return nil, err
	}
	s, last := &MarkingSession{}, now
	var gaps []time.Duration
	for i, r := range list {
		gap := last.Sub(r.At.Time)
		if gap > sessionPause {
			break
		}
		if i > 0 && r.Single && list[i-1].Single {
			gaps = append(gaps, gap)
		}
		s.Done++
		last = r.At
	}
	if len(gaps) > 1 {
		slices.Sort(gaps)
		s.Median = gaps[len(gaps)/2]
	}
	return s, nil
}

// Recent is a verdict as its author is reminded of it.
type Recent struct {
	ID           int64         `db:"id"`
	TaskID       int64         `db:"task_id"`
	Abbreviation string        `db:"abbreviation"`
	FirstName    string        `db:"first_name"`
	LastName     string        `db:"last_name"`
	Status       status.Status `db:"status"` // of the task now
}

// RecentOf gives a verdict of a person in a unit that was not undone; nil where
// there is none.
func RecentOf(ctx context.Context, q db.Q, unitID, userID, id int64) (*Recent, error) {
	list, err := db.All[Recent](ctx, q, `SELECT v.id, v.task_id, d.abbreviation, u.first_name, u.last_name, t.status
		FROM verdicts v JOIN tasks t ON t.id = v.task_id JOIN task_definitions d ON d.id = t.task_definition_id
			JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = p.user_id
		WHERE v.id = $3 AND v.user_id = $2 AND t.unit_id = $1 AND v.undone_at IS NULL`, unitID, userID, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// On is fault.Missing unless a verdict was given on a task.
func On(ctx context.Context, q db.Q, taskID, id int64) error {
	_, err := db.OneOf[int64](ctx, q, "verdict", `SELECT id FROM verdicts WHERE id = $2 AND task_id = $1`, taskID, id)
	return err
}
