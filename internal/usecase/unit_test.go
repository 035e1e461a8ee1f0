package usecase

import (
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/course"
)

// A unit whose start moves takes its definitions along, and a change that is
// refused leaves everything as it was.
func TestDefinitionsMoveWithTheirUnit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		undone(t, d, func(q db.Q) {
			w := newTeaching(t, q)
			unit := w.id["units"]
			admin := w.as(99, policy.Admin, access.Scope{Unit: unit})
			moved := course.UnitChange{StartDate: new(day("2026-03-09")),
				PortfolioDate: course.Setting[clock.Date]{Set: true}}
			if _, err := changeUnit(t.Context(), q, admin, unit, UnitChange{UnitChange: moved}); err != nil {
				t.Fatal(err)
			}
			got, err := db.One[clock.Date](t.Context(), q, `SELECT target_date FROM task_definitions WHERE unit_id = $1`,
				unit)
			if err != nil || *got != day("2026-03-18") {
				t.Errorf("the target is %v: %v", got, err)
			}
			outside := course.UnitChange{EndDate: new(day("2026-12-31"))}
			if _, err := changeUnit(t.Context(), q, admin, unit, UnitChange{UnitChange: outside}); !fault.Is(err,
				fault.Refused) {
				t.Errorf("an end outside the period: %v", err)
			}
		})
	})
}

// What reaches beyond the unit's record must belong to the unit.
func TestAUnitRefersToItsOwn(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	for name, c := range map[string]UnitChange{
		"main convenor": {MainConvenorID: new(int64(999))},
		"draft summary": {DraftDefinitionID: course.Setting[int64]{Set: true, To: new(int64(999))}},
	} {
		undone(t, d, func(q db.Q) {
			w := newTeaching(t, q)
			admin := w.as(99, policy.Admin, access.Scope{Unit: w.id["units"]})
			if _, err := changeUnit(t.Context(), q, admin, w.id["units"], c); err == nil || fault.Is(err, fault.Internal) {
				t.Errorf("%s of nobody: %v", name, err)
			}
		})
	}
}
