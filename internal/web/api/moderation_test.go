package api

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	samplesOfA = "/api/units/{unitA}/moderation/samples"
	sampledOfA = "/api/units/{unitA}/moderation/works"
)

var _ = rights(
	rightRow{"GET " + samplesPath, samplesOfA, convenorsA, nil},
	rightRow{"POST " + samplesPath, samplesOfA, convenorsA, `{"size":3,"dry_run":true}`},
	rightRow{"DELETE " + samplesPath + "/{id}", samplesOfA + "/4711", convenorsA, nil},
	rightRow{"GET " + sampledPath, sampledOfA, staffA, nil},
	rightRow{"GET " + sampledPath + "/{id}", sampledOfA + "/4712", staffA, nil},
	rightRow{"PUT " + sampledPath + "/{id}/second_mark", sampledOfA + "/4711/second_mark", staffA, `{"status":"redo"}`},
	rightRow{"PUT " + sampledPath + "/{id}/second_marker", sampledOfA + "/4711/second_marker", convenorsA, nil},
	rightRow{"PUT " + sampledPath + "/{id}/settlement", sampledOfA + "/4711/settlement", convenorsA,
		`{"stands":"first","reason":"So"}`},
	rightRow{"GET /api/units/{unit_id}/moderation/csv", "/api/units/{unitA}/moderation/csv", convenorsA, nil},
)

var _ = lists(
	listRow{route: "GET " + samplesPath, path: samplesOfA, who: "convenor", fill: func(w *world, from, to int) {
		for i := from; i < to; i++ {
			w.sampled(int64(i+1), row{})
		}
	}},
	listRow{route: "GET " + sampledPath, path: sampledOfA, who: "convenor", fill: func(w *world, from, to int) {
		for i := from; i < to; i++ {
			w.sampled(int64(i+1), row{})
		}
	}},
)

// sampled writes a sample of the first task of student, marked by an Admin first, under a number.
func (w *world) sampled(id int64, more row) {
	w.Helper()
	w.sampledIn("unitA", w.id["task"], id, more)
}

func (w *world) sampledIn(unit string, task, id int64, more row) {
	w.Helper()
	w.put("moderation_samples", row{"id": id, "unit_id": w.id[unit], "seed": "quokka seed", "narrowed": "{}",
		"spread": "all", "size": 1, "matched": 1, "user_id": w.id["convenor"], "at": w.db.Now()})
	r := row{"id": id, "sample_id": id, "task_id": task, "place": 1, "first_by": w.id["admin"],
		"first_at": w.db.Now(), "first_status": "complete"}
	maps.Copy(r, more)
	w.put("moderation_works", r)
}

// firstMarks lets one of the staff mark the first task of students, and tells their task's numbers.
func (w *world) firstMarks(who, word string, students ...string) {
	w.Helper()
	for _, s := range students {
		w.do(s, "PUT /api/projects/{project:"+s+"}/task_def_id/{defA1}", form{"trigger": "ready_for_feedback"}).status(200)
		w.id["task:"+s] = w.number(`SELECT id FROM tasks WHERE project_id = $1 AND task_definition_id = $2`,
			w.id["project:"+s], w.id["defA1"])
		w.later(time.Second)
		w.do(who, "POST /api/projects/{project:"+s+"}/task_def_id/{defA1}/verdict",
			form{"trigger": word, "version": w.version("task:" + s), "comment": "First words on " + s}).status(200)
		w.later(time.Second)
	}
}

// drawn draws a sample, and gives it and its works by the name of the student.
func (w *world) drawn(body string) (map[string]any, map[string]int64) {
	w.Helper()
	o := w.do("convenor", "POST "+samplesOfA, body).status(200).object()
	works := map[string]int64{}
	at := fmt.Sprintf("GET %s?sample_id=%v", sampledOfA, o["sample_id"])
	for _, one := range w.do("convenor", at, nil).status(200).list() {
		works[strings.ToLower(strings.Fields(one["student"].(string))[0])] = int64(one["id"].(float64))
	}
	return o, works
}

func sampledAt(id int64, end string) string { return fmt.Sprintf("%s/%d%s", sampledOfA, id, end) }

// A convenor draws a sample with a plan first; the same seed draws the same, and what is drawn is not drawn twice.
func TestASampleIsDrawn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		many := w.crowd(0, 9)
		w.firstMarks("tutor", "complete", many[:6]...)
		w.firstMarks("convenor", "fix", many[6:]...)
		w.do(many[0], "PUT /api/projects/{project:"+many[0]+"}/task_def_id/{defA1}", form{"trigger": "need_help"})
		for _, c := range []struct{ body, says string }{
			{`{"size":0}`, "from 1 to 500"}, {`{"size":501}`, "from 1 to 500"},
			{`{"size":1,"seed":"` + strings.Repeat("x", 41) + `"}`, "at most 40"},
			{`{"size":1,"level_id":3}`, "choose the task"},
			{`{"size":1,"marker_ids":[` + fmt.Sprint(w.id["outsider"]) + `]}`, "on the staff"},
			{`{"size":1,"status":"redo"}`, "No marked work fits"},
			{fmt.Sprintf(`{"size":1,"task_definition_id":%d}`, w.id["defA2"]), "No marked work fits"},
		} {
			w.do("convenor", "POST "+samplesOfA, c.body).status(422).says(c.says)
		}
		plan := func(body string) map[string]any {
			return w.do("convenor", "POST "+samplesOfA, `{"dry_run":true,`+body).status(200).object()
		}
		if o := plan(`"size":4,"seed":"a"}`); o["matched"] != 9.0 || o["drawn"] != 4.0 || o["sample_id"] != nil {
			t.Fatalf("planned %v", o)
		}
		if w.count("moderation_samples") != 0 {
			t.Fatal("a plan left a sample")
		}
		parts := plan(`"size":2,"seed":"a","spread":"tutor"}`)
		if parts["drawn"] != 4.0 || len(parts["parts"].([]any)) != 2 {
			t.Errorf("by tutor: %v", parts)
		}
		for body, want := range map[string]float64{
			fmt.Sprintf(`"size":9,"tutor_id":%d}`, w.id["convenor"]): 3, `"size":9,"status":"complete"}`: 6,
			fmt.Sprintf(`"size":9,"task_definition_id":%d}`, w.id["defA1"]): 9, `"size":9,"grade":1}`: 0,
			`"size":1,"spread":"result"}`: 2, `"size":1,"spread":"task"}`: 1} {
			if o := plan(body); o["drawn"] != want {
				t.Errorf("%s draws %v, not %v", body, o["drawn"], want)
			}
		}
		again := plan(`"size":4,"seed":"a"}`)
		body := fmt.Sprintf(`{"size":4,"seed":"a","plan":"%v","marker_ids":[%d,%d]}`, again["plan"], w.id["tutor"],
			w.id["convenor"])
		o, works := w.drawn(body)
		if o["drawn"] != 4.0 || len(works) != 4 {
			t.Fatalf("drawn %v with %v", o, works)
		}
		if n := w.count("moderation_works WHERE assigned_id = first_by"); n != 0 {
			t.Errorf("%d works are given to who marked them", n)
		}
		w.do("convenor", "POST "+samplesOfA, body).status(409).says("look at it again")
		if o := plan(`"size":9}`); o["matched"] != 5.0 {
			t.Errorf("what is drawn is drawn again: %v", o)
		}
		first := w.rows(`SELECT CAST(task_id AS TEXT) AS v FROM moderation_works ORDER BY place`)
		w.do("convenor", fmt.Sprintf("DELETE %s/%v", samplesOfA, o["sample_id"]), nil).status(204)
		w.drawn(`{"size":4,"seed":"a"}`)
		if now := w.rows(`SELECT CAST(task_id AS TEXT) AS v FROM moderation_works ORDER BY place`); fmt.Sprint(now) !=
			fmt.Sprint(first) {
			t.Errorf("the same seed drew %v, and then %v", first, now)
		}
		w.onRecord("moderation", "drawn", 2)
		w.onRecord("moderation", "discarded", 1)
	})
}

// The second marker sees nothing of the first mark until theirs is given; then both are there, and the student has
// noticed nothing. A difference is settled by a verdict like any other.
func TestADifferenceIsSettled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstMarks("tutor", "complete", "student", "mate", "other")
		_, works := w.drawn(`{"size":3}`)
		seen := w.writtenFor("student")
		hidden := []string{`"first":null`, `"second":null`, `"settled":null`, `"task_version":null`, `"state":"waits"`}
		for _, who := range []string{"convenor", "admin"} {
			a := w.do(who, "GET "+sampledAt(works["student"], ""), nil).status(200)
			for _, text := range hidden {
				a.mentions(text)
			}
		}
		w.do("tutor", "GET "+sampledAt(works["student"], ""), nil).status(404)
		w.do("tutor", "PUT "+sampledAt(works["student"], "/second_mark"), `{"status":"redo"}`).status(403).
			says("marked this work first")
		w.do("convenor", "PUT "+sampledAt(works["student"], "/settlement"), `{"stands":"first","reason":"So"}`).
			status(409).says("nothing to settle")
		for _, c := range []struct{ body, says string }{
			{`{"status":"working_on_it"}`, "what came of the work"}, {`{"status":"redo","grade":1}`, "not graded"},
			{`{"status":"redo","quality_pts":1}`, "no quality points"}, {`{"status":"redo","levels":[1]}`, "without a rubric"},
			{`{"status":"redo","comment":"` + strings.Repeat("x", 4001) + `"}`, "at most 4000"},
		} {
			w.do("convenor", "PUT "+sampledAt(works["student"], "/second_mark"), c.body).status(422).says(c.says)
		}
		give := func(name, status string) map[string]any {
			return w.do("convenor", "PUT "+sampledAt(works[name], "/second_mark"),
				`{"status":"`+status+`","comment":"Too weak"}`).status(200).object()
		}
		o := give("student", "redo")
		if o["state"] != "differs" || o["first"].(map[string]any)["status"] != "complete" ||
			o["second"].(map[string]any)["comment"] != "Too weak" {
			t.Fatalf("given: %v", o)
		}
		if o := give("mate", "complete"); o["state"] != "agreed" {
			t.Errorf("the same is %v", o["state"])
		}
		give("other", "fix_and_resubmit")
		w.do("convenor", "PUT "+sampledAt(works["student"], "/second_mark"), `{"status":"complete"}`).status(409).
			says("already")
		w.do("admin", "PUT "+sampledAt(works["student"], "/second_mark"), `{"status":"complete"}`).status(409).
			says("in the meantime")
		w.do("convenor", "PUT "+sampledAt(works["mate"], "/settlement"), `{"stands":"first","reason":"So"}`).status(409).
			says("the same")
		settle := func(who, name, body string) *answered {
			return w.do(who, "PUT "+sampledAt(works[name], "/settlement"), body)
		}
		settle("convenor", "student", `{"stands":"second","reason":" "}`).status(422).says("reason")
		settle("convenor", "student", `{"stands":"first","reason":"So","comment":"Hm"}`).status(422).
			says("the first mark stands")
		settle("convenor", "student", `{"stands":"second","reason":"So","version":1}`).status(409).says("compare both")
		settle("convenor", "student", `{"stands":"second","reason":"So"}`).status(400).says("version")
		if now := w.writtenFor("student"); now != seen {
			t.Fatalf("the student noticed:\n%s\n%s", seen, now)
		}
		w.stands("complete")
		w.do("student", "GET "+sampledOfA, nil).status(403)
		first := w.do("convenor", "GET "+sampledOfA+"?state=differs", nil).status(200).list()
		if len(first) != 2 {
			t.Fatalf("differences: %v", first)
		}
		settle("convenor", "other", `{"stands":"first","reason":"It is good enough"}`).status(200).
			mentions(`"state":"settled"`)
		w.id["task:student"] = w.id["task"]
		body := fmt.Sprintf(`{"stands":"second","reason":"It does not run","comment":"Please try again","version":%s}`,
			w.version("task"))
		settle("admin", "student", body).status(200).mentions(`"stands":"second"`)
		settle("convenor", "student", body).status(409).says("settled this in the meantime")
		w.stands("redo")
		w.do("student", "GET "+ownTask+"/comments", nil).status(200).mentions("Please try again")
		for _, secret := range []string{"Too weak", "It does not run", "moderation"} {
			for _, path := range []string{"/api/projects/{project:student}", ownTask + "/comments", ownRubric,
				"/api/news", "/api/home"} {
				if text := w.do("student", "GET "+path, nil).status(200).Body.String(); strings.Contains(text, secret) {
					t.Errorf("%s tells the student %q", path, secret)
				}
			}
		}
		csv := w.do("convenor", "GET /api/units/{unitA}/moderation/csv?state=settled", nil).status(200).Body.String()
		if strings.Count(csv, "\n") != 3 || !strings.Contains(csv, "It does not run") || !strings.Contains(csv, "Too weak") {
			t.Errorf("the sheet: %s", csv)
		}
		w.onRecord("moderation", "marked", 3)
		w.onRecord("moderation", "settled_first", 1)
		w.onRecord("moderation", "settled_second", 1)
	})
}

// stands tells whether the student's task has a status, in the database and for the student.
func (w *world) stands(status string) {
	w.Helper()
	if got := w.rows(`SELECT status AS v FROM tasks WHERE id = $1`, w.id["task"])[0]; fmt.Sprint(got) != status {
		w.Errorf("the student has %v, not %s", got, status)
	}
	w.do("student", "GET /api/projects/{project:student}", nil).status(200).mentions(`"status":"` + status + `"`)
}

// writtenFor is what a student can notice: their tasks, and how much was written for anybody.
func (w *world) writtenFor(who string) string {
	w.Helper()
	return fmt.Sprint(w.count("task_history"), w.count("task_comments"), w.count("events"), w.count("mails"),
		w.do(who, "GET /api/projects/{project:"+who+"}", nil).status(200).Body.String(),
		w.do(who, "GET /api/news", nil).status(200).Body.String())
}

// Levels of a rubric are picked by both, of the version that the first was marked with; neither of both may stand.
func TestASampleKeepsItsRubric(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		id, l := w.rubric(fivePoints)
		w.do("tutor", "POST "+ownVerdict, w.picking(`,"trigger":"complete"`, id, l[0][0], l[1][0])).status(200)
		plan := func(level int64) any {
			return w.do("convenor", "POST "+samplesOfA, fmt.Sprintf(`{"size":9,"dry_run":true,"task_definition_id":%d,`+
				`"level_id":%d}`, w.id["defA1"], level)).status(200).object()["drawn"]
		}
		if plan(l[0][0]) != 1.0 || plan(l[0][1]) != 0.0 {
			t.Error("levels do not narrow what is drawn")
		}
		_, works := w.drawn(fmt.Sprintf(`{"size":1,"marker_ids":[%d]}`, w.id["convenor"]))
		w.do("convenor", "PUT "+rubricOfA1, strings.Replace(fivePoints, "About Design", "Changed", 1)).status(200)
		at := sampledAt(works["student"], "")
		both := func(a, b int64) string { return fmt.Sprintf(`{"status":"complete","levels":[%d,%d]}`, a, b) }
		w.do("admin", "PUT "+at+"/second_mark", both(l[0][1], l[1][0])).status(403).says("is to mark this work")
		w.do("convenor", "PUT "+at+"/second_marker", fmt.Sprintf(`{"user_id":%d}`, w.id["tutor"])).status(422).
			says("marked this work first")
		w.do("convenor", "PUT "+at+"/second_marker", fmt.Sprintf(`{"user_id":%d}`, w.id["outsider"])).status(422).
			says("on the staff")
		w.do("convenor", "PUT "+at+"/second_marker", `{}`).status(200).mentions(`"assigned_id":null`)
		w.do("admin", "PUT "+at+"/second_mark", both(l[0][0], l[0][1])).status(422).says("two levels")
		w.do("admin", "PUT "+at+"/second_mark", fmt.Sprintf(`{"status":"complete","levels":[%d]}`, l[0][1])).status(422).
			says("quality_pts")
		o := w.do("admin", "PUT "+at+"/second_mark", fmt.Sprintf(`{"status":"complete","levels":[%d,%d]}`, l[1][0], l[0][1])).
			status(200).object()
		if second := o["second"].(map[string]any); o["state"] != "differs" || second["quality_pts"] != 3.0 ||
			second["levels"].([]any)[0] != float64(l[0][1]) {
			t.Fatalf("given: %v", o)
		}
		w.do("convenor", "PUT "+at+"/second_marker", `{}`).status(409).says("in the meantime")
		w.do("convenor", "PUT "+at+"/settlement", fmt.Sprintf(`{"stands":"other","reason":"Between","status":"complete",`+
			`"levels":[%d,%d],"version":%v}`, l[0][0], l[1][1], o["task_version"])).status(200).mentions(`"stands":"other"`)
		mark := w.levelsOf("student")
		if fmt.Sprint(mark["levels"]) != fmt.Sprintf("[%v %v]", l[0][0], l[1][1]) || mark["rubric_id"] != float64(id) {
			t.Errorf("the student has %v", mark)
		}
		w.do("student", "GET /api/projects/{project:student}", nil).status(200).mentions(`"quality_pts":3`)
	})
}

// Of two second markers one counts; of a settlement and another verdict at the same moment one is told of the other.
func TestModerationRaces(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstMarks("tutor", "complete", "student")
		_, works := w.drawn(`{"size":1}`)
		both := func(a, b *asking) {
			t.Helper()
			var wg sync.WaitGroup
			got := make([]*answered, 2)
			for i, r := range []*asking{a, b} {
				req := w.request(r.who, r.what, r.body)
				wg.Go(func() { got[i] = w.send(req, r.who+" "+r.what) })
			}
			wg.Wait()
			if got[0].Code+got[1].Code != 200+409 {
				t.Errorf("%s got %d, %s got %d", a.what, got[0].Code, b.what, got[1].Code)
			}
		}
		second := "PUT " + sampledAt(works["student"], "/second_mark")
		both(&asking{"convenor", second, `{"status":"redo"}`}, &asking{"admin", second, `{"status":"fix_and_resubmit"}`})
		if w.count("moderation_works WHERE second_at IS NOT NULL") != 1 {
			t.Error("no second mark, or two")
		}
		w.id["task:student"] = w.id["task"]
		v := w.version("task")
		both(&asking{"convenor", "PUT " + sampledAt(works["student"], "/settlement"),
			`{"stands":"second","reason":"So","version":` + v + `}`},
			&asking{"tutor", "POST " + ownVerdict, `{"trigger":"discuss","version":` + v + `}`})
	})
}

type asking struct{ who, what, body string }

// Work goes and comes back with its task, and a person's export has what was written about them.
func TestModerationGoesAndComesBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstMarks("tutor", "complete", "student")
		_, works := w.drawn(`{"size":1}`)
		w.do("convenor", "PUT "+sampledAt(works["student"], "/second_mark"), `{"status":"redo","comment":"Too weak"}`).
			status(200)
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		if n := w.count("moderation_works"); n != 0 {
			t.Fatalf("%d works are left", n)
		}
		w.do("convenor", "GET "+samplesOfA, nil).status(200).mentions(`"differs":0`)
		list := w.do("convenor", "GET "+deletedOfA, nil).status(200).list()
		w.do("convenor", fmt.Sprintf("POST %s/%v/restore", deletedOfA, list[0]["id"]), nil).status(200)
		w.do("convenor", "GET "+sampledAt(works["student"], ""), nil).status(200).mentions("Too weak")
	})
}
