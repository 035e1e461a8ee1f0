package db_test

import (
	"errors"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

func wake(t *testing.T, d *db.DB, topic string) {
	t.Helper()
	if err := d.Tx(t.Context(), func(q db.Q) error { q.Wake(topic); return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestWake(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	wake(t, d, "jobs") // nobody listens
	one, stopOne := d.Listen("jobs")
	two, stopTwo := d.Listen("jobs")
	defer stopTwo()
	wake(t, d, "jobs")
	wake(t, d, "jobs")
	stopOne()
	if len(one) != 1 || len(two) != 1 {
		t.Fatalf("heard %d and %d signals, want one each", len(one), len(two))
	}
	<-one
	<-two
	wake(t, d, "jobs")
	if len(one) != 0 || len(two) != 1 {
		t.Fatalf("heard %d signals after stopping and %d before", len(one), len(two))
	}
}

func TestWakeReachesOnlyItsTopicAndDatabase(t *testing.T) {
	d, other := dbtest.New(t, "sqlite", nil), dbtest.New(t, "sqlite", nil)
	jobs, stopJobs := d.Listen("jobs")
	defer stopJobs()
	events, stopEvents := d.Listen("events")
	defer stopEvents()
	elsewhere, stopElsewhere := other.Listen("jobs")
	defer stopElsewhere()
	wake(t, d, "jobs")
	if len(jobs) != 1 || len(events) != 0 || len(elsewhere) != 0 {
		t.Errorf("%d signals for jobs, %d for events, %d on the other database", len(jobs), len(events), len(elsewhere))
	}
}

func TestWakeWaitsForTheCommit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		signals, stop := d.Listen("jobs")
		defer stop()
		failure := errors.New("no")
		err := d.Tx(t.Context(), func(q db.Q) error {
			q.Wake("jobs")
			return failure
		})
		if !errors.Is(err, failure) || len(signals) != 0 {
			t.Errorf("%v, %d signals for what was rolled back", err, len(signals))
		}
		err = d.Tx(t.Context(), func(q db.Q) error {
			q.Wake("jobs")
			if len(signals) != 0 {
				t.Error("woken before the commit")
			}
			return nil
		})
		if err != nil || len(signals) != 1 {
			t.Errorf("%v, %d signals", err, len(signals))
		}
	})
}
