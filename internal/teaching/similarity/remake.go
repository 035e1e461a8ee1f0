package similarity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/similarity/engine"
)

// RemakeArgs ask for fingerprints of an older form to be made anew, as after an upgrade.
// Until then the work they are of is not compared.
type RemakeArgs struct{}

// Kind implements jobs.Args.
func (RemakeArgs) Kind() string { return "similarity remake" }

// Remake is the worker of RemakeArgs. It goes from the newest work to the oldest, a few
// at a time, so that one that is stopped loses little; then the tasks they belong to are
// compared anew.
func (s *Service) Remake(ctx context.Context, _ jobs.Job, _ RemakeArgs) error {
	for {
		ids, err := db.All[int64](ctx, s.DB.Pool(), `SELECT DISTINCT submission_id FROM similarity_prints
			WHERE form < $1 ORDER BY submission_id DESC LIMIT $2`, engine.PackVersion, atOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		firsts := map[int64]bool{}
		for _, id := range ids {
			first, err := s.remake(ctx, id)
			if err != nil {
				return fmt.Errorf("make the fingerprints of submission %d anew: %w", id, err)
			}
			firsts[first] = true
		}
		if err := s.DB.Tx(ctx, func(q db.Q) error { return askRenewals(ctx, q, firsts) }); err != nil {
			return err
		}
	}
}

// remake reads the files of a submission again, and tells to which task it belongs. What
// can no longer be read goes: there is nothing to compare by.
func (s *Service) remake(ctx context.Context, id int64) (first int64, err error) {
	var made []printed
	sub, err := db.OneOf[asked](ctx, s.DB.Pool(), "submission", selectAsked+`= $1 AND `+somebodys, id)
	if err == nil {
		first = sub.First
		made, err = s.fingerprint(ctx, sub)
	}
	if err != nil && !fault.Is(err, fault.Missing) && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	return first, s.DB.Brief(ctx, func(q db.Q) error {
		if err := savePrints(ctx, q, made); err != nil {
			return err
		}
		_, err := db.Exec(ctx, q, `DELETE FROM similarity_prints WHERE submission_id = $1 AND form < $2`, id,
			engine.PackVersion)
		return err
	})
}

// askRenewals has tasks compared anew, each once however many of its works were remade.
func askRenewals(ctx context.Context, q db.Q, firsts map[int64]bool) error {
	for first := range firsts {
		if first == 0 {
			continue
		}
		o := jobs.Options{Unique: fmt.Sprintf("similarity renewal:%d", first)}
		if _, err := jobs.Enqueue(ctx, q, RenewArgs{first}, o); err != nil {
			return err
		}
	}
	return nil
}
