package api

import (
	"testing"
)

const projectPath = "/api/projects/{project:student}"

var _ = rights(rightRow{"GET /api/projects/{id}/outcomes", projectPath + "/outcomes", readersA, nil})

var _ = lists(listRow{route: "GET /api/projects/{id}/outcomes", path: projectPath + "/outcomes", who: "student",
	fill: func(w *world, from, to int) {
		for i := from; i < to; i++ {
			w.add("", "learning_outcomes", row{"unit_id": w.id["unitA"], "ilo_number": i + 10,
				"abbreviation": "O" + string(rune('a'+i)), "name": "Think", "description": ""})
		}
	}})

func TestOutcomesOfAProject(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		task := w.task("student", "defA1", row{"status": "complete"})
		for _, of := range []any{nil, task} {
			w.add("", "learning_outcome_links", row{"task_definition_id": w.id["defA1"],
				"learning_outcome_id": w.id["outcomeA"], "task_id": of, "rating": 4, "description": "So it is"})
		}
		got := w.do("student", "GET "+projectPath+"/outcomes", nil).status(200).list()
		if len(got) != 1 {
			t.Fatalf("%v", got)
		}
		has(t, "the outcome", got[0], map[string]any{"id": float64(w.id["outcomeA"]), "earned": float64(4),
			"most": float64(8)}) // two tasks are for it
		if own := got[0]["own_alignments"].([]any); len(own) != 1 || own[0].(map[string]any)["rating"] != float64(4) {
			t.Errorf("own %v", own)
		}
		has(t, "the class", got[0]["class"].(map[string]any), map[string]any{"max": float64(4)})
		if gone := w.do("withdrawn", "GET /api/projects/{project:withdrawn}/outcomes", nil).status(200).list(); len(gone) != 0 {
			t.Errorf("who left the unit reads %v", gone)
		}
	})
}
