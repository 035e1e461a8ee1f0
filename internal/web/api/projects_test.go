package api

import (
	"strings"
	"sync"
	"testing"
)

var _ = rights(
	rightRow{"GET /api/projects", "", "users", nil},
	rightRow{"POST /api/projects", "/api/projects?unit_id={unitA}&campus_id={burwood}", staffA,
		form{"student_num": "outsider"}},
	rightRow{"GET /api/projects/{id}", "/api/projects/{project:student}", "student " + staffA, nil},
	rightRow{"PUT /api/projects/{id}", "/api/projects/{project:student}", "student " + staffA, nil},
)

var _ = lists(
	listRow{route: "GET /api/projects", who: "outsider", fill: func(w *world, from, to int) {
		w.fill("units", from, to, func(i int) row {
			return row{"id": 1000 + i, "code": numbered("C", i), "name": "N", "description": "D",
				"start_date": w.monday(), "end_date": w.monday(),
				"created_at": w.db.Now(), "updated_at": w.db.Now()}
		})
		w.fill("projects", from, to, func(i int) row {
			return row{"unit_id": 1000 + i, "user_id": w.id["outsider"], "created_at": w.db.Now(),
				"updated_at": w.db.Now()}
		})
	}},
)

func TestOwnProjects(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		dates := w.do("student", "GET /api/projects", nil).status(200).list()[0]["unit"].(map[string]any)
		want := `[{"id":«project:student»,"campus_id":«burwood»,"user_id":«student»,"target_grade":1,"portfolio_available":false,
			"unit":{"code":"SIT10A","id":«unitA»,"name":"Unit A","my_role":"Student","teaching_period_id":«T1»,
			"start_date":"` + dates["start_date"].(string) + `","end_date":"` + dates["end_date"].(string) +
			`","active":true}}]`
		w.do("student", "GET /api/projects", nil).is(want)
		w.do("student", "GET /api/projects?include_inactive=true", nil).is(want)
		for _, who := range []string{"withdrawn", "outsider", "tutor", "admin"} {
			w.do(who, "GET /api/projects?include_inactive=true", nil).status(200).is(`[]`)
		}
		if unit := w.do("both", "GET /api/projects", nil).list()[0]["unit"].(map[string]any); unit["my_role"] != "Tutor" {
			t.Errorf("who teaches it too is %v", unit["my_role"])
		}
		w.set(`UPDATE units SET active = FALSE`)
		w.do("student", "GET /api/projects", nil).is(`[]`)
		w.do("student", "GET /api/projects?include_inactive=true", nil).is(strings.Replace(want, `"active":true`,
			`"active":false`, 1))
		w.do("student", "GET /api/projects?include_inactive=maybe", nil).status(400)
	})
}

func TestProjectDetail(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE projects SET grade = 71, grade_rationale = 'Good' WHERE id = $1`, w.id["project:student"])
		own := w.do("student", "GET /api/projects/{project:student}", nil).status(200)
		unit := own.object()["unit"].(map[string]any)
		common := `"id":«project:student»,"campus_id":«burwood»,"user_id":«student»,"target_grade":1,"portfolio_available":false,"unit_id":«unitA»,
			"enrolled":true,"submitted_grade":null,"compile_portfolio":false,"uses_draft_learning_summary":false,
			"grade_published_at":null,"portfolio_files":[],"tasks":[{"id":«task»,"task_definition_id":«defA1»,"status":"not_started","due_date":"` + w.monday().AddDays(7).String() + `",
				"submission_date":null,"completion_date":null,"extensions":0,"times_assessed":0,"grade":null,"quality_pts":-1,
				"include_in_portfolio":true,"similarity_flag":false,"num_new_comments":0,"rubric":null}],"task_outcome_alignments":[],
			"tutorial_enrolments":[{"project_id":«project:student»,"tutorial_id":«tutorialA»}],
			"groups":[{"id":«group»,"name":"Red","tutorial_id":«tutorialA»,"group_set_id":«set»,"student_count":2,"capacity_adjustment":0,"locked":false}],
			"unit":{"code":"SIT10A","id":«unitA»,"name":"Unit A","my_role":"ROLE","teaching_period_id":«T1»,
			"start_date":"` + unit["start_date"].(string) + `","end_date":"` + unit["end_date"].(string) +
			`","active":true}`
		own.is(`{` + strings.Replace(common, "ROLE", "Student", 1) + `}`)
		for who, role := range map[string]string{"tutor": "Tutor", "convenor": "Convenor", "admin": "Admin",
			"both": "Tutor"} {
			w.do(who, "GET /api/projects/{project:student}", nil).status(200).is(`{` + strings.Replace(common, "ROLE",
				role, 1) + `,
			"student":{"id":«student»,"student_id":null,"username":"student","email":"student@example.edu","first_name":"Student","last_name":"Person","nickname":"student"},
			"grade":71,"grade_rationale":"Good","similarity_flag":false,"has_portfolio":false,
			"stats":{"red_pct":0,"grey_pct":1,"orange_pct":0,"blue_pct":0,"green_pct":0,"order_scale":0}}`)
		}
		// Nobody sees their own grade, the staff in them included; the withdrawn read on.
		for _, who := range []string{"both", "withdrawn"} {
			if o := w.do(who, "GET /api/projects/{project:"+who+"}", nil).status(200).object(); o["grade"] != nil ||
				o["student"] != nil || o["stats"] != nil || o["similarity_flag"] != nil {
				t.Errorf("%s sees %v", who, o)
			}
		}
		w.do("student", "GET /api/projects/999", nil).status(404)
		w.do("withdrawn", "GET /api/projects/{project:student}", nil).status(403)
	})
}

func TestEnrolling(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE users SET student_id = 's123' WHERE id = $1`, w.id["outsider"])
		enrol := func(num, campus string) *answered {
			t.Helper()
			return w.do("tutor", "POST /api/projects", form{"unit_id": w.path("{unitA}"), "student_num": num,
				"campus_id": w.path(campus)})
		}
		made := enrol("s123", "{geelong}").status(201)
		w.id["new"] = int64(made.object()["id"].(float64))
		if got := made.Header().Get("Location"); got != w.path("/api/projects/{new}") {
			t.Errorf("Location %q", got)
		}
		const want = `{"id":«new»,"enrolled":true,"campus_id":«geelong»,"student":{"id":«outsider»,"student_id":"s123","username":"outsider",
			"email":"outsider@example.edu","first_name":"Outsider","last_name":"Person","nickname":"outsider"},"target_grade":0,"submitted_grade":null,
			"compile_portfolio":false,"grade":0,"grade_rationale":null,"similarity_flag":false,"has_portfolio":false,
			"stats":{"red_pct":0,"grey_pct":1,"orange_pct":0,"blue_pct":0,"green_pct":0,"order_scale":0},
			"tutorial_enrolments":[{"stream_abbr":"prac-1","tutorial_id":null}]}`
		made.is(want)
		enrol("OUTSIDER", "{burwood}").status(201).is(want) // there already: unchanged
		enrol("Outsider@Example.edu", "-1").status(201).is(want)
		before := w.count("projects")
		enrol("nobody", "{geelong}").status(404).says("student")
		enrol("student", "999").status(404).says("campus")
		enrol("", "{geelong}").status(404)
		w.do("tutor", "POST /api/projects", nil).status(400).says("unit_id", "student_num", "campus_id")
		w.do("tutor", "POST /api/projects", form{"unit_id": w.path("{unitB}"), "student_num": "student",
			"campus_id": "-1"}).status(403)
		w.do("tutor", "POST /api/projects", form{"unit_id": "99", "student_num": "student",
			"campus_id": "-1"}).status(404)
		if after := w.count("projects"); after != before {
			t.Errorf("%d projects became %d", before, after)
		}
		w.do("outsider", "GET /api/projects/{new}", nil).status(200)

		// Back again, elsewhere: the place on the old campus is gone.
		back := enrol("withdrawn", "{geelong}").status(201).object()
		if back["enrolled"] != true || int64(back["campus_id"].(float64)) != w.id["geelong"] ||
			w.tutorialsOf("project:withdrawn") != "[]" {
			t.Errorf("re-enrolled as %v in %s", back, w.tutorialsOf("project:withdrawn"))
		}
	})
}

func TestReturnIntoGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["group"],
			"project_id": w.id["project:withdrawn"]})
		back := func() bool {
			t.Helper()
			w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:withdrawn"])
			w.set(`UPDATE group_memberships SET active = TRUE WHERE project_id = $1`, w.id["project:withdrawn"])
			w.do("convenor", "PUT /api/projects/{project:withdrawn}", form{"enrolled": "true"}).status(200)
			return w.count(`group_memberships WHERE active AND project_id = $1`, w.id["project:withdrawn"]) == 1
		}
		if !back() {
			t.Error("lost a place in a group that has room")
		}
		w.set(`UPDATE group_sets SET capacity = 2`)
		if back() {
			t.Error("came back into a full group")
		}
		w.set(`UPDATE unit_groups SET capacity_adjustment = 1`)
		if !back() {
			t.Error("a group with a place more has room")
		}
		w.set(`UPDATE group_sets SET capacity = NULL, keep_groups_in_same_class = TRUE`)
		if !back() {
			t.Error("lost a place in a group of their own class")
		}
		w.set(`DELETE FROM tutorial_enrolments WHERE project_id = $1`, w.id["project:withdrawn"])
		if back() {
			t.Error("came back into a group of another class")
		}
	})
}

func TestChangingProjects(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "PUT /api/projects/{project:student}"
		w.do("student", path, form{"target_grade": "3", "submitted_grade": "2",
			"compile_portfolio": "true"}).status(200).
			is(`{"id":«project:student»,"campus_id":«burwood»,"enrolled":true,"target_grade":3,"submitted_grade":2,"compile_portfolio":true,
			"portfolio_available":false,"uses_draft_learning_summary":false}`)
		w.do("student", path, `{"submitted_grade":null,"target_grade":null}`).status(200).
			is(`{"id":«project:student»,"campus_id":«burwood»,"enrolled":true,"target_grade":3,"submitted_grade":null,"compile_portfolio":true,
			"portfolio_available":false,"uses_draft_learning_summary":false}`)
		w.do("tutor", path, form{"target_grade": "2", "grade": "71", "old_grade": "0",
			"grade_rationale": "Good"}).status(200)
		w.do("tutor", path, form{"grade": "80", "old_grade": "0", "grade_rationale": "Better"}).status(409).says("71")
		w.do("tutor", path, form{"grade": "80", "old_grade": "71", "grade_rationale": "Better"}).status(200).
			is(`{"id":«project:student»,"campus_id":«burwood»,"enrolled":true,"target_grade":2,"submitted_grade":null,"compile_portfolio":true,
			"portfolio_available":false,"uses_draft_learning_summary":false,
			"student":{"id":«student»,"student_id":null,"username":"student","email":"student@example.edu","first_name":"Student","last_name":"Person","nickname":"student"},
			"grade":80,"grade_rationale":"Better","similarity_flag":false,"has_portfolio":false,
			"stats":{"red_pct":0,"grey_pct":1,"orange_pct":0,"blue_pct":0,"green_pct":0,"order_scale":0}}`)

		// All or nothing, and each part with its own right.
		state := func() string { return w.do("convenor", "GET /api/projects/{project:student}", nil).Body.String() }
		before := state()
		for _, c := range []struct {
			who  string
			body form
			want int
			says string
		}{
			{"student", form{"target_grade": "0", "grade": "100", "old_grade": "80", "grade_rationale": "Me"}, 403,
				"final grade"},
			{"student", form{"target_grade": "0", "grade_rationale": "Me"}, 403, ""},
			{"student", form{"target_grade": "0", "campus_id": "-1"}, 403, "campus"},
			{"student", form{"target_grade": "0", "enrolled": "false"}, 403, "withdraw"},
			{"student", form{"trigger": "trigger_week_end"}, 403, "week"},
			{"tutor", form{"target_grade": "0", "enrolled": "false"}, 403, "convenor"},
			{"tutor", form{"target_grade": "0", "trigger": "party"}, 400, "trigger"},
			{"tutor", form{"target_grade": "4"}, 400, "target_grade"},
			{"tutor", form{"target_grade": "-1"}, 400, "target_grade"},
			{"tutor", form{"submitted_grade": "4"}, 400, "submitted_grade"},
			{"tutor", form{"target_grade": "much"}, 400, "target_grade"},
			{"tutor", form{"grade": "101", "old_grade": "80", "grade_rationale": "x"}, 400, "grade"},
			{"tutor", form{"old_grade": "79", "grade_rationale": "x"}, 409, "80"},
			{"tutor", form{"target_grade": "0", "campus_id": "999"}, 404, "campus"},
			{"tutor", form{"target_grade": "0", "campus_id": w.path("{geelong}")}, 409, "LA1"},
			{"tutor", form{"target_grade": "0", "grade": "1", "old_grade": "2", "grade_rationale": "x"}, 409, "80"},
		} {
			w.do(c.who, path, c.body).status(c.want).says(c.says)
		}
		if after := state(); after != before {
			t.Errorf("refused changes left traces: %s became %s", before, after)
		}

		w.do("tutor", path, form{"campus_id": "-1"}).status(200)
		w.do("student", "DELETE "+enrolmentPath, nil).status(204)
		if o := w.do("tutor", path, form{"campus_id": w.path("{geelong}")}).status(200).object(); int64(o["campus_id"].(float64)) != w.id["geelong"] {
			t.Errorf("campus %v", o["campus_id"])
		}
		w.do("convenor", path, form{"enrolled": "false"}).status(200)
		w.do("student", path, form{"target_grade": "1"}).status(403)
		w.do("student", "GET /api/projects/{project:student}", nil).status(200)
		w.do("admin", path, form{"enrolled": "true"}).status(200)
		w.do("student", path, form{"target_grade": "1"}).status(200)

		// Nobody gives themselves a grade.
		w.do("both", "PUT /api/projects/{project:both}", form{"grade": "90", "old_grade": "0",
			"grade_rationale": "x"}).status(403)
		w.set(`INSERT INTO blobs (hash, size, touched_at) VALUES ('h', 1, $1)`, w.db.Now())
		w.set(`UPDATE projects SET portfolio_hash = 'h' WHERE id = $1`, w.id["project:student"])
		w.do("student", path, form{"submitted_grade": "1"}).status(409).says("portfolio")
		w.do("student", path, form{"target_grade": "2"}).status(200)
	})
}

// Many enrol one student at once: there is one project, and all hear of it.
func TestEnrollingOneStudentAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var wg sync.WaitGroup
		answers := make([]*answered, 20)
		for i := range answers {
			wg.Go(func() {
				body := form{"unit_id": w.path("{unitA}"), "student_num": []string{"outsider", "withdrawn"}[i%2],
					"campus_id": "-1"}
				answers[i] = w.do("tutor", "POST /api/projects", body)
			})
		}
		wg.Wait()
		for i, a := range answers {
			if one, other := a.status(201).object()["id"], answers[i%2].object()["id"]; one != other {
				t.Errorf("one heard of %v, another of %v", one, other)
			}
		}
	})
}

func TestAFinalGradeMayComeAlone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const path = "PUT /api/projects/{project:student}"
		grade := func(body any, status int, grade float64, why any) {
			t.Helper()
			w.do("tutor", path, body).status(status)
			o := w.do("tutor", "GET /api/projects/{project:student}", nil).object()
			if o["grade"] != grade || o["grade_rationale"] != why {
				t.Errorf("after %v the grade is %v, %v", body, o["grade"], o["grade_rationale"])
			}
		}
		grade(form{"grade": "70"}, 200, 70, nil)
		grade(form{"grade_rationale": "Good"}, 200, 70, "Good")
		grade(form{"grade": "75"}, 200, 75, "Good")
		grade(form{"grade": "80", "old_grade": "70"}, 409, 75, "Good")
		grade(form{"grade": "80", "old_grade": "75"}, 200, 80, "Good")
		grade(form{"old_grade": "80"}, 200, 80, "Good")
		grade(form{"old_grade": "81"}, 409, 80, "Good")
		grade(`{"grade_rationale":null}`, 200, 80, nil)
		w.do("student", path, form{"grade": "80"}).status(403)
	})
}
