package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Filter chooses jobs; what is zero chooses all.
type Filter struct {
	State     State
	Kind      string
	Unit      int64
	Units     []int64 // of one of these
	Attention bool    // those that are dead or stuck, and need a person
}

// A job is stuck in one of two ways, as of the moment $1; each has its index.
const (
	isLate     = `state = 'available' AND run_at < $1`
	isOrphaned = `state = 'running' AND lease_until < $1`
)

// late is the moment before which a job that has not begun is late.
func late(q db.Q) any { return clock.At(q.Now().Add(-stuckAfter)) }

// where writes the conditions of the filter, with their arguments behind args.
func (f *Filter) where(args []any) (string, []any) {
	text := []string{"TRUE"}
	add := func(given bool, column string, value any) {
		if given {
			args = append(args, value)
			text = append(text, column+" = $"+strconv.Itoa(len(args)))
		}
	}
	add(f.State != "", "state", f.State)
	add(f.Kind != "", "kind", f.Kind)
	unit := "unit_key <> 0 AND unit_key" // as its index has it
	if f.Attention {
		unit = "+unit_key" // the few that need a person have indexes, which the plus leaves to be chosen
	}
	add(f.Unit != 0, unit, f.Unit)
	if len(f.Units) > 0 {
		var list string
		list, args = db.In(args, f.Units)
		text = append(text, unit+" IN "+list)
	}
	return strings.Join(text, " AND "), args
}

const (
	plainColumns = `id, kind, args, state, attempt, max_attempts, run_at, error, created_at, finished_at, unit_key,
	person_key`
	recordColumns = plainColumns + `, (` + isLate + ` OR ` + isOrphaned + `) AS stuck`
)

// Find gives the part of the chosen jobs that p asks for: the newest first, and those that need a
// person with the dead ones before the stuck ones.
func Find(ctx context.Context, q db.Q, f Filter, p db.Page) ([]Record, error) {
	where, args := f.where([]any{late(q)})
	text := `SELECT ` + recordColumns + ` FROM jobs WHERE ` + where + ` ORDER BY id DESC`
	if f.Attention {
		text = `SELECT ` + plainColumns + `, stuck FROM (` + f.attention(recordColumns, where) + `) AS a
			ORDER BY part, id DESC`
	}
	n := len(args)
	args = append(args, p.Limit(), p.Offset())
	type row struct {
		Record
		Text string `db:"args"`
	}
	list := []Record{}
	for r, err := range db.Each[row](ctx, q, text+fmt.Sprintf(" LIMIT $%d OFFSET $%d", n+1, n+2), args...) {
		if err != nil {
			return nil, fmt.Errorf("list jobs: %w", err)
		}
		r.Args = json.RawMessage(r.Text)
		list = append(list, r.Record)
	}
	return list, nil
}

// attention writes the three ways in which a job needs a person as branches, each with its index.
func (f *Filter) attention(columns, where string) string {
	branch := func(part int, condition string) string {
		return fmt.Sprintf(`SELECT %s, %d AS part FROM jobs WHERE %s AND %s`, columns, part, condition, where)
	}
	return branch(1, `state = 'dead'`) + ` UNION ALL ` + branch(2, isLate) + ` UNION ALL ` + branch(2, isOrphaned)
}

// Count tells how many jobs are chosen. Call it in a View with Find so that the two agree.
func Count(ctx context.Context, q db.Q, f Filter) (int64, error) {
	where, args := f.where(nil)
	text := `SELECT count(*) FROM jobs WHERE ` + where
	if f.Attention {
		where, args = f.where([]any{late(q)})
		text = `SELECT count(*) FROM (` + f.attention("id", where) + `) AS b`
	}
	n, err := db.One[int64](ctx, q, text, args...)
	if err != nil {
		return 0, fmt.Errorf("count jobs: %w", err)
	}
	return *n, nil
}
