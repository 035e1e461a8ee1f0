package privacy

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
)

// PersonLinkLife is how long the link is good by which an administrator takes the archive of a person.
const PersonLinkLife = time.Hour

// PersonExport is an archive of a person's data that an administrator asked for.
type PersonExport struct {
	UserID    int64        `db:"user_id" json:"user_id"`
	Username  string       `db:"username" json:"username"`
	FirstName string       `db:"first_name" json:"first_name"`
	LastName  string       `db:"last_name" json:"last_name"`
	State     ArchiveState `json:"state" doc:"making, ready or failed"`
	AskedAt   clock.Time   `db:"asked_at" json:"asked_at" doc:"when it was asked for"`
	ExpiresAt clock.Time   `db:"expires_at" json:"expires_at" doc:"until when the link is good"`
	Size      *int64       `db:"size" json:"size" doc:"bytes; null while it is being made"`

	Hash *string     `db:"hash" json:"-"`
	Job  *jobs.State `db:"state" json:"-"`
}

// PersonExportArgs ask for an archive.
type PersonExportArgs struct {
	UserID  int64 `json:"user_id"`
	AskedBy int64 `json:"asked_by"`
}

// Kind implements jobs.Args.
func (PersonExportArgs) Kind() string { return "person export" }

// AskExport asks for the archive of a person's data, for an Admin who proved who they are, and gives the
// link to it: for them alone, once, within PersonLinkLife. It takes the place of an earlier one of theirs.
// Somebody who was erased is fault.Conflict: there is nobody to give it to.
func AskExport(ctx context.Context, q db.Q, who *access.Caller, userID int64) (*ArchiveLink, error) {
	p, err := ident.PersonByID(ctx, q, userID)
	if err != nil {
		return nil, err
	}
	if p.Erased {
		return nil, fault.New(fault.Conflict, "This person was erased already.")
	}
	job, err := jobs.Enqueue(ctx, q, PersonExportArgs{userID, who.ID}, jobs.Options{MaxAttempts: 3})
	if err != nil {
		return nil, err
	}
	l := &ArchiveLink{Token: rand.Text(), ExpiresAt: clock.At(q.Now().Add(PersonLinkLife))}
	if _, err := db.Exec(ctx, q, `INSERT INTO person_exports (user_id, asked_by, job_id, token_hash, asked_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id, asked_by) DO UPDATE SET job_id = excluded.job_id,
			token_hash = excluded.token_hash, asked_at = excluded.asked_at, expires_at = excluded.expires_at,
			ready_at = NULL, taken_at = NULL, hash = NULL, size = NULL`, userID, who.ID, job, ident.HashToken(l.Token), q.Now(),
		l.ExpiresAt); err != nil {
		return nil, fmt.Errorf("ask for the archive of a person: %w", err)
	}
	return l, audit.Add(ctx, q, audit.Entry{Kind: audit.Export, Action: "person_asked", UserID: userID})
}

var errNoPersonLink = fault.New(fault.Missing, "This link has been used or has expired, or it is somebody else's. "+
	"Export the data again on the page of the person.")

// SeeExport gives how far the archive is that a link leads to, and leaves the link as it is. A link that was
// used, has expired or is another administrator's is fault.Missing.
func SeeExport(ctx context.Context, q db.Q, who *access.Caller, token string) (*PersonExport, error) {
	x, err := db.One[PersonExport](ctx, q, `SELECT x.user_id, u.username, u.first_name, u.last_name, x.asked_at,
			x.expires_at, x.size, x.hash, j.state
		FROM person_exports x JOIN users u ON u.id = x.user_id LEFT JOIN jobs j ON j.id = x.job_id
		WHERE x.token_hash = $1 AND x.asked_by = $2 AND x.expires_at > $3 AND x.taken_at IS NULL`, ident.HashToken(token),
		who.ID, q.Now())
	if fault.Is(err, fault.Missing) {
		return nil, errNoPersonLink
	}
	if err != nil {
		return nil, fmt.Errorf("see the archive of a person: %w", err)
	}
	switch {
	case x.Hash != nil:
		x.State = ArchiveReady
	case x.Job == nil || *x.Job == jobs.Dead:
		x.State = ArchiveFailed
	default:
		x.State = ArchiveMaking
	}
	return x, nil
}

// TakeExport gives the file that a link leads to, once: of many uses at a time one wins. It fails as
// SeeExport does, and with fault.Conflict where the archive is not ready.
func TakeExport(ctx context.Context, q db.Q, who *access.Caller, token string) (*PersonExport, error) {
	// The row is written first, so that of two at once the second finds no link.
	n, err := db.Exec(ctx, q, `UPDATE person_exports SET taken_at = $3 WHERE token_hash = $1 AND asked_by = $2
		AND expires_at > $3 AND taken_at IS NULL AND hash IS NOT NULL`, ident.HashToken(token), who.ID, q.Now())
	if err != nil {
		return nil, fmt.Errorf("take the archive of a person: %w", err)
	}
	if n == 0 {
		if _, err := SeeExport(ctx, q, who, token); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.Conflict, "The archive is not ready yet.")
	}
	x, err := db.One[PersonExport](ctx, q, `SELECT x.user_id, u.username, u.first_name, u.last_name, x.asked_at,
		x.expires_at, x.size, x.hash FROM person_exports x JOIN users u ON u.id = x.user_id WHERE x.token_hash = $1`,
		ident.HashToken(token))
	if err != nil {
		return nil, err
	}
	// The file is swept a day from now, not while it is being sent.
	if err := blob.Touch(ctx, q, []string{*x.Hash}); err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `UPDATE person_exports SET hash = NULL WHERE token_hash = $1`,
		ident.HashToken(token)); err != nil {
		return nil, err
	}
	return x, audit.Add(ctx, q, audit.Entry{Kind: audit.Export, Action: "person_taken", UserID: x.UserID})
}

// File is the archive in the store.
func (x *PersonExport) File() files.Hash { return files.Hash(*x.Hash) }

// MakeForAdmin makes the archive of a person, for the job that was asked for last.
func (e *Exporter) MakeForAdmin(ctx context.Context, job jobs.Job, a PersonExportArgs) error {
	asked, err := db.All[int64](ctx, e.DB.Pool(), `SELECT user_id FROM person_exports WHERE user_id = $1 AND job_id = $2
		AND expires_at > $3`, a.UserID, job.ID, e.DB.Now())
	if err != nil || len(asked) == 0 {
		return err // they were erased, it was asked for again, or nobody can take it any more
	}
	info, err := e.store(ctx, a.UserID)
	if err != nil {
		return err
	}
	return e.DB.Tx(ctx, func(q db.Q) error {
		if err := blob.Keep(ctx, q, e.Files, info); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, q, `UPDATE person_exports SET hash = $3, size = $4, ready_at = $5
			WHERE user_id = $1 AND job_id = $2`, a.UserID, job.ID, string(info.Hash), info.Size, q.Now()); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

// PruneExports forgets archives of people whose links have expired; their files follow.
func PruneExports(ctx context.Context, q db.Q) (int64, error) {
	return db.Exec(ctx, q, `DELETE FROM person_exports WHERE token_hash IN (SELECT token_hash FROM person_exports
		WHERE expires_at <= $1 ORDER BY expires_at LIMIT 1000)`, q.Now())
}
