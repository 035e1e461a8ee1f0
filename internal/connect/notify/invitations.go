package notify

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Invitations tell how far the emails are that invite the people of sheets.
type Invitations struct {
	Waiting  int64       `db:"waiting" json:"waiting"`
	Sending  int64       `db:"sending" json:"sending"`
	Sent     int64       `db:"sent" json:"sent"`
	Unsure   int64       `db:"unsure" json:"unsure"`
	Failed   int64       `db:"failed" json:"failed"`
	Needless int64       `db:"needless" json:"needless"`
	LastAt   *clock.Time `db:"last_at" json:"last_at"` // when one was begun last
	// Troubled are those whose email failed or may not have gone, the latest first, 100 at most.
	Troubled []TroubledInvitation `json:"troubled"`
}

// TroubledInvitation is one that somebody should look at.
type TroubledInvitation struct {
	UserID   int64           `db:"user_id" json:"user_id"`
	Username string          `db:"username" json:"username"`
	State    InvitationState `db:"state" json:"state"`
	Error    string          `db:"error" json:"error"`
}

// InvitationsSoFar tells how far they are, as far as they are remembered.
func InvitationsSoFar(ctx context.Context, q db.Q) (*Invitations, error) {
	out, err := db.One[Invitations](ctx, q, `SELECT
		count(CASE WHEN state = 'waiting' THEN 1 END) AS waiting, count(CASE WHEN state = 'sending' THEN 1 END) AS sending,
		count(CASE WHEN state = 'sent' THEN 1 END) AS sent, count(CASE WHEN state = 'unsure' THEN 1 END) AS unsure,
		count(CASE WHEN state = 'failed' THEN 1 END) AS failed,
		count(CASE WHEN state = 'needless' THEN 1 END) AS needless, max(begun_at) AS last_at FROM invitations`)
	if err != nil {
		return nil, err
	}
	out.Troubled, err = db.All[TroubledInvitation](ctx, q, `SELECT i.user_id, u.username, i.state,
			coalesce(i.error, '') AS error
		FROM invitations i JOIN users u ON u.id = i.user_id WHERE i.state IN ($1, $2)
		ORDER BY i.begun_at DESC, i.user_id LIMIT 100`, Unsure, Failed)
	if out.Troubled == nil {
		out.Troubled = []TroubledInvitation{}
	}
	return out, err
}

// PruneInvitations forgets those that ended long ago, as Prune does emails.
// It is for the job that cleans up.
func PruneInvitations(ctx context.Context, q db.Q) (int64, error) {
	return db.Exec(ctx, q, `DELETE FROM invitations WHERE user_id IN (SELECT user_id FROM invitations
		WHERE state IN ('sent', 'unsure', 'failed', 'needless') AND asked_at < $1 ORDER BY asked_at LIMIT 1000)`,
		clock.At(q.Now().Add(-keep)))
}
