package stats

import (
	"context"
	"errors"
	"fmt"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/progress"
)

// ErrWrong says that statistics did not agree with the tasks they sum up.
var ErrWrong = errors.New("the statistics were wrong and are right now")

// Check works the statistics of every project out anew, unit by unit. They
// should stand already: where they do not, it puts them right and fails with
// ErrWrong, naming the projects, because some change forgot them.
func Check(ctx context.Context, d *db.DB) error {
	return CheckUnits(ctx, d, ErrWrong, "projects", setRight)
}

// CheckUnits lets mend look at every unit, in a transaction of each, and put
// right what was kept wrongly there. It fails with wrong and the ids that mend
// put right, which are those of things, for example projects.
func CheckUnits(ctx context.Context, d *db.DB, wrong error, things string,
	mend func(ctx context.Context, q db.Q, unitID int64) (off []int64, err error)) error {
	units, err := db.All[int64](ctx, d.Pool(), `SELECT id FROM units ORDER BY id`)
	if err != nil {
		return err
	}
	var found []error
	for _, id := range units {
		var off []int64
		err := d.Tx(ctx, func(q db.Q) (err error) {
			off, err = mend(ctx, q, id)
			return err
		})
		if err != nil {
			return fmt.Errorf("check the %s of unit %d: %w", things, id, err)
		}
		if len(off) > 0 {
			found = append(found, fmt.Errorf("unit %d, %s %v: %w", id, things, off, wrong))
		}
	}
	return errors.Join(found...)
}

// setRight recomputes a unit and lists the projects that changed by it. It holds
// them first, or a move between the two readings would look like a mistake.
func setRight(ctx context.Context, q db.Q, unitID int64) (off []int64, err error) {
	text := `SELECT id FROM projects WHERE unit_id = $1 ORDER BY id`
	if q.Postgres() {
		text += ` FOR NO KEY UPDATE`
	}
	ids, err := db.All[int64](ctx, q, text, unitID)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	before, err := Of(ctx, q, unitID)
	if err == nil {
		err = Recompute(ctx, q, unitID)
	}
	if err != nil {
		return nil, err
	}
	after, err := Of(ctx, q, unitID)
	for _, id := range ids {
		if before[id] != after[id] {
			off = append(off, id)
		}
	}
	return off, err
}

// row is the statistics of a project.
type row struct {
	ID int64 `db:"id"`
	progress.Stats
}

const columns = `id, red_pct, grey_pct, orange_pct, blue_pct, green_pct, order_scale`

// Of reads the statistics of projects: of those named, or of all in the
// unit.
func Of(ctx context.Context, q db.Q, unitID int64, projectIDs ...int64) (map[int64]progress.Stats, error) {
	which, args := `unit_id = $1`, []any{unitID}
	if len(projectIDs) > 0 {
		var in string
		in, args = db.In(args, projectIDs)
		which += ` AND id IN ` + in
	}
	out := map[int64]progress.Stats{}
	for r, err := range db.Each[row](ctx, q, `SELECT `+columns+` FROM projects WHERE `+which, args...) {
		if err != nil {
			return nil, err
		}
		out[r.ID] = r.Stats
	}
	return out, nil
}
