package privacy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/personaldata"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
)

const (
	// ArchiveLife is how long an archive that somebody asked for is kept.
	ArchiveLife = 3 * 24 * time.Hour
	// linkLife is how long the link to it is good.
	linkLife = 10 * time.Minute
	// between is how long after one archive another may be asked for.
	between = time.Hour
)

// Personal lists the tables of archives and erasures. The export has no archive in it.
var Personal = []personaldata.Table{{Name: "data_exports", About: "when the person asked for an archive such as this",
	Where: "WHERE t.user_id = $1 AND t.hash IS NULL", People: []string{"user_id"}, Secret: []string{"token_hash"},
	Files: []personaldata.File{{Hash: "hash", Ext: ".zip"}}, Erase: `DELETE FROM data_exports WHERE user_id = $1`},
	{Name: "person_exports", About: "when an administrator asked for an archive such as this, of the person or by them",
		Where: "WHERE (t.user_id = $1 OR t.asked_by = $1) AND t.hash IS NULL", People: []string{"user_id", "asked_by"},
		Secret: []string{"token_hash"}, Files: []personaldata.File{{Hash: "hash", Ext: ".zip"}},
		Erase: `DELETE FROM person_exports WHERE user_id = $1 OR asked_by = $1`},
	{Name: "erasures", About: "an erasure that waits, of the person or asked for by them",
		Where: "WHERE t.user_id = $1 OR t.asked_by = $1", People: []string{"user_id", "asked_by"},
		Erase: `DELETE FROM erasures WHERE user_id = $1`}}

// ArchiveState is how far an archive is.
type ArchiveState string

// The states of an archive. One that was downloaded, or expired, can be asked for anew.
const (
	ArchiveNone       ArchiveState = "none"
	ArchiveMaking     ArchiveState = "making"
	ArchiveReady      ArchiveState = "ready"
	ArchiveDownloaded ArchiveState = "downloaded"
	ArchiveExpired    ArchiveState = "expired"
	ArchiveFailed     ArchiveState = "failed"
)

// Enum gives all states, for the documentation of the API.
func (ArchiveState) Enum() []string {
	return []string{string(ArchiveNone), string(ArchiveMaking), string(ArchiveReady), string(ArchiveDownloaded),
		string(ArchiveExpired), string(ArchiveFailed)}
}

// Archive is what somebody asked for of their own data.
type Archive struct {
	State        ArchiveState `json:"state" doc:"how far the archive is"`
	AskedAt      *clock.Time  `db:"asked_at" json:"asked_at" doc:"when it was asked for; null: never"`
	ReadyAt      *clock.Time  `db:"ready_at" json:"ready_at" doc:"when it was made; null while it is being made"`
	ExpiresAt    *clock.Time  `db:"expires_at" json:"expires_at" doc:"when it is removed; null while it is being made"`
	DownloadedAt *clock.Time  `db:"downloaded_at" json:"downloaded_at" doc:"when it was downloaded; null: it was not"`
	Size         *int64       `db:"size" json:"size" doc:"bytes; null while it is being made"`
	Fresh        bool         `json:"fresh_sign_in" doc:"whether this sign-in is young enough to get a link"`
}

// archiveRow is an archive as it is stored, with the state of its job.
type archiveRow struct {
	Archive
	Hash *string     `db:"hash"`
	Job  *jobs.State `db:"state"`
}

func (r *archiveRow) state(now clock.Time) ArchiveState {
	switch {
	case r.AskedAt == nil:
		return ArchiveNone
	case r.DownloadedAt != nil:
		return ArchiveDownloaded
	case r.Hash != nil && r.ExpiresAt.After(now.Time):
		return ArchiveReady
	case r.ReadyAt != nil:
		return ArchiveExpired
	case r.Job == nil || *r.Job == jobs.Dead:
		return ArchiveFailed
	}
	return ArchiveMaking
}

// ArchiveOf tells how far the caller's own archive is.
func ArchiveOf(ctx context.Context, q db.Q, who *access.Caller) (*Archive, error) {
	rows, err := db.All[archiveRow](ctx, q, `SELECT x.asked_at, x.ready_at, x.expires_at, x.downloaded_at, x.size, x.hash,
		j.state FROM data_exports x LEFT JOIN jobs j ON j.id = x.job_id WHERE x.user_id = $1`, who.ID)
	if err != nil {
		return nil, fmt.Errorf("read an archive: %w", err)
	}
	row := &archiveRow{}
	if len(rows) > 0 {
		row = &rows[0]
	}
	a := row.Archive
	a.State = row.state(q.Now())
	a.Fresh, err = ident.SignedInRecently(ctx, q, who)
	return &a, err
}

// ArchiveArgs ask for the archive of a person.
type ArchiveArgs struct {
	UserID int64 `json:"user_id"`
}

// Kind implements jobs.Args.
func (ArchiveArgs) Kind() string { return "data export" }

// ArchiveLimits are those of the jobs that make archives.
var ArchiveLimits = jobs.Limits{Timeout: time.Hour, Concurrency: 1}

// AskArchive asks for an archive of the caller's own data. While one is being made or is ready,
// that is it. It fails with fault.Conflict within an hour of the last.
func AskArchive(ctx context.Context, q db.Q, who *access.Caller) (*Archive, error) {
	if err := db.Lock(ctx, q, "users", who.ID); err != nil {
		return nil, err
	}
	now, err := ArchiveOf(ctx, q, who)
	if err != nil || now.State == ArchiveMaking || now.State == ArchiveReady {
		return now, err
	}
	if now.State == ArchiveDownloaded && now.AskedAt.Add(between).After(q.Now().Time) {
		return nil, fault.New(fault.Conflict, "You downloaded your data a moment ago. You can ask for it again an hour "+
			"after you last asked.")
	}
	job, err := jobs.Enqueue(ctx, q, ArchiveArgs{who.ID}, jobs.Options{MaxAttempts: 3})
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, q, `INSERT INTO data_exports (user_id, job_id, asked_at) VALUES ($1, $2, $3)
		ON CONFLICT (user_id) DO UPDATE SET job_id = excluded.job_id, asked_at = excluded.asked_at, ready_at = NULL,
			expires_at = NULL, hash = NULL, size = NULL, downloaded_at = NULL, token_hash = NULL, link_expires_at = NULL`,
		who.ID, job, q.Now()); err != nil {
		return nil, fmt.Errorf("ask for an archive: %w", err)
	}
	if err := audit.Add(ctx, q, audit.Entry{Kind: audit.Export, Action: "asked", UserID: who.ID}); err != nil {
		return nil, err
	}
	return ArchiveOf(ctx, q, who)
}

// Make makes the archive of a person, for the job that was asked for last.
func (e *Exporter) Make(ctx context.Context, job jobs.Job, a ArchiveArgs) error {
	asked, err := db.All[int64](ctx, e.DB.Pool(), `SELECT user_id FROM data_exports WHERE user_id = $1 AND job_id = $2`,
		a.UserID, job.ID)
	if err != nil || len(asked) == 0 {
		return err // they were erased, or asked again
	}
	info, err := e.store(ctx, a.UserID)
	if err != nil {
		return err
	}
	return e.DB.Tx(ctx, func(q db.Q) error {
		if err := blob.Keep(ctx, q, e.Files, info); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, q, `UPDATE data_exports SET hash = $3, size = $4, ready_at = $5, expires_at = $6
			WHERE user_id = $1 AND job_id = $2`, a.UserID, job.ID, string(info.Hash), info.Size, q.Now(),
			clock.At(q.Now().Add(ArchiveLife))); err != nil {
			return err
		}
		return job.Done(ctx, q)
	})
}

// store writes an export into the store while it is being made.
func (e *Exporter) store(ctx context.Context, userID int64) (files.Info, error) {
	r, w := io.Pipe()
	go func() {
		_, err := e.Export(ctx, userID, w)
		w.CloseWithError(err) //nolint:errcheck // it never fails
	}()
	info, err := e.Files.Put(ctx, r)
	return info, errors.Join(err, r.CloseWithError(io.ErrClosedPipe))
}

// ArchiveLink is a link to an archive.
type ArchiveLink struct {
	Token     string     `json:"token" doc:"of the link, shown only now"`
	ExpiresAt clock.Time `json:"expires_at" doc:"until when it is good"`
}

// LinkToArchive gives a link to the caller's own archive, which is good once and for minutes. An
// earlier one is good no longer. It fails with fault.Denied unless the caller signed in a moment
// ago, and with fault.Conflict where no archive is ready.
func LinkToArchive(ctx context.Context, q db.Q, who *access.Caller) (*ArchiveLink, error) {
	if err := ident.OnlyRecent(ctx, q, who, "download your data"); err != nil {
		return nil, err
	}
	l := &ArchiveLink{Token: rand.Text(), ExpiresAt: clock.At(q.Now().Add(linkLife))}
	n, err := db.Exec(ctx, q, `UPDATE data_exports SET token_hash = $2, link_expires_at = $3
		WHERE user_id = $1 AND hash IS NOT NULL AND expires_at > $4`, who.ID, ident.HashToken(l.Token), l.ExpiresAt, q.Now())
	if err != nil {
		return nil, fmt.Errorf("make a link to an archive: %w", err)
	}
	if n == 0 {
		return nil, fault.New(fault.Conflict, "There is nothing to download. Ask for your data first.")
	}
	return l, nil
}

var errNoLink = fault.New(fault.Missing, "This link has been used or has expired. Get a new one on the page Your data.")

// SeeArchiveLink gives the file that a link of the caller leads to, and leaves the link as it is. It
// fails as UseArchiveLink does.
func SeeArchiveLink(ctx context.Context, q db.Q, who *access.Caller, token string) (files.Hash, error) {
	hash, err := db.One[string](ctx, q, `SELECT hash FROM data_exports WHERE user_id = $1 AND token_hash = $2
		AND link_expires_at > $3 AND expires_at > $3 AND hash IS NOT NULL`, who.ID, ident.HashToken(token), q.Now())
	if fault.Is(err, fault.Missing) {
		return "", errNoLink
	}
	if err != nil {
		return "", fmt.Errorf("see a link to an archive: %w", err)
	}
	return files.Hash(*hash), nil
}

// UseArchiveLink gives the file that a link of the caller leads to, once: of many uses at a time
// one wins. It fails with fault.Missing for a link that was used, has expired or is somebody
// else's.
func UseArchiveLink(ctx context.Context, q db.Q, who *access.Caller, token string) (files.Hash, error) {
	// The row is written first, so that of two at once the second finds no link.
	n, err := db.Exec(ctx, q, `UPDATE data_exports SET downloaded_at = $3, token_hash = NULL, link_expires_at = NULL
		WHERE user_id = $1 AND token_hash = $2 AND link_expires_at > $3 AND expires_at > $3 AND hash IS NOT NULL`, who.ID,
		ident.HashToken(token), q.Now())
	if err != nil {
		return "", fmt.Errorf("use a link to an archive: %w", err)
	}
	if n == 0 {
		return "", errNoLink
	}
	hash, err := db.One[string](ctx, q, `SELECT hash FROM data_exports WHERE user_id = $1`, who.ID)
	if err != nil {
		return "", err
	}
	// The file is swept a day from now, not while it is being sent.
	if err := blob.Touch(ctx, q, []string{*hash}); err != nil {
		return "", err
	}
	if _, err := db.Exec(ctx, q, `UPDATE data_exports SET hash = NULL WHERE user_id = $1`, who.ID); err != nil {
		return "", err
	}
	return files.Hash(*hash), audit.Add(ctx, q, audit.Entry{Kind: audit.Export, Action: "downloaded", UserID: who.ID})
}

// PruneArchives lets go of archives that have expired; their files follow.
func PruneArchives(ctx context.Context, q db.Q) (int64, error) {
	return db.Exec(ctx, q, `UPDATE data_exports SET hash = NULL, token_hash = NULL, link_expires_at = NULL
		WHERE hash IS NOT NULL AND expires_at <= $1`, q.Now())
}
