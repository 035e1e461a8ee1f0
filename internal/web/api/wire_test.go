package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lectern/internal/people/ident"
	"lectern/internal/teaching/work"
)

// D1: quality_pts alone works.
func TestQualityAloneIsTaken(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		o := w.do("tutor", "PUT "+ownTask, form{"trigger": "complete", "quality_pts": "4"}).status(200).object()
		if o["quality_pts"] != 4.0 {
			t.Fatalf("rated: %v", o)
		}
		o = w.do("tutor", "PUT "+ownTask, form{"quality_pts": "1"}).status(200).object()
		if o["quality_pts"] != 1.0 || o["status"] != "complete" {
			t.Errorf("rated again: %v", o)
		}
		if n := w.count(`tasks WHERE quality_pts = 1`); n != 1 {
			t.Errorf("%d tasks with the new rating", n)
		}
	})
}

// D1: a value that cannot take effect is refused, and nothing of the rest is done.
func TestAValueWithoutEffectIsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("tutor", "PUT "+ownTask, form{"trigger": "redo", "grade": "2"}).status(422).says("not graded")
		w.do("tutor", "PUT "+ownTask, form{"include_in_portfolio": "false", "quality_pts": "1"}).status(422).
			says("quality points")
		if n := w.count(`tasks WHERE status = 'not_started' AND include_in_portfolio AND grade IS NULL`); n != 1 {
			t.Error("something was changed")
		}
	})
}

// Whoever sends back what the service gave out is not refused for it.
func TestValuesGivenBackAreNotRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, as := range []string{"student", "tutor"} {
			o := w.do(as, "PUT "+ownTask, `{"include_in_portfolio":true,"quality_pts":-1,"grade":null,"trigger":""}`).
				status(200).object()
			if o["status"] != "not_started" || o["quality_pts"] != -1.0 {
				t.Errorf("%s: %v", as, o)
			}
		}
		w.define("is_graded = TRUE, max_quality_pts = 5")
		w.do("tutor", "PUT "+ownTask, form{"trigger": "complete", "grade": "2", "quality_pts": "4"}).status(200)
		w.do("student", "PUT "+ownTask, `{"include_in_portfolio":false,"quality_pts":4,"grade":2}`).status(200)
		w.do("student", "PUT "+ownTask, `{"quality_pts":5}`).status(403)
		const project = "/api/projects/{project:student}"
		o := w.do("student", "GET "+project, nil).status(200).object()
		w.do("student", "PUT "+project, o).status(200)
		o = w.do("tutor", "GET "+project, nil).status(200).object()
		w.do("tutor", "PUT "+project, o).status(200)
		w.do("student", "PUT "+project, form{"grade": "0", "old_grade": "0", "grade_rationale": ""}).status(403)
		w.do("student", "PUT "+project, form{"enrolled": "false"}).status(403)
	})
}

// A2: an empty trigger counts as absent, and the rest of the form is done.
func TestAnEmptyTriggerIsAbsent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.do("student", "PUT "+ownTask, form{"trigger": "", "include_in_portfolio": "false"}).status(200).object()
		if o["include_in_portfolio"] != false || o["status"] != "not_started" {
			t.Errorf("got %v", o)
		}
		w.do("student", "PUT "+ownTask, `{"trigger":" "}`).status(200)
		o = w.do("student", "PUT /api/projects/{project:student}", form{"trigger": "", "target_grade": "2"}).
			status(200).object()
		if o["target_grade"] != 2.0 {
			t.Errorf("got %v", o)
		}
	})
}

// D2: a trigger that a submission does not know hands nothing in.
func TestAMistypedTriggerHandsNothingIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		for _, c := range []struct {
			as, trigger string
			want        int
		}{
			{"student", "needs_help", 400}, {"student", "bogus", 400}, {"student", "working_on_it", 400},
			{"student", "complete", 403}, {"student", "time_exceeded", 403}, {"tutor", "complete", 400},
		} {
			w.do(c.as, "POST "+submission, upload{map[string]string{"trigger": c.trigger}, []part{code}}).status(c.want).
				says("need_help")
		}
		if n := w.count(`submissions`) + w.count(`blobs`); n != 0 {
			t.Errorf("%d records of refused uploads", n)
		}
		o := w.do("student", "POST "+submission, upload{map[string]string{"trigger": ""}, []part{code}}).
			status(201).object()
		if o["task_status"] != "ready_for_feedback" {
			t.Errorf("an empty trigger: %v", o)
		}
	})
}

// D9: an error names what is missing, and why something is refused.
func TestErrorsNameTheRightThing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("tutor", "PUT /api/projects/99999/task_def_id/{defA1}", form{"trigger": "redo"}).status(404).
			says("There is no such project.")
		w.do("tutor", "GET /api/projects/99999/refresh_tasks/{defA1}", nil).status(404).says("There is no such project.")
		w.do("tutor", "PUT /api/projects/{project:student}/task_def_id/99999", form{"trigger": "redo"}).status(404).
			says("There is no such task definition.")
		w.do("convenor", "GET /api/units/99999/task_definitions/{defA1}/tasks", nil).status(404).
			says("There is no such unit.")
		const own = "/api/projects/{project:both}"
		for _, c := range []form{{"grade": "3"}, {"trigger": "complete"}, {"quality_pts": "3"}} {
			w.do("both", "PUT "+own+"/task_def_id/{defA1}", c).status(403).says("your own work")
		}
		w.do("both", "PUT "+own, form{"grade": "90", "old_grade": "0", "grade_rationale": "me"}).status(403).
			says("your own work")
		w.do("student", "PUT "+ownTask, form{"grade": "3"}).status(403).says("Only teaching staff")
	})
}

// D9: errors of several fields are sentences, one for each.
func TestErrorsOfSeveralFieldsAreSentences(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "POST /api/units/{unitA}/outcomes", form{}).status(400).is(`{"code":"invalid",
			"error":"name is required. description is required.",
			"fields":{"name":"is required","description":"is required"}}`)
		w.do("tutor", "PUT /api/projects/{project:student}", form{"grade": "900", "target_grade": "9"}).status(400).
			says("target_grade must be 0, 1, 2 or 3.", ". ")
	})
}

// D9: an empty file is no file of the kind asked for, wherever it is sent.
func TestAnEmptyFileIsRefusedAlike(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.do("student", "POST "+submission, upload{nil, []part{{"file0", "a.py", ""}}}).status(415)
		w.do("student", "POST "+ownTask+"/comments", upload{nil, []part{{"attachment", "a.png", ""}}}).status(415)
		w.do("convenor", "POST /api/units/{unitA}/task_definitions/{defA1}/task_sheet", aFile("a.pdf", "")).status(415)
	})
}

// D6: a nickname is a string, empty when there is none.
func TestNicknameIsAString(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.do("admin", "PUT /api/users/{student}", form{"user[nickname]": ""}).status(200).object()
		if o["nickname"] != "" {
			t.Errorf("got %v", o["nickname"])
		}
		w.set(`UPDATE users SET nickname = NULL`)
		for _, path := range []string{"/api/users/{student}", "/api/users", "/api/students?unit_id={unitA}",
			"/api/units/{unitA}", "/api/unit_roles/{role:tutor}", red + "/members"} {
			text := w.do("admin", "GET "+path, nil).status(200).Body.String()
			if strings.Contains(text, `"nickname":null`) || !strings.Contains(text, `"nickname":""`) {
				t.Errorf("%s: %s", path, text)
			}
		}
	})
}

// BUG 2: a discussion starts with the first prompt heard, whichever it is.
func TestADiscussionStartsWithAnyPrompt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.do("tutor", "POST "+ownTask+"/discussion_comments", upload{nil, []part{{"attachments[]", "a.wav", wavFile},
			{"attachments[]", "b.wav", wavFile}}}).status(201).object()
		w.id["d"] = int64(o["id"].(float64))
		heard := func() any {
			return w.do("tutor", "GET "+ownTask+"/comments", nil).status(200).list()[0]["time_discussion_started"]
		}
		const prompt = ownTask + "/comments/{d}/discussion_comment/prompt_number/1"
		w.do("tutor", "GET "+prompt, nil).status(200)
		if heard() != nil {
			t.Error("the tutor began it")
		}
		w.do("student", "GET "+prompt, nil).status(200)
		if heard() == nil {
			t.Error("the student heard prompt 1, and the discussion has not begun")
		}
	})
}

// T4: a reply to a discussion is new for the tutor, and the task is in the inbox.
func TestAReplyToADiscussionIsNewForTheTutor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.do("tutor", "POST "+ownTask+"/discussion_comments", upload{nil, []part{{"attachments[]", "a.wav",
			wavFile}}}).status(201).object()
		w.id["d"] = int64(o["id"].(float64))
		for _, who := range []string{"tutor", "student"} {
			w.do(who, "GET "+ownTask+"/comments", nil).status(200)
		}
		inbox := func() int {
			return len(w.do("tutor", "GET /api/units/{unitA}/tasks/inbox", nil).status(200).list())
		}
		if inbox() != 0 {
			t.Fatal("something waits before the reply")
		}
		w.do("student", "POST "+ownTask+"/comments/{d}/discussion_comment/reply", upload{nil,
			[]part{{"attachment", "a.wav", wavFile}}}).status(201)
		if inbox() != 1 {
			t.Error("the reply is not in the inbox")
		}
		if c := w.do("tutor", "GET "+ownTask+"/comments", nil).status(200).list()[0]; c["is_new"] != true {
			t.Errorf("the reply is not new: %v", c)
		}
		if inbox() != 0 {
			t.Error("what was read still waits")
		}
		if err := work.CheckNews(t.Context(), w.db); err != nil {
			t.Error(err)
		}
	})
}

// BUG 3: breaks whose days overlap are refused.
func TestBreaksWhoseDaysOverlapAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const breaks = "/api/teaching_periods/{T1}/breaks"
		w.do("admin", "DELETE "+breaks+"/{break}", nil).status(204)
		add := func(days int) *answered {
			return w.do("admin", "POST "+breaks, form{"start_date": w.monday().AddDays(days).String(),
				"number_of_weeks": "1"})
		}
		w.id["b"] = int64(add(7).status(200).object()["id"].(float64))
		add(8).status(422).says("overlap")
		add(1).status(422)
		add(14).status(200) // right after the other
		w.do("admin", "PUT "+breaks+"/{b}", form{"start_date": w.monday().AddDays(9).String()}).status(422)
		w.do("admin", "PUT "+breaks+"/{b}", form{"start_date": w.monday().String()}).status(200)
	})
}

// BUG 4: a value outside its set is 400 everywhere.
func TestAValueOutsideItsSetIsInvalidEverywhere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			as, request string
			body        form
		}{
			{"convenor", "PUT " + defA + "/{defA1}", form{"task_def[target_grade]": "4"}},
			{"convenor", "PUT " + defA + "/{defA1}", form{"task_def[max_quality_pts]": "-1"}},
			{"convenor", "PUT " + defA + "/{defA1}", form{"task_def[plagiarism_warn_pct]": "101"}},
			{"convenor", "PUT " + alignA + "/{alignA}", form{"rating": "6"}},
			{"convenor", "PUT /api/units/{unitA}", form{"unit[extension_weeks_on_resubmit_request]": "99"}},
			{"convenor", "PUT " + setsOfA + "/{set}", form{"group_set[capacity]": "1"}},
			{"admin", "PUT /api/teaching_periods/{T1}", form{"teaching_period[year]": "1066"}},
			{"admin", "PUT /api/teaching_periods/{T1}/breaks/{break}", form{"number_of_weeks": "0"}},
			{"admin", "PUT /api/campuses/{burwood}", form{"campus[mode]": "elsewhere"}},
			{"student", "PUT /api/projects/{project:student}", form{"target_grade": "4"}},
			{"tutor", "PUT " + ownTask, form{"trigger": "discuss", "grade": "4"}},
			{"student", "POST " + ownTask + "/request_extension", form{"comment": "x", "weeks_requested": "0"}},
		} {
			w.do(c.as, c.request, c.body).status(400)
		}
	})
}

// A1: a definition without a deadline of its own is due on its target, though that
// is after the unit's end.
func TestTheImpliedDeadlineIsNeverBeforeTheTarget(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, end := w.days()
		w.define("due_date = NULL, target_date = $1", end.AddDays(30))
		want := end.AddDays(30).String()
		o := w.do("student", "GET /api/projects/{project:student}", nil).status(200).object()
		for _, task := range o["tasks"].([]any) {
			if task := task.(map[string]any); task["task_definition_id"] == float64(w.id["defA1"]) &&
				!strings.HasPrefix(task["due_date"].(string), want) {
				t.Errorf("due on %v, not %s", task["due_date"], want)
			}
		}
		for _, path := range []string{ownTask + "/due", defA + "/{defA1}"} {
			if o := w.do("student", "GET "+path, nil).status(200).object(); o["due_date"] != want {
				t.Errorf("%s: due on %v, not %s", path, o["due_date"], want)
			}
		}
	})
}

// A3: people are sorted as a reader expects, the same on every engine and collation.
func TestPeopleAreSortedAsAReaderExpects(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for name, first := range map[string]string{"student": "Zoë", "mate": "apple", "other": "Éva", "both": "eve"} {
			w.do("admin", "PUT /api/users/{"+name+"}", form{"user[first_name]": first}).status(200)
		}
		if got := w.do("tutor", "GET /api/students?unit_id={unitA}", nil).names(); got != "mate other both student" {
			t.Errorf("students: %s", got)
		}
		if got := w.do("tutor", "GET /api/students?unit_id={unitA}&limit=2&offset=1", nil).names(); got != "other both" {
			t.Errorf("a page of students: %s", got)
		}
		w.set(`UPDATE users SET name_key = ''`)
		if err := ident.FillNameKeys(t.Context(), w.db); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, u := range w.do("admin", "GET /api/users", nil).status(200).list() {
			if s := u["username"].(string); slices.Contains([]string{"student", "mate", "other", "both"}, s) {
				names = append(names, s)
			}
		}
		if got := strings.Join(names, " "); got != "mate other both student" {
			t.Errorf("users: %s", got)
		}
	})
}

// D8: students are enrolled, not employed.
func TestTheUnitRoleStudentIsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "POST /api/unit_roles", form{"unit_id": w.path("{unitA}"), "user_id": w.path("{tutorB}"),
			"role": "Student"}).status(422).says("POST /api/projects")
		w.do("convenor", "PUT /api/unit_roles/{role:tutor}", form{"unit_role[role_id]": "1"}).status(422).
			says("POST /api/projects")
		w.do("convenor", "PUT /api/unit_roles/{role:tutor}", form{"unit_role[role_id]": "9"}).status(400)
	})
}

// T9: a task definition that holds work of students is not deleted.
func TestADefinitionThatHoldsStudentsWorkStays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Hello"}).status(201)
		w.do("convenor", "DELETE "+defA+"/{defA1}", nil).status(409).says("students: 1")
		w.do("convenor", "DELETE "+defA+"/{defA2}", nil).status(204)
		if n := w.count(`task_comments`); n != 1 {
			t.Errorf("%d comments are left", n)
		}
	})
}

// T5: the earlier document is read until the new one is made.
func TestTheEarlierDocumentStaysReadable(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.do("student", "POST "+submission, upload{nil, []part{code}}).status(201)
		w.do("student", "GET "+submission, nil).status(404)
		w.set(`UPDATE submissions SET state = 'ready', document_hash = $1`, w.file("the earlier document"))
		w.later(time.Minute)
		w.do("student", "POST "+submission, upload{nil, []part{code}}).status(201)
		o := w.do("student", "GET "+submission+"_details", nil).status(200).object()
		if o["has_pdf"] != true || o["processing_pdf"] != true {
			t.Errorf("while the new one is made: %v", o)
		}
		if got := w.do("student", "GET "+submission, nil).status(200).Body.String(); got != "the earlier document" {
			t.Errorf("while the new one is made, the document is %q", got)
		}
	})
}

// A withdrawn student reads their own project whole, with their groups.
func TestAWithdrawnStudentSeesTheirOwnGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:withdrawn"]})
		o := w.do("withdrawn", "GET /api/projects/{project:withdrawn}", nil).status(200).object()
		if list := o["groups"].([]any); len(list) != 1 {
			t.Errorf("groups: %v", list)
		}
		w.do("withdrawn", "GET "+groupsOfA, nil).status(403)
	})
}

// T1: the one-time links in answers are addresses of real pages.
func TestLinksLeadToPages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.do("admin", "POST /api/users/{outsider}/password_link", nil).status(201).object()
		if link := o["password_link"].(string); !strings.HasPrefix(link, "https://learn.example.edu/password?token=") {
			t.Errorf("the link is %s", link)
		}
	})
}

// T8: a student number is the staff's to set, and consent is the person's own.
func TestStudentNumbersAndConsentFollowTheRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE users SET student_id = 's1' WHERE id = $1`, w.id["student"])
		w.do("student", "PUT /api/users/{student}", form{"user[student_id]": "s2"})
		w.do("convenor", "PUT /api/users/{student}", form{"user[opt_in_to_research]": "true"})
		w.do("admin", "PUT /api/users/{student}", form{"user[receive_task_notifications]": "false"})
		if n := w.count(`users WHERE id = $1 AND student_id = 's1' AND opt_in_to_research IS NULL
			AND receive_task_notifications`, w.id["student"]); n != 1 {
			t.Error("somebody changed what was not theirs")
		}
		w.do("student", "PUT /api/users/{student}", form{"user[opt_in_to_research]": "true",
			"user[student_id]": "s1"}).status(200)
	})
}

// T7: nothing syncs with other systems yet, and the document says so.
func TestTheDocumentSaysThatNothingSyncs(t *testing.T) {
	found := 0
	walkDocument(documentForTests(t), nil, func(at []string, o map[string]any) {
		for _, name := range []string{"enable_sync_enrolments", "enable_sync_timetable"} {
			if field, ok := o[name].(map[string]any); ok {
				found++
				if text := fmt.Sprint(field["description"]); !strings.Contains(text, "nothing") {
					t.Errorf("%v: %q", at, text)
				}
			}
		}
	})
	if found < 4 {
		t.Errorf("the document was not read: %d fields", found)
	}
}

// T10: a task sheet that changes nothing is reported so.
func TestAnUnchangedTaskSheetIsIgnored(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "/api/csv/task_definitions?unit_id={unitA}"
		r := w.importing(path, w.export(path))
		if len(r.Success) != 0 || len(r.Errors) != 0 || len(r.Ignored) != 2 {
			t.Errorf("%+v", r)
		}
	})
}

// T10: downloads are named after unit, task and student.
func TestDownloadsAreNamedAfterUnitTaskAndStudent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.handIn("student", "defA1")
		w.set(`UPDATE submissions SET state = 'ready', document_hash = $1`, w.file("document"))
		for _, path := range []string{submission, ownTask + "/submissions/latest"} {
			d := w.do("tutor", "GET "+path, nil).status(200).Header().Get("Content-Disposition")
			if !strings.Contains(d, "SIT10A-1.1P-student") {
				t.Errorf("%s is called %s", path, d)
			}
		}
		d := w.do("tutor", "GET /api/units/{unitA}/grades", nil).status(200).Header().Get("Content-Disposition")
		if !strings.Contains(d, "SIT10A-Grades.csv") {
			t.Errorf("the sheet of grades is called %s", d)
		}
	})
}

// D1: quality without a status counts in a marking sheet, too, once the work is ready.
func TestAMarkingSheetTakesQualityAlone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.define("max_quality_pts = 5")
		w.handIn("student", "defA1")
		w.made()
		text := w.batch("tutor", "")["marks.csv"]
		alone := filled(t, text, map[string]string{"status": "", "new_quality": "3"})
		if got := counts(w.do("tutor", "POST "+assessing, aFile("marks.csv", alone))); got !=
			"0 done, 1 refused, 0 ignored" {
			t.Errorf("before anybody marked the work: %s", got)
		}
		w.do("tutor", "PUT "+ownTask, form{"trigger": "complete", "quality_pts": "1"}).status(200)
		version := strconv.FormatInt(w.number(`SELECT version FROM tasks WHERE id = $1`, w.id["task"]), 10)
		alone = filled(t, text, map[string]string{"status": "", "new_quality": "3", "version": version})
		if got := counts(w.do("tutor", "POST "+assessing, aFile("marks.csv", alone))); got !=
			"1 done, 0 refused, 0 ignored" {
			t.Errorf("once it is complete: %s", got)
		}
		if n := w.count(`tasks WHERE id = $1 AND status = 'complete' AND quality_pts = 3`, w.id["task"]); n != 1 {
			t.Error("the quality was not taken")
		}
	})
}
