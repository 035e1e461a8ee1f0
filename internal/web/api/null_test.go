package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// refusedHere stands for a rule that wants a value in this world: the unit has streams.
const refusedHere = "422"

// cleared are the parameters of updates that null empties: what to send first, and what is
// shown in their place afterwards. The document says which they are; see below.
var cleared = map[string][]struct{ who, put, param, value, shown, empty string }{
	"/api/units/{id}": {
		{"convenor", "/api/units/{unitA}", "unit[portfolio_auto_generation_date]", `"«later»"`, "", "null"},
		{"convenor", "/api/units/{unitA}", "unit[overseer_image_id]", "«image»", "", "null"},
		{"convenor", "/api/units/{unitA}", "unit[feedback_days]", "7", "", "null"},
		{"convenor", "/api/units/{unitA}", "unit[risk_overdue_tasks]", "3", "", "null"},
		{"convenor", "/api/units/{unitA}", "unit[risk_behind_percent]", "20", "", "null"},
		{"convenor", "/api/units/{unitA}", "unit[risk_away_days]", "14", "", "null"},
		{"convenor", "/api/units/{unitA}", "unit[risk_failed_tries]", "3", "", "null"},
		{"convenor", "/api/units/{unitA}", "unit[time_zone]", `"Australia/Melbourne"`, "", "null"},
		{"convenor", "/api/units/{unitA}", "unit[draft_task_definition_id]", "«document»", "", "null"},
		{"admin", "/api/units/{unitA}", "unit[teaching_period_id]", "«T1»", "", "null"},
	},
	"/api/projects/{id}": {
		{"tutor", "/api/projects/{project:other}", "submitted_grade", "2", "", "null"},
		{"tutor", "/api/projects/{project:other}", "campus_id", "«burwood»", "", "null"},
		{"tutor", "/api/projects/{project:other}", "grade_rationale", `"Good"`, "", "null"},
	},
	"/api/tutorials/{id}": {
		{"convenor", "/api/tutorials/{tutorialA}", "tutorial[tutor_id]", "«tutor»", "", "null"},
		{"convenor", "/api/tutorials/{tutorialA}", "tutorial[capacity]", "9", "", "-1"},
		{"convenor", "/api/tutorials/{tutorialA}", "tutorial[meeting_location]", `"X"`, "", `""`},
		{"convenor", "/api/tutorials/{tutorialA}", "tutorial[meeting_day]", `"Friday"`, "", `""`},
		{"convenor", "/api/tutorials/{tutorialA}", "tutorial[meeting_time]", `"9:00"`, "", `""`},
		{"convenor", "/api/tutorials/{tutorialA}", "tutorial[campus_id]", "«burwood»", "", "null"},
		{"convenor", "/api/tutorials/{tutorialA}", "tutorial[tutorial_stream_abbr]", `"prac-1"`, "tutorial_stream_abbr",
			"null"},
	},
	"/api/units/{unit_id}/learning_alignments/{id}": {
		{"convenor", "/api/units/{unitA}/learning_alignments/{alignA}", "description", `"So"`, "", `""`},
	},
	"/api/units/{unit_id}/task_definitions/{id}": {
		{"convenor", defA + "/{defA2}", "task_def[description]", `"So"`, "", `""`},
		{"convenor", defA + "/{defA2}", "task_def[due_date]", `"«later»"`, "due_date", `"«end»"`},
		{"convenor", defA + "/{defA2}", "task_def[tutorial_stream_abbr]", `"prac-1"`, "", refusedHere},
		{"convenor", defA + "/{defA2}", "task_def[moss_language]", `"python"`, "", "null"},
		{"convenor", defA + "/{defA2}", "task_def[overseer_image_id]", "«image»", "", "null"},
		{"convenor", defA + "/{defA2}", "task_def[upload_requirements]", `[{"key":"file0","name":"A","type":"code"}]`, "",
			"[]"},
		{"convenor", defA + "/{defA2}", "task_def[plagiarism_checks]", `[{"key":"file0","type":"moss python","pattern":"*"}]`,
			"", "[]"},
		{"convenor", defA + "/{defA2}", "task_def[assessment_limits]", `{"seconds":60}`, "", "{}"},
	},
	"/api/units/{unit_id}/group_sets/{group_set_id}": {
		{"convenor", "/api/units/{unitA}/group_sets/{set}", "group_set[capacity]", "5", "", "null"},
	},
	"/api/users/{id}": {
		{"admin", "/api/users/{student}", "user[student_id]", `"123"`, "", "null"},
		{"admin", "/api/users/{mate}", "user[login_id]", `"abc"`, "", "null"},
		{"student", "/api/users/{student}", "user[nickname]", `"Nick"`, "", `""`},
		{"student", "/api/users/{student}", "user[pronouns]", `"they"`, "", "null"},
		{"student", "/api/users/{student}", "user[opt_in_to_research]", "true", "", "null"},
	},
	"/api/webcal": {
		{"student", "/api/webcal", "webcal[unit_exclusions]", "[«unitA»]", "", "[]"},
		{"student", "/api/webcal", "webcal[reminder]", `{"time":3,"unit":"d"}`, "", "null"},
	},
	"/api/preferences": {
		{"student", "/api/preferences", "time_zone", `"Asia/Kolkata"`, "", "null"},
	},
	"/api/admin/webhooks/{id}": {
		{"admin", "/api/admin/webhooks/{hook}", "kinds", `["comment"]`, "", "[]"},
	},
}

// jsonOf nests a parameter: unit[name] becomes {"unit":{"name":value}}.
func jsonOf(param, value string) string {
	outer, inner, nested := strings.Cut(strings.TrimSuffix(param, "]"), "[")
	if nested {
		return fmt.Sprintf(`{%q:{%q:%s}}`, outer, inner, value)
	}
	return fmt.Sprintf(`{%q:%s}`, param, value)
}

func TestNullClearsWhatTheDocumentSaysMayBeNull(t *testing.T) {
	said := 0
	walkDocument(documentForTests(t), nil, func(at []string, o map[string]any) {
		if len(at) < 4 || at[0] != "paths" || at[2] != "put" || o["nullable"] != true ||
			!strings.Contains(strings.Join(at, " "), "application/json schema properties") || at[3] != "requestBody" ||
			slices.Contains(at, "seen") { // which says what was there
			return
		}
		said++
		name := at[len(at)-1]
		for _, c := range cleared[at[1]] {
			if c.param == name || strings.HasSuffix(c.param, "["+name+"]") {
				return
			}
		}
		t.Errorf("%v may be null: add it to the table of what null clears", at)
	})
	if n := len(flat(cleared)); said != n {
		t.Errorf("the document says null of %d parameters, the table of %d", said, n)
	}
	each(t, func(t *testing.T, w *world) {
		w.add("image", "overseer_images", row{"name": "go", "tag": "go:1"})
		w.add("hook", "webhooks", row{"url": "https://example.org/h", "secret": "s", "kinds": "[]", "active": true, "last_seq": 0,
			"created_at": w.db.Now(), "updated_at": w.db.Now()})
		w.set(`UPDATE task_definitions SET upload_requirements = $1 WHERE id = $2`,
			`[{"key":"file0","name":"Summary","type":"document"}]`, w.id["defA1"])
		w.id["document"] = w.id["defA1"]
		later := w.monday().AddDays(30).String()
		for _, c := range flat(cleared) {
			name := c.param[strings.LastIndex(c.param, "[")+1:]
			name = strings.TrimSuffix(name, "]")
			if c.shown != "" {
				name = c.shown
			}
			put := func(value string) string {
				body := strings.ReplaceAll(jsonOf(c.param, value), "«later»", later)
				if strings.HasPrefix(c.param, "tutorial[") {
					body = strings.Replace(body, `{"tutorial":{`, `{"tutorial":{"unit_id":`+fmt.Sprint(w.id["unitA"])+",", 1)
				}
				if value == "null" && c.empty == refusedHere {
					w.do(c.who, "PUT "+c.put, body).status(422)
					return refusedHere
				}
				got, err := json.Marshal(w.do(c.who, "PUT "+c.put, named(w, body)).status(200).object()[name])
				if err != nil {
					t.Fatal(err)
				}
				return string(got)
			}
			if got := put(c.value); got == c.empty {
				t.Errorf("%s %s is %s before it is cleared", c.put, c.param, got)
			}
			empty := strings.ReplaceAll(c.empty, "«end»", w.unitEnd())
			if got := put("null"); got != empty {
				t.Errorf("%s %s is %s after null, not %s", c.put, c.param, got, c.empty)
			}
		}
	})
}

// unitEnd is the last day of unit A.
func (w *world) unitEnd() string {
	w.Helper()
	return w.do("admin", "GET /api/units/{unitA}", nil).status(200).object()["end_date"].(string)
}

// flat gives all rows of a table by path.
func flat[T any](by map[string][]T) (out []T) {
	for _, path := range sortedKeys(by) {
		out = append(out, by[path]...)
	}
	return out
}

func TestNullLeavesAloneWhatMayNotBeEmpty(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for path, c := range map[string]struct{ who, body string }{
			"/api/units/{unitA}": {"convenor", `{"unit":{"name":null,"code":null,"description":null,"active":null,
				"start_date":null,"end_date":null,"extension_weeks_on_resubmit_request":null,"main_convenor_id":null}}`},
			"/api/projects/{project:student}": {"convenor", `{"target_grade":null,"enrolled":null,"grade":null,"old_grade":null}`},
			defA + "/{defA1}": {"convenor", `{"task_def":{"name":null,"abbreviation":null,"weighting":null,"start_date":null,
				"target_date":null,"is_graded":null}}`},
			"/api/users/{student}":                   {"student", `{"user":{"first_name":null,"last_name":null,"email":null,"system_role":null}}`},
			"/api/units/{unitA}/outcomes/{outcomeA}": {"convenor", `{"name":null,"description":null,"abbreviation":null}`},
			"/api/campuses/{burwood}":                {"admin", `{"campus":{"name":null,"mode":null,"abbreviation":null,"active":null}}`},
		} {
			before := w.do(c.who, "GET "+path, nil).status(200).Body.String()
			w.do(c.who, "PUT "+path, c.body).status(200)
			if after := w.do(c.who, "GET "+path, nil).Body.String(); after != before {
				t.Errorf("%s was\n%s and is\n%s", path, before, after)
			}
		}
	})
}
