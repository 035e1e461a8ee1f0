package usecase

import (
	"context"
	"fmt"
	"slices"

	"lectern/internal/platform/db"
)

// Names are those of people and units that a list for administrators is about.
type Names struct{ people, units map[int64]string }

// Person is the name of somebody; empty where there is no such account, or none is meant.
func (n *Names) Person(id int64) string { return n.people[id] }

// Unit is the code of a unit; empty where there is none.
func (n *Names) Unit(id int64) string { return n.units[id] }

// NamesOf reads the names of people and the codes of units, with two statements. It is for those who
// may see everybody.
func NamesOf(ctx context.Context, q db.Q, people, units []int64) (*Names, error) {
	n := &Names{}
	var err error
	if n.people, err = named(ctx, q, `SELECT id, first_name || ' ' || last_name AS name FROM users WHERE id IN `,
		people); err != nil {
		return nil, fmt.Errorf("read the names of people: %w", err)
	}
	if n.units, err = named(ctx, q, `SELECT id, code AS name FROM units WHERE id IN `, units); err != nil {
		return nil, fmt.Errorf("read the codes of units: %w", err)
	}
	return n, nil
}

func named(ctx context.Context, q db.Q, text string, ids []int64) (map[int64]string, error) {
	type row struct {
		ID   int64  `db:"id"`
		Name string `db:"name"`
	}
	out := map[int64]string{}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	ids = slices.DeleteFunc(ids, func(id int64) bool { return id == 0 })
	if len(ids) == 0 {
		return out, nil
	}
	list, args := db.In(nil, ids)
	for r, err := range db.Each[row](ctx, q, text+list, args...) {
		if err != nil {
			return nil, err
		}
		out[r.ID] = r.Name
	}
	return out, nil
}
