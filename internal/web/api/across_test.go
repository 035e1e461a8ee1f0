package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

const (
	acrossRoute = "GET /api/units/{unit_id}/task_definitions/{task_definition_id}/students"
	acrossPath  = "/api/units/{unitA}/task_definitions/{defA1}/students"
	countsPath  = "/api/units/{unitA}/task_counts"
	historyPath = "/api/projects/{project:student}/history"
)

var _ = rights(
	rightRow{acrossRoute, acrossPath, staffA, nil},
	rightRow{"GET /api/units/{id}/task_counts", countsPath, staffA, nil},
	rightRow{"GET /api/projects/{id}/history", historyPath, readersA, nil},
)

var _ = lists(
	listRow{route: acrossRoute, path: acrossPath, who: "tutor", fill: func(w *world, from, to int) { w.crowd(from, to) }},
	listRow{route: "GET /api/units/{id}/task_counts", path: countsPath, who: "tutor",
		fill: fill("task_definitions", func(w *world, i int) row {
			return row{"unit_id": w.id["unitA"], "name": fmt.Sprint("N", i), "abbreviation": fmt.Sprint("N", i),
				"description": "", "weighting": 1, "target_grade": 0, "start_date": w.monday(), "target_date": w.monday()}
		})},
	listRow{route: "GET /api/projects/{id}/history", path: historyPath, who: "student",
		fill: fill("task_history", func(w *world, i int) row {
			return row{"task_id": w.id["task"], "at": clock.At(w.now), "actor_id": w.id["tutor"],
				"from_status": "redo", "to_status": "discuss"}
		})},
)

func TestOneTaskAcrossStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.task("student", "defA1", map[string]any{"status": "ready_for_feedback", "extensions": 1,
			"submission_date": clock.At(w.now)})
		w.task("mate", "defA1", map[string]any{"status": "complete", "grade": 2, "quality_pts": 3,
			"submission_date": clock.At(w.now.Add(-time.Hour))})
		w.task("withdrawn", "defA1", nil)
		names := func(query string) string {
			t.Helper()
			var out []string
			for _, r := range w.do("tutor", "GET "+acrossPath+"?"+query, nil).status(200).list() {
				out = append(out, fmt.Sprint(r["username"]))
			}
			return strings.Join(out, " ")
		}
		for query, want := range map[string]string{
			"":                                "both mate other student",
			"sort=submitted":                  "mate student both other",
			"sort=due":                        "both mate other student",
			"sort=status":                     "both other mate student",
			"sort=submitted&limit=2&offset=1": "student both",
			"status=not_started":              "both other",
			"status=complete":                 "mate",
			"status=ready_for_feedback":       "student",
			"handed_in=true":                  "mate student",
			"handed_in=false":                 "both other",
			"handed_in=true&status=complete":  "mate",
			"text=other":                      "other",
			"text=mate&status=not_started":    "",
			"tutorial_id=4711":                "",
		} {
			if got := names(query); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
		list := w.do("tutor", "GET "+acrossPath, nil).status(200).list()
		has(t, "who has not begun", list[2], map[string]any{"task_id": nil, "status": "not_started", "version": nil,
			"submission_date": nil, "grade": nil, "extensions": float64(0)})
		has(t, "who is complete", list[1], map[string]any{"status": "complete", "grade": float64(2),
			"quality_pts": float64(3), "project_id": float64(w.id["project:mate"])})
		if list[3]["due_date"].(string) <= list[2]["due_date"].(string) {
			t.Errorf("due %v with an extension, %v without", list[3]["due_date"], list[2]["due_date"])
		}
		w.do("tutor", "GET "+acrossPath+"?status=lost", nil).status(400).says("status")
		w.do("tutor", "GET "+acrossPath+"?sort=lost", nil).status(400).says("sort")
		w.do("tutor", "GET /api/units/{unitA}/task_definitions/{defB1}/students", nil).status(404)

		first := w.do("tutor", "GET "+countsPath, nil).status(200).list()[0]
		has(t, "the first task", first, map[string]any{"task_definition_id": float64(w.id["defA1"]),
			"students": float64(4)})
		var counts []string
		for _, c := range first["counts"].([]any) {
			counts = append(counts, fmt.Sprint(c.(map[string]any)["status"], " ", c.(map[string]any)["count"]))
		}
		if got := strings.Join(counts, ", "); got != "not_started 2, ready_for_feedback 1, complete 1" &&
			got != "not_started 2, complete 1, ready_for_feedback 1" {
			t.Errorf("counts %s", got)
		}
	})
}

func TestHistoryOfAProject(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, d := range []string{"defA1", "defA2"} {
			w.do("student", "PUT /api/projects/{project:student}/task_def_id/{"+d+"}",
				map[string]any{"trigger": "working_on_it"}).status(200)
			w.now = w.now.Add(time.Minute)
		}
		w.do("mate", "PUT /api/projects/{project:mate}/task_def_id/{defA1}",
			map[string]any{"trigger": "need_help"}).status(200)
		list := w.do("student", "GET "+historyPath, nil).status(200).list()
		if len(list) != 2 {
			t.Fatalf("%d entries: %v", len(list), list)
		}
		has(t, "the latest", list[0], map[string]any{"task_definition_id": float64(w.id["defA2"]),
			"to_status": "working_on_it", "user_id": float64(w.id["student"])})
		has(t, "the one before", list[1], map[string]any{"task_definition_id": float64(w.id["defA1"])})
	})
}
