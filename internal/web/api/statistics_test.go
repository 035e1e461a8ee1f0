package api

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/clock"
)

var _ = rights(
	rightRow{"GET /api/units/{id}/stats/task_completion_stats", "/api/units/{unitA}/stats/task_completion_stats",
		staffA, nil},
	rightRow{"GET /api/units/{id}/stats/task_status_pct", "/api/units/{unitA}/stats/task_status_pct", staffA, nil},
	rightRow{"GET /api/units/{id}/stats/student_target_grade", "/api/units/{unitA}/stats/student_target_grade", staffA,
		nil},
	rightRow{"GET /api/units/{unit_id}/learning_alignments/class_stats",
		"/api/units/{unitA}/learning_alignments/class_stats", membersA, nil},
	rightRow{"GET /api/units/{unit_id}/learning_alignments/class_details",
		"/api/units/{unitA}/learning_alignments/class_details", staffA, nil},
	rightRow{"GET /api/units/{id}/grades", "/api/units/{unitA}/grades", staffA, nil},
	rightRow{"GET /api/csv/units/{id}/task_completion", "/api/csv/units/{unitA}/task_completion", staffA, nil},
	rightRow{"GET /api/csv/units/{id}/tutor_assessments", "/api/csv/units/{unitA}/tutor_assessments", staffA, nil},
	rightRow{"GET /api/units/{id}/charts/{name}", "/api/units/{unitA}/charts/completion", staffA, nil},
	rightRow{"GET /api/units/{id}/charts/{name}/table", "/api/units/{unitA}/charts/completion/table", staffA, nil},
	rightRow{"GET /api/projects/{id}/burndown", "/api/projects/{project:student}/burndown", "student " + staffA, nil},
)

var _ = lists(listRow{route: "GET /api/units/{id}/stats/student_target_grade",
	path: "/api/units/{unitA}/stats/student_target_grade", who: "tutor",
	fill: func(w *world, from, to int) { w.enrolEach(from, to) }})

// enrolEach gives unit A students from..to-1, each alone in a tutorial.
func (w *world) enrolEach(from, to int) {
	w.fill("users", from, to, func(i int) row {
		n := fmt.Sprintf("many%d", i)
		return row{"username": n, "username_key": n, "email": n, "email_key": n, "first_name": "A", "last_name": "B",
			"role":       1,
			"created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
	})
	user := w.lastID("users") - int64(to-1)
	w.fill("projects", from, to, func(i int) row {
		return row{"unit_id": w.id["unitA"], "user_id": user + int64(i), "created_at": clock.At(w.now),
			"updated_at": clock.At(w.now)}
	})
	project := w.lastID("projects") - int64(to-1)
	w.fill("tutorials", from, to, func(i int) row {
		return row{"unit_id": w.id["unitA"], "abbreviation": numbered("T", i), "meeting_day": "Monday",
			"meeting_time": "9:00", "meeting_location": "Here"}
	})
	tutorial := w.lastID("tutorials") - int64(to-1)
	w.fill("tutorial_enrolments", from, to, func(i int) row {
		return row{"project_id": project + int64(i), "tutorial_id": tutorial + int64(i)}
	})
}

// work lets students of unit A get somewhere: student completes both tasks,
// mate hands the first in, other has begun none; student's task 1.1P counts
// three ways, being graded, rated and a group's.
func (w *world) work() {
	w.set(`UPDATE task_definitions SET is_graded = TRUE, max_quality_pts = 5, group_set_id = $2 WHERE id = $1`,
		w.id["defA1"], w.id["set"])
	gs := w.add("handed", "group_submissions", row{"unit_group_id": w.id["group"], "task_definition_id": w.id["defA1"],
		"submitted_by_project_id": w.id["project:student"], "created_at": clock.At(w.now)})
	w.set(`UPDATE tasks SET status = 'complete', grade = 2, quality_pts = 4, group_submission_id = $2, contribution_pts
		= 5 WHERE id = $1`, w.id["task"], gs)
	w.add("task2", "tasks", w.taskRow("student", "defA2", "complete"))
	w.add("mates", "tasks", w.taskRow("mate", "defA1", "ready_for_feedback"))
	w.add("", "tasks", w.taskRow("withdrawn", "defA1", "complete"))
	for range 2 { // marked twice, counted once
		w.add("", "task_history", row{"task_id": w.id["task"], "at": clock.At(w.now), "actor_id": w.id["tutor"],
			"from_status": "discuss", "to_status": "complete", "assessed": true})
	}
	w.add("", "task_history", row{"task_id": w.id["mates"], "at": clock.At(w.now), "actor_id": w.id["admin"],
		"from_status": "discuss", "to_status": "redo", "assessed": true})
	w.add("", "task_history", row{"task_id": w.id["mates"], "at": clock.At(w.now), "actor_id": w.id["convenor"],
		"from_status": "redo", "to_status": "redo"})
}

func (w *world) taskRow(who, definition, status string) row {
	return row{"project_id": w.id["project:"+who], "task_definition_id": w.id[definition], "unit_id": w.id["unitA"],
		"status":     status,
		"created_at": clock.At(w.now), "updated_at": clock.At(w.now)}
}

func TestStatistics(t *testing.T) {
	const none = `{"median":0,"lower":0,"upper":0,"min":0,"max":0}`
	two := strings.ReplaceAll(none, "0", "2")
	each(t, func(t *testing.T, w *world) {
		w.work()
		w.set(`DELETE FROM tutorial_enrolments WHERE project_id = $1`, w.id["project:other"])
		w.do("tutor", "GET /api/units/{unitA}/stats/task_completion_stats", nil).status(200).is(
			`{"unit":` + two + `,"tutorial":{"«tutorialA»":` + two + `},"grade":{"0":` + none + `,"1":` + two +
				`,"2":` + none + `,"3":` + none + `}}`)
		w.do("tutor", "GET /api/units/{unitA}/stats/task_status_pct", nil).status(200).is(`{
			"«defA1»": {"0": [{"tutorial_stream_id":null,"status":"not_started","num":1}],
				"«tutorialA»": [{"tutorial_stream_id":«streamA»,"status":"not_started","num":1}, {"tutorial_stream_id":«streamA»,"status":"complete","num":1},
					{"tutorial_stream_id":«streamA»,"status":"ready_for_feedback","num":1}]},
			"«defA2»": {"0": [{"tutorial_stream_id":null,"status":"not_started","num":1}],
				"«tutorialA»": [{"tutorial_stream_id":«streamA»,"status":"not_started","num":2}, {"tutorial_stream_id":«streamA»,"status":"complete","num":1}]}}`)
		w.do("tutor", "GET /api/units/{unitA}/stats/student_target_grade", nil).status(200).is(
			`[{"tutorial_id":null,"tutorial_stream_id":null,"grade":1,"num":1},{"tutorial_id":«tutorialA»,"tutorial_stream_id":«streamA»,"grade":1,"num":3}]`)
		// Rating 2, a Credit task: 4 points for the one who completed it, none for the other.
		class := `{"«outcomeA»":{"median":2,"lower":0,"upper":4,"min":0,"max":4}}`
		w.do("student", "GET /api/units/{unitA}/learning_alignments/class_stats", nil).status(200).is(class)
		w.do("tutor", "GET /api/units/{unitA}/learning_alignments/class_details",
			nil).status(200).is(`{"«tutorialA»":` + class + `}`)
		w.do("student", "GET /api/units/{unitA}/learning_alignments/class_details", nil).status(403).says("statistics")
		w.do("tutor", "GET /api/units/999999/stats/task_status_pct", nil).status(404)
	})
}

// sheet reads a download of a sheet.
func (a *answered) sheet(name string) [][]string {
	a.w.Helper()
	a.status(200)
	if got := a.Header().Get("Content-Disposition"); got != `attachment; filename=`+name {
		a.w.Errorf("the file is %s, want %s", got, name)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.Body.String(), "\ufeff"))).ReadAll()
	if err != nil {
		a.w.Fatal(err)
	}
	return rows
}

func TestUnitSheets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.work()
		w.set(`UPDATE projects SET grade = 77, grade_rationale = '=1+1' WHERE id IN ($1, $2)`, w.id["project:student"],
			w.id["project:withdrawn"])
		equal := func(got [][]string, want ...[]string) {
			t.Helper()
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		}
		equal(w.do("tutor", "GET /api/units/{unitA}/grades", nil).sheet("SIT10A-Grades.csv"),
			[]string{"unit_code", "username", "student_id", "grade", "rationale"}, []string{"SIT10A", "student", "",
				"77", "'=1+1"})
		equal(w.do("tutor", "GET /api/csv/units/{unitA}/task_completion", nil).sheet("SIT10A-TaskCompletion.csv"),
			[]string{"Student ID", "Username", "Student Name", "Target Grade", "Email", "Portfolio", "Grade",
				"Rationale", "prac-1", "Teams",
				"1.1P", "1.1P grade", "1.1P stars", "1.1P contribution", "1.2C"},
			[]string{"", "both", "Both Person", "Credit", "both@example.edu", "false", "", "", "LA1", "", "Not Started",
				"", "", "", "Not Started"},
			[]string{"", "mate", "Mate Person", "Credit", "mate@example.edu", "false", "", "", "LA1", "Red",
				"Ready for Feedback", "", "", "", "Not Started"},
			[]string{"", "other", "Other Person", "Credit", "other@example.edu", "false", "", "", "LA1", "",
				"Not Started", "", "", "", "Not Started"},
			[]string{"", "student", "Student Person", "Credit", "student@example.edu", "false", "77", "'=1+1", "LA1",
				"Red", "Complete", "D", "4", "5", "Complete"})
		equal(w.do("tutor", "GET /api/csv/units/{unitA}/tutor_assessments", nil).sheet("SIT10A-TutorAssessments.csv"),
			[]string{"Username", "Tutor Name", "Total Tasks Assessed"},
			[]string{"admin", "Admin Person", "1"}, []string{"both", "Both Person", "0"},
			[]string{"convenor", "Convenor Person", "0"}, []string{"tutor", "Tutor Person", "1"})
		w.set(`DELETE FROM tutorial_enrolments`)
		w.set(`UPDATE tutorials SET tutorial_stream_id = NULL`)
		w.set(`UPDATE task_definitions SET tutorial_stream_id = NULL`)
		w.set(`DELETE FROM tutorial_streams`)
		if got := w.do("tutor", "GET /api/csv/units/{unitA}/task_completion",
			nil).sheet("SIT10A-TaskCompletion.csv"); got[0][8] != "Tutorial" {
			t.Errorf("without streams the headings are %q", got[0])
		}
	})
}

// TestInsightTakesAConstantNumberOfStatements grows the unit by the reads that
// are no lists. What counts the work of a class reads its students and what they
// have begun apart from the tasks, as plain rows.
func TestInsightTakesAConstantNumberOfStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		most := map[string]int{
			"GET /api/units/{unitA}/stats/task_completion_stats":       2,
			"GET /api/units/{unitA}/stats/task_status_pct":             2,
			"GET /api/units/{unitA}/learning_alignments/class_stats":   4,
			"GET /api/units/{unitA}/learning_alignments/class_details": 5,
			"GET /api/units/{unitA}/grades":                            4,  // two write its entry in the audit log
			"GET /api/csv/units/{unitA}/task_completion":               10, // the same
			"GET /api/csv/units/{unitA}/tutor_assessments":             4,  // the same
			"GET /api/units/{unitA}/charts/completion":                 3,
			"GET /api/units/{unitA}/charts/statuses":                   4,
			"GET /api/units/{unitA}/charts/targets":                    2,
			"GET /api/projects/{project:student}/burndown":             2,
			"GET /api/units/{unitA}/burndown":                          4,
			"GET /api/units/{unitA}/students_at_risk":                  5, // nobody is, whose tutorials would be read
			"GET /api/csv/units/{unitA}/charts/statuses":               6, // two write its entry in the audit log
		}
		for _, n := range [][2]int{{0, 3}, {3, 60}} {
			w.enrolEach(n[0], n[1])
			for request, want := range most {
				// One more finds the caller and their standing.
				if texts := w.statementsOf("tutor", request); len(texts) != want+1 {
					t.Errorf("%s took %d statements, not %d:\n%s", request, len(texts), want+1,
						strings.Join(texts, "\n"))
				}
			}
		}
	})
}

func TestCharts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.work()
		w.set(`UPDATE units SET name = '<script>alert(1)</script>' WHERE id = $1`, w.id["unitA"])
		for _, name := range []string{"completion", "statuses", "targets"} {
			w.do("tutor", "GET /api/units/{unitA}/charts/"+name, nil).status(200).picture()
		}
		// Four students, of whom one has completed two tasks: everybody counts.
		w.set(`DELETE FROM tutorial_enrolments WHERE project_id = $1`, w.id["project:other"])
		w.do("tutor", "GET /api/units/{unitA}/charts/completion/table", nil).status(200).is(`{
			"title": "Tasks completed by students: SIT10A <script>alert(1)</script>",
			"head": ["Group", "Students", "Fewest", "30th percentile", "Median", "80th percentile", "Most"],
			"rows": [["All students", "4", "0", "0", "0", "2", "2"], ["Credit", "4", "0", "0", "0", "2", "2"],
				["LA1", "3", "0", "0", "0", "2", "2"]]}`)
		w.do("tutor", "GET /api/units/{unitA}/charts/targets/table",
			nil).status(200).has(`{"head": ["Grade", "Students"]}`)
		w.do("tutor", "GET /api/units/{unitA}/charts/pie/table", nil).status(404)
		w.do("tutor", "GET /api/units/{unitA}/charts/pie", nil).status(404).says("completion, statuses and targets")
		w.do("tutor", "GET /api/units/{unitB}/charts/completion", nil).status(403)
	})
}

// picture fails the test unless the answer is an SVG that a browser may show
// and in which nothing runs.
func (a *answered) picture() {
	a.w.Helper()
	if got := a.Header().Get("Content-Type"); got != "image/svg+xml" || a.Header().Get("Content-Disposition") != "" {
		a.w.Errorf("%s: it is a %s, %s", a.what, got, a.Header().Get("Content-Disposition"))
	}
	if csp := a.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox; default-src 'none'") {
		a.w.Errorf("%s: the policy is %s", a.what, csp)
	}
	text := a.Body.String()
	if !strings.Contains(text, "<title") || !strings.Contains(text, "<svg") || strings.Contains(text, "<script") {
		a.w.Errorf("%s: %.300s", a.what, text)
	}
}

func TestBurndown(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.monday().AddDays(-56)
		w.set(`UPDATE task_definitions SET weighting = 12 WHERE id = $1`, w.id["defA1"])
		w.set(`UPDATE tasks SET status = 'ready_for_feedback', submission_date = $2 WHERE id = $1`, w.id["task"],
			clock.At(start.AddDays(10).Time))
		b := w.do("student", "GET /api/projects/{project:student}/burndown", nil).status(200)
		if b.Header().Get("Vary") != "Accept" {
			t.Errorf("the answer varies by %q", b.Header().Get("Vary"))
		}
		var got struct {
			Tasks                              int
			Target, Submitted, Done, Projected []struct {
				Date      string
				Remaining float64
			}
		}
		b.into(&got)
		if got.Tasks != 2 || len(got.Target) != 15 || got.Target[0].Remaining != 100 || got.Target[14].Remaining != 0 ||
			got.Target[9].Date != start.AddDays(63).String() || got.Target[9].Remaining != 25 {
			t.Errorf("the target is %+v", got.Target)
		}
		if got.Submitted[1].Remaining != 100 || got.Submitted[2].Remaining != 25 ||
			got.Done[len(got.Done)-1].Remaining != 100 {
			t.Errorf("submitted %+v, done %+v", got.Submitted, got.Done)
		}
		if n := len(got.Projected); n != 2 || got.Projected[0].Remaining != 25 || got.Projected[1].Remaining != 0 ||
			got.Projected[1].Date >= start.AddDays(14*7).String() {
			t.Errorf("projected %+v", got.Projected)
		}
		w.do("student", "GET /api/projects/{project:student}/burndown", nil, "Accept",
			"image/svg+xml,*/*").status(200).picture()
		w.do("withdrawn", "GET /api/projects/{project:withdrawn}/burndown", nil).status(200)
		w.set(`DELETE FROM task_definitions`)
		w.do("student", "GET /api/projects/{project:student}/burndown",
			nil).status(200).has(`{"tasks":0,"target":[],"submitted":[],"done":[],"projected":[]}`)
		w.do("student", "GET /api/projects/{project:student}/burndown", nil, "Accept",
			"image/svg+xml").status(200).picture()
	})
}
