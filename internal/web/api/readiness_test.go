package api

import (
	"slices"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/usecase"
)

var _ = rights(rightRow{"GET /api/units/{id}/readiness", "/api/units/{unitA}/readiness", convenorsA, nil})

// readiness reads the checks of unit A by their names.
func (w *world) readiness() (ready bool, by map[usecase.CheckName]usecase.Check) {
	w.Helper()
	var r usecase.Readiness
	w.do("convenor", "GET /api/units/{unitA}/readiness", nil).status(200).into(&r)
	by = map[usecase.CheckName]usecase.Check{}
	for _, c := range r.Checks {
		by[c.Name] = c
	}
	return r.Ready, by
}

// Every check of a unit tells what is in its way, and no other check does; put right, the unit is
// ready.
func TestReadinessOfAUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		unit := w.id["unitA"]
		w.set(`DELETE FROM breaks`)
		w.set(`UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Work","type":"code"}]',
			due_date = NULL, target_date = start_date WHERE unit_id = $1`, unit)
		const hash = "abababababababababababababababababababababababababababababababab"
		w.set(`INSERT INTO blobs (hash, size, touched_at) VALUES ($1, 7, $2)`, hash, clock.At(w.now))
		w.set(`UPDATE task_definitions SET sheet_hash = $2 WHERE unit_id = $1`, unit, hash)
		if ready, by := w.readiness(); !ready {
			t.Fatalf("put right: %+v", by)
		}
		for _, c := range []struct {
			name     usecase.CheckName
			breaking string
			names    []string
		}{
			{usecase.CheckStaff, `UPDATE unit_roles SET is_main = FALSE WHERE unit_id = $1`, nil},
			{usecase.CheckSheets, `UPDATE task_definitions SET sheet_hash = NULL WHERE unit_id = $1 AND abbreviation = '1.1P'`,
				[]string{"1.1P"}},
			{usecase.CheckTaskDates, `UPDATE task_definitions SET due_date = '2999-01-01' WHERE unit_id = $1
				AND abbreviation = '1.1P'`, []string{"1.1P"}},
			{usecase.CheckRequirements, `UPDATE task_definitions SET upload_requirements = '[]' WHERE unit_id = $1
				AND abbreviation = '1.1P'`, []string{"1.1P"}},
			{usecase.CheckTutorials, `UPDATE tutorials SET unit_role_id = NULL WHERE unit_id = $1`, []string{"LA1"}},
			{usecase.CheckPlaces, `DELETE FROM tutorial_enrolments WHERE project_id IN (SELECT min(id) FROM projects
				WHERE unit_id = $1 AND enrolled)`, nil},
			{usecase.CheckBreaks, `INSERT INTO breaks (teaching_period_id, start_date, number_of_weeks)
				SELECT teaching_period_id, start_date, 1 FROM units WHERE id = $1`, []string{"1.1P", "1.2C"}},
			{usecase.CheckTasks, `DELETE FROM task_definitions WHERE unit_id = $1`, nil},
			{usecase.CheckStudents, `UPDATE projects SET enrolled = FALSE WHERE unit_id = $1`, nil},
		} {
			_, before := w.readiness()
			w.set(c.breaking, unit)
			ready, by := w.readiness()
			if ready || by[c.name].OK || !slices.Equal(by[c.name].Names, c.names) {
				t.Errorf("%s: %+v", c.name, by[c.name])
			}
			for name, b := range before {
				if name != c.name && b.OK && !by[name].OK {
					t.Errorf("breaking %s changed %s: %+v", c.name, name, by[name])
				}
			}
		}
	})
}
