package trash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// interrupted is said of tests that were running when their task went.
const interrupted = "The task was deleted while this was under way. Ask for it again."

// fit makes the rows of a table fit what is there today.
func (d *Restored) fit(ctx context.Context, q db.Q, t *table, rows []row) ([]row, error) {
	for _, r := range t.needs {
		gone, err := missing(ctx, q, r, rows)
		if err != nil {
			return nil, err
		}
		if len(gone) > 0 {
			return nil, d.needsFirst(ctx, q, r.table, gone)
		}
	}
	for _, r := range t.loose {
		gone, err := missing(ctx, q, r, rows)
		if err != nil {
			return nil, err
		}
		for _, x := range rows {
			if slices.Contains(gone, x.id(r.column)) {
				x[r.column] = nil
			}
		}
	}
	for _, r := range t.drops {
		gone, err := missing(ctx, q, r, rows)
		if err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, func(x row) bool { return slices.Contains(gone, x.id(r.column)) })
	}
	return rows, d.fitOne(ctx, q, t, rows)
}

// missing gives the ids that rows refer to and that are not there.
func missing(ctx context.Context, q db.Q, r ref, rows []row) ([]int64, error) {
	var ids []int64
	for _, x := range rows {
		if id := x.id(r.column); id != 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	list, args, err := idList(q, nil, ids)
	if err != nil {
		return nil, err
	}
	there, err := db.All[int64](ctx, q, `SELECT id FROM `+r.table+` WHERE id IN `+list+` ORDER BY id`, args...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id int64) bool {
		_, found := slices.BinarySearch(there, id)
		return found
	}), nil
}

// needsFirst says what must be restored before.
func (d *Restored) needsFirst(ctx context.Context, q db.Q, table string, ids []int64) error {
	list, args, err := idList(q, []any{table, d.ID}, ids)
	if err != nil {
		return err
	}
	found, err := db.All[Deletion](ctx, q, `SELECT DISTINCT d.kind, d.name FROM deleted_rows r
		JOIN deletions d ON d.id = r.deletion_id WHERE r.table_name = $1 AND d.id <> $2 AND r.row_id IN `+list+
		` ORDER BY d.name`, args...)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range found {
		names = append(names, fmt.Sprintf("the %s %s", f.Kind.Word(), f.Name))
	}
	if len(names) == 0 {
		return fault.New(fault.Conflict, "What %s belonged to was deleted for good, so it cannot be restored.", d.Name)
	}
	return fault.New(fault.Conflict, "%s needs something that was deleted after it. Restore %s first.", d.Name,
		strings.Join(names, " and "))
}

// fitOne is what single tables need: one draft of a summary in a unit, a tutorial
// for a group, nothing under way that nobody works on.
func (d *Restored) fitOne(ctx context.Context, q db.Q, t *table, rows []row) error {
	switch t.name {
	case definitions:
		n, err := db.One[int64](ctx, q, `SELECT count(*) FROM task_definitions WHERE unit_id = $1 AND is_draft_summary`,
			d.UnitID)
		if err != nil || *n == 0 {
			return err
		}
		for _, r := range rows {
			r["is_draft_summary"] = false
		}
	case groups:
		return d.giveTutorial(ctx, q, rows)
	case handins:
		for _, r := range rows {
			if s := r.text("state"); s == "queued" || s == "processing" {
				d.Unfinished = append(d.Unfinished, r.id("id"))
			}
		}
	case assessments, trials, previews:
		for _, r := range rows {
			if s := r.text("status"); s == "queued" || s == "running" {
				r["status"], r["reason"], r["job_id"] = "failed", interrupted, nil
			}
		}
	}
	return nil
}

// giveTutorial gives groups whose tutorial is gone the first of the unit.
func (d *Restored) giveTutorial(ctx context.Context, q db.Q, rows []row) error {
	gone, err := missing(ctx, q, ref{"tutorial_id", "tutorials"}, rows)
	if err != nil || len(gone) == 0 {
		return err
	}
	first, err := db.All[int64](ctx, q, `SELECT id FROM tutorials WHERE unit_id = $1 ORDER BY id LIMIT 1`, d.UnitID)
	if err != nil {
		return err
	}
	if len(first) == 0 {
		return fault.New(fault.Conflict, "The unit has no tutorial for the group. Create one, then restore this.")
	}
	for _, r := range rows {
		if slices.Contains(gone, r.id("tutorial_id")) {
			r["tutorial_id"] = first[0]
		}
	}
	return nil
}
