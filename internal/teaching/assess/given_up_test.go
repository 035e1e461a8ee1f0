package assess

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/jobs"
)

// What students hand in is run here: a job that was broken off twice, whichever way
// that was done, is not begun a third time.
func TestAssessmentsBrokenOffTwiceAreGivenUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		err := d.Tx(t.Context(), func(q db.Q) error {
			var errs [4]error
			for i, a := range []jobs.Args{Args{1}, TrialArgs{1}, PreviewArgs{1}} {
				_, errs[i] = jobs.Enqueue(t.Context(), q, a, jobs.Options{})
			}
			_, errs[3] = db.Exec(t.Context(), q, `UPDATE jobs SET suspicion = 2`)
			return errors.Join(errs[:]...)
		})
		if err != nil {
			t.Fatal(err)
		}
		log := slog.New(slog.DiscardHandler)
		qu := jobs.New(d, log, jobs.Config{Poll: 5 * time.Millisecond})
		(&Worker{DB: d, Log: log}).Register(qu) // without an engine: none of them can be begun
		qu.Start(t.Context())
		defer qu.Stop(t.Context())
		var dead []jobs.Record
		waittest.Until(t, "all three are given up", func() bool {
			if dead, err = jobs.Find(t.Context(), d.Pool(), jobs.Filter{State: jobs.Dead}, db.Part(10, 0)); err != nil {
				t.Fatal(err)
			}
			return len(dead) == 3
		})
		for _, j := range dead {
			if !strings.Contains(*j.Error, "given up") {
				t.Errorf("%s: %s", j.Kind, *j.Error)
			}
		}
	})
}
