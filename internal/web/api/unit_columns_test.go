package api

import (
	"maps"
	"slices"
	"testing"

	"lectern/internal/teaching/course"
)

// Every value of a unit can be changed and is shown: a column that a handler, a
// change or an answer forgets fails here.
func TestEveryValueOfAUnitIsChangedAndShown(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		image := w.add("image", "overseer_images", row{"name": "go", "tag": "go:1"})
		start, end := w.monday(), w.monday().AddDays(20)
		values := map[string]any{"code": "NEW1", "name": "New", "description": "Newer",
			"teaching_period_id": w.id["T1"],
			"start_date":         start.String(), "end_date": end.String(), "active": false,
			"assessment_enabled":               false,
			"allow_student_extension_requests": false, "allow_student_change_tutorial": false, "allow_review_requests": false,
			"time_zone": "Australia/Perth", "portfolio_auto_generation_date": end.String(), "overseer_image_id": image,
			"auto_apply_extension_before_deadline": false, "send_notifications": false,
			"enable_sync_enrolments": false, "enable_sync_timetable": false, "extension_weeks_on_resubmit_request": 7,
			"feedback_days": 5, "risk_overdue_tasks": 4, "risk_behind_percent": 30, "risk_away_days": 10,
			"risk_failed_tries": 2}
		want, have := slices.Sorted(maps.Keys(values)), slices.Sorted(slices.Values(course.UnitColumns))
		if !slices.Equal(want, have) {
			t.Fatalf("a unit has the columns\n%v\nbut the test changes\n%v", have, want)
		}
		w.do("convenor", "PUT /api/units/{unitA}", map[string]any{"unit": values}).status(200)
		got := w.do("convenor", "GET /api/units/{unitA}", nil).status(200).object()
		for name, value := range values {
			if n, ok := value.(int64); ok {
				value = float64(n)
			} else if n, ok := value.(int); ok {
				value = float64(n)
			}
			if got[name] != value {
				t.Errorf("%s is %v, not %v", name, got[name], value)
			}
		}
	})
}
