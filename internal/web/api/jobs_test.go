package api

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
)

var _ = rights(
	rightRow{"GET /api/admin/jobs", "", "admin", nil},
	rightRow{"GET /api/admin/jobs/backlog", "", "admin", nil},
	rightRow{"GET /api/units/{id}/jobs", "/api/units/{unitA}/jobs", staffA, nil},
	rightRow{"POST /api/admin/jobs/{id}/retry", "/api/admin/jobs/1/retry", "admin", nil},
)

var _ = lists(listRow{route: "GET /api/admin/jobs", path: "/api/admin/jobs?limit=2000", who: "admin",
	fill: fill("jobs", func(w *world, i int) row {
		at := clock.At(w.now)
		return row{"kind": numbered("paint", i), "args": "{}", "max_attempts": 1, "run_at": at, "created_at": at}
	})})

type paint struct {
	Colour string `json:"colour"`
}

func (paint) Kind() string { return "paint" }

func TestAdministratorsSeeAndRetryJobs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		err := w.db.Tx(ctx, func(q db.Q) error {
			for _, colour := range []string{"red", "blue"} {
				id, err := jobs.Enqueue(ctx, q, paint{colour}, jobs.Options{})
				if err != nil {
					return err
				}
				w.id[colour] = id
			}
			_, err := db.Exec(ctx, q, `UPDATE jobs SET state = 'dead', error = 'no brush', finished_at = $2
				WHERE id = $1`, w.id["red"], q.Now())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got := w.do("admin", "GET /api/admin/jobs", nil).status(200)
		if n := got.Header().Get("X-Total-Count"); n != "2" || got.list()[0]["kind"] != "paint" {
			t.Errorf("%s jobs: %s", n, got.Body)
		}
		dead := w.do("admin", "GET /api/admin/jobs?state=dead&limit=1", nil).status(200).list()
		if len(dead) != 1 || dead[0]["error"] != "no brush" || dead[0]["args"].(map[string]any)["colour"] != "red" {
			t.Errorf("dead: %v", dead)
		}
		w.do("admin", "POST /api/admin/jobs/{blue}/retry", nil).status(409)
		w.do("admin", "POST /api/admin/jobs/{red}/retry", nil).status(201)
		w.do("admin", "POST /api/admin/jobs/{red}/retry", nil).status(409)
		w.do("admin", "POST /api/admin/jobs/999/retry", nil).status(404)
		w.do("admin", "GET /api/admin/jobs?state=lost", nil).status(400).says("dead")
		w.do("admin", "GET /api/admin/jobs?limit=-1", nil).status(400)
	})
}

// TestStaffSeeTheBacklogOfTheirUnit hands in twice: the staff of the unit see what
// waits, what runs and how long the first waited, and nothing of other units.
func TestStaffSeeTheBacklogOfTheirUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "POST "+submission, `{}`).status(201)
		w.set(`UPDATE jobs SET state = 'running', lease_until = $1, started_at = $1 WHERE kind = 'document'`,
			clock.At(w.now.Add(1500*time.Millisecond)))
		w.do("mate", "POST "+strings.ReplaceAll(submission, "student", "mate"), `{}`).status(201)
		for _, path := range []string{"/api/units/{unitA}/jobs", "/api/admin/jobs/backlog"} {
			who := map[bool]string{true: "admin", false: "tutor"}[strings.Contains(path, "admin")]
			list := w.do(who, "GET "+path, nil).status(200).object()["kinds"].([]any)
			found := false
			for _, f := range list {
				if f := f.(map[string]any); f["kind"] == "document" {
					found = true
					has(t, path, f, map[string]any{"waiting": 1.0, "running": 1.0, "begun": 1.0, "wait_p50": 1.5,
						"wait_p95": 1.5})
				}
			}
			if !found {
				t.Errorf("%s tells nothing of documents: %v", path, list)
			}
		}
		w.do("tutorB", "GET /api/units/{unitB}/jobs", nil).status(200).is(`{"kinds":[]}`)
		w.do("student", "GET /api/units/{unitA}/jobs", nil).status(403)
		w.do("tutorB", "GET /api/units/{unitA}/jobs", nil).status(403)
	})
}
