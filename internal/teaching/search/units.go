package search

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

// Units are all units of the service that a list asks for, those of the newest teaching period first. They
// are for holders of policy.SeeAllUnits.
type Units struct {
	PeriodID *int64 // of this teaching period, 0 of none; nil: of all
	Active   *bool  // open or closed ones; nil: both
	Text     string // each of its words begins a word of the code or the name
	Page     db.Page
}

// ListedUnit is a unit in the list of all.
type ListedUnit struct {
	ID               int64      `db:"id" json:"id"`
	Code             string     `db:"code" json:"code"`
	Name             string     `db:"name" json:"name"`
	TeachingPeriodID *int64     `db:"teaching_period_id" json:"teaching_period_id" doc:"null: it is in none"`
	StartDate        clock.Date `db:"start_date" json:"start_date"`
	EndDate          clock.Date `db:"end_date" json:"end_date"`
	Active           bool       `db:"active" json:"active" doc:"false: it is closed"`
	Convenor         *string    `db:"-" json:"main_convenor_name" doc:"the name of the main convenor; null: it has none"`
	Staff            int64      `db:"-" json:"staff" doc:"how many are on its staff"`
	Students         int64      `db:"-" json:"students" doc:"how many are enrolled"`
}

// Rows gives the units of the page and how many there are in all, by three statements.
func (u Units) Rows(ctx context.Context, q db.Q) (list []ListedUnit, total int64, err error) {
	asked := newQuery(u.Text)
	const from = ` FROM units u LEFT JOIN teaching_periods p ON p.id = u.teaching_period_id
		WHERE (CAST($1 AS BIGINT) IS NULL OR coalesce(u.teaching_period_id, 0) = $1)
			AND (CAST($2 AS BOOLEAN) IS NULL OR u.active = $2)`
	const columns = `SELECT u.id, u.code, u.name, u.teaching_period_id, u.start_date, u.end_date, u.active` + from + `
		ORDER BY CASE WHEN p.id IS NULL THEN 1 ELSE 0 END, p.start_date DESC, p.id DESC, u.code, u.id`
	if len(asked.words) > 0 {
		all, err := db.All[ListedUnit](ctx, q, columns, u.PeriodID, u.Active)
		if err != nil {
			return nil, 0, err
		}
		for _, one := range all {
			if asked.match(one.Code+" "+one.Name, "") {
				list = append(list, one)
			}
		}
		total = int64(len(list))
		list = list[min(u.Page.Offset(), total):]
		list = list[:min(u.Page.Limit(), int64(len(list)))]
		return list, total, describe(ctx, q, list)
	}
	n, err := db.One[int64](ctx, q, `SELECT count(*)`+from, u.PeriodID, u.Active)
	if err != nil {
		return nil, 0, err
	}
	list, err = db.All[ListedUnit](ctx, q, columns+` LIMIT $3 OFFSET $4`, u.PeriodID, u.Active, u.Page.Limit(),
		u.Page.Offset())
	if err != nil {
		return nil, 0, err
	}
	return list, *n, describe(ctx, q, list)
}

// described is who is in a unit.
type described struct {
	ID       int64   `db:"id"`
	First    *string `db:"first_name"`
	Last     *string `db:"last_name"`
	Staff    int64   `db:"staff"`
	Students int64   `db:"students"`
}

// describe adds who is in the units of a page.
func describe(ctx context.Context, q db.Q, list []ListedUnit) error {
	ids := make([]int64, len(list))
	at := map[int64]*ListedUnit{}
	for i := range list {
		ids[i] = list[i].ID
		at[ids[i]] = &list[i]
	}
	in, args := db.In(nil, ids)
	rows, err := db.All[described](ctx, q, `SELECT u.id, o.first_name, o.last_name,
			(SELECT count(*) FROM unit_roles r WHERE r.unit_id = u.id) AS staff,
			(SELECT count(*) FROM projects p WHERE p.unit_id = u.id AND p.enrolled) AS students
		FROM units u LEFT JOIN unit_roles m ON m.unit_id = u.id AND m.is_main LEFT JOIN users o ON o.id = m.user_id
		WHERE u.id IN `+in, args...)
	for _, r := range rows {
		to := at[r.ID]
		to.Staff, to.Students = r.Staff, r.Students
		if r.First != nil {
			name := *r.First + " " + *r.Last
			to.Convenor = &name
		}
	}
	return err
}
