package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

const (
	rubricOfA1 = defA + "/{defA1}/rubric"
	ownRubric  = ownTask + "/rubric"
	aSheetRow  = "criterion,description,level,text,points\r\nDesign,,Good,,\r\nDesign,,Bad,,\r\n"
)

var _ = rights(
	rightRow{"GET " + rubricPath, rubricOfA1, membersA, nil},
	rightRow{"PUT " + rubricPath, rubricOfA1, convenorsA, plainRubric},
	rightRow{"DELETE " + rubricPath, rubricOfA1, convenorsA, nil},
	rightRow{"POST " + rubricPath + "/copy", rubricOfA1 + "/copy", convenorsA, `{"from_task_definition_id":1}`},
	rightRow{"GET " + rubricPath + "/csv", rubricOfA1 + "/csv", staffA, nil},
	rightRow{"POST " + rubricPath + "/csv", rubricOfA1 + "/csv", convenorsA, aFile("a.csv", aSheetRow)},
	rightRow{"GET " + aTask + "/rubric", ownRubric, readersA, nil},
)

// plainRubric has no points.
const plainRubric = `{"criteria":[{"title":"Design","levels":[{"name":"Good"},{"name":"Bad"}]}]}`

// level and criterion write the parts of a rubric with points.
func level(name string, points int) string {
	return fmt.Sprintf(`{"name":%q,"text":"It is %s","points":%d}`, name, name, points)
}

func criterion(title string, levels ...string) string {
	return fmt.Sprintf(`{"title":%q,"description":"About %s","levels":[%s]}`, title, title, strings.Join(levels, ","))
}

func ofCriteria(list ...string) string { return `{"criteria":[` + strings.Join(list, ",") + `]}` }

// fivePoints is a rubric whose best levels add up to five.
var fivePoints = ofCriteria(criterion("Design", level("Good", 3), level("Fair", 1), level("None", 0)),
	criterion("Tests", level("Good", 2), level("None", 0)))

// rubric writes one for the task of the world and gives its id and those of its levels, criterion by criterion.
func (w *world) rubric(body string) (id int64, levels [][]int64) {
	w.Helper()
	return rubricIn1(w.do("convenor", "PUT "+rubricOfA1, body).status(200).object())
}

func rubricIn1(o map[string]any) (id int64, levels [][]int64) {
	for _, c := range o["criteria"].([]any) {
		var list []int64
		for _, l := range c.(map[string]any)["levels"].([]any) {
			list = append(list, int64(l.(map[string]any)["id"].(float64)))
		}
		levels = append(levels, list)
	}
	return int64(o["id"].(float64)), levels
}

// picking is a verdict with levels of a rubric.
func (w *world) picking(more string, rubric int64, levels ...int64) string {
	w.Helper()
	return fmt.Sprintf(`{"version":%s,"rubric":{"id":%d,"levels":%s}%s}`, w.version("task"), rubric,
		strings.ReplaceAll(fmt.Sprint(levels), " ", ","), more)
}

// mark is what the student's task says of its levels.
func (w *world) levelsOf(who string) (mark map[string]any) {
	w.Helper()
	mark, _ = w.do(who, "GET "+ownRubric, nil).status(200).object()["mark"].(map[string]any)
	return mark
}

func TestARubricIsWrittenAndRead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		w.do("student", "GET "+rubricOfA1, nil).status(404).says("no rubric")
		o := w.do("convenor", "PUT "+rubricOfA1, fivePoints).status(200).object()
		id, levels := rubricIn1(o)
		if o["version"] != 1.0 || o["points"] != 5.0 || o["used"] != false || o["marked"] != 0.0 || len(levels) != 2 ||
			len(levels[0]) != 3 || o["user_id"] != float64(w.id["convenor"]) {
			t.Errorf("written: %v", o)
		}
		read := w.do("student", "GET "+rubricOfA1, nil).status(200).object()
		if _, has := read["marked"]; has || read["id"] != float64(id) {
			t.Errorf("a student reads %v", read)
		}
		if d := w.do("student", "GET "+defA+"/{defA1}", nil).status(200).object(); d["has_rubric"] != true {
			t.Errorf("the task says %v", d["has_rubric"])
		}
		// The same again changes nothing; another order keeps the numbers, and is another rubric to mark by.
		same := strings.NewReplacer(`"title":"Design"`, fmt.Sprintf(`"id":%d,"title":"Design"`, criterionIDs(o)[0])).
			Replace(fivePoints)
		if again := w.do("convenor", "PUT "+rubricOfA1, w.identified(o, fivePoints)).status(200).object(); again["id"] !=
			float64(id) {
			t.Errorf("the same rubric became %v", again)
		}
		w.do("convenor", "PUT "+rubricOfA1, strings.Replace(same, `{"name":"Good"`,
			fmt.Sprintf(`{"id":%d,"name":"Good"`, levels[1][0]), 1)).status(422).says("leave it out for a new one")
		changed := w.do("admin", "PUT "+rubricOfA1, strings.Replace(w.identified(o, fivePoints), "About Design", "Other", 1)).
			status(200).object()
		if next, kept := rubricIn1(changed); next == id || changed["version"] != 1.0 ||
			fmt.Sprint(kept) != fmt.Sprint(levels) || w.count("rubrics") != 1 {
			t.Errorf("an unused rubric changed into %v, with %d rows", changed, w.count("rubrics"))
		}
		w.entered("rubric_created", "rubric_changed")
		w.do("convenor", "DELETE "+rubricOfA1, nil).status(204)
		w.do("convenor", "DELETE "+rubricOfA1, nil).status(404)
		w.do("tutor", "GET "+rubricOfA1, nil).status(404)
		// Numbers are never given twice, as saved comments go by them.
		if _, fresh := w.rubric(fivePoints); fresh[0][0] <= levels[1][1] {
			t.Errorf("numbers began anew: %v after %v", fresh, levels)
		}
	})
}

// entered looks for actions in the audit log.
func (w *world) entered(actions ...string) {
	w.Helper()
	for _, a := range actions {
		if w.count(`audit_outbox WHERE entries LIKE '%`+a+`%'`) == 0 {
			w.Errorf("the log has no %s", a)
		}
	}
}

// criterionIDs are the numbers of a rubric's criteria.
func criterionIDs(o map[string]any) (ids []int64) {
	for _, c := range o["criteria"].([]any) {
		ids = append(ids, int64(c.(map[string]any)["id"].(float64)))
	}
	return ids
}

// identified is a rubric with the numbers that its criteria and levels have, in their order.
func (w *world) identified(o map[string]any, body string) string {
	w.Helper()
	_, levels := rubricIn1(o)
	for i, id := range criterionIDs(o) {
		at := strings.Index(body, `{"title"`)
		body = body[:at] + fmt.Sprintf(`{"id":%d,"title"`, id) + body[at+len(`{"title"`):]
		for _, l := range levels[i] {
			at := strings.Index(body, `{"name"`)
			body = body[:at] + fmt.Sprintf(`{"id":%d,"name"`, l) + body[at+len(`{"name"`):]
		}
	}
	return body
}

func TestARubricIsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		long, nine := strings.Repeat("x", 101), make([]string, 9)
		for i := range nine {
			nine[i] = level(fmt.Sprint("L", i), 5-i/2)
		}
		many := make([]string, 21)
		for i := range many {
			many[i] = criterion(fmt.Sprint("C", i), `{"name":"a"}`, `{"name":"b"}`)
		}
		for _, c := range []struct{ body, says string }{
			{ofCriteria(), "has one at least"},
			{ofCriteria(many...), "the limit is 20"},
			{ofCriteria(criterion("A", level("Good", 5))), "2 to 8"},
			{ofCriteria(criterion("A", nine...)), "2 to 8"},
			{ofCriteria(criterion("A", level("Good", 4), level("Bad", 0))), "add up to 4 points, and the task has 5"},
			{ofCriteria(criterion("A", level("Good", 5), `{"name":"Bad"}`)), "give all levels points, or none"},
			{ofCriteria(criterion("A", level("Good", 5), level("good", 1))), "another level"},
			{ofCriteria(criterion("A", level("a", 5), level("b", 1)), criterion("a", level("a", 0), level("b", 0))),
				"another criterion"},
			{ofCriteria(criterion(" ", level("a", 5), level("b", 1))), "may not be blank"},
			{ofCriteria(criterion(long, level("a", 5), level("b", 1))), "at most 100"},
			{ofCriteria(criterion("A", level(long, 5), level("b", 1))), "at most 100"},
			{ofCriteria(criterion("A", level("a", 101), level("b", 1))), "from 0 to 100"},
			{ofCriteria(criterion("A", level("a", 0), level("b", 0))), "more than 0 points"},
			{strings.Replace(fivePoints, "About Design", strings.Repeat("x", 1001), 1), "at most 1000"},
			{strings.Replace(fivePoints, `{"title":"Tests"`, `{"id":7,"title":"Tests"`, 1), "leave it out"},
		} {
			w.do("convenor", "PUT "+rubricOfA1, c.body).status(422).says(c.says)
		}
		w.do("convenor", "PUT "+rubricOfA1, `{}`).status(400).says("criteria")
		w.do("convenor", "PUT "+defA+"/{defB1}/rubric", fivePoints).status(404)
		if n := w.count("rubrics"); n != 0 {
			t.Errorf("%d rubrics were left", n)
		}
	})
}

// The best levels and the quality points of the task change together, or not at all.
func TestPointsOfARubricAddUp(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		w.rubric(fivePoints)
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"max_quality_pts":6}}`).status(422).says("must stay 5")
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"max_quality_pts":5,"name":"Other"}}`).status(200)
		export := w.do("convenor", "GET /api/csv/task_definitions?unit_id={unitA}", nil).status(200).Body.String()
		sheet := strings.Replace(export, ",5,", ",7,", 1)
		if sheet == export {
			t.Fatalf("the sheet has no points: %s", export)
		}
		w.do("convenor", "POST /api/csv/task_definitions?unit_id={unitA}", aFile("a.csv", sheet)).status(201).
			mentions("add up to 5")
		six := strings.Replace(fivePoints, `"points":3`, `"points":4`, 1)
		w.do("convenor", "PUT "+rubricOfA1, six).status(422)
		w.do("convenor", "PUT "+rubricOfA1, `{"max_quality_pts":6,`+six[1:]).status(200)
		if d := w.do("tutor", "GET "+defA+"/{defA1}", nil).object(); d["max_quality_pts"] != 6.0 {
			t.Errorf("the task has %v points", d["max_quality_pts"])
		}
		w.do("convenor", "PUT "+rubricOfA1, plainRubric).status(200)
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"max_quality_pts":0}}`).status(200)
	})
}

// mentions looks for words anywhere in an answer.
func (a *answered) mentions(words ...string) *answered {
	a.w.Helper()
	for _, word := range words {
		if !strings.Contains(a.Body.String(), word) {
			a.w.Errorf("%s: %.600s does not mention %q", a.what, a.Body, word)
		}
	}
	return a
}

func TestLevelsComeWithAVerdict(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		id, l := w.rubric(fivePoints)
		w.move("student", ownTask, "rff")
		if m := w.levelsOf("student"); m != nil {
			t.Errorf("before it is marked a student reads %v", m)
		}
		give := func(body string) *answered { return w.do("tutor", "POST "+ownVerdict, body) }
		before := w.written()
		give(w.picking(`,"trigger":"complete"`, id, l[0][1])).status(400).says("quality_pts is required")
		give(w.picking(``, id, l[0][0], l[0][1])).status(422).says("two levels")
		give(w.picking(``, id, l[0][0], 999)).status(422).says("999")
		give(w.picking(``, id+100, l[0][0])).status(409).says("changed")
		w.do("student", "POST "+ownVerdict, w.picking(``, id, l[0][0])).status(403)
		if now := w.written(); now != before {
			t.Errorf("a refused verdict left something: %s became %s", before, now)
		}
		// Not all criteria: no sum, and the points stay.
		o := give(w.picking(``, id, l[0][1])).status(200).object()
		mark := o["rubric"].(map[string]any)
		if mark["sum"] != nil || o["task"].(map[string]any)["quality_pts"] != -1.0 || mark["by_hand"] != false {
			t.Errorf("one criterion: %v", o)
		}
		// All: the sum is the quality, in the order of the criteria.
		o = give(w.picking(`,"trigger":"complete"`, id, l[1][0], l[0][1])).status(200).object()
		mark = o["rubric"].(map[string]any)
		if mark["sum"] != 3.0 || o["task"].(map[string]any)["quality_pts"] != 3.0 || mark["by_hand"] != false ||
			fmt.Sprint(mark["levels"]) != fmt.Sprint([]any{float64(l[0][1]), float64(l[1][0])}) {
			t.Errorf("all criteria: %v", o)
		}
		// A later verdict without levels leaves them, and points by hand override the sum.
		give(`{"version":` + w.version("task") + `,"quality_pts":4}`).status(200)
		if m := w.levelsOf("student"); m["by_hand"] != true || m["sum"] != 3.0 {
			t.Errorf("points by hand: %v", m)
		}
		tasks := w.do("student", "GET /api/projects/{project:student}", nil).status(200).object()["tasks"].([]any)
		if m, _ := tasks[0].(map[string]any)["rubric"].(map[string]any); m == nil || m["by_hand"] != true ||
			m["rubric_id"] != float64(id) {
			t.Errorf("the project says %v", tasks[0])
		}
		w.do("mate", "GET "+ownRubric, nil).status(403)
		// None at all takes them back.
		give(w.picking(``, id)).status(200)
		if m := w.levelsOf("tutor"); m != nil {
			t.Errorf("taken back: %v", m)
		}
		w.entered(`"rubric"`)
	})
}

func TestLevelsAreUndoneWithTheirVerdict(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		id, l := w.rubric(fivePoints)
		w.move("student", ownTask, "rff")
		w.do("tutor", "POST "+ownVerdict, w.picking(`,"trigger":"fix"`, id, l[0][1], l[1][1])).status(200)
		second := w.do("tutor", "POST "+ownVerdict, w.picking(`,"key":"k","comment":"Better"`, id, l[0][0], l[1][0])).
			status(200).object()
		w.id["v"] = int64(second["id"].(float64))
		if got := w.do("tutor", "POST "+ownVerdict, w.picking(`,"key":"k","comment":"Better"`, id, l[0][0], l[1][0])).
			status(200).object(); got["id"] != second["id"] {
			t.Errorf("the same key gave %v", got)
		}
		w.do("tutor", "POST "+ownVerdict, w.picking(`,"key":"k","comment":"Better"`, id, l[0][0], l[1][1])).status(409)
		back := w.do("tutor", "POST /api/verdicts/{v}/undo", nil).status(200).object()
		if p := back["rubric"].(map[string]any); p["rubric_id"] != float64(id) || len(p["levels"].([]any)) != 2 {
			t.Errorf("undone: %v", back)
		}
		if m := w.levelsOf("student"); m["sum"] != 1.0 || m["by_hand"] != false {
			t.Errorf("after the undo the task has %v", m)
		}
		if n := w.number(`SELECT quality_pts FROM tasks WHERE id = $1`, w.id["task"]); n != 1 {
			t.Errorf("after the undo the task has %d points", n)
		}
		if again := w.do("tutor", "POST /api/verdicts/{v}/undo", nil).status(200).object(); again["rubric"] == nil {
			t.Errorf("undone again: %v", again)
		}
	})
}

// What was marked keeps its own version, also when the rubric is removed.
func TestAUsedRubricChangesAsANewVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		old := w.do("convenor", "PUT "+rubricOfA1, fivePoints).status(200).object()
		id, l := rubricIn1(old)
		w.do("tutor", "POST "+ownVerdict, w.picking(``, id, l[0][0], l[1][0])).status(200)
		used := w.do("tutor", "GET "+rubricOfA1, nil).status(200).object()
		if used["used"] != true || used["marked"] != 1.0 {
			t.Errorf("used: %v", used)
		}
		next := w.do("convenor", "PUT "+rubricOfA1, strings.Replace(w.identified(old, fivePoints), "About Tests", "New", 1)).
			status(200).object()
		now, same := rubricIn1(next)
		if next["version"] != 2.0 || now == id || fmt.Sprint(same) != fmt.Sprint(l) || next["used"] != false {
			t.Errorf("the next version: %v", next)
		}
		seen := w.do("student", "GET "+ownRubric, nil).status(200).object()
		if r := seen["rubric"].(map[string]any); r["version"] != 1.0 || seen["current"].(map[string]any)["version"] != 2.0 {
			t.Errorf("the student sees %v", seen)
		}
		stands := w.do("tutor", "POST "+ownVerdict, w.picking(``, id, l[0][1])).status(409).object()
		if s := stands["stands"].(map[string]any); stands["code"] != "rubric_changed" || s["id"] != float64(now) {
			t.Errorf("marked with the version before: %v", stands)
		}
		w.do("tutor", "POST "+ownVerdict, w.picking(``, now, l[0][1], l[1][0])).status(200)
		w.do("convenor", "DELETE "+rubricOfA1, nil).status(204)
		w.do("tutor", "POST "+ownVerdict, w.picking(``, now, l[0][1])).status(409).says("no rubric")
		if m := w.levelsOf("student"); m["version"] != 2.0 || m["sum"] != 3.0 {
			t.Errorf("after the rubric was removed: %v", m)
		}
		w.do("convenor", "PUT "+rubricOfA1, fivePoints).status(200).has(`{"version":3}`)
	})
}

// Of two who change a rubric one is told what the other made of it, and of a change and a mark with what was before
// one is refused: nobody is marked with something else than was seen.
func TestRubricsUnderWay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		id, l := w.rubric(fivePoints)
		seen := func(id int64, about string) string {
			return fmt.Sprintf(`{"seen":%d,`, id) + strings.Replace(fivePoints, "About Design", about, 1)[1:]
		}
		w.do("convenor", "PUT "+rubricOfA1, seen(0, "x")).status(409)
		for round := range 4 {
			var wg sync.WaitGroup
			got := make([]*answered, 3)
			for i, body := range []string{seen(id, fmt.Sprint("One ", round)), seen(id, fmt.Sprint("Two ", round)),
				w.picking(``, id, l[0][0], l[1][0])} {
				who, request := "convenor", "PUT "+rubricOfA1
				if i == 2 {
					who, request = "tutor", "POST "+ownVerdict
				}
				r := w.request(who, request, body)
				wg.Go(func() { got[i] = w.send(r, request) })
			}
			wg.Wait()
			codes := []int{got[0].Code, got[1].Code}
			if codes[0]+codes[1] != 200+409 {
				t.Fatalf("two who changed the rubric got %v", codes)
			}
			lost := got[0]
			if codes[0] == 200 {
				lost = got[1]
			}
			if lost.object()["stands"] == nil {
				t.Errorf("who lost is not told what stands: %s", lost.Body)
			}
			if c := got[2].Code; c != 200 && c != 409 {
				t.Errorf("who marked got %d: %s", c, got[2].Body)
			}
			wrong := w.rows(`SELECT CAST(m.id AS TEXT) AS v FROM rubric_marks m LEFT JOIN rubrics r ON r.id = m.rubric_id
				WHERE r.id IS NULL OR NOT r.used`)
			if len(wrong) > 0 {
				t.Errorf("marks of rubrics that are none: %v", wrong)
			}
			id, l = rubricIn1(w.do("tutor", "GET "+rubricOfA1, nil).status(200).object())
		}
	})
}

// Two who mark the same work at once: one verdict stands, with its levels.
func TestOfTwoWhoPickOneIsTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		id, l := w.rubric(fivePoints)
		var wg sync.WaitGroup
		got := make([]*answered, 2)
		for i, who := range []string{"tutor", "convenor"} {
			r := w.request(who, "POST "+ownVerdict, w.picking(``, id, l[0][i], l[1][i]))
			wg.Go(func() { got[i] = w.send(r, who) })
		}
		wg.Wait()
		if got[0].Code+got[1].Code != 200+409 || w.count("rubric_marks") != 1 {
			t.Errorf("got %d and %d, with %d marks", got[0].Code, got[1].Code, w.count("rubric_marks"))
		}
	})
}

func TestABatchPicksLevels(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		id, l := w.rubric(fivePoints)
		fellow, other := w.task("mate", "defA1", nil), w.task("student", "defA2", nil)
		batch := func(more string) *answered {
			return w.do("tutor", "POST /api/units/{unitA}/verdicts", fmt.Sprintf(`{"tasks":[{"id":%d,"version":1},`+
				`{"id":%d,"version":1},{"id":%d,"version":1}],"rubric":{"id":%d,"levels":[%d,%d]}%s}`, w.id["task"], fellow, other,
				id, l[0][0], l[1][1], more))
		}
		batch(`,"dry_run":true,"trigger":"fix"`).status(200).mentions(`"levels":true`)
		if n := w.count("rubric_marks"); n != 0 {
			t.Fatalf("a plan left %d marks", n)
		}
		o := batch(`,"trigger":"fix"`).status(200).object()
		w.id["b"] = int64(o["id"].(float64))
		var has []any
		for _, r := range o["tasks"].([]any) {
			has = append(has, r.(map[string]any)["levels"], r.(map[string]any)["quality_pts"])
		}
		if got := fmt.Sprint(has); got != "[true 3 true 3 false <nil>]" || o["done"] != 3.0 {
			t.Errorf("the batch gave %s: %v", got, o)
		}
		undone := w.do("tutor", "POST /api/verdict_batches/{b}/undo", nil).status(200).object()
		if undone["done"] != 3.0 || w.count("rubric_marks") != 0 {
			t.Errorf("undone: %v, %d marks", undone, w.count("rubric_marks"))
		}
		w.do("tutor", "POST /api/units/{unitA}/verdicts", fmt.Sprintf(`{"tasks":[{"id":%d,"version":1}],`+
			`"rubric":{"id":%d,"levels":[]}}`, other, id)).status(409)
	})
}
