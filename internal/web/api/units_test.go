package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	_ "time/tzdata" // the zones must be there wherever the tests run

	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

var _ = rights(
	rightRow{"GET /api/units", "", "users", nil},
	rightRow{"GET /api/units/{id}", "/api/units/{unitA}", membersA, nil},
	rightRow{"POST /api/units", "/api/units?unit[teaching_period_id]={T1}&unit[main_convenor_user_id]={convenor}",
		"convenor convenorB admin", `{"unit":{"name":"X","code":"X","active":true}}`},
	rightRow{"PUT /api/units/{id}", "/api/units/{unitA}", convenorsA, `{"unit":{"name":"Y"}}`},
)

var _ = lists(
	listRow{route: "GET /api/units", who: "admin", fill: fill("units", unitRow)},
	listRow{route: "GET /api/units", path: "/api/units?include_in_active=true", who: "tutor", fill: employ("tutor")},
	listRow{route: "GET /api/units/{id}", path: "/api/units/{unitA}", who: "convenor", member: "staff",
		fill: colleagues},
	listRow{route: "GET /api/units/{id}", path: "/api/units/{unitA}", who: "student", member: "ilos",
		fill: fill("learning_outcomes", func(w *world, i int) row {
			return row{"unit_id": w.id["unitA"], "ilo_number": i + 2, "abbreviation": numbered("O", i), "name": "Name",
				"description": "Text"}
		})},
	listRow{route: "GET /api/units/{id}", path: "/api/units/{unitA}", who: "student", member: "tutorials",
		fill: fill("tutorials", func(w *world, i int) row {
			return row{"unit_id": w.id["unitA"], "abbreviation": numbered("T", i), "meeting_day": "Monday",
				"meeting_time": "9:00", "meeting_location": "Here"}
		})},
)

func unitRow(w *world, i int) row {
	return row{"code": numbered("U", i), "name": numbered("Unit", i), "description": "About",
		"teaching_period_id": w.id["T1"],
		"start_date":         w.monday(), "end_date": w.monday(), "created_at": clock.At(w.now),
		"updated_at": clock.At(w.now)}
}

// employ gives a person a role in each of many new units.
func employ(name string) func(w *world, from, to int) {
	return func(w *world, from, to int) {
		w.fill("units", from, to, func(i int) row { return unitRow(w, i) })
		first := w.lastID("units") - int64(to-from) + 1
		w.fill("unit_roles", from, to, func(i int) row {
			return row{"unit_id": first + int64(i-from), "user_id": w.id[name], "role": 2,
				"created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
		})
	}
}

// colleagues are many new tutors of unit A.
func colleagues(w *world, from, to int) {
	w.fill("users", from, to, func(i int) row {
		n := fmt.Sprintf("colleague%d", i)
		return row{"username": n, "username_key": n, "email": n, "email_key": n, "first_name": "A", "last_name": "B",
			"role":       2,
			"created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
	})
	first := w.lastID("users") - int64(to-from) + 1
	w.fill("unit_roles", from, to, func(i int) row {
		return row{"unit_id": w.id["unitA"], "user_id": first + int64(i-from), "role": 2, "created_at": clock.At(w.now),
			"updated_at": clock.At(w.now)}
	})
}

func (w *world) lastID(table string) int64 {
	id, err := db.One[int64](w.Context(), w.db.Pool(), "SELECT max(id) FROM "+table)
	if err != nil {
		w.Fatal(err)
	}
	return *id
}

// days gives the first and last day of unit A and of its period.
func (w *world) days() (start, end clock.Date) {
	start = w.monday().AddDays(-56)
	return start, start.AddDays(14*7 - 3)
}

func TestFullUnitAsEachSeesIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, end := w.days()
		rest := fmt.Sprintf(`"code":"SIT10A","id":«unitA»,"name":"Unit A","description":"About A","teaching_period_id":«T1»,
			"main_convenor_id":«role:convenor»,"main_convenor_user_id":«convenor»,"start_date":"%s","end_date":"%s","active":true,
			"assessment_enabled":true,"allow_student_extension_requests":true,"allow_student_change_tutorial":true,"time_zone":null,
			"ilos":[{"id":«outcomeA»,"ilo_number":1,"abbreviation":"ILO1","name":"Think","description":"Think well"}],
			"tutorial_streams":[{"id":«streamA»,"name":"Practical 1","abbreviation":"prac-1","activity_type":"prac"}],
			"staff":[`+staffJSON("convenor", "Convenor", 3)+`,`+staffJSON("tutor", "Tutor", 2)+`,`+staffJSON("both",
			"Tutor", 2)+`],`, start, end)
		settings := `"auto_apply_extension_before_deadline":true,"send_notifications":true,"enable_sync_enrolments":true,"enable_sync_timetable":true,
			"extension_weeks_on_resubmit_request":1,"draft_task_definition_id":«defA1»,"portfolio_auto_generation_date":"` + end.String() + `"`
		w.set(`UPDATE task_definitions SET is_draft_summary = TRUE WHERE id = $1`, w.id["defA1"])
		image := w.add("image", "overseer_images", row{"name": "Go", "tag": "golang:1"})
		w.set(`UPDATE units SET overseer_image_id = $2, portfolio_auto_generation_date = $3 WHERE id = $1`,
			w.id["unitA"], image, end)

		own := func(who string) *answered { return w.do(who, "GET /api/units/{unitA}", nil).status(200) }
		own("convenor").has(`{"my_role":"Convenor","overseer_image_id":«image»,` + rest + settings + `}`)
		own("admin").has(`{"my_role":"Admin","overseer_image_id":«image»,` + rest + settings + `}`)
		own("tutor").has(`{"my_role":"Tutor","overseer_image_id":«image»,` + rest + settings + `}`)
		own("both").has(`{"my_role":"Tutor"}`)
		open, _, _ := strings.Cut(settings, `,"portfolio_auto`)
		seen := own("student").has(`{"my_role":"Student","overseer_image_id":«image»,` + rest + open + `}`).object()
		if _, there := seen["portfolio_auto_generation_date"]; there {
			t.Error("a student sees when the portfolios are made")
		}
		for _, list := range []string{"tutorials", "task_definitions", "task_outcome_alignments", "group_sets",
			"groups"} {
			if _, ok := seen[list].([]any); !ok {
				t.Errorf("%s is %v, not a list", list, seen[list])
			}
		}
		w.do("admin", "GET /api/units/999999", nil).status(404)
		w.do("outsider", "GET /api/units/999999", nil).status(404)
		w.do("admin", "GET /api/units/abc", nil).status(404)
	})
}

func staffJSON(name, role string, id int) string {
	return fmt.Sprintf(`{"id":«role:%[1]s»,"role":%[2]q,"role_id":%[3]d,"user":{"id":«%[1]s»,"email":"%[1]s@example.edu","first_name":%[4]q,
		"last_name":"Person","username":%[1]q,"nickname":%[1]q}}`, name, role, id, strings.ToUpper(name[:1])+name[1:])
}

// set runs a statement in a transaction of its own.
func (w *world) set(text string, args ...any) {
	w.Helper()
	if err := w.db.Tx(w.Context(), func(q db.Q) error {
		_, err := db.Exec(w.Context(), q, text,
			args...)
		return err
	}); err != nil {
		w.Fatal(err)
	}
}

func TestListUnits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, end := w.days()
		codes := func(who, query string) string {
			var out []string
			for _, u := range w.do(who, "GET /api/units"+query, nil).status(200).list() {
				out = append(out, fmt.Sprint(u["code"], ":", u["my_role"]))
			}
			return strings.Join(out, " ")
		}
		want := func(who, query, list string) {
			t.Helper()
			if got := codes(who, query); got != list {
				t.Errorf("%s sees %q, want %q", who, got, list)
			}
		}
		w.add("old", "units", row{"code": "OLD", "name": "Old", "description": "Old", "start_date": start,
			"end_date": end, "active": false,
			"created_at": clock.At(w.now), "updated_at": clock.At(w.now)})
		w.add("", "unit_roles", row{"unit_id": w.id["old"], "user_id": w.id["tutor"], "role": 2,
			"created_at": clock.At(w.now), "updated_at": clock.At(w.now)})

		want("admin", "", "SIT10A:Admin SIT10B:Admin")
		want("admin", "?include_in_active=true", "OLD:Admin SIT10A:Admin SIT10B:Admin")
		want("tutor", "", "SIT10A:Tutor")
		want("tutor", "?include_in_active=1", "OLD:Tutor SIT10A:Tutor")
		want("convenor", "?include_in_active=true", "SIT10A:Convenor")
		want("student", "", "SIT10A:Student")
		want("both", "", "SIT10A:Tutor")
		want("studentB", "", "SIT10B:Student")
		want("withdrawn", "?include_in_active=true", "")
		want("outsider", "?include_in_active=true", "")
		w.do("studentB", "GET /api/units", nil).is(fmt.Sprintf(`[{"code":"SIT10B","id":«unitB»,"name":"Unit B","my_role":"Student",
			"main_convenor_user_id":«convenorB»,"description":"About B","teaching_period_id":«T1»,"start_date":"%s","end_date":"%s","active":true}]`, start, end))
		want("admin", "?limit=1&offset=1&include_in_active=true", "SIT10A:Admin")
		want("admin", "?limit=0", "")
		want("admin", "?offset=99", "")
		if got := w.do("admin", "GET /api/units?limit=1", nil).Header().Get("X-Total-Count"); got != "2" {
			t.Errorf("X-Total-Count %q", got)
		}
		w.do("admin", "GET /api/units?limit=-1", nil).status(400).says("limit")
		w.do("student", "GET /api/units?include_in_active=perhaps", nil).status(400).says("include_in_active")
	})
}

func TestCreateUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, end := w.days()
		body := form{"unit[name]": " Robotics ", "unit[code]": "SIT200", "unit[active]": "false",
			"unit[teaching_period_id]": w.path("{T1}"), "unit[main_convenor_user_id]": w.path("{convenorB}")}
		made := w.do("convenor", "POST /api/units", body).status(201)
		w.id["new"] = int64(made.object()["id"].(float64))
		w.id["role:new"] = int64(made.object()["main_convenor_id"].(float64))
		made.has(fmt.Sprintf(`{"code":"SIT200","name":"Robotics","description":"Robotics","my_role":null,"active":false,"teaching_period_id":«T1»,
			"main_convenor_id":«role:new»,"main_convenor_user_id":«convenorB»,"start_date":"%s","end_date":"%s","overseer_image_id":null,"assessment_enabled":true,
			"auto_apply_extension_before_deadline":true,"send_notifications":true,"enable_sync_enrolments":true,"enable_sync_timetable":true,
			"draft_task_definition_id":null,"allow_student_extension_requests":true,"extension_weeks_on_resubmit_request":1,
			"allow_student_change_tutorial":true,"portfolio_auto_generation_date":null,"ilos":[],"tutorials":[],"tutorial_streams":[],
			"task_definitions":[],"task_outcome_alignments":[],"group_sets":[],"groups":[]}`, start, end))
		if got := made.Header().Get("Location"); got != w.path("/api/units/{new}") {
			t.Errorf("Location %q", got)
		}
		w.do("convenorB", "GET /api/units/{new}", nil).status(200).has(`{"my_role":"Convenor"}`)
		w.do("convenor", "GET /api/units/{new}", nil).status(403)

		whole := fmt.Sprintf(`{"unit":{"name":"Ünïcode 🤖 '; DROP TABLE units; --","code":"SIT201","description":"Text","active":"yes","teaching_period_id":%d,
			"main_convenor_user_id":%d,"start_date":"%s","end_date":"%s","auto_apply_extension_before_deadline":false,"send_notifications":false,
			"enable_sync_timetable":false,"enable_sync_enrolments":false,"allow_student_extension_requests":false,"allow_student_change_tutorial":false,
			"extension_weeks_on_resubmit_request":0,"portfolio_auto_generation_date":"%s","assessment_enabled":false,"time_zone":"Australia/Melbourne"}}`,
			w.id["T1"], w.id["admin"], start.AddDays(7), end.AddDays(-7), end.AddDays(-8))
		w.do("admin", "POST /api/units", whole).status(201).has(fmt.Sprintf(`{"name":"Ünïcode 🤖 '; DROP TABLE units; --","my_role":"Convenor",
			"start_date":"%s","end_date":"%s","portfolio_auto_generation_date":"%s","auto_apply_extension_before_deadline":false,"send_notifications":false,
			"enable_sync_timetable":false,"enable_sync_enrolments":false,"allow_student_extension_requests":false,"allow_student_change_tutorial":false,
			"extension_weeks_on_resubmit_request":0,"assessment_enabled":false,"time_zone":"Australia/Melbourne"}`,
			start.AddDays(7), end.AddDays(-7), end.AddDays(-8)))
	})
}

func TestCreateUnitRefusals(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, end := w.days()
		before := w.count("units")
		w.do("admin", "POST /api/units", `{"unit":{}}`).status(400).
			says("unit[name]", "unit[code]", "unit[active]", "unit[teaching_period_id]", "unit[main_convenor_user_id]")
		for _, c := range []struct {
			name, field, value string
			status             int
			says               string
		}{
			{"end before start", "end_date", start.AddDays(-1).String(), 422, "end_date"},
			{"start before the period", "start_date", start.AddDays(-1).String(), 422, "inside the teaching period"},
			{"end after the period", "end_date", end.AddDays(1).String(), 422, "inside the teaching period"},
			{"no date", "start_date", "soon", 400, "start_date"},
			{"unknown period", "teaching_period_id", "999999", 404, "teaching period"},
			{"detached", "teaching_period_id", "-1", 404, "teaching period"},
			{"unknown convenor", "main_convenor_user_id", "999999", 404, "user"},
			{"convenor is a tutor", "main_convenor_user_id", w.path("{tutor}"), 422, "Convenor"},
			{"convenor is a student", "main_convenor_user_id", w.path("{student}"), 422, "Convenor"},
			{"blank name", "name", "  ", 422, "name"},
			{"control character", "name", " \t", 400, "name"},
			{"blank code", "code", "", 422, "code"},
			{"long name", "name", strings.Repeat("x", 256), 422, "255"},
			{"long description", "description", strings.Repeat("é", 4096), 422, "4095"},
			{"duplicate code", "code", "SIT10A", 409, "SIT10A"},
			{"portfolio at the start", "portfolio_auto_generation_date", start.String(), 422, "portfolio"},
			{"portfolio after the end", "portfolio_auto_generation_date", end.AddDays(1).String(), 422, "portfolio"},
			{"negative weeks", "extension_weeks_on_resubmit_request", "-1", 400, "extension_weeks"},
			{"very many weeks", "extension_weeks_on_resubmit_request", "99999999999", 400, "extension_weeks"},
			{"no zone", "time_zone", "Mars/Olympus", 400, "time_zone"},
			{"the machine's zone", "time_zone", "Local", 400, "time_zone"},
			{"a path as zone", "time_zone", "../../etc/passwd", 400, "time_zone"},
			{"unknown image", "overseer_image_id", "999999", 404, "image"},
		} {
			body := form{"unit[name]": "X", "unit[code]": "X1", "unit[active]": "true",
				"unit[teaching_period_id]": w.path("{T1}"), "unit[main_convenor_user_id]": w.path("{convenor}")}
			body["unit["+c.field+"]"] = c.value
			got := w.do("admin", "POST /api/units", body)
			if got.Code != c.status {
				t.Errorf("%s: got %d, want %d: %s", c.name, got.Code, c.status, got.Body)
				continue
			}
			got.says(c.says)
		}
		if after := w.count("units"); after != before {
			t.Errorf("%d units were made on the way", after-before)
		}
	})
}

func TestChangeUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE task_definitions SET upload_requirements = '[{"key":"file0","name":"Summary","type":"document"}]'
			WHERE id = $1`, w.id["defA1"])
		w.add("image", "overseer_images", row{"name": "Go", "tag": "golang:1"})
		_, end := w.days()
		put := func(body string) *answered { return w.do("convenor", "PUT /api/units/{unitA}", named(w, body)) }

		same := w.do("convenor", "GET /api/units/{unitA}", nil).Body.String()
		if got := put(`{}`).status(200).Body.String(); got != same {
			t.Errorf("an empty change gave %s, not %s", got, same)
		}
		put(`{"unit":{"name":" New ","code":"N1","description":"D","active":false,"portfolio_auto_generation_date":"` +
			end.String() + `","assessment_enabled":false,
			"auto_apply_extension_before_deadline":false,"send_notifications":false,"enable_sync_timetable":false,"enable_sync_enrolments":false,
			"allow_student_extension_requests":false,"allow_student_change_tutorial":false,"extension_weeks_on_resubmit_request":3,
			"draft_task_definition_id":«defA1»,"overseer_image_id":«image»,"time_zone":"Asia/Kathmandu"}}`).status(200).
			has(`{"name":"New","code":"N1","description":"D","active":false,"portfolio_auto_generation_date":"` +
				end.String() + `","assessment_enabled":false,
			"auto_apply_extension_before_deadline":false,"send_notifications":false,"enable_sync_timetable":false,"enable_sync_enrolments":false,
			"allow_student_extension_requests":false,"allow_student_change_tutorial":false,"extension_weeks_on_resubmit_request":3,
			"draft_task_definition_id":«defA1»,"overseer_image_id":«image»,"time_zone":"Asia/Kathmandu","my_role":"Convenor"}`)
		put(`{"unit":{"portfolio_auto_generation_date":null,"draft_task_definition_id":null,"overseer_image_id":null,"time_zone":"","name":null}}`).status(200).
			has(`{"portfolio_auto_generation_date":null,"draft_task_definition_id":null,"overseer_image_id":null,"time_zone":null,"name":"New","code":"N1"}`)
		put(`{"unit":{"code":"SIT10B"}}`).status(409).says("SIT10B")
		put(`{"unit":{"name":" "}}`).status(422).says("unit[name]")
		put(`{"unit":{"draft_task_definition_id":«defB1»}}`).status(404)
		put(`{"unit":{"draft_task_definition_id":«defA2»}}`).status(422).says("document")
		put(`{"unit":{"draft_task_definition_id":«defA1»}}`).status(200)
		put(`{"unit":{"draft_task_definition_id":«defA1»}}`).status(200).has(`{"draft_task_definition_id":«defA1»}`)
	})
}

func TestMainConvenor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		put := func(body string) *answered { return w.do("convenor", "PUT /api/units/{unitA}", named(w, body)) }
		w.id["second"] = int64(w.do("convenor", "POST /api/unit_roles",
			fmt.Sprintf(`{"unit_id":%d,"user_id":%d,"role":"Convenor"}`,
				w.id["unitA"], w.id["convenorB"])).status(201).object()["id"].(float64))
		put(`{"unit":{"main_convenor_id":«role:tutor»}}`).status(422).says("Tutor")
		put(`{"unit":{"main_convenor_id":«role:convenorB»}}`).status(404)
		put(`{"unit":{"main_convenor_id":«second»,"name":" "}}`).status(422)
		put(`{"unit":{"name":"Half","main_convenor_id":«role:tutor»}}`).status(422)
		w.do("convenor", "GET /api/units/{unitA}", nil).has(`{"main_convenor_id":«role:convenor»,"name":"Unit A"}`)
		put(`{"unit":{"main_convenor_id":«second»}}`).status(200).has(`{"main_convenor_id":«second»,"main_convenor_user_id":«convenorB»}`)
		w.do("convenorB", "DELETE /api/unit_roles/{role:convenor}", nil).status(204)
		w.do("convenorB", "DELETE /api/unit_roles/{second}", nil).status(409)
	})
}

func TestMoveUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, end := w.days()
		put := func(format string, args ...any) *answered {
			return w.do("convenor", "PUT /api/units/{unitA}", fmt.Sprintf(`{"unit":{`+format+`}}`, args...))
		}
		definitions := func() string {
			rows, err := db.All[struct {
				Start  clock.Date  `db:"start_date"`
				Target clock.Date  `db:"target_date"`
				Due    *clock.Date `db:"due_date"`
			}](t.Context(), w.db.Pool(), `SELECT start_date, target_date, due_date FROM task_definitions
				WHERE unit_id IN ($1, $2) ORDER BY id`, w.id["unitA"], w.id["unitB"])
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, r := range rows {
				due := "-"
				if r.Due != nil {
					due = fmt.Sprint(r.Due.DaysSince(start))
				}
				out = append(out, fmt.Sprint(r.Start.DaysSince(start), "/", r.Target.DaysSince(start), "/", due))
			}
			return strings.Join(out, " ")
		}
		want := func(list string) {
			t.Helper()
			if got := definitions(); got != list {
				t.Errorf("definitions at %q, want %q", got, list)
			}
		}
		w.set(`UPDATE task_definitions SET due_date = NULL WHERE id = $1`, w.id["defA2"])
		want("0/63/84 0/70/- 0/63/84 0/70/91")

		put(`"start_date":"%s"`, start.AddDays(-1)).status(422).says("inside the teaching period")
		put(`"end_date":"%s"`, end.AddDays(1)).status(422)
		put(`"end_date":"%s"`, start.AddDays(-1)).status(422)
		put(`"portfolio_auto_generation_date":"%s"`, start).status(422)
		want("0/63/84 0/70/- 0/63/84 0/70/91")

		put(`"portfolio_auto_generation_date":"%s"`, end.AddDays(-7)).status(200)
		put(`"start_date":"%s"`, start.AddDays(7)).status(200).
			has(fmt.Sprintf(`{"start_date":"%s","end_date":"%s","teaching_period_id":«T1»,"portfolio_auto_generation_date":"%s"}`, start.AddDays(7), end, end))
		want("7/70/91 7/77/- 0/63/84 0/70/91")
		put(`"start_date":"%s"`, start.AddDays(8)).status(200). // the portfolios are not made after the last day
									has(fmt.Sprintf(`{"end_date":"%s","portfolio_auto_generation_date":"%[1]s"}`, end))
		put(`"start_date":"%s"`, start.AddDays(7)).status(200)
		want("7/70/91 7/77/- 0/63/84 0/70/91")

		// Out of the period, with dates no period allows.
		put(`"teaching_period_id":-1,"start_date":"%s","end_date":"%s"`, start.AddDays(-30),
			end.AddDays(30)).status(200)
		got := w.do("convenor", "GET /api/units/{unitA}", nil).object()
		if period, there := got["teaching_period_id"]; !there || period != nil ||
			got["start_date"] != start.AddDays(-30).String() {
			t.Errorf("the unit is still in a period: %v", got)
		}
		want("-30/33/54 -30/40/- 0/63/84 0/70/91")
		put(`"teaching_period_id":null`).status(200)
		put(`"teaching_period_id":999999`).status(404)

		// And back: without dates it takes the period's.
		put(`"teaching_period_id":%d,"end_date":"%s"`, w.id["T1"], end.AddDays(1)).status(422)
		put(`"teaching_period_id":%d,"portfolio_auto_generation_date":null`, w.id["T1"]).status(200).
			has(fmt.Sprintf(`{"start_date":"%s","end_date":"%s","teaching_period_id":«T1»}`, start, end))
		want("0/63/84 0/70/- 0/63/84 0/70/91")
	})
}

// A dry run tells what a change would make of a unit and its tasks, is refused as the change would be,
// and changes nothing.
func TestPlanAUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, _ := w.days()
		put := func(who, format string, args ...any) *answered {
			return w.do(who, "PUT /api/units/{unitA}", fmt.Sprintf(format, args...))
		}
		same := w.do("convenor", "GET /api/units/{unitA}", nil).Body.String()
		kept := w.count("audit_outbox")
		for _, who := range []string{"convenor", "admin"} {
			told := put(who, `{"dry_run":true,"unit":{"name":"New","start_date":"%s"}}`, start.AddDays(7)).status(200).
				has(fmt.Sprintf(`{"name":"New","start_date":"%s"}`, start.AddDays(7))).object()
			for _, d := range told["task_definitions"].([]any) {
				if got := d.(map[string]any)["start_date"]; got != start.AddDays(7).String() {
					t.Errorf("%s is told that a task begins on %v", who, got)
				}
			}
		}
		put("convenor", `{"dry_run":true,"unit":{"start_date":"%s"}}`, start.AddDays(-1)).status(422).says("unit[start_date]")
		put("convenor", `{"dry_run":true,"unit":{"code":"SIT10B"}}`).status(409)
		put("convenor", `{"dry_run":"perhaps","unit":{"code":"N1"}}`).status(400).says("dry_run")
		for _, who := range []string{"tutor", "student", "convenorB", "outsider"} {
			put(who, `{"dry_run":true,"unit":{"name":"New"}}`).status(403)
		}
		if got := w.do("convenor", "GET /api/units/{unitA}", nil).Body.String(); got != same {
			t.Errorf("the unit was\n%s and is\n%s", same, got)
		}
		if n := w.count("audit_outbox"); n != kept {
			t.Errorf("%d plans are in the audit log", n-kept)
		}
	})
}

// Whoever says what they saw is refused a value that somebody else changed since, with what it is;
// values that only one of them changed go through.
func TestAUnitThatSomebodyElseChanged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, end := w.days()
		put := func(format string, args ...any) *answered {
			return w.do("convenor", "PUT /api/units/{unitA}", named(w, fmt.Sprintf(format, args...)))
		}
		w.id["second"] = int64(w.do("convenor", "POST /api/unit_roles", fmt.Sprintf(`{"unit_id":%d,"user_id":%d,
			"role":"Convenor"}`, w.id["unitA"], w.id["convenorB"])).status(201).object()["id"].(float64))
		put(`{"unit":{"name":"Theirs","feedback_days":9,"main_convenor_id":«second»,"end_date":"%s"}}`,
			end.AddDays(-7)).status(200)
		seen := fmt.Sprintf(`"seen":{"name":"Unit A","code":"SIT10A","feedback_days":null,
			"main_convenor_id":«role:convenor»,
			"start_date":"%s","end_date":"%s","active":true}`, start, end)
		put(`{%s,"unit":{"name":"Mine","code":"N1"}}`, seen).status(409).says(`unit[name]`, `"Theirs"`)
		put(`{%s,"unit":{"feedback_days":3}}`, seen).status(409).says("unit[feedback_days]", "it is 9")
		put(`{%s,"unit":{"end_date":"%s"}}`, seen, end.AddDays(-14)).status(409).says("unit[end_date]",
			end.AddDays(-7).Told())
		put(`{%s,"dry_run":true,"unit":{"name":"Mine"}}`, seen).status(409)
		put(`{"seen":{"main_convenor_id":«role:tutor»},"unit":{"main_convenor_id":«role:convenor»}}`).status(409).
			says("unit[main_convenor_id]")
		w.do("convenor", "GET /api/units/{unitA}", nil).has(`{"name":"Theirs","code":"SIT10A","feedback_days":9}`)
		put(`{%s,"unit":{"code":"N1","active":false}}`, seen).status(200).
			has(`{"name":"Theirs","code":"N1","feedback_days":9}`)
		put(`{"seen":{"name":"Theirs"},"unit":{"name":"Mine"}}`).status(200).has(`{"name":"Mine"}`)
		put(`{%s,"unit":{"name":"Mine"}}`, seen).status(200) // it is so already
		put(`{"seen":{"start_date":"soon"},"unit":{"name":"Mine"}}`).status(400).says("seen[start_date]")
	})
}

// TestUnitsKeepApart changes a unit through every way there is, as staff of
// another one.
func TestUnitsKeepApart(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, request := range []string{"PUT /api/units/{unitB}/outcomes/{outcomeA}",
			"DELETE /api/units/{unitB}/outcomes/{outcomeA}",
			"PUT /api/units/{unitA}/outcomes/{outcomeB}", "DELETE /api/units/{unitA}/outcomes/{outcomeB}"} {
			w.do("admin", request, `{"name":"stolen"}`).status(404)
		}
		if n := w.count("learning_outcomes WHERE name = 'Think'"); n != 2 {
			t.Errorf("%d outcomes are left, not 2", n)
		}
	})
}

// has compares the members that want names, JSON in which «name» stands for an
// id, and leaves the others alone.
func (a *answered) has(want string) *answered {
	a.w.Helper()
	var exp map[string]any
	if err := json.Unmarshal([]byte(named(a.w, want)), &exp); err != nil {
		a.w.Fatalf("bad expectation %s: %v", want, err)
	}
	got := a.object()
	maps.DeleteFunc(got, func(name string, _ any) bool { _, asked := exp[name]; return !asked })
	if d := cmp.Diff(exp, got); d != "" {
		a.w.Errorf("%s: (-want +got)\n%s", a.what, d)
	}
	return a
}

// TestUnitAndPeriodMoveAtOnce shortens a period from both ends while a unit
// takes the days that are cut off: whoever comes second is refused.
func TestUnitAndPeriodMoveAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start, end := w.days()
		w.set(`DELETE FROM breaks`)
		w.set(`UPDATE units SET teaching_period_id = NULL`)
		got := w.together(20, func(i int) (string, any) {
			if i%2 == 0 {
				return "PUT /api/teaching_periods/{T1}", map[string]any{"teaching_period": map[string]any{"start_date": start.AddDays(14), "end_date": end.AddDays(-14)}}
			}
			return "PUT /api/units/{unit" + string("AB"[i/2%2]) + "}",
				map[string]any{"unit": map[string]any{"teaching_period_id": w.id["T1"],
					"start_date": start.AddDays(i), "end_date": end.AddDays(-i)}}
		})
		if got[200] == 0 || got[200]+got[409]+got[422] != 20 {
			t.Errorf("got %v", got)
		}
		if n := w.count(`units u JOIN teaching_periods p ON p.id = u.teaching_period_id
			WHERE u.start_date < $1 AND p.start_date > $2`, start.AddDays(14),
			clock.At(start.AddDays(7).Time)); n != 0 {
			t.Errorf("%d units begin before their period", n)
		}
	})
}

func TestOneCodeAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		got := w.together(8, func(int) (string, any) {
			return "POST /api/units", map[string]any{"unit": map[string]any{"name": "X", "code": "SIT300",
				"active":             true,
				"teaching_period_id": w.id["T1"], "main_convenor_user_id": w.id["convenor"]}}
		})
		if got[201] != 1 || got[409] != 7 {
			t.Errorf("got %v", got)
		}
	})
}
