package api

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

// randomQueue fills unit A with 30 students whose tasks stand anywhere, with comments that are new,
// reviews that were asked for, and pins of the tutor.
func (w *world) randomQueue(r *rand.Rand) {
	w.Helper()
	manyTasks("complete")(w, 1, 31)
	w.set(`UPDATE units SET feedback_days = 3`)
	for i, id := range w.rows(`SELECT CAST(t.id AS TEXT) AS v FROM tasks t ORDER BY t.id`) {
		var handedIn, asked any
		if r.IntN(3) > 0 {
			handedIn = clock.At(w.now.Add(-time.Duration(r.IntN(200)) * time.Hour))
		}
		if r.IntN(4) == 0 {
			asked = clock.At(w.now)
		}
		st := []string{"ready_for_feedback", "need_help", "complete", "working_on_it"}[r.IntN(4)]
		w.set(`UPDATE tasks SET status = $2, submission_date = $3, new_to_staff = $4, review_asked_at = $5
			WHERE CAST(id AS TEXT) = $1`, id, st, handedIn, max(0, r.IntN(5)-3), asked)
		if i%5 == 0 {
			w.set(`INSERT INTO task_pins (task_id, user_id) SELECT t.id, CAST($2 AS BIGINT) FROM tasks t
				WHERE CAST(t.id AS TEXT) = $1`, id, w.id["tutor"])
		}
	}
	w.set(`UPDATE projects SET enrolled = FALSE WHERE id % 7 = 0`)
}

// Whoever asks how much is to mark and to answer gets the same two numbers everywhere.
func TestWhatWaitsHasTheSameNumbersEverywhere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		seed := rand.Uint64()
		w.randomQueue(rand.New(rand.NewPCG(seed, 1)))
		two := func(o map[string]any) string { return fmt.Sprint(o["to_mark"], " ", o["to_answer"]) }
		for _, who := range []string{"tutor", "convenor"} {
			get := func(path string) map[string]any { return w.do(who, "GET "+path, nil).status(200).object() }
			list := w.do(who, "GET /api/units/{unitA}/queue", nil).status(200).list()
			kinds := map[any]int{}
			for _, o := range list {
				kinds[o["kind"]]++
			}
			want := fmt.Sprint(kinds["to_mark"], " ", kinds["to_answer"])
			if kinds["to_mark"] == 0 || kinds["to_answer"] == 0 || who == "tutor" && kinds["pinned"] == 0 {
				t.Logf("seed %d: %s has %v", seed, who, kinds)
			}
			var sum [3]float64
			for _, o := range w.do(who, "GET /api/units/{unitA}/queue/counts", nil).status(200).list() {
				for i, name := range []string{"to_mark", "to_answer", "count"} {
					sum[i] += o[name].(float64)
				}
			}
			both := float64(kinds["to_mark"] + kinds["to_answer"])
			session, home := get("/api/units/{unitA}/sitting"), get("/api/home")["teaches"].([]any)[0].(map[string]any)
			board := get("/api/units/{unitA}/turnaround")
			for place, got := range map[string]string{"counts": fmt.Sprint(sum[0], " ", sum[1]), "the session": two(session),
				"around": two(get("/api/units/{unitA}/queue/around")), "home": two(home),
				"turnaround": fmt.Sprint(board["waiting"], " ", board["to_answer"])} {
				if got != want {
					t.Errorf("seed %d, %s: %s has %s, the queue %s", seed, who, place, got, want)
				}
			}
			if sum[2] != both || session["waiting"] != both || home["waiting"] != both {
				t.Errorf("seed %d, %s: %v, %v and %v wait, not %v", seed, who, sum[2], session["waiting"], home["waiting"], both)
			}
			for kind, n := range kinds {
				page := w.do(who, fmt.Sprintf("GET /api/units/{unitA}/queue?limit=1&kind=%s", kind), nil).status(200)
				if got := page.Header().Get("X-Total-Count"); got != fmt.Sprint(n) {
					t.Errorf("seed %d, %s: %s are %v, the queue has %d", seed, who, got, kind, n)
				}
			}
		}
		w.do("tutor", "GET /api/units/{unitA}/queue?kind=waiting", nil).status(400)
	})
}
