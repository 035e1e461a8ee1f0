package api

import (
	"fmt"
	"strings"
	"testing"
)

// Where a task has a rubric, the sheet of offline marking has a column for each criterion: a level goes there by its
// name or its number, and what is wrong with one is told in its row.
func TestMarkOfflineByARubric(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.define("max_quality_pts = 5")
		w.handIn("student", "defA1")
		w.handIn("other", "defA1")
		w.made()
		if plain := w.batch("tutor", ""); strings.Contains(plain["marks.csv"], "Rubric") ||
			strings.Contains(plain["readme.txt"], "criteria") {
			t.Errorf("without a rubric the batch speaks of one: %s", plain["marks.csv"])
		}
		id, levels := w.rubric(fivePoints)
		got := w.batch("tutor", "")
		rows := cells(t, got["marks.csv"])
		if len(rows) != 2 || rows[0].Get("rubric_id") != fmt.Sprint(id) || !rows[0].Has("criterion:_design") ||
			!rows[0].Has("Criterion: Tests") {
			t.Fatalf("the sheet is %s", got["marks.csv"])
		}
		if readme := got["readme.txt"]; !strings.Contains(readme, "1  Good (3)") || !strings.Contains(readme, "Task 1.1P") {
			t.Errorf("the readme says %s", readme)
		}
		upload := func(fill map[string]string) *answered {
			return w.do("tutor", "POST "+assessing, aFile("marks.csv", filled(t, got["marks.csv"], map[string]string{}, fill)))
		}
		history := func() int64 { return w.count("task_history") + w.count("rubric_marks") + w.count("marks_taken") }
		before := history()
		for text, fill := range map[string]map[string]string{
			"is no level of Design: use Good, Fair, None, or a number from 1 to 3": {"criterion:_design": "Superb"},
			"is no level of Tests":                 {"criterion:_design": "1", "criterion:_tests": "3"},
			"is no number":                         {"rubric_id": "first", "criterion:_design": "1"},
			"has changed since the batch was made": {"rubric_id": fmt.Sprint(id + 7), "criterion:_design": "1"},
			"from 0 to 5":                          {"status": "complete", "new_quality": "6", "criterion:_design": "1"},
		} {
			if a := upload(fill); counts(a) != "0 done, 1 refused, 1 ignored" || !strings.Contains(a.Body.String(), text) {
				t.Errorf("%v: %s, %s", fill, counts(a), a.Body.String())
			}
		}
		if history() != before {
			t.Error("a row that was refused left something")
		}
		good := map[string]string{"status": "complete", "criterion:_design": "gOOd", "criterion:_tests": "2"}
		if a := upload(good); counts(a) != "1 done, 0 refused, 1 ignored" {
			t.Fatalf("%s: %s", counts(a), a.Body.String())
		}
		if a := upload(good); counts(a) != "0 done, 0 refused, 2 ignored" {
			t.Errorf("again: %s, %s", counts(a), a.Body.String())
		}
		mark := w.levelsOf("student")
		if mark == nil || fmt.Sprint(mark["levels"]) != fmt.Sprint(levels[0][0], " ", levels[1][1]) && mark["sum"] != 3.0 ||
			mark["by_hand"] != false {
			t.Errorf("the task has %v", mark)
		}
		if n := w.number(`SELECT quality_pts FROM tasks WHERE id = $1`, w.id["task"]); n != 3 {
			t.Errorf("%d points", n)
		}
		// Points of the sheet are points by hand.
		sheet := "Username,Name,Tutorial,Task,Status,New Grade,New Quality,New Comment,criterion:  DESIGN\r\n" +
			"student,,,1.1P,complete,,4,,fair\r\nother,,,1.1P,,,,,\r\n"
		if a := w.do("tutor", "POST "+assessing, aFile("marks.csv", sheet)); counts(a) != "1 done, 0 refused, 1 ignored" {
			t.Errorf("by hand: %s, %s", counts(a), a.Body.String())
		}
		if mark := w.levelsOf("student"); mark == nil || mark["by_hand"] != true || len(mark["levels"].([]any)) != 1 {
			t.Errorf("by hand the task has %v", mark)
		}
		nothing := strings.Replace(sheet, "DESIGN", "Beauty", 1)
		if a := w.do("tutor", "POST "+assessing, aFile("marks.csv", nothing)); !strings.Contains(a.Body.String(),
			"has no criterion") {
			t.Errorf("a criterion that is none: %s", a.Body.String())
		}
		w.do("student", "POST "+assessing, aFile("marks.csv", sheet)).status(403)
	})
}
