package api

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/rubric"
)

const byRubricOfA = "GET /api/units/{unitA}/rubric_insight"

var _ = rights(rightRow{"GET /api/units/{id}/rubric_insight", "/api/units/{unitA}/rubric_insight", staffA, nil})

// givenLevels writes that somebody gave a student of unit A levels of the task of the world; earlier ones stand no
// more.
func (w *world) givenLevels(project int64, tutor string, rubricID int64, at time.Time, levels ...int64) {
	w.Helper()
	task := w.count("tasks WHERE project_id = $1 AND task_definition_id = $2", project, w.id["defA1"])
	if task == 0 {
		w.add("", "tasks", row{"project_id": project, "task_definition_id": w.id["defA1"], "unit_id": w.id["unitA"],
			"status": "complete", "created_at": clock.At(w.now), "updated_at": clock.At(w.now)})
	}
	task = w.number(`SELECT id FROM tasks WHERE project_id = $1 AND task_definition_id = $2`, project, w.id["defA1"])
	w.set(`UPDATE rubric_marks SET present = FALSE WHERE task_id = $1`, task)
	w.add("", "rubric_marks", row{"task_id": task, "rubric_id": rubricID, "levels": rubric.Levels(levels), "present": true,
		"user_id": w.id[tutor], "at": clock.At(at)})
	w.set(`UPDATE rubrics SET used = TRUE WHERE id = $1`, rubricID)
}

// firstNew is the project of the first of so many students that enrolEach enrolled.
func (w *world) firstNew(n int) int64 { return w.lastID("projects") - int64(n) + 1 }

// givenByTwo has the staff tutor and both mark ten students by a rubric of five points, the one with all of them and
// the other with one.
func (w *world) givenByTwo() {
	w.define("max_quality_pts = 5")
	id, levels := w.rubric(fivePoints)
	w.enrolEach(0, 10)
	first := w.firstNew(10)
	for i := range int64(10) {
		if i < 5 {
			w.givenLevels(first+i, "tutor", id, w.now, levels[0][0], levels[1][0])
		} else {
			w.givenLevels(first+i, "both", id, w.now, levels[0][1], levels[1][1])
		}
	}
}

// Convenors see how two tutors mark on the same criterion; a tutor sees what the class lost, and nobody's numbers. With
// one fewer of either, nobody is compared.
func TestTutorsAreComparedByCriterion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.givenByTwo()
		var all insight.ByRubric
		w.do("convenor", byRubricOfA, nil).status(200).into(&all)
		design := all.Tasks[0].Criteria[0]
		if all.Least != 5 || design.Title != "Design" || design.Marked != 10 || *design.Lost != 33.3 ||
			len(design.Tutors) != 2 {
			t.Fatalf("%+v", design)
		}
		both, tutor := design.Tutors[0], design.Tutors[1]
		if both.FirstName != "Both" || both.Own.Marked != 5 || *both.Own.Mean != 33.3 || *both.Own.Spread != 0 ||
			both.Others.Marked != 5 || *both.Others.Mean != 100 || *both.Apart != -66.7 ||
			fmt.Sprint(both.Levels) != fmt.Sprint([]insight.LevelShare{{ID: design.Levels[0].ID, Name: "Good", Others: 100},
				{ID: design.Levels[1].ID, Name: "Fair", Own: 100}, {ID: design.Levels[2].ID, Name: "None"}}) {
			t.Errorf("%+v", both)
		}
		if tutor.UserID != w.id["tutor"] || *tutor.Apart != 66.7 || *all.Tasks[0].Tutors[0].Own.Mean != 20 {
			t.Errorf("%+v", tutor)
		}
		rows := w.do("convenor", "GET /api/csv/units/{unitA}/charts/rubric-tutors", nil).sheet("SIT10A-rubric-tutors.csv")
		if got := strings.Join(rows[3], ","); got != "1.1P,Design,Both Person,5,33.3,0,5,100,0,Good,0,100" {
			t.Errorf("as a sheet: %s", got)
		}
		w.do("tutor", "GET /api/csv/units/{unitA}/charts/rubric-tutors", nil).status(403).says("Only convenors")
		own := w.do("tutor", byRubricOfA, nil).status(200)
		if text := own.Body.String(); strings.Contains(text, "tutors") || strings.Contains(text, "Both") {
			t.Errorf("a tutor sees %s", text)
		}
		w.set(`DELETE FROM rubric_marks WHERE id = (SELECT max(id) FROM rubric_marks)`)
		if text := w.do("convenor", byRubricOfA, nil).status(200).Body.String(); strings.Contains(text, "tutors") {
			t.Errorf("too few are compared: %s", text)
		}
	})
}

// Levels count once for each student, by the version they were given with, in the week they were given; those that were
// given anew, of who has left, or of another tutorial, do not.
func TestLevelsAreCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		first, levels := w.rubric(fivePoints)
		monday := w.monday()
		w.givenLevels(w.id["project:mate"], "tutor", first, w.now, levels[0][2])
		w.givenLevels(w.id["project:student"], "tutor", first, monday.AddDays(-1).Time, levels[0][0], levels[1][1])
		w.givenLevels(w.id["project:withdrawn"], "tutor", first, w.now, levels[0][0])
		changed := w.do("convenor", "PUT "+rubricOfA1, w.identified(w.do("tutor", "GET "+rubricOfA1, nil).object(),
			ofCriteria(criterion("Design", level("Great", 2), level("Fair", 1), level("None", 0)),
				criterion("Tests", level("Good", 3), level("None", 0))))).object()
		second, _ := rubricIn1(changed)
		if second == first {
			t.Fatal("the rubric has no second version")
		}
		w.givenLevels(w.id["project:mate"], "tutor", second, monday.Time, levels[0][1])
		var got insight.ByRubric
		read := func(query string) insight.RubricTask {
			got = insight.ByRubric{}
			w.do("tutor", byRubricOfA+query, nil).status(200).into(&got)
			return got.Tasks[0]
		}
		task := read("")
		design, tests := task.Criteria[0], task.Criteria[1]
		if task.Marked != 2 || design.Marked != 2 || tests.Marked != 1 || len(design.Levels) != 3 ||
			design.Levels[0].Name != "Great" || design.Levels[0].Marked != 1 || design.Levels[1].Marked != 1 ||
			design.Levels[2].Marked != 0 || tests.Levels[1].Marked != 1 || *tests.Lost != 100 {
			t.Errorf("%+v", task)
		}
		// Of 3 and of 2 points 3 and 1 were given.
		if *design.Lost != 20 {
			t.Errorf("%v of the points were lost", *design.Lost)
		}
		if len(got.Weeks) != 2 || got.Weeks[0] != monday.AddDays(-7) || got.Weeks[1] != monday ||
			fmt.Sprint(design.Levels[0].Weeks, design.Levels[1].Weeks) != "[1 0] [0 1]" || *design.Weeks[0].Lost != 0 ||
			*design.Weeks[1].Lost != 50 || tests.Weeks[1].Lost != nil {
			t.Errorf("by week %v: %+v", got.Weeks, design)
		}
		rows := w.do("tutor", "GET /api/csv/units/{unitA}/charts/rubrics", nil).sheet("SIT10A-rubrics.csv")
		if text := strings.Join(rows[1], ","); text != "1.1P,Design,Great,2,1,2,20" {
			t.Errorf("as a sheet: %s", text)
		}
		rows = w.do("tutor", "GET /api/csv/units/{unitA}/charts/rubric-weeks?task_definition_id={defA1}", nil).
			sheet("SIT10A-rubric-weeks.csv")
		if text := strings.Join(rows[1], ","); text != "1.1P,Design,Great,2,1,0,0,50" {
			t.Errorf("as a sheet: %s", text)
		}
		w.secondTutorial()
		if none := read("?tutorial_id={LA2}"); none.Marked != 0 || none.Lost != nil || len(none.Criteria) != 2 {
			t.Errorf("of another tutorial: %+v", none)
		}
		w.do("tutor", byRubricOfA+"?tutorial_id={tutorialB}", nil).status(404)
		w.do("tutor", byRubricOfA+"?task_definition_id={defB1}", nil).status(404)
		if w.do("tutor", byRubricOfA+"?task_definition_id={defA2}", nil).status(200).into(&got); len(got.Tasks) != 0 {
			t.Errorf("a task without a rubric: %+v", got)
		}
		// A rubric that is removed stays what work was marked with; levels without points are counted alone.
		w.do("convenor", "DELETE "+rubricOfA1, nil).status(204)
		if task = read(""); task.Marked != 2 || task.Criteria[0].Marked != 2 {
			t.Errorf("of a removed rubric: %+v", task)
		}
		third, plain := w.rubric(plainRubric)
		w.givenLevels(w.id["project:other"], "tutor", third, w.now, plain[0][1])
		task = read("")
		if one := task.Criteria[0]; task.Marked != 3 || one.Marked != 1 || one.Lost != nil || one.Levels[1].Marked != 1 {
			t.Errorf("without points: %+v", task)
		}
	})
}

// What is counted of a random unit is what a plain count of its marks comes to, by tutor, too; and takes as many
// statements for many as for few.
func TestRandomLevelsAreCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		id, levels := w.rubric(fivePoints)
		worth := map[int64]float64{levels[0][0]: 1, levels[0][1]: 1.0 / 3, levels[0][2]: 0, levels[1][0]: 1, levels[1][1]: 0}
		r := rand.New(rand.NewPCG(1, 2))
		few := len(w.statementsOf("convenor", byRubricOfA))
		w.enrolEach(0, 40)
		marked, sums := map[int64]int{}, map[string][]float64{}
		for i := range int64(40) {
			who := []string{"tutor", "both", "convenor"}[r.IntN(3)]
			var list []int64
			for k := range levels {
				if n := r.IntN(len(levels[k]) + 1); n > 0 {
					list = append(list, levels[k][n-1])
					marked[levels[k][n-1]]++
					key := fmt.Sprint(k, w.id[who])
					sums[key] = append(sums[key], worth[levels[k][n-1]])
				}
			}
			if len(list) > 0 {
				w.givenLevels(w.firstNew(40)+i, who, id, w.now, list...)
			}
		}
		var got insight.ByRubric
		w.do("convenor", byRubricOfA, nil).status(200).into(&got)
		compared := 0
		for k, c := range got.Tasks[0].Criteria {
			for _, l := range c.Levels {
				if l.Marked != marked[l.ID] {
					t.Errorf("%s was given %d times, not %d", l.Name, l.Marked, marked[l.ID])
				}
			}
			for _, one := range c.Tutors {
				compared++
				mean, spread := meanOf(sums[fmt.Sprint(k, one.UserID)])
				if one.Own.Marked != len(sums[fmt.Sprint(k, one.UserID)]) || math.Abs(*one.Own.Mean-mean) > 0.06 ||
					math.Abs(*one.Own.Spread-spread) > 0.06 || one.Own.Marked+one.Others.Marked != c.Marked {
					t.Errorf("%+v, not %v %v", one, mean, spread)
				}
			}
		}
		if compared == 0 {
			t.Error("nobody is compared")
		}
		if many := len(w.statementsOf("convenor", byRubricOfA)); many != few || few > 5 {
			t.Errorf("%d statements, and %d of many", few, many)
		}
	})
}

// meanOf is the mean of shares and their standard deviation, in percent.
func meanOf(list []float64) (mean, spread float64) {
	for _, f := range list {
		mean += f / float64(len(list))
	}
	for _, f := range list {
		spread += (f - mean) * (f - mean) / float64(len(list))
	}
	return 100 * mean, 100 * math.Sqrt(spread)
}
