package api

import (
	"fmt"
	"strings"
	"testing"
)

// leveled gives the first task of unit A a rubric of five points, and the levels names.
func (w *world) leveled() map[string]any {
	w.Helper()
	w.set(`DELETE FROM snippets`)
	w.define("max_quality_pts = 5")
	o := w.do("convenor", "PUT "+rubricOfA1, fivePoints).status(200).object()
	_, levels := rubricIn1(o)
	w.id["good"], w.id["fair"], w.id["tested"] = levels[0][0], levels[0][1], levels[1][0]
	return o
}

// forLevel adds a reusable comment for a level of the first task.
func (w *world) forLevel(name, as, level string, more form) {
	w.Helper()
	body := form{"task_definition_id": "{defA1}", "level_id": "{" + level + "}"}
	for k, v := range more {
		body[k] = v
	}
	w.snippetOf(name, as, "unitA", body)
}

// levelOf is the level that somebody is told a reusable comment is for; 0: none.
func (w *world) levelOf(as, name string) int64 {
	w.Helper()
	id, _ := w.do(as, "GET /api/snippets/{"+name+"}", nil).status(200).object()["level_id"].(float64)
	return int64(id)
}

func (w *world) isFor(as, name, level string) {
	w.Helper()
	if got := w.levelOf(as, name); got != w.id[level] {
		w.Errorf("%s is for level %d, want %d", name, got, w.id[level])
	}
}

// A reusable comment for a task may be for a level of its rubric, is listed with it, and may become one for another.
func TestSnippetsForALevel(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.leveled()
		w.forLevel("Ours", "tutor", "good", form{"shared": "true"})
		w.forLevel("Mine", "tutor", "tested", nil)
		w.snippetOf("Every task", "tutor", "unitA", nil)
		for _, s := range w.do("tutor", "GET "+snippetsOfA+"?task_definition_id={defA1}", nil).status(200).list() {
			want := map[string]any{"Ours": float64(w.id["good"]), "Mine": float64(w.id["tested"])}[s["text"].(string)]
			if s["level_id"] != want {
				t.Errorf("%s is listed for level %v, want %v", s["text"], s["level_id"], want)
			}
		}
		// The same text for another level is another comment, for the same it is the one there is.
		again := func(level string) float64 {
			return w.do("tutor", "POST "+snippetsOfA, form{"text": "Mine", "task_definition_id": w.path("{defA1}"),
				"level_id": w.path(level)}).status(201).object()["id"].(float64)
		}
		if again("{tested}") != float64(w.id["Mine"]) || again("{fair}") == float64(w.id["Mine"]) {
			t.Error("the same text is told apart by something else than its level")
		}
		change := func(who, name string, more form) *answered {
			body := form{"text": name}
			for k, v := range more {
				body[k] = w.path(v)
			}
			return w.do(who, "PUT /api/snippets/{"+name+"}", body)
		}
		change("tutor", "Mine", nil).status(200)
		w.isFor("tutor", "Mine", "tested") // what is not spoken of stays
		change("convenor", "Ours", form{"level_id": "{fair}"}).status(200)
		w.isFor("tutor", "Ours", "fair")
		change("convenor", "Ours", form{"task_definition_id": "{defA1}"}).status(200)
		w.isFor("tutor", "Ours", "fair") // it is for that task already
		change("tutor", "Every task", form{"task_definition_id": "{defA1}", "level_id": "{good}"}).status(200)
		w.isFor("tutor", "Every task", "good")
		change("tutor", "Every task", form{"level_id": "0"}).status(200)
		w.isFor("tutor", "Every task", "none")
		change("tutor", "Mine", form{"task_definition_id": "{defA2}"}).status(200)
		w.isFor("tutor", "Mine", "none") // the level was one of the other task
		w.do("tutor", "PUT /api/snippets/{Ours}", `{"text":"Ours","task_definition_id":null}`).status(200)
		w.isFor("tutor", "Ours", "none")
		w.offers("tutor", "unitA", "task_definition_id={defA2}", "Mine", "Ours")
	})
}

// A level is one of the rubric that the task is marked by now; a task is one of the unit, and of one that is taught.
func TestSnippetsForALevelAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.leveled()
		w.id["unknown level"] = 99
		w.snippetOf("Ours", "tutor", "unitA", form{"shared": "true"})
		w.snippetOf("Mine", "tutor", "unitA", nil)
		for _, c := range []struct {
			more   form
			status int
			says   string
		}{
			{form{"level_id": "{good}"}, 422, "level_id needs a task"},
			{form{"level_id": "{good}", "task_definition_id": "{defA2}"}, 422, "which the rubric of this task does not have"},
			{form{"level_id": "{unknown level}", "task_definition_id": "{defA1}"}, 422, "level_id is 99"},
			{form{"level_id": "-1", "task_definition_id": "{defA1}"}, 422, "level_id is -1"},
			{form{"level_id": "good", "task_definition_id": "{defA1}"}, 400, "level_id"},
		} {
			body := form{"text": "Ours"}
			for k, v := range c.more {
				body[k] = w.path(v)
			}
			w.do("tutor", "POST "+snippetsOfA, body).status(c.status).says(c.says)
			w.do("tutor", "PUT /api/snippets/{Ours}", body).status(c.status).says(c.says)
			w.do("tutor", "PUT /api/snippets/{Mine}", body).status(c.status).says(c.says)
		}
		// A task of another unit: not for the unit's own comment, and for one's own only where one teaches.
		w.do("tutor", "PUT /api/snippets/{Mine}", form{"text": "Mine", "task_definition_id": w.path("{defB1}")}).status(403)
		w.do("admin", "PUT /api/snippets/{Ours}", form{"text": "Ours", "task_definition_id": w.path("{defB1}")}).status(404)
		w.do("tutor", "PUT /api/snippets/{Ours}", form{"text": "Ours", "task_definition_id": "4711"}).status(404)
		// Who may not change it may not say what it is for.
		w.snippetOf("Theirs", "convenor", "unitA", form{"shared": "true"})
		w.do("tutor", "PUT /api/snippets/{Theirs}", form{"text": "x", "level_id": "0"}).status(403)
		for _, name := range []string{"Ours", "Mine", "Theirs"} {
			if n := w.count("snippets WHERE id = $1 AND task_definition_id IS NULL AND level_key IS NULL", w.id[name]); n != 1 {
				t.Errorf("%s has changed", name)
			}
		}
	})
}

// A changed rubric keeps the comments of the levels that are still there, whether work was marked with it or not. One
// whose level is gone is a comment of the task; no other level ever gets the number.
func TestSnippetsOfALevelWhenTheRubricChanges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.leveled()
		w.forLevel("Good", "tutor", "good", form{"shared": "true"})
		w.forLevel("Fair", "tutor", "fair", nil)
		_, levels := rubricIn1(o)
		renamed := strings.Replace(w.identified(o, fivePoints), `"name":"Fair"`, `"name":"Passable"`, 1)
		o = w.do("convenor", "PUT "+rubricOfA1, renamed).status(200).object()
		w.isFor("tutor", "Good", "good")
		w.isFor("tutor", "Fair", "fair")
		id, _ := rubricIn1(o)
		if id == 0 {
			t.Fatal("there is no rubric")
		}
		w.do("tutor", "POST "+ownVerdict, w.picking(`,"trigger":"complete"`, id, levels[0][0], levels[1][0])).status(200)
		// The next version has no level in the middle, and a new one, which is another.
		gone := fmt.Sprintf(`{"id":%d,`, w.id["fair"])
		next := strings.Replace(w.identified(o, fivePoints), gone, `{`, 1)
		o = w.do("convenor", "PUT "+rubricOfA1, next).status(200).object()
		if o["version"] != float64(2) {
			t.Fatalf("the version is %v", o["version"])
		}
		w.isFor("tutor", "Good", "good")
		w.isFor("tutor", "Fair", "none")
		w.offers("tutor", "unitA", "task_definition_id={defA1}", "Fair", "Good")
		// It is one for the task alone now, so the same for the task is the one there is.
		again := w.do("tutor", "POST "+snippetsOfA, form{"text": "Fair", "task_definition_id": w.path("{defA1}")}).status(201)
		if again.object()["id"] != float64(w.id["Fair"]) {
			t.Error("a text is kept twice for the task")
		}
		// Without a rubric none is for a level, and a new rubric has other numbers.
		w.do("convenor", "DELETE "+rubricOfA1, nil).status(204)
		w.isFor("tutor", "Good", "none")
		w.do("convenor", "PUT "+rubricOfA1, fivePoints).status(200)
		w.isFor("tutor", "Good", "none")
		w.offers("tutor", "unitA", "task_definition_id={defA1}", "Fair", "Good")
	})
}

// In the unit that a unit is rolled over to, its comments are for the same levels, and so are a person's own. What is
// added to the two rubrics later has numbers of its own.
func TestSnippetsOfALevelAreRolledOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		o := w.leveled()
		w.secondPeriod("T2", 140)
		w.forLevel("Ours", "tutor", "good", form{"shared": "true"})
		w.forLevel("Mine", "convenor", "tested", nil)
		made := w.do("convenor", "POST /api/units/{unitA}/rollover", form{"teaching_period_id": w.path("{T2}")}).
			status(200, 201).object()
		w.id["next"] = int64(made["id"].(float64))
		w.id["next1"] = w.number(`SELECT id FROM task_definitions WHERE unit_id = $1 AND abbreviation = '1.1P'`, w.id["next"])
		listed := func(want map[string]string) {
			t.Helper()
			list := w.do("convenor", "GET /api/units/{next}/snippets?task_definition_id={next1}", nil).status(200).list()
			if len(list) != len(want) {
				t.Errorf("there are %v, want %v", list, want)
			}
			for _, s := range list {
				level, _ := s["level_id"].(float64)
				if int64(level) != w.id[want[s["text"].(string)]] || s["task_definition_id"] != float64(w.id["next1"]) {
					t.Errorf("%v is not for level %d", s, w.id[want[s["text"].(string)]])
				}
			}
		}
		listed(map[string]string{"Ours": "good", "Mine": "tested"})
		// One level more in each of the two rubrics.
		more := func(path string) int64 {
			o := w.do("convenor", "PUT "+path, strings.Replace(w.identified(o, fivePoints), `"None","text":"It is None","points":0}`,
				`"None","text":"It is None","points":0},{"name":"New","text":"","points":0}`, 1)).status(200).object()
			_, levels := rubricIn1(o)
			return levels[0][3]
		}
		w.id["there"], w.id["here"] = more("/api/units/{next}/task_definitions/{next1}/rubric"), more(rubricOfA1)
		if w.id["there"] == w.id["here"] {
			t.Errorf("two levels have the number %d", w.id["here"])
		}
		w.forLevel("Here", "convenor", "here", nil)
		listed(map[string]string{"Ours": "good", "Mine": "tested", "Here": "none"})
		w.isFor("convenor", "Here", "here")
	})
}

// A task that is deleted leaves its comments for every task, and restored has them back with their levels.
func TestSnippetsOfALevelOfADeletedTask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.leveled()
		w.forLevel("Ours", "tutor", "good", form{"shared": "true"})
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Work"}).status(201)
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		w.isFor("tutor", "Ours", "none")
		w.do("convenor", "POST "+deletedOfA+fmt.Sprintf("/%d/restore", w.lastID("deletions")), nil).status(200)
		w.isFor("tutor", "Ours", "good")
	})
}
