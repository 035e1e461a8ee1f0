package api

import (
	"fmt"
	"slices"
	"testing"
)

var _ = rights(rightRow{"GET /api/calendar", "", "users", nil})

// A month shows what is due, classes in teaching weeks, and breaks, to students and to
// the staff, as far as their feed does.
func TestAMonthOfACalendar(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		type month struct {
			First string `json:"first_day"`
			Last  string `json:"last_day"`
			Days  []struct {
				Date string
				Due  []struct {
					Abbreviation string
					ProjectID    *int64 `json:"project_id"`
				}
				Classes []struct{ Abbreviation string }
				Breaks  []string
			}
		}
		target := w.monday().AddDays(7)
		w.set(`UPDATE task_definitions SET target_date = $2, due_date = NULL WHERE id = $1`, w.id["defA1"], target)
		w.set(`UPDATE breaks SET start_date = $1, number_of_weeks = 1`, target.AddDays(7))
		w.set(`UPDATE tutorials SET meeting_day = 'Monday', meeting_time = '10:00' WHERE unit_id = $1`, w.id["unitA"])
		look := func(who string) (due, classes, breaks []string) {
			for _, day := range []string{target.Format("2006-01"), target.AddDays(14).Format("2006-01")} {
				var got month
				w.do(who, "GET /api/calendar?month="+day, nil).status(200).into(&got)
				for _, d := range got.Days {
					if d.Date < got.First || d.Date > got.Last {
						t.Errorf("%s is not in %s", d.Date, day)
					}
					for _, x := range d.Due {
						due = append(due, fmt.Sprint(d.Date, " ", x.Abbreviation, " ", x.ProjectID != nil))
					}
					if len(d.Classes) > 0 {
						classes = append(classes, d.Date)
					}
					if len(d.Breaks) > 0 {
						breaks = append(breaks, d.Date)
					}
				}
			}
			return due, classes, breaks
		}
		due, classes, breaks := look("student")
		if !slices.Contains(due, target.String()+" 1.1P true") {
			t.Errorf("due %v", due)
		}
		if !slices.Contains(classes, target.String()) || slices.Contains(classes, target.AddDays(7).String()) {
			t.Errorf("classes %v", classes)
		}
		if !slices.Contains(breaks, target.AddDays(7).String()) || slices.Contains(breaks, target.String()) {
			t.Errorf("breaks %v", breaks)
		}
		if due, _, _ := look("tutor"); !slices.Contains(due, target.String()+" 1.1P false") {
			t.Errorf("of the staff: %v", due)
		}
		if due, classes, breaks := look("outsider"); len(due)+len(classes)+len(breaks) != 0 {
			t.Errorf("of somebody else: %v %v %v", due, classes, breaks)
		}
		w.do("student", "PUT /api/webcal", fmt.Sprintf(`{"webcal":{"enabled":true,"unit_exclusions":[%d]}}`,
			w.id["unitA"])).status(200)
		if due, _, _ := look("student"); slices.Contains(due, target.String()+" 1.1P true") {
			t.Error("a unit that is left out is shown")
		}
		w.do("student", "GET /api/calendar", nil).status(200)
		for _, bad := range []string{"x", "2026-13", "2026-1-1"} {
			w.do("student", "GET /api/calendar?month="+bad, nil).status(400)
		}
		if texts := w.statementsOf("student", "GET /api/calendar"); len(texts) > 7 {
			t.Errorf("%d statements: %q", len(texts), texts)
		}
	})
}
