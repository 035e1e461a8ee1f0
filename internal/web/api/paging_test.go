package api

import (
	"strconv"
	"testing"
)

// Every list that pages takes limit and offset the same way.
func TestListsPageAlike(t *testing.T) {
	lists := []string{"/api/projects?", "/api/teaching_periods?", "/api/activity_types?", "/api/campuses?",
		"/api/teaching_periods/{T1}/breaks?", "/api/units/{unitA}/learning_alignments?project_id=0&",
		"/api/units/{unitA}/stats/student_target_grade?", "/api/auth/sessions?",
		"/api/units/{unitA}/group_sets/{set}/groups?", "/api/units/{unitA}/group_sets/{set}/groups/{group}/members?",
		"/api/units/{unitA}/feedback?", "/api/users/tutors?", "/api/users/convenors?",
		"/api/projects/{project:student}/task_def_id/{defA1}/submissions/timestamps?",
		"/api/users?", "/api/units?", "/api/unit_roles?", "/api/students?unit_id={unitA}&",
		"/api/tasks?unit_id={unitA}&", "/api/units/{unitA}/tasks/inbox?", "/api/units/{unitA}/queue?",
		"/api/units/{unitA}/queue/counts?", "/api/units/{unitA}/access?", "/api/units/{unitA}/students?",
		"/api/units/{unitA}/task_definitions/{defA1}/tasks?",
		"/api/projects/{project:student}/task_def_id/{defA1}/comments?"}
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST /api/projects/{project:student}/task_def_id/{defA1}/comments",
			form{"comment": "Hello"}).status(201)
		for _, path := range lists {
			whole := w.do("convenor", "GET "+path, nil).status(200)
			n := len(whole.list())
			if got := whole.Header().Get("X-Total-Count"); got != "" {
				t.Errorf("%s: told the total %s without being asked", path, got)
			}
			for query, want := range map[string]int{"limit=0": 0, "limit=1": min(n, 1), "offset=1": max(n-1, 0),
				"limit=10000": n, "limit=1&offset=4611686018427387": 0} {
				part := w.do("convenor", "GET "+path+query, nil).status(200)
				if got := len(part.list()); got != want {
					t.Errorf("%s%s: got %d rows of %d, want %d", path, query, got, n, want)
				}
				if got := part.Header().Get("X-Total-Count"); got != strconv.Itoa(n) {
					t.Errorf("%s%s: got the total %q, want %d", path, query, got, n)
				}
			}
			w.do("convenor", "GET "+path+"limit=-1", nil).status(400).says("limit may not be negative.")
			for _, limit := range []string{"10001", "9223372036854775807"} {
				w.do("convenor", "GET "+path+"limit="+limit, nil).status(400).says("limit may be at most 10000")
			}
			w.do("convenor", "GET "+path+"offset=-1", nil).status(400).says("offset")
		}
	})
}

// The records of the service never come whole.
func TestRecordsOfTheServiceAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, path := range []string{"/api/admin/jobs", "/api/admin/event_log"} {
			w.do("admin", "GET "+path+"?limit=10000", nil).status(200)
			w.do("admin", "GET "+path+"?limit=10001", nil).status(400).says("limit", "10000")
			w.do("admin", "GET "+path+"?limit=-1", nil).status(400).says("limit")
		}
	})
}
