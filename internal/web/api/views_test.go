package api

import (
	"testing"
	"time"
)

const viewsPath = "/api/projects/{project:student}/views"

var _ = rights(
	rightRow{"POST /api/projects/{id}/views", viewsPath, staffA, nil},
	rightRow{"GET /api/views/{id}", "/api/views/99999", "users", nil},
	rightRow{"DELETE /api/views/{id}", "/api/views/99999", "users", nil},
)

// A look at a project as its student does belongs to one session, ends by itself or
// when it is ended, and is written down.
func TestLooksAtAProject(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.do("tutor", "POST "+viewsPath, nil).status(201)
		at := made.Header().Get("Location")
		v := made.object()
		has(t, "the view", v, map[string]any{"project_id": float64(w.id["project:student"]), "username": "student",
			"unit_id": float64(w.id["unitA"])})
		w.do("tutor", "GET "+at, nil).status(200)
		w.do("convenor", "GET "+at, nil).status(404)
		w.do("convenor", "DELETE "+at, nil).status(404)
		w.do("both", "POST /api/projects/{project:both}/views", nil).status(403)
		w.do("student", "POST /api/projects/{project:mate}/views", nil).status(403)
		w.do("tutor", "DELETE "+at, nil).status(204)
		w.do("tutor", "GET "+at, nil).status(404)
		w.do("tutor", "DELETE "+at, nil).status(404)
		if n := w.count(`audit_outbox WHERE entries LIKE '%see_as%'`); n != 2 {
			t.Errorf("%d entries of the audit log", n)
		}
		late := w.do("tutor", "POST "+viewsPath, nil).status(201).Header().Get("Location")
		w.now = w.now.Add(31 * time.Minute)
		w.do("tutor", "GET "+late, nil).status(404)
	})
}
