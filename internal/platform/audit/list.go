package audit

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

const columns = `seq, at, kind, action, actor_id, user_id, unit_id, project_id, task_id, record_id, fields, hash,
	address, request_id`

// Filter chooses entries; what is zero chooses all.
type Filter struct {
	Kind                               Kind
	ActorID, UserID, UnitID, ProjectID int64
	From, To                           *clock.Time // the first moment, and the first one after
	Units                              []int64     // of one of these
	Before                             int64       // entries of lower numbers
}

// where writes the conditions, with their arguments behind args.
func (f *Filter) where(args []any) (string, []any) {
	text := []string{"TRUE"}
	add := func(given bool, condition string, value any) {
		if given {
			args = append(args, value)
			text = append(text, condition+" $"+strconv.Itoa(len(args)))
		}
	}
	add(f.Kind != "", "kind =", f.Kind)
	add(f.ActorID != 0, "actor_id =", f.ActorID)
	add(f.UserID != 0, "user_id =", f.UserID)
	add(f.UnitID != 0, "unit_id =", f.UnitID)
	add(f.ProjectID != 0, "project_id =", f.ProjectID)
	add(f.From != nil, "at >=", f.From)
	add(f.To != nil, "at <", f.To)
	add(f.Before != 0, "seq <", f.Before)
	if len(f.Units) > 0 {
		var list string
		list, args = db.In(args, f.Units)
		text = append(text, "unit_id IN "+list)
	}
	return strings.Join(text, " AND "), args
}

// List gives the part of the chosen entries that p asks for, the newest first, and
// how many there are in all.
func List(ctx context.Context, q db.Q, f Filter, p db.Page) ([]Record, int64, error) {
	where, args := f.where(nil)
	total, err := db.One[int64](ctx, q, `SELECT count(*) FROM audit_entries WHERE `+where, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("count audit entries: %w", err)
	}
	where, args = f.where([]any{p.Limit(), p.Offset()})
	list, err := db.All[Record](ctx, q, `SELECT `+columns+` FROM audit_entries WHERE `+where+`
		ORDER BY seq DESC LIMIT $1 OFFSET $2`, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list audit entries: %w", err)
	}
	return list, *total, nil
}

// Newest gives the last of the chosen entries, the newest first.
func Newest(ctx context.Context, q db.Q, f Filter, n int) ([]Record, error) {
	where, args := f.where([]any{n})
	list, err := db.All[Record](ctx, q, `SELECT `+columns+` FROM audit_entries WHERE `+where+`
		ORDER BY seq DESC LIMIT $1`, args...)
	if err != nil {
		return nil, fmt.Errorf("list the newest audit entries: %w", err)
	}
	return list, nil
}

// readAtOnce is how many entries are read with one statement.
const readAtOnce = 1000

// All gives the chosen entries, the newest first, in batches, so that a slow reader
// holds neither a connection nor memory.
func All(ctx context.Context, d *db.DB, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		before := int64(1) << 62
		for {
			where, args := f.where([]any{before, readAtOnce})
			list, err := db.All[Record](ctx, d.Pool(), `SELECT `+columns+` FROM audit_entries
				WHERE seq < $1 AND `+where+` ORDER BY seq DESC LIMIT $2`, args...)
			if err != nil {
				yield(Record{}, fmt.Errorf("read audit entries: %w", err))
				return
			}
			for _, r := range list {
				if !yield(r, nil) {
					return
				}
			}
			if len(list) < readAtOnce {
				return
			}
			before = list[len(list)-1].Seq
		}
	}
}

// WriteSheet writes entries as a sheet.
func WriteSheet(w io.Writer, rows iter.Seq2[Record, error]) error {
	t := sheet.Write(w, []string{"seq", "at", "kind", "action", "actor_id", "user_id", "unit_id", "project_id",
		"task_id", "record_id", "fields", "address", "request_id", "hash"})
	for r, err := range rows {
		if err != nil {
			return err
		}
		address := ""
		if r.Address != nil {
			address = *r.Address
		}
		if err := t.Row(number(r.Seq), r.At.String(), string(r.Kind), r.Action, number(r.ActorID), number(r.UserID),
			number(r.UnitID), number(r.ProjectID), number(r.TaskID), number(r.RecordID), r.Fields.text(), address,
			r.RequestID, r.Hash); err != nil {
			return err
		}
	}
	return t.Flush()
}

// number leaves the cell of an id that does not apply empty.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
