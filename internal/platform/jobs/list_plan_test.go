package jobs_test

import (
	"regexp"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
)

var (
	listed  = regexp.MustCompile(`((?:state|kind) = )\$\d+`)
	beforeT = regexp.MustCompile(`((?:run_at|lease_until) < )\$\d+`)
)

// Jobs of a unit, of several, of a kind and in a state are found by an index, whatever else they are narrowed by.
func TestListsOfJobsFollowIndexes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *db.DB) {
		enqueueAsks(t, d, many(1, 1, 3)...)
		for _, f := range []jobs.Filter{{Unit: 7}, {Units: []int64{7, 8, 9}}, {Unit: 7, Kind: "ask", State: jobs.Done},
			{Units: []int64{7, 8}, Kind: "ask"}, {Kind: "ask", State: jobs.Dead}, {Attention: true, Unit: 7},
			{Attention: true, Units: []int64{7, 8}, Kind: "ask"}} {
			var texts []string
			ctx, _ := db.Counting(t.Context(), func(text string) { texts = append(texts, text) })
			if _, err := jobs.Count(ctx, d.Pool(), f); err != nil {
				t.Fatal(err)
			}
			if _, err := jobs.Find(ctx, d.Pool(), f, db.Part(100, 0)); err != nil {
				t.Fatal(err)
			}
			if len(texts) != 2 {
				t.Fatalf("%d statements", len(texts))
			}
			for _, text := range texts {
				text = beforeT.ReplaceAllString(listed.ReplaceAllString(text, "${1}'done'"), "${1}CURRENT_TIMESTAMP")
				plan := dbtest.Plan(t, d, numbers.ReplaceAllString(text, "1"))
				if regexp.MustCompile(`Seq Scan on jobs|SCAN jobs(\n|$)`).MatchString(plan) {
					t.Errorf("%+v: %s\n%s walks all jobs", f, text, plan)
				}
			}
		}
	})
}
