package api

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
)

// foreignRow says what happens when a parameter that names a record is given one of
// another unit: the request is refused. The same request with a record of its own
// unit is taken, so that the refusal is not for another reason.
type foreignRow struct {
	param   string // method, route and name, as the document of the API has them
	as      string
	request string // all but the value
	own     string
	foreign string
	body    any
}

var foreignRows = []foreignRow{
	{"get /api/csv/task_definitions unit_id", "convenor", "GET /api/csv/task_definitions?unit_id=", "{unitA}", "{unitB}",
		nil},
	{"post /api/csv/task_definitions unit_id", "convenor", "POST /api/csv/task_definitions?unit_id=", "{unitA}",
		"{unitB}", aFile("t.csv", "name,abbreviation,description,weighting,target_grade,restrict_status_updates,"+
			"max_quality_pts,is_graded,plagiarism_warn_pct,plagiarism_checks,group_set,upload_requirements,start_week,"+
			"start_day,target_week,target_day,due_week,due_day,tutorial_stream\n")},
	{"get /api/units/{id}/queue task_definition_id", "tutor", "GET /api/units/{unitA}/queue?task_definition_id=",
		"{defA1}", "{defB1}", nil},
	{"get /api/units/{id}/burndown tutorial_id", "tutor", "GET /api/units/{unitA}/burndown?tutorial_id=",
		"{tutorialA}", "{tutorialB}", nil},
	{"get /api/csv/units/{id}/charts/{name} tutorial_id", "tutor",
		"GET /api/csv/units/{unitA}/charts/statuses?tutorial_id=", "{tutorialA}", "{tutorialB}", nil},
	{"get /api/csv/units/{id}/charts/{name} task_definition_id", "tutor",
		"GET /api/csv/units/{unitA}/charts/rubrics?task_definition_id=", "{defA1}", "{defB1}", nil},
	{"get /api/units/{id}/rubric_insight task_definition_id", "tutor", byRubricOfA + "?task_definition_id=", "{defA1}",
		"{defB1}", nil},
	{"get /api/units/{id}/rubric_insight tutorial_id", "tutor", byRubricOfA + "?tutorial_id=", "{tutorialA}", "{tutorialB}",
		nil},
	{"get /api/units/{id}/queue tutorial_id", "tutor", "GET /api/units/{unitA}/queue?tutorial_id=",
		"{tutorialA}", "{tutorialB}", nil},
	{"get /api/units/{id}/queue/counts tutorial_id", "tutor", "GET /api/units/{unitA}/queue/counts?tutorial_id=",
		"{tutorialA}", "{tutorialB}", nil},
	{"get /api/units/{id}/queue/around task_definition_id", "tutor", "GET /api/units/{unitA}/queue/around?task_definition_id=",
		"{defA1}", "{defB1}", nil},
	{"get /api/units/{id}/queue/around tutorial_id", "tutor", "GET /api/units/{unitA}/queue/around?tutorial_id=",
		"{tutorialA}", "{tutorialB}", nil},
	{"get /api/units/{id}/queue/around task_id", "tutor", "GET /api/units/{unitA}/queue/around?task_id=",
		"{task}", "{taskB}", nil},
	{"get /api/units/{id}/sitting task_definition_id", "tutor", "GET /api/units/{unitA}/sitting?task_definition_id=",
		"{defA1}", "{defB1}", nil},
	{"get /api/units/{id}/sitting tutorial_id", "tutor", "GET /api/units/{unitA}/sitting?tutorial_id=",
		"{tutorialA}", "{tutorialB}", nil},
	{"get /api/tii_actions unit_id", "convenor", "GET /api/tii_actions?unit_id=", "{unitA}", "{unitB}", nil},
	{"put /api/tii_actions/{id} unit_id", "convenor", "PUT /api/tii_actions/{sent}?action=retry&unit_id=", "{unitA}",
		"{unitB}", nil},
	{"get /api/projects/{id}/notes task_definition_id", "tutor", "GET " + notesOnStudent + "?task_definition_id=",
		"{defA1}", "{defB1}", nil},
	{"post /api/projects/{id}/notes task_definition_id", "tutor", "POST " + notesOnStudent +
		"?text=Good&task_definition_id=", "{defA1}", "{defB1}", nil},
	{"post /api/units/{id}/verdicts tasks.id", "tutor", "POST /api/units/{unitA}/verdicts?trigger=redo&tasks=" +
		url.QueryEscape(`[{"version":1,"id":`), "{task}%7D%5D", "{taskB}%7D%5D", nil},
	{"post /api/units/{id}/extensions/grants task_definition_id", "tutor", "POST /api/units/{unitA}/extensions/grants" +
		"?weeks=1&reason=Ill&projects={project:student}&task_definition_id=", "{defA1}", "{defB1}", nil},
	{"post /api/units/{unit_id}/handovers unit_role_id", "convenor", "POST /api/units/{unitA}/handovers" +
		"?staff={role:convenor}&from=" + inAMonth + "&until=" + inAMonth + "&unit_role_id=",
		"{role:tutor}", "{role:tutorB}", nil},
	{"post /api/units/{unit_id}/announcements tutorial_id", "convenor", "POST /api/units/{unitA}/announcements" +
		"?title=Hello&text=All&audience=tutorial&tutorial_id=", "{tutorialA}", "{tutorialB}", nil},
	{"post /api/units/{unit_id}/announcements project_ids", "convenor", "POST /api/units/{unitA}/announcements" +
		"?title=Hello&text=All&audience=selection&project_ids=", "{project:student}", "{project:studentB}", nil},
	{"post /api/units/{unit_id}/announcements/recipients project_ids", "convenor",
		"POST /api/units/{unitA}/announcements/recipients?audience=selection&project_ids=", "{project:student}",
		"{project:studentB}", nil},
	{"post /api/units/{unit_id}/announcements/recipients tutorial_id", "convenor",
		"POST /api/units/{unitA}/announcements/recipients?audience=tutorial&tutorial_id=", "{tutorialA}", "{tutorialB}", nil},
	{"get /api/units/{id}/snippets task_definition_id", "tutor", "GET /api/units/{unitA}/snippets?task_definition_id=",
		"{defA1}", "{defB1}", nil},
	{"post /api/units/{id}/snippets task_definition_id", "tutor",
		"POST /api/units/{unitA}/snippets?text=Good&task_definition_id=", "{defA1}", "{defB1}", nil},
	{"put /api/snippets/{id} task_definition_id", "tutor", "PUT /api/snippets/{snippet}?text=Good&task_definition_id=",
		"{defA1}", "{defB1}", nil},
	{"get /api/students unit_id", "tutor", "GET /api/students?unit_id=", "{unitA}", "{unitB}", nil},
	{"get /api/tasks unit_id", "tutor", "GET /api/tasks?unit_id=", "{unitA}", "{unitB}", nil},
	{"get /api/submission/assess unit_id", "tutor", "GET /api/submission/assess?unit_id=", "{unitA}", "{unitB}", nil},
	{"post /api/submission/assess unit_id", "tutor", "POST /api/submission/assess?unit_id=", "{unitA}", "{unitB}",
		aFile("m.csv", noMarks)},
	{"get /api/submission/assess user_id", "tutor", "GET /api/submission/assess?unit_id={unitA}&user_id=", "{convenor}",
		"{tutorB}", nil},
	{"post /api/submission/assess user_id", "tutor", "POST /api/submission/assess?unit_id={unitA}&user_id=",
		"{convenor}", "{tutorB}", aFile("m.csv", noMarks)},
	{"get /api/units/{unit_id}/learning_alignments project_id", "admin", "GET " + alignA + "?project_id=",
		"{project:student}", "{project:studentB}", nil},
	{"get /api/units/{unit_id}/learning_alignments/csv project_id", "admin", "GET " + alignA + "/csv?project_id=",
		"{project:student}", "{project:studentB}", nil},
	{"post /api/units/{unit_id}/learning_alignments/csv project_id", "admin", "POST " + alignA + "/csv?project_id=",
		"{project:student}", "{project:studentB}",
		aFile("a.csv", "unit_code,learning_outcome,task_abbr,rating,description\n")},
	{"post /api/units/{unit_id}/learning_alignments project_id", "admin", "POST " + alignA +
		"?task_definition_id={defA1}&learning_outcome_id={outcomeA}&rating=3&description=x&project_id=",
		"{project:student}", "{project:studentB}", nil},
	{"post /api/units/{unit_id}/learning_alignments task_definition_id", "admin", "POST " + alignA +
		"?project_id={project:student}&learning_outcome_id={outcomeA}&rating=3&description=x&task_definition_id=",
		"{defA2}", "{defB1}", nil},
	{"post /api/units/{unit_id}/learning_alignments learning_outcome_id", "admin", "POST " + alignA +
		"?project_id={project:mate}&task_definition_id={defA1}&rating=3&description=x&learning_outcome_id=",
		"{outcomeA}", "{outcomeB}", nil},
	{"post /api/projects unit_id", "tutor", "POST /api/projects?campus_id={burwood}&student_num=outsider&unit_id=",
		"{unitA}", "{unitB}", nil},
	{"post /api/projects/{id}/task_def_id/{task_definition_id}/submission alignment_data.ilo_id", "student",
		"POST " + submission + "?alignment_data=" + url.QueryEscape(`[{"rating":3,"ilo_id":`), "{outcomeA}%7D%5D",
		"{outcomeB}%7D%5D", nil},
	{"post /api/projects/{id}/task_def_id/{task_definition_id}/submission contributions.project_id", "student",
		"POST /api/projects/{project:student}/task_def_id/{defGroup}/submission?contributions=" +
			url.QueryEscape(`[{"pct":50,"project_id":`) + "{project:student}" + url.QueryEscape(`},{"pct":50,"project_id":`),
		"{project:mate}%7D%5D", "{project:studentB}%7D%5D", nil},
	{"post /api/projects/{project_id}/task_def_id/{task_definition_id}/comments reply_to_id", "student",
		"POST " + ownTask + "/comments?comment=hello&reply_to_id=", "{comment}", "{commentB}", nil},
	{"post /api/tutorials tutorial.unit_id", "convenor", "POST /api/tutorials?" + aMeeting +
		"&tutorial[abbreviation]=N1&tutorial[tutor_id]={tutor}&tutorial[unit_id]=", "{unitA}", "{unitB}", nil},
	{"post /api/tutorials tutorial.tutor_id", "convenor", "POST /api/tutorials?" + aMeeting +
		"&tutorial[abbreviation]=N2&tutorial[unit_id]={unitA}&tutorial[tutor_id]=", "{tutor}", "{tutorB}", nil},
	{"post /api/tutorials tutorial.tutorial_stream_abbr", "convenor", "POST /api/tutorials?" + aMeeting +
		"&tutorial[abbreviation]=N3&tutorial[unit_id]={unitA}&tutorial[tutor_id]={tutor}&tutorial[tutorial_stream_abbr]=",
		"only-a", "only-b", nil},
	{"put /api/tutorials/{id} tutorial.unit_id", "convenor", "PUT /api/tutorials/{tutorialA}?tutorial[unit_id]=",
		"{unitA}", "{unitB}", nil},
	{"put /api/tutorials/{id} tutorial.tutor_id", "convenor",
		"PUT /api/tutorials/{tutorialA}?tutorial[unit_id]={unitA}&tutorial[tutor_id]=", "{tutor}", "{tutorB}", nil},
	{"put /api/tutorials/{id} tutorial.tutorial_stream_abbr", "convenor",
		"PUT /api/tutorials/{onlyA}?tutorial[unit_id]={unitA}&tutorial[tutorial_stream_abbr]=", "only-a", "only-b", nil},
	{"post /api/unit_roles unit_id", "convenor", "POST /api/unit_roles?role=tutor&user_id={tutorB}&unit_id=", "{unitA}",
		"{unitB}", nil},
	{"post /api/units/{unit_id}/group_sets/{group_set_id}/groups group.tutorial_id", "convenor",
		"POST /api/units/{unitA}/group_sets/{set}/groups?group[name]=New&group[tutorial_id]=", "{tutorialA}",
		"{tutorialB}", nil},
	{"put /api/units/{unit_id}/group_sets/{group_set_id}/groups/{group_id} group.tutorial_id", "convenor",
		"PUT /api/units/{unitA}/group_sets/{set}/groups/{group}?group[tutorial_id]=", "{tutorialA}", "{tutorialB}", nil},
	{"put /api/units/{id} unit.draft_task_definition_id", "convenor",
		"PUT /api/units/{unitA}?unit[draft_task_definition_id]=", "{defDraft}", "{defB1}", nil},
	{"put /api/units/{id} unit.main_convenor_id", "convenor", "PUT /api/units/{unitA}?unit[main_convenor_id]=",
		"{role:convenor}", "{role:convenorB}", nil},
	{"post /api/units/{unit_id}/task_definitions task_def.group_set_id", "convenor",
		"POST " + defA + "?task_def[group_set_id]=", "{set}", "{setB}", definitionWith("abbreviation", "G1", "name", "G1",
			"group_set_id", nil)},
	{"post /api/units/{unit_id}/task_definitions task_def.tutorial_stream_abbr", "convenor",
		"POST " + defA + "?task_def[tutorial_stream_abbr]=", "only-a", "only-b",
		definitionWith("abbreviation", "G2", "name", "G2",
			"tutorial_stream_abbr", nil)},
	{"post /api/units/{unit_id}/task_definitions/shift tasks.id", "convenor", "POST " + defA + "/shift?weeks=1&tasks=" +
		url.QueryEscape(`[{"id":`), "{defA1}%7D%5D", "{defB1}%7D%5D", nil},
	{"post /api/units/{unit_id}/students/move project_ids", "convenor", "POST " + moveA + "?enrolled=true&project_ids=",
		"{project:mate}", "{project:studentB}", nil},
	{"post /api/units/{id}/final_grades grades.project_id", "tutor", "POST /api/units/{unitA}/final_grades?grades=" +
		url.QueryEscape(`[{"grade":7,"project_id":`), "{project:mate}%7D%5D", "{project:studentB}%7D%5D", nil},
	{"post /api/units/{unit_id}/students/move tutorial_ids", "convenor",
		"POST " + moveA + "?project_ids={project:mate}&tutorial_ids=", "{tutorialA}", "{tutorialB}", nil},
	{"post /api/units/{unit_id}/students/move leave_tutorial_ids", "convenor",
		"POST " + moveA + "?project_ids={project:other}&leave_tutorial_ids=", "{tutorialA}", "{tutorialB}", nil},
	{"post /api/projects tutorial_ids", "tutor",
		"POST /api/projects?unit_id={unitA}&student_num=other&campus_id=-1&tutorial_ids=", "{tutorialA}", "{tutorialB}", nil},
	{"put /api/units/{unit_id}/task_definitions/{id} task_def.group_set_id", "convenor",
		"PUT " + defA + "/{defA2}?task_def[group_set_id]=", "{set}", "{setB}", nil},
	{"put /api/units/{unit_id}/task_definitions/{id} task_def.tutorial_stream_abbr", "convenor",
		"PUT " + defA + "/{defA2}?task_def[tutorial_stream_abbr]=", "only-a", "only-b", nil},
}

var inAMonth = clock.Day(clock.Real()).AddDays(30).String()

const noMarks = "Username,Name,Tutorial,Task,Status,New Grade,New Quality,New Comment\r\n"

const aMeeting = "tutorial[meeting_day]=Monday&tutorial[meeting_time]=10:00&tutorial[meeting_location]=X" +
	"&tutorial[capacity]=9"

// ofNoUnit are the parameters whose records belong to no unit, with the reason.
var ofNoUnit = map[string]string{
	"campus_id": "campuses are the university's", "teaching_period_id": "periods are the university's",
	"unit_ids":               "of a rollover of a period, for Admins, who have all units",
	"new_teaching_period_id": "periods are the university's", "overseer_image_id": "images are the university's",
	"activity_type_abbr": "activity types are the university's", "role_id": "a number for a role",
	"main_convenor_user_id": "people are the university's", "actor_id": "a filter of the audit log, for Admins",
	"to_user_id":    "the account that gets a login id, for Admins; people are the university's",
	"last_event_id": "a place in the caller's own stream", "student_id": "a number of the person",
	"login_id": "a name of the person", "verdict_id": "a refusal tells only that it is not the newest on the task", "snippet_ids": "only what the caller may use is counted",
}

// elsewhereFree are single parameters of that kind whose name means something else
// on other routes.
var elsewhereFree = []string{
	"get /api/admin/jobs unit_id", "get /api/admin/jobs/retry unit_id", "post /api/admin/jobs/retry unit_id",
	"get /api/admin/event_log unit_id", "get /api/admin/people unit_id", "get /api/admin/audit unit_id", "get /api/admin/audit project_id", "get /api/admin/audit user_id",
	// What narrows the rows of a unit shows none of another one's.
	"get /api/submission/assess task_definition_id", "get /api/units/{id}/extensions task_definition_id", "get /api/units/{id}/extensions tutorial_id",
	"get /api/units/{id}/students_at_risk tutorial_id",
	// What was seen is only compared with what is there.
	"put /api/units/{id} seen.draft_task_definition_id", "put /api/units/{id} seen.main_convenor_id",
	"post /api/units/{unit_id}/students/move seen_campus_id", "post /api/units/{unit_id}/students/move seen_tutorial_ids",
	"put /api/units/{unit_id}/task_definitions/{id} seen.group_set_id",
	"put /api/units/{unit_id}/task_definitions/{id} seen.tutorial_stream_abbr",
	"put /api/tutorials/{id} seen.tutor_id", "put /api/tutorials/{id} seen.tutorial_stream_abbr",
	"put /api/units/{unit_id}/group_sets/{group_set_id}/groups/{group_id} seen.tutorial_id",
	"post /api/units/{unit_id}/group_sets/{group_set_id}/groups/{group_id}/members/{project_id} seen_group_id",
	"post /api/unit_roles user_id", // anybody at the university can be employed
	// Filters that only narrow: a tutorial or tutor of another unit finds nobody.
	"get /api/units/{id}/queue tutor_id", "get /api/units/{id}/queue/around tutor_id",
	"get /api/units/{id}/queue/counts tutor_id", "get /api/units/{id}/sitting tutor_id",
	"get /api/units/{id}/students tutorial_id",
	// Of the rubric there is: TestARubricIsRefused, TestLevelsComeWithAVerdict and TestARubricIsCopied.
	"put /api/units/{unit_id}/task_definitions/{id}/rubric criteria.id",
	"put /api/units/{unit_id}/task_definitions/{id}/rubric criteria.levels.id",
	"post /api/projects/{project_id}/task_def_id/{task_definition_id}/verdict rubric.id",
	"post /api/units/{id}/verdicts rubric.id",
	"post /api/units/{unit_id}/task_definitions/{id}/rubric/copy from_task_definition_id",
	// Of the rubric of the task that is named beside it: TestSnippetsForALevelAreRefused.
	"post /api/units/{id}/snippets level_id", "put /api/snippets/{id} level_id",
	// Of samples: what narrows finds nothing of another unit, and who marks must be on the staff: TestASampleIsDrawn.
	"get /api/units/{unit_id}/moderation/works sample_id", "get /api/units/{unit_id}/moderation/works task_definition_id",
	"get /api/units/{unit_id}/moderation/csv sample_id", "get /api/units/{unit_id}/moderation/csv task_definition_id",
	"post /api/units/{unit_id}/moderation/samples task_definition_id", "post /api/units/{unit_id}/moderation/samples level_id",
	"post /api/units/{unit_id}/moderation/samples tutor_id", "post /api/units/{unit_id}/moderation/samples marker_ids",
	"put /api/units/{unit_id}/moderation/works/{id}/second_marker user_id",
	"get /api/units/{unit_id}/similarities task_definition_id", "get /api/units/{unit_id}/similarities tutorial_id",
	"get /api/units/{unit_id}/task_definitions/{task_definition_id}/students tutorial_id",
}

var namesARecord = regexp.MustCompile(`(^|[_.])(ids?|\w+_abbr)$`)

// TestEveryParameterThatNamesARecordHasARow fails when a route takes an id that
// nobody has said the unit of.
func TestEveryParameterThatNamesARecordHasARow(t *testing.T) {
	w := newWorld(t, "sqlite")
	rows := map[string]bool{}
	for _, r := range foreignRows {
		rows[r.param] = true
	}
	all := w.parameters()
	if len(all) < 40 {
		t.Fatalf("only %d parameters were found: %q", len(all), all)
	}
	for _, p := range all {
		name := p[strings.LastIndexAny(p, " .")+1:]
		if !rows[p] && ofNoUnit[name] == "" && !slices.Contains(elsewhereFree, p) {
			t.Errorf("%s names a record, and no row of foreignRows says of which unit", p)
		}
		delete(rows, p)
	}
	for p := range rows {
		t.Errorf("no route takes %s", p)
	}
}

// parameters lists those of all routes, but for their paths, that name a record.
func (w *world) parameters() (out []string) {
	w.Helper()
	type schema struct {
		Properties map[string]json.RawMessage
		Items      json.RawMessage
		Ref        string `json:"$ref"`
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			RequestBody struct {
				Content map[string]struct{ Schema json.RawMessage }
			}
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	var walk func(at, prefix string, raw json.RawMessage)
	walk = func(at, prefix string, raw json.RawMessage) {
		var s schema
		if json.Unmarshal(raw, &s) != nil {
			return
		}
		if s.Items != nil {
			walk(at, prefix, s.Items)
		}
		if s.Ref != "" {
			walk(at, prefix, doc.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")])
		}
		for name, p := range s.Properties {
			if namesARecord.MatchString(name) {
				out = append(out, at+prefix+name)
			}
			walk(at, prefix+name+".", p)
		}
	}
	w.do("admin", "GET /api/openapi.json", nil).status(200).into(&doc)
	for path, methods := range doc.Paths {
		for method, o := range methods {
			for _, p := range o.Parameters {
				if p.In == "query" && namesARecord.MatchString(p.Name) {
					out = append(out, method+" "+path+" "+strings.NewReplacer("[", ".", "]", "").Replace(p.Name))
				}
			}
			for _, c := range o.RequestBody.Content {
				walk(method+" "+path+" ", "", c.Schema)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestForeignIDsInBodiesAreRefused sends every row with a record of another unit,
// then with one of its own.
func TestForeignIDsInBodiesAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.nested()
		w.define("upload_requirements = '[]'")
		w.similarityService("")
		sent := tiiAction(w, 1)
		sent["retry"] = false
		w.add("sent", "tii_actions", sent)
		w.id["taskB"] = w.number(`SELECT id FROM tasks WHERE unit_id = $1 LIMIT 1`, w.id["unitB"])
		w.id["defGroup"] = w.copyOf("defA2", "GRP", "group_set_id = $2", w.id["set"])
		w.id["defDraft"] = w.copyOf("defA2", "DRAFT", "upload_requirements = $2",
			`[{"key":"file0","name":"Report","type":"document"}]`)
		for _, r := range foreignRows {
			if got := w.do(r.as, r.request+r.foreign, r.body); got.Code != 403 && got.Code != 404 && got.Code != 422 {
				t.Errorf("%s: a foreign one got %d: %.300s", r.param, got.Code, got.Body)
			}
			if got := w.do(r.as, r.request+r.own, r.body); got.Code >= 300 {
				t.Errorf("%s: their own got %d: %.300s", r.param, got.Code, got.Body)
			}
		}
	})
}

// copyOf makes another definition like one, with a difference.
func (w *world) copyOf(name, abbreviation, set string, value any) int64 {
	w.Helper()
	const cols = "unit_id, description, weighting, target_grade, start_date, target_date, due_date, upload_requirements"
	w.set(`INSERT INTO task_definitions (name, abbreviation, `+cols+`) SELECT $2, $2, `+cols+` FROM task_definitions
		WHERE id = $1`, w.id[name], abbreviation)
	id := w.number(`SELECT id FROM task_definitions WHERE abbreviation = $1`, abbreviation)
	w.set(`UPDATE task_definitions SET `+set+` WHERE id = $1`, id, value)
	return id
}
