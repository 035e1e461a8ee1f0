package api

import (
	"reflect"
	"strings"
	"testing"
)

var _ = rights(
	rightRow{"GET /api/tutorials/{id}", "/api/tutorials/{tutorialA}", membersA, nil},
	rightRow{"GET /api/unit_roles/{id}", "/api/unit_roles/{role:tutor}", convenorsA, nil},
	rightRow{"GET /api/units/{unit_id}/tutorial_streams/{tutorial_stream_abbr}", streamPath, membersA, nil},
	rightRow{"GET /api/units/{unit_id}/outcomes/{id}", "/api/units/{unitA}/outcomes/{outcomeA}", membersA, nil},
	rightRow{"GET /api/units/{unit_id}/learning_alignments/{id}", alignA + "/{alignA}", membersA, nil},
	rightRow{"GET /api/teaching_periods/{teaching_period_id}/breaks/{id}", "/api/teaching_periods/{T1}/breaks/{break}",
		"users", nil},
	rightRow{"GET /api/units/{unit_id}/task_definitions/{id}", defA + "/{defA1}", membersA, nil},
	rightRow{"GET " + groupSetPath + "/{group_set_id}", setsOfA + "/{set}", membersA, nil},
	rightRow{"GET " + groupPath + "/{group_id}", red, membersA, nil},
)

// withoutAddress are the POSTs answered with 201 that make no record with an
// address of its own.
var withoutAddress = map[string]string{
	"POST /api/events/ticket":                              "a ticket is shown once",
	"POST /api/users/{id}/password_link":                   "a link is shown once",
	"POST /api/users/{id}/data_export":                     "a link is shown once",
	"POST /api/tasks/{id}/pin":                             "a mark on a task",
	"POST " + aTask + "/comments/{id}":                     "a mark on a comment",
	"POST /api/admin/jobs/{id}/retry":                      "a job is tried again",
	"POST /api/submission/assess":                          "many records",
	"POST " + retirementsPath:                              "a decision, which is in the list of the unit's",
	"POST /api/tii_hook":                                   "the word of another service",
	"POST /api/units/{unit_id}/task_definitions/task_pdfs": "many files",
}

// D4: every 201 of a record tells where it is.
func TestEveryCreatedRecordHasALocation(t *testing.T) {
	for _, i := range newWorld(t, "sqlite").api.Routes() {
		route := i.Method + " " + i.Path
		if i.Status != 201 || i.Method != "POST" || strings.Contains(i.Path, "csv") ||
			strings.HasPrefix(i.Path, "/api/auth") { // sheets make many records; what one signs in by is shown once
			continue
		}
		if reason := withoutAddress[route]; (i.Created() == "") != (reason != "") {
			t.Errorf("%s has the address %q, and is exempt because of %q", route, i.Created(), reason)
		}
	}
}

// D4: the address in Location answers GET to whoever made the record.
func TestLocationsAnswer(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		period := map[string]any{"teaching_period": map[string]any{"period": "T7", "year": 2090,
			"start_date": "2090-03-01", "end_date": "2090-06-01", "active_until": "2090-07-01"}}
		recordings := upload{nil, []part{{"attachments[]", "q.wav", wavFile}}}
		for _, c := range []struct {
			as, request string
			body        any
		}{
			{"admin", "POST /api/campuses", `{"campus":{"name":"Far","mode":"manual","abbreviation":"F","active":true}}`},
			{"admin", "POST /api/activity_types", `{"activity_type":{"name":"Lab","abbreviation":"lab"}}`},
			{"admin", "POST /api/teaching_periods", period},
			{"admin", "POST /api/teaching_periods/{T1}/breaks", form{"number_of_weeks": "1",
				"start_date": w.monday().AddDays(7).String()}},
			{"admin", "POST /api/users", `{"user":{"first_name":"A","last_name":"B","email":"ab@example.edu",
				"username":"ab","nickname":"","system_role":"Student"}}`},
			{"convenor", "POST /api/units/{unitA}/outcomes", form{"name": "Write", "description": "Write well"}},
			{"convenor", "POST " + alignA, named(w, `{"project_id":0,"learning_outcome_id":«outcomeA»,
				"task_definition_id":«defA1»,"rating":3,"description":"It fits"}`)},
			{"student", "POST " + alignA, named(w, `{"project_id":«project:student»,"learning_outcome_id":«outcomeA»,
				"task_definition_id":«defA1»,"rating":3,"description":"It fits"}`)},
			{"convenor", "POST " + defA, definitionWith()},
			{"convenor", "POST /api/tutorials", form{"tutorial[unit_id]": w.path("{unitA}"),
				"tutorial[tutor_id]": w.path("{tutor}"), "tutorial[capacity]": "5", "tutorial[abbreviation]": "LA9",
				"tutorial[meeting_location]": "x", "tutorial[meeting_day]": "Friday", "tutorial[meeting_time]": "9"}},
			{"convenor", "POST /api/units/{unitA}/tutorial_streams", `{"activity_type_abbr":"prac"}`},
			{"convenor", "POST /api/unit_roles", form{"unit_id": w.path("{unitA}"), "user_id": w.path("{tutorB}"),
				"role": "Tutor"}},
			{"convenor", "POST " + setsOfA, `{"group_set":{"name":"More"}}`},
			{"convenor", "POST " + groupsOfA, named(w, `{"group":{"name":"New","tutorial_id":«tutorialA»}}`)},
			{"student", "POST " + submission, upload{nil, []part{code}}},
			{"student", "POST " + ownTask + "/comments", form{"comment": "Hello"}},
			{"student", "POST " + ownTask + "/request_extension", form{"comment": "Ill", "weeks_requested": "1"}},
			{"tutor", "POST " + ownTask + "/discussion_comments", recordings},
			{"student", "POST /api/submission/project/{project:student}/portfolio", evidence("x", "code", "a.py", "1")},
			{"tutor", "POST /api/projects", named(w, `{"unit_id":«unitA»,"student_num":"outsider","campus_id":-1}`)},
			{"student", "POST /api/units/{unitA}/tutorials/LA1/enrolments/{project:student}", nil},
			{"tutor", "POST " + notesOnStudent, form{"text": "Was ill"}},
			{"tutor", "POST " + snippetsOfA, form{"text": "Well done"}},
			{"tutor", "POST " + snippetsOfA, form{"text": "Well done", "shared": "true"}},
			{"admin", "POST /api/admin/webhooks", `{"url":"https://example.edu/hook"}`},
		} {
			made := w.do(c.as, c.request, c.body).status(200, 201)
			where := made.Header().Get("Location")
			if where == "" {
				t.Errorf("%s: no Location", c.request)
				continue
			}
			w.do(c.as, "GET "+where, nil).status(200)
		}
	})
}

// D3: no list of the service is without limit and offset, but the event log, which
// goes on after a number.
func TestEveryListTakesLimitAndOffset(t *testing.T) {
	for _, i := range newWorld(t, "sqlite").api.Routes() {
		if i.Method != "GET" || !isList(i.Out) || i.Path == "/api/admin/event_log" {
			continue
		}
		if _, ok := i.In.FieldByName("Offset"); !ok || i.In.Kind() != reflect.Struct {
			t.Errorf("%s does not page", i.Path)
		}
	}
}
