package api

import (
	"fmt"
	"testing"
)

// A plan of a change of a period names the units that move and those that stay, and changes nothing.
func TestPlanOfAPeriod(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "POST /api/teaching_periods/{T1}/plan"
		before := w.allRows()
		p := w.do("", "GET /api/teaching_periods/{T1}", nil).object()
		start := w.monday().AddDays(-56)
		body := map[string]any{"teaching_period": map[string]any{"start_date": start.AddDays(7).String()}}
		plan := w.do("admin", path, body).status(200).object()
		if plan["teaching_period"].(map[string]any)["start_date"] == p["start_date"] {
			t.Errorf("got %v", plan["teaching_period"])
		}
		units := plan["units"].([]any)
		if len(units) != 2 {
			t.Fatalf("got %v", units)
		}
		for _, u := range units {
			u := u.(map[string]any)
			if u["start_date"] != start.AddDays(7).String() || u["from_start_date"] != start.String() {
				t.Errorf("got %v", u)
			}
		}
		if w.allRows() != before {
			t.Error("a plan wrote something")
		}
		w.do("admin", "PUT /api/teaching_periods/{T1}", body).status(200)
		for _, u := range w.do("admin", "GET /api/admin/units", nil).list() {
			if u["start_date"] != start.AddDays(7).String() {
				t.Errorf("got %v", u)
			}
		}
		w.id["gone"] = 999
		w.do("admin", "POST /api/teaching_periods/{gone}/plan", body).status(404)
		w.do("admin", path, `{"teaching_period":{"end_date":"2001-01-01"}}`).status(422)
		w.do("admin", path, `{"teaching_period":{"year":2999},"seen":{"year":2001}}`).status(409).says("teaching_period[year]")
		counts := w.do("admin", "GET /api/admin/teaching_periods", nil).status(200).list()[0]
		if counts["units"] != 2.0 || counts["closed_units"] != 0.0 {
			t.Errorf("got %v", counts)
		}
	})
}

// A plan of a rollover of a period tells what the rollover makes, and keeps nothing of it.
func TestPlanOfAPeriodRollover(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.secondPeriod("T2", 140)
		w.furnish()
		w.do("admin", "PUT /api/units/{unitB}", `{"unit":{"active":false}}`).status(200)
		plan := func(more string) map[string]any {
			t.Helper()
			return w.do("admin", "POST /api/teaching_periods/{T1}/rollover/plan",
				fmt.Sprintf(`{"new_teaching_period_id":%d%s}`, w.id["T2"], more)).status(200).object()
		}
		before := w.allRows()
		one := plan("")
		single := w.do("convenor", "POST /api/units/{unitA}/rollover/plan",
			form{"teaching_period_id": fmt.Sprint(w.id["T2"])}).status(200).object()
		for part, name := range map[string]string{"carried": "tasks", "left_behind": "students"} {
			if got, want := one[part].(map[string]any)[name], single[part].(map[string]any)[name]; got != want || got == 0.0 {
				t.Errorf("%s of %s: %v, of the unit alone %v", name, part, got, want)
			}
		}
		if n := len(one["units"].([]any)); n != 1 {
			t.Errorf("%d units", n)
		}
		passed := one["passed_over"].([]any)
		if len(passed) != 1 || passed[0].(map[string]any)["active"] != false {
			t.Errorf("passed over %v", passed)
		}
		if n := len(plan(`,"rollover_inactive":true`)["units"].([]any)); n != 2 {
			t.Errorf("%d units with the closed one", n)
		}
		w.id["gone"] = 999
		only := fmt.Sprintf(`,"rollover_inactive":true,"unit_ids":[%d]`, w.id["unitB"])
		chosen := plan(only)["units"].([]any)
		if len(chosen) != 1 || chosen[0].(map[string]any)["id"] != float64(w.id["unitB"]) {
			t.Errorf("chosen %v", chosen)
		}
		if w.allRows() != before {
			t.Error("a plan wrote something")
		}
		body := fmt.Sprintf(`{"new_teaching_period_id":%d%s}`, w.id["T2"], only)
		w.do("admin", "POST /api/teaching_periods/{T1}/rollover", body).status(200)
		if n := w.count("units WHERE teaching_period_id = $1", w.id["T2"]); n != 1 {
			t.Errorf("%d units in T2", n)
		}
		w.do("admin", "POST /api/teaching_periods/{T1}/rollover", body).status(409).says("any more")
		taken := plan(`,"rollover_inactive":true`)["passed_over"].([]any)
		if len(taken) != 1 || taken[0].(map[string]any)["taken"] != true {
			t.Errorf("passed over %v", taken)
		}
		w.do("admin", "POST /api/teaching_periods/{T1}/rollover/plan", `{}`).status(400).says("new_teaching_period_id")
		w.do("admin", "POST /api/teaching_periods/{T2}/rollover/plan",
			fmt.Sprintf(`{"new_teaching_period_id":%d}`, w.id["T1"])).status(422)
	})
}

// What somebody else changed since it was seen is refused with the value it has by now; other fields go
// through.
func TestTwoChangeTheSetUpAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.id["image"] = int64(w.do("admin", "POST "+images, `{"overseer_image":{"name":"Go","tag":"go:2"}}`).
			status(201).object()["id"].(float64))
		w.add("lab", "activity_types", row{"name": "Laboratory", "abbreviation": "LAB"})
		for _, c := range []struct{ path, in, field, first, second, is, other string }{
			{"/api/campuses/{burwood}", "campus", "name", "Burwood", "Melbourne", "Clayton", `"active":false`},
			{"/api/activity_types/{lab}", "activity_type", "name", "Laboratory", "Lab", "Studio", `"abbreviation":"L2"`},
			{"/api/teaching_periods/{T1}", "teaching_period", "period", "T1", "First", "Trimester 1", `"year":2031`},
			{images + "/{image}", "overseer_image", "name", "Go", "Golang", "Gopher", `"tag":"go:3"`},
		} {
			put := func(values, seen string) *answered {
				return w.do("admin", "PUT "+c.path, fmt.Sprintf(`{%q:{%s},"seen":{%s}}`, c.in, values, seen))
			}
			value := func(v string) string { return fmt.Sprintf(`%q:%q`, c.field, v) }
			put(value(c.is), value(c.first)).status(200)
			put(value(c.second), value(c.first)).status(409).says(c.in+"["+c.field+"]", c.is)
			put(c.other, value(c.first)).status(200)
			put(value(c.is), value(c.first)).status(200) // both meant the same
			put(value(c.second), value(c.is)).status(200)
		}
		at := "/api/teaching_periods/{T1}/breaks/{break}"
		w.do("admin", "PUT "+at, `{"number_of_weeks":2,"seen":{"number_of_weeks":1}}`).status(200)
		w.do("admin", "PUT "+at, `{"number_of_weeks":3,"seen":{"number_of_weeks":1}}`).status(409).says("number_of_weeks")
	})
}

// What is in use is told with how much uses it.
func TestWhatIsInUseIsNotDeleted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("admin", "DELETE /api/campuses/{burwood}", nil).status(409).says("student", "tutorial", "inactive")
		w.add("lab", "activity_types", row{"name": "Laboratory", "abbreviation": "LAB"})
		w.add("stream", "tutorial_streams", row{"unit_id": w.id["unitA"], "name": "Lab", "abbreviation": "LAB1",
			"activity_type_id": w.id["lab"]})
		w.do("admin", "DELETE /api/activity_types/{lab}", nil).status(409).says("1 tutorial stream.")
		w.do("admin", "DELETE /api/teaching_periods/{T1}", nil).status(409).says("2 units")
	})
}
