package api

import (
	"testing"

	"lectern/internal/clock"
	"lectern/internal/db"
	"lectern/internal/jobs"
)

var _ = rights(
	rightRow{"GET /api/admin/jobs", "", "admin", nil},
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
