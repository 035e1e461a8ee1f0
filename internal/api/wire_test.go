package api

import "testing"

// D1: quality_pts alone works.
func TestD1QualityAloneIsTaken(t *testing.T) {
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
func TestD1AValueWithoutEffectIsRefused(t *testing.T) {
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
func TestA2AnEmptyTriggerIsAbsent(t *testing.T) {
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
func TestD2AMistypedTriggerHandsNothingIn(t *testing.T) {
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
func TestD9ErrorsNameTheRightThing(t *testing.T) {
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
func TestD9ErrorsOfSeveralFieldsAreSentences(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("convenor", "POST /api/units/{unitA}/outcomes", form{}).status(400).is(`{"code":"invalid",
			"error":"name is required. description is required.",
			"fields":{"name":"is required","description":"is required"}}`)
		w.do("tutor", "PUT /api/projects/{project:student}", form{"grade": "900", "target_grade": "9"}).status(400).
			says("target_grade must be 0, 1, 2 or 3.", ". ")
	})
}

// D9: an empty file is no file of the kind asked for, wherever it is sent.
func TestD9AnEmptyFileIsRefusedAlike(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.do("student", "POST "+submission, upload{nil, []part{{"file0", "a.py", ""}}}).status(415)
		w.do("student", "POST "+ownTask+"/comments", upload{nil, []part{{"attachment", "a.png", ""}}}).status(415)
		w.do("convenor", "POST /api/units/{unitA}/task_definitions/{defA1}/task_sheet", aFile("a.pdf", "")).status(415)
	})
}
