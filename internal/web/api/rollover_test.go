package api

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
)

var _ = rights(
	rightRow{"POST /api/units/{id}/rollover", "/api/units/{unitA}/rollover", convenorsA, `{"teaching_period_id":1}`},
	rightRow{"POST /api/units/{id}/rollover/plan", "/api/units/{unitA}/rollover/plan", convenorsA,
		`{"teaching_period_id":1}`},
	rightRow{"POST /api/teaching_periods/{existing_teaching_period_id}/rollover/plan",
		"/api/teaching_periods/{T1}/rollover/plan", "admin", `{"new_teaching_period_id":1}`},
	rightRow{"POST /api/teaching_periods/{existing_teaching_period_id}/rollover", "/api/teaching_periods/{T1}/rollover",
		"admin", `{"new_teaching_period_id":1}`},
)

// T2 comes half a year after now, has as many weeks as T1, and its break six
// weeks earlier.
func (w *world) secondPeriod(name string, days int) clock.Date {
	w.Helper()
	start := w.monday().AddDays(days)
	end := start.AddDays(14*7 - 3)
	w.add(name, "teaching_periods", row{"period": name, "year": start.Year(), "start_date": clock.At(start.Time),
		"end_date": clock.At(end.Time), "active_until": clock.At(end.Time)})
	w.add("", "breaks", row{"teaching_period_id": w.id[name], "start_date": start.AddDays(28), "number_of_weeks": 1})
	return start
}

// furnish gives unit A all that a rollover copies, and much that it does not.
func (w *world) furnish() {
	w.Helper()
	w.do("convenor", "POST "+defA+"/{defA1}/task_sheet", aFile("a.pdf", aPDF)).status(200)
	w.do("convenor", "POST "+defA+"/{defA1}/task_resources", aFile("a.zip", zipOf(w, "a", "b"))).status(200)
	w.do("convenor", "POST "+defA+"/{defA1}/task_assessment_resources", aFile("a.zip", zipOf(w, "c", "d"))).status(201)
	w.do("convenor", "PUT "+defA+"/{defA1}", map[string]any{"task_def": map[string]any{"group_set_id": w.id["set"],
		"upload_requirements": []any{map[string]any{"key": "file0", "name": "Report",
			"type": "document"}}}}).status(200)
	w.do("convenor", "PUT "+defA+"/{defA2}", `{"task_def":{"due_date":null}}`).status(200)
	w.do("convenor", "PUT /api/units/{unitA}", map[string]any{"unit": map[string]any{"draft_task_definition_id": w.id["defA1"],
		"extension_weeks_on_resubmit_request": 3, "portfolio_auto_generation_date": w.monday().AddDays(39).String()}}).status(200)
	w.do("student", "POST "+alignA, w.align(w.id["project:student"])).status(201)
}

func TestRolloverUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.secondPeriod("T2", 140)
		w.furnish()
		made := w.do("convenor", "POST /api/units/{unitA}/rollover",
			form{"teaching_period_id": fmt.Sprint(w.id["T2"])}).status(201)
		u := made.object()
		w.id["copy"] = int64(u["id"].(float64))
		if got := made.Header().Get("Location"); got != w.path("/api/units/{copy}") {
			t.Error(got)
		}
		for name, want := range map[string]any{"code": "SIT10A", "my_role": "Convenor",
			"extension_weeks_on_resubmit_request": 3.0,
			"start_date":                          start.String(), "end_date": start.AddDays(95).String(),
			"portfolio_auto_generation_date": start.AddDays(95).String(),
			"teaching_period_id":             float64(w.id["T2"])} {
			if u[name] != want {
				t.Errorf("%s is %v, not %v", name, u[name], want)
			}
		}
		for list, n := range map[string]int{"ilos": 1, "tutorial_streams": 1, "staff": 1, "tutorials": 0,
			"task_definitions": 2, "task_outcome_alignments": 1} {
			if got := u[list].([]any); len(got) != n {
				t.Errorf("%d %s: %v", len(got), list, got)
			}
		}
		defs := map[string]map[string]any{}
		for _, d := range u["task_definitions"].([]any) {
			defs[d.(map[string]any)["abbreviation"].(string)] = d.(map[string]any)
		}
		one, two := defs["1.1P"], defs["1.2C"]
		w.id["one"] = int64(one["id"].(float64))
		for what, ok := range map[string]bool{
			"draft":  u["draft_task_definition_id"] == one["id"],
			"start":  one["start_date"] == start.String() && two["start_date"] == start.String(),
			"target": one["target_date"] == start.AddDays(70).String(), // week 10, a break before it now
			"due":    one["due_date"] == start.AddDays(84).String(),    // week 12, as before
			"break":  two["target_date"] == start.AddDays(28).String(), // in the first break
			"no due": two["due_date"] == u["end_date"],
			"files": one["has_task_sheet"] == true && one["has_task_resources"] == true &&
				one["has_task_assessment_resources"] == true,
			"stream": one["tutorial_stream_abbr"] == "prac-1",
			"set": w.count("group_sets WHERE unit_id = $1 AND id = $2", w.id["copy"],
				int64(one["group_set_id"].(float64))) == 1,
			"people": w.count("projects WHERE unit_id = $1", w.id["copy"]) == 0,
		} {
			if !ok {
				t.Errorf("%s: %v %v", what, one, two)
			}
		}
		if w.do("admin", "GET /api/units/{copy}/task_definitions/{one}/task_pdf",
			nil).status(200).Body.String() != aPDF {
			t.Error("another sheet")
		}
		w.do("convenor", "POST /api/units/{unitA}/rollover",
			form{"teaching_period_id": fmt.Sprint(w.id["T2"])}).status(409).says("code")
	})
}

// A plan of a rollover tells what the rollover makes: what is carried, where the dates fall, and what
// is left behind. It is refused as the rollover is, and keeps nothing.
func TestPlanARollover(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.secondPeriod("T2", 140)
		w.furnish()
		const path = "POST /api/units/{unitA}/rollover/plan"
		w.announced("Hello", "all")
		to := form{"teaching_period_id": fmt.Sprint(w.id["T2"])}
		kept, before := w.count("audit_outbox"), w.count("task_definitions")
		for _, who := range []string{"convenor", "admin"} {
			p := w.do(who, path, to).status(200).object()
			has(t, "the plan", p, map[string]any{"code": "SIT10A", "start_date": start.String(),
				"end_date": start.AddDays(95).String(), "teaching_period_id": float64(w.id["T2"])})
			has(t, "what is carried", p["carried"].(map[string]any), map[string]any{"tasks": 2.0, "files": 3.0,
				"outcomes": 1.0, "alignments": 1.0, "tutorial_streams": 1.0, "group_sets": 1.0, "staff": 1.0})
			has(t, "what is left behind", p["left_behind"].(map[string]any), map[string]any{"students": 4.0,
				"tutorials": 1.0, "staff": 2.0, "announcements": 1.0})
		}
		for _, who := range []string{"tutor", "student", "convenorB", "outsider"} {
			w.do(who, path, to).status(403)
		}
		w.do("convenor", path, nil).status(400).says("teaching_period_id")
		w.do("convenor", path, form{"teaching_period_id": "999"}).status(404)
		w.do("convenor", path, form{"teaching_period_id": fmt.Sprint(w.id["T2"]),
			"start_date": start.AddDays(-1).String()}).status(422).says("start_date")
		if n := w.count("units"); n != 2 || w.count("task_definitions") != before || w.count("audit_outbox") != kept {
			t.Errorf("a plan left %d units, or tasks or entries", n)
		}
		plan := w.do("convenor", path, to).status(200).object()["tasks"].([]any)
		made := w.do("convenor", "POST /api/units/{unitA}/rollover", to).status(201).object()["task_definitions"].([]any)
		dates := map[any]any{}
		for _, d := range made {
			dates[d.(map[string]any)["abbreviation"]] = d.(map[string]any)["target_date"]
		}
		for _, one := range plan {
			d := one.(map[string]any)
			if dates[d["abbreviation"]] != d["target_date"] || d["from_target_date"] == d["target_date"] ||
				d["outside"] != false {
				t.Errorf("the plan says %v, and it became %v", d, dates[d["abbreviation"]])
			}
		}
		w.do("convenor", path, to).status(409).says("code")
	})
}

func TestRolloverUnitRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.secondPeriod("T2", 140)
		try := func(status int, says string, pairs ...string) *answered {
			t.Helper()
			f := form{"teaching_period_id": fmt.Sprint(w.id["T2"])}
			for i := 0; i < len(pairs); i += 2 {
				f[pairs[i]] = pairs[i+1]
			}
			got := w.do("admin", "POST /api/units/{unitA}/rollover", f).status(status)
			if status != 201 {
				got.says(says)
			}
			return got
		}
		try(400, "teaching_period_id", "teaching_period_id", "")
		try(404, "teaching period", "teaching_period_id", "999")
		try(400, "start_date", "start_date", "soon")
		try(422, "start_date", "start_date", start.AddDays(-1).String())
		try(422, "end_date", "end_date", start.AddDays(99).String())
		try(422, "end_date", "start_date", start.AddDays(9).String(), "end_date", start.AddDays(8).String())
		if n := w.count("units"); n != 2 {
			t.Errorf("%d units", n)
		}
		u := try(201, "", "start_date", start.AddDays(7).String()).object()
		if u["start_date"] != start.AddDays(7).String() || u["end_date"] != start.AddDays(95).String() ||
			u["my_role"] != "Admin" {
			t.Errorf("%v", u)
		}
		// Another convenor who asks is employed; the main convenor stays who it was.
		w.do("convenor", "POST /api/unit_roles", form{"unit_id": fmt.Sprint(w.id["unitA"]),
			"user_id": fmt.Sprint(w.id["convenorB"]), "role": "Convenor"}).status(201)
		w.secondPeriod("T3", 280)
		u = w.do("convenorB", "POST /api/units/{unitA}/rollover",
			form{"teaching_period_id": fmt.Sprint(w.id["T3"])}).status(201).object()
		if len(u["staff"].([]any)) != 2 || u["my_role"] != "Convenor" ||
			u["main_convenor_user_id"] != float64(w.id["convenor"]) {
			t.Errorf("%v", u)
		}
	})
}

// A break that the new period lacks may turn dates round: they stay in order.
func TestRolloverKeepsDatesInOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.monday().AddDays(140)
		w.add("T2", "teaching_periods", row{"period": "T2", "year": start.Year(), "start_date": clock.At(start.Time),
			"end_date": clock.At(start.AddDays(95).Time), "active_until": clock.At(start.AddDays(95).Time)})
		first := w.monday().AddDays(-56)
		w.do("convenor", "PUT "+defA+"/{defA1}", map[string]any{"task_def": map[string]any{
			"start_date": first.AddDays(74).String(), "target_date": first.AddDays(77).String(),
			"due_date": first.AddDays(77).String()}}).status(200)
		w.do("convenor", "PUT "+defA+"/{defA2}", map[string]any{"task_def": map[string]any{
			"start_date": first.String(), "target_date": first.AddDays(75).String(),
			"due_date": first.AddDays(78).String()}}).status(200)
		u := w.do("convenor", "POST /api/units/{unitA}/rollover",
			form{"teaching_period_id": fmt.Sprint(w.id["T2"])}).status(201).object()
		for _, d := range u["task_definitions"].([]any) {
			d := d.(map[string]any)
			if d["start_date"].(string) > d["target_date"].(string) ||
				d["target_date"].(string) > d["due_date"].(string) {
				t.Errorf("%v", d)
			}
		}
	})
}

func TestRolloverPeriod(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.secondPeriod("T2", 140)
		w.secondPeriod("T3", 280)
		w.furnish()
		post := func(to string, more ...string) *answered {
			t.Helper()
			f := form{"new_teaching_period_id": fmt.Sprint(w.id[to])}
			for i := 0; i < len(more); i += 2 {
				f[more[i]] = more[i+1]
			}
			return w.do("admin", "POST /api/teaching_periods/{T1}/rollover", f)
		}
		w.id["gone"] = 999
		post("gone").status(404)
		w.do("admin", "POST /api/teaching_periods/{gone}/rollover",
			form{"new_teaching_period_id": fmt.Sprint(w.id["T2"])}).status(404)
		w.do("admin", "POST /api/teaching_periods/{T1}/rollover", nil).status(400).says("new_teaching_period_id")
		post("T1").status(422).says("starts after")
		w.do("admin", "POST /api/teaching_periods/{T3}/rollover",
			form{"new_teaching_period_id": fmt.Sprint(w.id["T2"])}).status(422)
		w.secondPeriod("now", -21)
		post("now").status(409).says("already started")

		w.do("admin", "PUT /api/units/{unitB}", `{"unit":{"active":false}}`).status(200)
		post("T2").status(200).is(`null`)
		if n := w.count("units WHERE teaching_period_id = $1", w.id["T2"]); n != 1 {
			t.Errorf("%d units in T2", n)
		}
		post("T2", "rollover_inactive", "true").status(200)
		post("T2", "rollover_inactive", "true").status(200)
		if n := w.count("units WHERE teaching_period_id = $1", w.id["T2"]); n != 2 {
			t.Errorf("%d units in T2", n)
		}
		// The newest unit of each code is what the next period starts from.
		if err := w.db.Tx(t.Context(), func(q db.Q) error {
			_, err := db.Exec(t.Context(), q, `UPDATE units SET name = 'Newer' WHERE teaching_period_id = $1`,
				w.id["T2"])
			return err
		}); err != nil {
			t.Fatal(err)
		}
		post("T3", "rollover_inactive", "true").status(200)
		if n := w.count("units WHERE teaching_period_id = $1 AND name = 'Newer'", w.id["T3"]); n != 2 {
			t.Errorf("%d newer units in T3", n)
		}
		w.secondPeriod("T4", 420)
		post("T4", "rollover_inactive", "true", "search_forward", "no").status(200)
		if n := w.count("units WHERE teaching_period_id = $1 AND name = 'Newer'", w.id["T4"]); n != 0 {
			t.Errorf("%d newer units in T4", n)
		}
	})
}

// doUnder is do with a context of the test's own.
func (w *world) doUnder(ctx context.Context, as, request string, body any) int {
	w.Helper()
	content, kind := encode(w, body)
	r := httptest.NewRequest("POST", w.path(request), content).WithContext(ctx)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Username", as)
	r.Header.Set("Auth_Token", w.tokens[as])
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	return rec.Code
}

// everything counts the rows a rollover makes or touches.
func (w *world) everything() string {
	w.Helper()
	var out string
	for _, table := range []string{"units", "unit_roles", "tutorial_streams", "group_sets", "learning_outcomes",
		"task_definitions",
		"learning_outcome_links", "blobs", "blobs WHERE touched_at = '" + clock.At(w.now).String() + "'"} {
		out += fmt.Sprintln(table, w.count(table))
	}
	return out
}

// A rollover that breaks at any statement leaves nothing behind.
func TestRolloverIsAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.secondPeriod("T2", 140)
		w.secondPeriod("T3", 280)
		w.furnish()
		w.now = w.now.Add(time.Minute)
		for _, c := range []struct {
			path string
			body form
			done int
		}{
			{"/api/units/{unitA}/rollover", form{"teaching_period_id": fmt.Sprint(w.id["T2"])}, 201},
			{"/api/teaching_periods/{T1}/rollover", form{"new_teaching_period_id": fmt.Sprint(w.id["T3"])}, 200},
		} {
			before, steps := w.everything(), int64(0)
			for status := 0; status != c.done; {
				if steps++; steps > 100 {
					t.Fatalf("%s still answers %d", c.path, status)
				}
				ctx, _ := db.Failing(t.Context(), steps)
				status = w.doUnder(ctx, "admin", c.path, c.body)
				if status != c.done && (status < 500 || w.everything() != before) {
					t.Fatalf("%s, step %d: answered %d and left\n%s\nof\n%s", c.path, steps, status, w.everything(),
						before)
				}
			}
			if steps < 10 || w.everything() == before {
				t.Errorf("%s took %d steps and did nothing", c.path, steps)
			}
		}
	})
}

// A period of many units takes as many statements as one of few.
func TestStatementsOfRollover(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		statements := func(to string) int64 {
			t.Helper()
			ctx, c := db.Counting(t.Context(), nil)
			uses := usecase.New(usecase.Config{DB: w.db})
			if err := uses.RolloverPeriod(ctx, usecase.PeriodRollover{FromID: w.id["T1"], ToID: w.id[to]}); err != nil {
				t.Fatal(err)
			}
			return c.N()
		}
		w.secondPeriod("T2", 140)
		w.secondPeriod("T3", 280)
		few := statements("T2")
		for i := range 30 {
			u := w.add("", "units", row{"code": fmt.Sprint("X", i), "name": "X", "description": "X",
				"teaching_period_id": w.id["T1"],
				"start_date":         w.monday(), "end_date": w.monday(), "created_at": clock.At(w.now),
				"updated_at": clock.At(w.now)})
			w.add("", "task_definitions", row{"unit_id": u, "name": "N", "abbreviation": "N", "description": "",
				"weighting": 1, "target_grade": 0,
				"start_date": w.monday(), "target_date": w.monday()})
		}
		if many := statements("T3"); many != few {
			t.Errorf("%d statements for few, %d for many", few, many)
		}
		if n := w.count("task_definitions d JOIN units u ON u.id = d.unit_id WHERE u.teaching_period_id = $1",
			w.id["T3"]); n != 34 {
			t.Errorf("%d definitions", n)
		}
	})
}
