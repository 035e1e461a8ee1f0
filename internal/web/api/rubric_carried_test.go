package api

import (
	"strings"
	"testing"
)

const someRubric = "criterion,description,level,text,points\r\n" +
	"Design,About Design,Good,It is Good,3\r\nDesign,,Fair,It is Fair,1\r\nDesign,,None,It is None,0\r\n" +
	"Tests,About Tests,Good,It is Good,2\r\nTests,,None,It is None,0\r\n"

// importRubric sends a sheet.
func (w *world) importRubric(query, sheet string) *answered {
	w.Helper()
	return w.do("convenor", "POST "+rubricOfA1+"/csv"+query, aFile("r.csv", sheet))
}

func TestARubricAsASheet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		w.importRubric("?dry_run=true", someRubric).status(201).mentions("New level Fair of Design.")
		if n := w.count("rubrics"); n != 0 {
			t.Fatalf("a plan left %d rubrics", n)
		}
		w.importRubric("", someRubric).status(201)
		o := w.do("tutor", "GET "+rubricOfA1, nil).status(200).object()
		id, levels := rubricIn1(o)
		if o["points"] != 5.0 || len(levels[0]) != 3 || len(levels[1]) != 2 {
			t.Errorf("imported %v", o)
		}
		// What is exported can be imported, and says the same.
		export := w.do("convenor", "GET "+rubricOfA1+"/csv", nil).status(200).Body.String()
		w.importRubric("", export).status(201).mentions("is as the row says", `"success":[]`)
		if again, _ := rubricIn1(w.do("tutor", "GET "+rubricOfA1, nil).object()); again != id {
			t.Errorf("the same sheet made another rubric: %d, %d", id, again)
		}
		w.importRubric("?seen=0", export).status(409)
		changed := strings.Replace(strings.Replace(export, "It is Fair", "=1+1", 1), "\nTests,", "\nTesting,", 2)
		w.importRubric("", changed).status(201).mentions("Changed level Fair of Design.", "New level Good of Testing.",
			"Tests, Good", "Removed: no row of the sheet has it.")
		o = w.do("tutor", "GET "+rubricOfA1, nil).object()
		if _, now := rubricIn1(o); now[0][1] != levels[0][1] || now[1][0] == levels[1][0] {
			t.Errorf("numbers were %v and are %v", levels, now)
		}
		export = w.do("convenor", "GET "+rubricOfA1+"/csv", nil).status(200).Body.String()
		if !strings.Contains(export, "'=1+1") {
			t.Errorf("a cell can start a formula: %s", export)
		}
		w.importRubric("", export).status(201).mentions(`"success":[]`)
	})
}

// A rubric is one whole: no row of a sheet is taken while another is wrong.
func TestASheetOfARubricIsRefusedByRow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		for _, c := range []struct{ from, to, says string }{
			{"Fair,It is Fair,1", "Fair,It is Fair,one", "points is \\\"one\\\""},
			{"Fair,It is Fair,1", "Good,It is Fair,1", "another level of the criterion"},
			{"Fair,It is Fair,1", "Fair,It is Fair,", "have points for some levels only"},
			{"Design,,Fair", "Design,Else,Fair", "another description"},
			{"Tests,,None,It is None,0\r\n", "", "2 to 8"},
			{"Design,,None", ",,None", "may not be blank"},
		} {
			sheet := strings.Replace(someRubric, c.from, c.to, 1)
			if sheet == someRubric {
				t.Fatalf("%s is not in the sheet", c.from)
			}
			w.importRubric("", sheet).status(201).mentions(c.says, "Not imported", `"success":[]`)
		}
		w.importRubric("", strings.Replace(someRubric, "Good,It is Good,2", "Good,It is Good,1", 1)).status(422).
			says("add up to 4")
		w.importRubric("", "criterion,text\r\na,b\r\n").status(400).says("level")
		if n := w.count("rubrics"); n != 0 {
			t.Errorf("%d rubrics were left", n)
		}
		w.importRubric("?max_quality_pts=5", someRubric).status(201)
		w.importRubric("?max_quality_pts=4", strings.Replace(someRubric, "Good,It is Good,2", "Good,It is Good,1", 1)).
			status(201)
		w.do("tutor", "GET "+defA+"/{defA1}", nil).has(`{"max_quality_pts":4,"has_rubric":true}`)
	})
}

func TestARubricIsCopied(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		first := w.do("convenor", "PUT "+rubricOfA1, fivePoints).status(200).object()
		copied := func(who, to, from string, more string) *answered {
			return w.do(who, "POST "+to+"/rubric/copy", `{"from_task_definition_id":`+w.path(from)+more+`}`)
		}
		toA2 := defA + "/{defA2}"
		copied("convenor", toA2, "{defA1}", "").status(422).says("add up to 5")
		o := copied("convenor", toA2, "{defA1}", `,"max_quality_pts":5,"seen":0`).status(200).object()
		if o["points"] != 5.0 || o["task_definition_id"] != float64(w.id["defA2"]) || o["id"] == first["id"] {
			t.Errorf("copied %v", o)
		}
		copied("convenor", toA2, "{defA1}", `,"seen":0`).status(409)
		copied("convenor", toA2, "{defB1}", "").status(403)
		copied("tutor", toA2, "{defA1}", "").status(403)
		toB := "/api/units/{unitB}/task_definitions/{defB1}"
		copied("admin", toB, "{defA1}", `,"max_quality_pts":5`).status(200)
		copied("convenorB", toB, "{defA1}", "").status(403)
		w.add("", "unit_roles", row{"unit_id": w.id["unitB"], "user_id": w.id["convenor"], "role": 3,
			"created_at": w.db.Now(), "updated_at": w.db.Now()})
		w.do("convenor", "DELETE "+toB+"/rubric", nil).status(204)
		copied("convenor", toB, "{defB1}", "").status(404).says("no rubric")
		copied("convenor", toB, "{defA1}", "").status(200)
	})
}

// A copy of a task has the rubric, and a task that is deleted and restored has it with all that was marked.
func TestARubricGoesAndComesWithItsTask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("max_quality_pts = 5")
		id, l := w.rubric(fivePoints)
		w.move("student", ownTask, "rff")
		w.do("tutor", "POST "+ownVerdict, w.picking(``, id, l[0][0], l[1][0])).status(200)
		made := w.do("convenor", "POST "+defA+"/{defA1}/duplicate", nil).status(201).object()
		w.id["made"] = int64(made["id"].(float64))
		w.do("tutor", "GET "+defA+"/{made}/rubric", nil).status(200).has(`{"version":1,"used":false,"points":5,"marked":0}`)
		w.do("convenor", "DELETE "+defA+"/{defA1}?force=true", nil).status(204)
		if n := w.count("rubric_marks"); n != 0 {
			t.Fatalf("%d marks are left", n)
		}
		w.id["gone"] = w.number(`SELECT id FROM deletions`)
		w.do("convenor", "POST /api/units/{unitA}/deleted/{gone}/restore", nil).status(200)
		w.do("tutor", "GET "+rubricOfA1, nil).status(200).has(`{"version":1,"used":true,"points":5,"marked":1}`)
		if m := w.levelsOf("student"); m["sum"] != 5.0 || m["rubric_id"] != float64(id) {
			t.Errorf("restored: %v", m)
		}
	})
}
