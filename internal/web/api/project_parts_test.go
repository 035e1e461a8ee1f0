package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

const projectPath = "/api/projects/{project:student}"

var _ = rights(
	rightRow{"GET /api/projects/{id}/outcomes", projectPath + "/outcomes", readersA, nil},
	rightRow{"GET /api/projects/{id}/tutorials", projectPath + "/tutorials", readersA, nil},
	rightRow{"GET /api/projects/{id}/groups", projectPath + "/groups", readersA, nil},
)

var _ = lists(listRow{route: "GET /api/projects/{id}/tutorials", path: projectPath + "/tutorials", who: "student",
	fill: func(w *world, from, to int) {
		for i := from; i < to; i++ {
			w.class(fmt.Sprint("T", i), nil)
		}
	}}, listRow{route: "GET /api/projects/{id}/groups", path: projectPath + "/groups", who: "student",
	fill: func(w *world, from, to int) {
		for i := from; i < to; i++ {
			set := w.add("", "group_sets", row{"unit_id": w.id["unitA"], "name": fmt.Sprint("Set ", i)})
			w.add("", "unit_groups", row{"group_set_id": set, "tutorial_id": w.id["tutorialA"], "name": "G"})
		}
	}}, listRow{route: "GET /api/projects/{id}/outcomes", path: projectPath + "/outcomes", who: "student",
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
		gone := w.do("withdrawn", "GET /api/projects/{project:withdrawn}/outcomes", nil).status(200).list()
		if len(gone) != 0 {
			t.Errorf("who left the unit reads %v", gone)
		}
	})
}

// class adds a tutorial to unit A.
func (w *world) class(name string, more row) int64 {
	w.Helper()
	r := row{"unit_id": w.id["unitA"], "abbreviation": name, "meeting_day": "Friday", "meeting_time": "9:00",
		"meeting_location": "B2", "capacity": -1, "tutorial_stream_id": w.id["streamA"]}
	maps.Copy(r, more)
	return w.add("", "tutorials", r)
}

// told gives one entry of a list by its name.
func told(t *testing.T, list []map[string]any, key, name string) map[string]any {
	t.Helper()
	for _, e := range list {
		if e[key] == name {
			return e
		}
	}
	t.Fatalf("%s is not in %v", name, list)
	return nil
}

func TestTutorialsOfAProject(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE units SET allow_student_change_tutorial = TRUE WHERE id = $1`, w.id["unitA"])
		w.set(`UPDATE projects SET campus_id = $2 WHERE id = $1`, w.id["project:student"], w.id["burwood"])
		w.class("free", nil)
		full := w.class("full", row{"capacity": 1})
		w.set(`UPDATE tutorial_enrolments SET tutorial_id = $2 WHERE project_id = $1`, w.id["project:other"], full)
		w.class("far", row{"campus_id": w.id["geelong"]})
		w.set(`UPDATE tutorial_enrolments SET tutorial_id = $2 WHERE project_id = $1`, w.id["project:student"],
			w.class("own", nil))
		list := func() []map[string]any {
			return w.do("student", "GET "+projectPath+"/tutorials", nil).status(200).list()
		}
		before := w.rows(`SELECT CAST(tutorial_id AS TEXT) FROM tutorial_enrolments ORDER BY id`)
		got := list()
		has(t, "a free one", told(t, got, "abbreviation", "free"), map[string]any{"refusal": "", "seats_left": nil,
			"enrolled": false, "tutor": nil, "meeting_location": "B2"})
		has(t, "a full one", told(t, got, "abbreviation", "full"), map[string]any{"seats_left": float64(0),
			"num_students": float64(1)})
		for name, why := range map[string]string{"full": "is full", "far": "campus Geelong"} {
			if text := told(t, got, "abbreviation", name)["refusal"].(string); !strings.Contains(text, why) {
				t.Errorf("%s: %s", name, text)
			}
		}
		has(t, "the own one", told(t, got, "abbreviation", "own"), map[string]any{"enrolled": true})
		has(t, "one with a tutor", told(t, got, "abbreviation", "LA1"), map[string]any{"campus": "Burwood",
			"tutor": "Tutor Person", "tutorial_stream": "Practical 1"})
		staff := told(t, w.do("tutor", "GET "+projectPath+"/tutorials", nil).list(), "abbreviation", "full")
		has(t, "a full one for staff", staff, map[string]any{"refusal": ""})
		w.set(`UPDATE units SET allow_student_change_tutorial = FALSE WHERE id = $1`, w.id["unitA"])
		if text := told(t, list(), "abbreviation", "free")["refusal"]; text == "" {
			t.Error("the unit forbids it, and nobody says so")
		}
		after := w.rows(`SELECT CAST(tutorial_id AS TEXT) FROM tutorial_enrolments ORDER BY id`)
		if !slices.Equal(after, before) {
			t.Errorf("reading changed %v to %v", before, after)
		}
	})
}

func TestGroupsOfAProject(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("blue", "unit_groups", row{"group_set_id": w.id["set"], "tutorial_id": w.id["tutorialA"], "name": "Blue",
			"capacity_adjustment": -3})
		w.add("", "unit_groups", row{"group_set_id": w.id["set"], "tutorial_id": w.id["tutorialA"], "name": "Green"})
		set := func(who string) map[string]any {
			list := w.do(who, "GET /api/projects/{project:"+who+"}/groups", nil).status(200).list()
			return told(t, list, "name", "Teams")
		}
		mine := set("student")
		has(t, "the set", mine, map[string]any{"create_refusal": "", "change_refusal": "", "rename_refusal": ""})
		has(t, "the own group", mine["own_group"].(map[string]any), map[string]any{"name": "Red", "refusal": "",
			"places": float64(3), "tutorial": "LA1"})
		if members := mine["members"].([]any); len(members) != 2 {
			t.Errorf("members %v", members)
		}
		group := func(who, name string) map[string]any {
			for _, g := range set(who)["groups"].([]any) {
				if g := g.(map[string]any); g["name"] == name {
					return g
				}
			}
			t.Fatalf("%s does not see %s", who, name)
			return nil
		}
		has(t, "a free group", group("student", "Green"), map[string]any{"refusal": "", "student_count": float64(0)})
		if why := group("student", "Blue")["refusal"].(string); !strings.Contains(why, "full") {
			t.Error(why)
		}
		if other := set("other"); other["own_group"] != nil || len(other["members"].([]any)) != 0 ||
			other["rename_refusal"] == "" {
			t.Errorf("who is in no group reads %v", other)
		}
		w.set(`UPDATE group_sets SET locked = TRUE, allow_students_to_manage_groups = FALSE WHERE id = $1`, w.id["set"])
		mine = set("student")
		for _, key := range []string{"create_refusal", "change_refusal", "rename_refusal"} {
			if mine[key] == "" {
				t.Errorf("%s says nothing", key)
			}
		}
		if why := group("other", "Green")["refusal"].(string); !strings.Contains(why, "locked") {
			t.Error(why)
		}
	})
}
