package api

import (
	"fmt"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
)

const accessPath = "/api/units/{unitA}/access"

var _ = rights(rightRow{"GET /api/units/{id}/access", accessPath, convenorsA, nil})

var _ = lists(listRow{route: "GET /api/units/{id}/access", path: accessPath, who: "convenor",
	fill: func(w *world, from, to int) { w.enrolEach(from, to) }})

func TestWhoCanSeeAUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE users SET disabled_at = $2 WHERE id = $1`, w.id["mate"], clock.At(w.now))
		told := func(list []map[string]any) string {
			var out []string
			for _, r := range list {
				out = append(out, fmt.Sprintf("%v %v %v", r["username"], r["role"], r["reason"]))
			}
			return strings.Join(out, ", ")
		}
		list := w.do("convenor", "GET "+accessPath, nil).status(200).list()
		const want = "convenor Convenor employed, both Tutor employed, tutor Tutor employed, both Student enrolled, " +
			"mate Student enrolled, other Student enrolled, student Student enrolled, withdrawn Student withdrawn, " +
			"admin Admin admin"
		if got := told(list); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		has(t, "the main convenor", list[0], map[string]any{"main": true, "project_id": nil, "suspended": false,
			"user_id": float64(w.id["convenor"]), "first_name": "Convenor", "last_name": "Person",
			"email": "convenor@example.edu", "sees": "everything, as staff of the unit"})
		has(t, "a suspended student", list[4], map[string]any{"suspended": true,
			"project_id": float64(w.id["project:mate"]), "sees": "the unit and their own work"})
		has(t, "a withdrawn student", list[7], map[string]any{"main": false,
			"sees": "their own project and files, and can change nothing"})
		part := w.do("admin", "GET "+accessPath+"?limit=2&offset=1", nil).status(200)
		if got := told(part.list()); got != "both Tutor employed, tutor Tutor employed" ||
			part.Header().Get("X-Total-Count") != "9" {
			t.Errorf("got %s of %s", got, part.Header().Get("X-Total-Count"))
		}
		w.do("admin", "GET /api/units/4711/access", nil).status(404)
	})
}
