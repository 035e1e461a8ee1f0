package privacy

import (
	"context"
	"fmt"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

// ErasureWait is how long an erasure that an administrator asked for waits, and can be cancelled.
const ErasureWait = 24 * time.Hour

// Erasure is one that waits.
type Erasure struct {
	UserID    int64      `db:"user_id" json:"user_id"`
	Username  string     `db:"username" json:"username"`
	FirstName string     `db:"first_name" json:"first_name"`
	LastName  string     `db:"last_name" json:"last_name"`
	AskedBy   int64      `db:"asked_by" json:"asked_by_id"`
	Asker     string     `db:"asker" json:"asked_by" doc:"the user name of the administrator who asked for it"`
	WithFiles bool       `db:"with_files" json:"files" doc:"whether what the person uploaded goes, too"`
	AskedAt   clock.Time `db:"asked_at" json:"asked_at" doc:"when it was asked for"`
	DueAt     clock.Time `db:"due_at" json:"due_at" doc:"when it is done, unless it is cancelled before"`
	Refused   *string    `db:"refused" json:"refused" doc:"why it could not be done when it was due; null: it waits"`
	JobID     int64      `db:"job_id" json:"-"`
}

const selectErasures = `SELECT e.user_id, u.username, u.first_name, u.last_name, e.asked_by, a.username AS asker,
	e.with_files, e.asked_at, e.due_at, e.refused, e.job_id
	FROM erasures e JOIN users u ON u.id = e.user_id JOIN users a ON a.id = e.asked_by`

// ErasureOf gives the erasure of a person that waits; nil: none does.
func ErasureOf(ctx context.Context, q db.Q, userID int64) (*Erasure, error) {
	e, err := db.One[Erasure](ctx, q, selectErasures+` WHERE e.user_id = $1`, userID)
	if fault.Is(err, fault.Missing) {
		return nil, nil //nolint:nilnil // that none waits is no failure
	}
	return e, err
}

// Erasures lists those that wait, the next one first, and tells how many there are in all. It is for
// holders of policy.SeeAccounts.
func Erasures(ctx context.Context, q db.Q, p db.Page) ([]Erasure, int64, error) {
	total, err := db.One[int64](ctx, q, `SELECT count(*) FROM erasures`)
	if err != nil {
		return nil, 0, err
	}
	list, err := db.All[Erasure](ctx, q, selectErasures+` ORDER BY e.due_at, e.user_id LIMIT $1 OFFSET $2`, p.Limit(),
		p.Offset())
	return list, *total, err
}

// ErasureArgs ask for the erasure of a person that is due.
type ErasureArgs struct {
	UserID int64 `json:"user_id"`
}

// Kind implements jobs.Args.
func (ErasureArgs) Kind() string { return "erasure" }

// ErasureLimits are those of the jobs that erase.
var ErasureLimits = jobs.Limits{Timeout: 30 * time.Minute, Concurrency: 1}

// AskErasure lets a person be erased once ErasureWait is over, for an Admin who proved who they are. One
// that waits already is it, however often it is asked for. It refuses with fault.Conflict the Admin
// themselves, the last Admin who can sign in, and somebody who was erased.
func AskErasure(ctx context.Context, q db.Q, who *access.Caller, userID int64, withFiles bool) (*Erasure, error) {
	if err := db.Lock(ctx, q, "users", userID); err != nil {
		return nil, err
	}
	if err := MayAskErasure(ctx, q, who, userID); err != nil {
		return nil, err
	}
	if e, err := ErasureOf(ctx, q, userID); err != nil || e != nil && e.Refused == nil {
		return e, err
	}
	due := clock.At(q.Now().Add(ErasureWait))
	job, err := jobs.Enqueue(ctx, q, ErasureArgs{userID}, jobs.Options{RunAt: due.Time})
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO erasures (user_id, asked_by, job_id, with_files, asked_at, due_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id) DO UPDATE SET asked_by = excluded.asked_by,
			job_id = excluded.job_id, with_files = excluded.with_files, asked_at = excluded.asked_at,
			due_at = excluded.due_at, refused = NULL`, userID, who.ID, job, withFiles, q.Now(), due); err != nil {
		return nil, fmt.Errorf("ask for an erasure: %w", err)
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: "erasure_asked", UserID: userID}); err != nil {
		return nil, err
	}
	return ErasureOf(ctx, q, userID)
}

// MayAskErasure refuses with fault.Conflict to erase those whom AskErasure refuses.
func MayAskErasure(ctx context.Context, q db.Q, who *access.Caller, userID int64) error {
	p, err := ident.PersonByID(ctx, q, userID)
	switch {
	case err != nil:
		return err
	case p.Erased:
		return fault.New(fault.Conflict, "This person was erased already.")
	case userID == who.ID:
		return fault.New(fault.Conflict, "You cannot erase your own account. Ask another administrator.")
	}
	u, err := ident.ByID(ctx, q, userID)
	if err != nil {
		return err
	}
	return ident.Erasable(ctx, q, u)
}

// CancelErasure lets a person be who they are: of a cancellation and the erasure one wins, and so does one
// of two cancellations. It is for holders of policy.EraseData; where none waits it is fault.Missing.
func CancelErasure(ctx context.Context, q db.Q, userID int64) error {
	gone, err := db.All[int64](ctx, q, `DELETE FROM erasures WHERE user_id = $1 RETURNING job_id`, userID)
	if err == nil && len(gone) == 0 {
		err = fault.New(fault.Missing, "No erasure of this person waits. It was cancelled, or it is done.")
	}
	if err != nil {
		return err
	}
	if _, err := jobs.Drop(ctx, q, gone); err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: "erasure_cancelled", UserID: userID})
}

// Eraser does the erasures that are due.
type Eraser struct{ DB *db.DB }

// Do erases a person for the job that was asked for last, unless it was cancelled: once, however many
// instances try. Where the person must not go, being the last Admin by now, that is written down. One that
// was postponed waits on, and so do all while the installation is paused: a backup holds those that were
// cancelled after it was made.
func (e *Eraser) Do(ctx context.Context, job jobs.Job, a ErasureArgs) error {
	var wait time.Duration
	err := e.DB.Tx(ctx, func(q db.Q) (err error) {
		if err := ident.HoldToErase(ctx, q, a.UserID); err != nil {
			return err
		}
		if wait, err = erasureWait(ctx, q, a.UserID, job.ID); err != nil || wait > 0 {
			return err
		}
		// The row goes first, so that a cancellation that comes meanwhile finds none.
		files, err := db.All[bool](ctx, q, `DELETE FROM erasures WHERE user_id = $1 AND job_id = $2 AND due_at <= $3
			RETURNING with_files`, a.UserID, job.ID, q.Now())
		if err != nil {
			return err
		}
		if len(files) > 0 {
			if _, err := erase(ctx, q, a.UserID, files[0]); err != nil {
				return err
			}
		}
		return job.Done(ctx, q)
	})
	if err == nil && wait > 0 {
		return jobs.Snooze(wait)
	}
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	return e.DB.Tx(ctx, func(q db.Q) error {
		if _, err := db.Exec(ctx, q, `UPDATE erasures SET refused = $3 WHERE user_id = $1 AND job_id = $2`, a.UserID, job.ID,
			err.Error()); err != nil {
			return err
		}
		if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: "erasure_refused", UserID: a.UserID}); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

// pausedWait is how long an erasure of a paused installation waits before it is looked at again.
const pausedWait = time.Hour

// erasureWait tells how long the erasure of a job has to wait still.
func erasureWait(ctx context.Context, q db.Q, userID, jobID int64) (time.Duration, error) {
	due, err := db.All[clock.Time](ctx, q, `SELECT due_at FROM erasures WHERE user_id = $1 AND job_id = $2`, userID, jobID)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	wait := due[0].Sub(q.Now().Time)
	if why, err := db.Paused(ctx, q); err != nil || why != "" {
		return max(wait, pausedWait), err
	}
	return max(wait, 0), nil
}

// PostponeErasures lets those that wait do so for ErasureWait from now, and gives the user names of whom they
// are. It is for whoever ends the pause of a restored installation: some may have been cancelled after the
// backup was made, so that somebody has to look at them again.
func PostponeErasures(ctx context.Context, q db.Q) ([]string, error) {
	if _, err := db.Exec(ctx, q, `UPDATE erasures SET due_at = $1 WHERE refused IS NULL`,
		clock.At(q.Now().Add(ErasureWait))); err != nil {
		return nil, fmt.Errorf("postpone erasures: %w", err)
	}
	waiting, err := db.All[struct {
		ID       int64  `db:"id"`
		Username string `db:"username"`
	}](ctx, q, `SELECT u.id, u.username FROM erasures e JOIN users u ON u.id = e.user_id WHERE e.refused IS NULL
		ORDER BY u.username`)
	if err != nil {
		return nil, fmt.Errorf("list postponed erasures: %w", err)
	}
	var names []string
	var entries []audit.Entry
	for _, w := range waiting {
		names = append(names, w.Username)
		entries = append(entries, audit.Entry{Kind: audit.Account, Action: "erasure_postponed", UserID: w.ID})
	}
	return names, audit.Add(ctx, q, entries...)
}
