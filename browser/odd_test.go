package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// odd makes what universities have and the demo has not: units without tasks, without
// students or without both, one with thirty tasks, a tutor of no class, one who studies
// what they teach, and a student whose name is longer than any field.
func (s *service) odd(t *testing.T) {
	t.Helper()
	ids := map[string]int64{}
	var people []struct {
		ID       int64
		Username string
	}
	s.call(t, "aadmin", "GET", "/api/users", nil, &people)
	for _, p := range people {
		ids[p.Username] = p.ID
	}
	for _, code := range []string{"EMPTY", "TASKS", "PEOPLE", "THIRTY"} {
		var unit struct{ ID int64 }
		s.call(t, "aadmin", "POST", "/api/units", url.Values{"unit[code]": {code}, "unit[active]": {"true"},
			"unit[name]": {"A unit whose name was found by a committee in three long meetings"}, "unit[description]": {"."},
			"unit[teaching_period_id]": {"2"}, "unit[main_convenor_user_id]": {fmt.Sprint(ids["rwilson"])}}, &unit)
		ids[code] = unit.ID
	}
	for unit, n := range map[string]int{"TASKS": 1, "THIRTY": 30} {
		s.tasks(t, ids[unit], n)
	}
	for _, unit := range []string{"PEOPLE", "THIRTY"} {
		s.enrol(t, "rwilson", ids[unit], "student_17")
	}
	s.enrol(t, "acain", 1, "cliff") // who teaches it
	s.call(t, "acain", "POST", "/api/unit_roles", url.Values{"unit_id": {"1"}, "role": {"Tutor"},
		"user_id": {fmt.Sprint(ids["tutor_9"])}}, nil)
	s.call(t, "aadmin", "PUT", fmt.Sprintf("/api/users/%d", ids["student_17"]), url.Values{
		"user[first_name]": {"Wolfeschlegelsteinhausenbergerdorff"},
		"user[last_name]":  {"Featherstonehaugh-Cholmondeley-Marjoribanks de la Rocha y Villanueva"}}, nil)
}

func (s *service) enrol(t *testing.T, by string, unit int64, who string) {
	t.Helper()
	s.call(t, by, "POST", "/api/projects", url.Values{"unit_id": {fmt.Sprint(unit)}, "student_num": {who},
		"campus_id": {"1"}}, nil)
}

// tasks sets tasks in a unit of rwilson's.
func (s *service) tasks(t *testing.T, unit int64, n int) {
	t.Helper()
	for i := range n {
		day := time.Now().AddDate(0, 0, 3*(i-n/2))
		s.call(t, "rwilson", "POST", fmt.Sprintf("/api/units/%d/task_definitions", unit), url.Values{
			"task_def[name]":         {fmt.Sprintf("Number %d of many tasks%s", i+1, strings.Repeat(" with a long name", i%4))},
			"task_def[abbreviation]": {fmt.Sprintf("%d.1P", i+1)}, "task_def[description]": {"Do it."},
			"task_def[weighting]": {"4"}, "task_def[target_grade]": {fmt.Sprint(i % 3)},
			"task_def[start_date]":              {day.AddDate(0, 0, -7).Format(time.DateOnly)},
			"task_def[target_date]":             {day.Format(time.DateOnly)},
			"task_def[restrict_status_updates]": {"false"}, "task_def[plagiarism_warn_pct]": {"50"},
			"task_def[is_graded]": {"false"}, "task_def[max_quality_pts]": {"0"},
			"task_def[upload_requirements]": {"[]"}}, nil)
	}
}

// Every link leads somewhere for people whom the demo does not have, too, and pages with
// nothing on them are free of barriers and say so.
func TestEveryPageOfOddPeople(t *testing.T) {
	needed(t)
	s := serve(t)
	s.odd(t)
	for _, who := range []string{"cliff", "tutor_9", "tutor_8"} {
		crawl(t, s, who)
	}
	b := open(t, s, wide)
	b.signIn("rwilson")
	seen := map[string]bool{}
	for pattern, all := range crawl(t, s, "rwilson") {
		if taught(pattern) {
			seen[pattern] = true
			b.inspect(all[len(all)-1].path) // the emptiest
		}
	}
	if len(seen) < 9 {
		t.Errorf("only these were reached: %v", seen)
	}
	b = open(t, s, wide)
	b.signIn("student_17")
	for _, term := range crawl(t, s, "student_17")["GET /projects/{id}"] {
		b.inspect(term.path)
	}
	b.awaitText("This unit has no tasks yet") // that was the emptiest
}
