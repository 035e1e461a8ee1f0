package access

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// PermitAgain is Permit for a caller who was found some time ago: in one statement
// it asks also whether the session lasts, the account is not disabled and which
// role it has. Whoever was signed out or disabled meanwhile is fault.Unknown.
func PermitAgain(ctx context.Context, q db.Q, c Caller, s Scope, r policy.Rule) (*Caller, error) {
	return again(ctx, q, c, s, r, "")
}

// Guarded gives a context under which whatever c writes is written only while c
// is still who they were when the right was found: each write transaction asks
// again, and lets a sign-out or a disabling that comes later wait for its end.
// Who lost a standing meanwhile, though the right may follow from another, is
// fault.Denied: what the request may do was decided by the old one.
func Guarded(ctx context.Context, c *Caller, s Scope, r policy.Rule) context.Context {
	was := *c
	return db.Guarded(ctx, func(ctx context.Context, q db.Q) error {
		lock := ""
		if q.Postgres() {
			// The account comes first, as it does for whoever disables it.
			lock = " FOR KEY SHARE OF a, z"
		}
		now, err := again(ctx, q, was, s, r, lock)
		if err != nil {
			return err
		}
		if was.Who&^now.Who != 0 || was.UnitRole != now.UnitRole {
			return fault.New(fault.Denied, "Your role here changed while you worked, so nothing was saved. Try "+
				"again.")
		}
		return nil
	})
}

// present joins the caller's account and session as long as both are good. Its
// arguments are the caller, the session and the moment.
const present = ` JOIN users a ON a.id = $1 AND a.disabled_at IS NULL
	JOIN sessions z ON z.id = $2 AND z.user_id = a.id AND z.expires_at > $3`

const presentColumns = `a.role AS system_role, z.expires_at AS session_expires_at,
	coalesce(z.renewed_at, z.created_at) AS session_renewed_at`

// confirmed is a standing with the role the account has by now. A scope without a
// record has no more than that.
type confirmed struct {
	standing
	Role      policy.Role `db:"system_role"`
	ExpiresAt clock.Time  `db:"session_expires_at"`
	RenewedAt clock.Time  `db:"session_renewed_at"`
}

func again(ctx context.Context, q db.Q, c Caller, s Scope, r policy.Rule, lock string) (*Caller, error) {
	if c.View != nil {
		return nil, errLooksOnly()
	}
	text, args, what := `SELECT `+presentColumns+` FROM users o`+present+` WHERE o.id = $1`,
		[]any{c.ID, c.SessionID, q.Now()}, "session"
	if s.record() {
		text, args, what = s.statement("$1", presentColumns+`, `, present, args...)
	}
	row, err := db.OneOf[confirmed](ctx, q, what, text+lock, args...)
	if fault.Is(err, fault.Missing) {
		return nil, absent(ctx, q, c, s.absent(ctx, q, err))
	}
	if err != nil {
		return nil, err
	}
	if !Until(row.ExpiresAt, row.RenewedAt, row.Role).After(q.Now().Time) {
		return nil, errEnded()
	}
	c.Role, c.UnitID, c.UnitRole, c.ProjectID, c.OwnerID, c.TaskID = row.Role, 0, 0, 0, 0, 0
	c.stand(s)
	if s.record() {
		row.apply(&c)
		c.narrow()
	}
	if err := c.Must(r.On(c.about())); err != nil {
		return nil, refuse(ctx, q, s, err)
	}
	return &c, nil
}

// absent tells why there was no row: the session is over, or the record is gone.
// Only the refused pay for asking.
func absent(ctx context.Context, q db.Q, c Caller, missing error) error {
	_, err := db.One[clock.Time](ctx, q, `SELECT z.expires_at FROM sessions z JOIN users a ON a.id = z.user_id
		WHERE z.id = $1 AND z.expires_at > $2 AND a.disabled_at IS NULL`, c.SessionID, q.Now())
	if fault.Is(err, fault.Missing) {
		return errEnded()
	}
	if err != nil {
		return err
	}
	return missing
}
