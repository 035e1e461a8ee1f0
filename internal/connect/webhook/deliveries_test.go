package webhook

import (
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/waittest"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

func deliveries(t *testing.T, d *db.DB, id int64, failed bool) (list []Delivery, total int64) {
	t.Helper()
	list, total, err := Deliveries(t.Context(), d.Pool(), id, failed, db.Part(100, 0))
	if err != nil {
		t.Fatal(err)
	}
	return list, total
}

// Every event that is handed over has one row, however often it is tried, with what came of it: the one that
// failed keeps its reason when it is taken at last, which is at once when somebody asks for it.
func TestDeliveriesAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var down atomic.Bool
		r := listen(t, func(w http.ResponseWriter, _ *http.Request) bool {
			if down.Load() {
				w.WriteHeader(http.StatusBadGateway)
				return false
			}
			w.WriteHeader(http.StatusAccepted)
			return true
		})
		h, other := register(t, d, r.URL, "grade"), register(t, d, r.URL, "comment")
		startWith(t, d, time.Hour, patience) // after a failure nothing happens by itself
		happen(t, d, "grade", 1)
		happen(t, d, "status", 1) // not asked for
		waittest.Until(t, "the first is noted", func() bool { return state(t, d, h.ID).LastSeq == 2 })
		again := func() error {
			return d.Tx(t.Context(), func(q db.Q) error { _, err := Retry(t.Context(), q, h.ID); return err })
		}
		if err := again(); !fault.Is(err, fault.Conflict) {
			t.Errorf("nothing waits, and a retry says %v", err)
		}
		down.Store(true)
		happen(t, d, "grade", 1)
		waittest.Until(t, "the second fails", func() bool { return state(t, d, h.ID).Failures == 1 })
		list, total := deliveries(t, d, h.ID, false)
		if total != 2 || len(list) != 2 || *list[0].Seq != 3 || list[0].Delivered || list[0].Attempts != 1 ||
			*list[0].Status != 502 || *list[0].Error != "the receiver answered 502" {
			t.Errorf("after a failure: %d, %+v", total, list)
		}
		if one := list[1]; *one.Seq != 1 || one.Kind != "grade" || !one.Delivered || *one.Status != 202 || one.Error != nil {
			t.Errorf("the first: %+v", one)
		}
		down.Store(false)
		if err := again(); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "it is taken", func() bool { return state(t, d, h.ID).Failures == 0 })
		failed, total := deliveries(t, d, h.ID, true)
		if total != 1 || len(failed) != 1 || !failed[0].Delivered || failed[0].Attempts != 2 || *failed[0].Status != 202 ||
			failed[0].Error == nil || failed[0].TriedAt.Before(failed[0].CreatedAt.Time) {
			t.Errorf("what failed: %d, %+v", total, failed)
		}
		if list, total := deliveries(t, d, other.ID, false); len(list) != 0 || total != 0 {
			t.Errorf("another webhook has %+v", list)
		}
		if _, _, err := Deliveries(t.Context(), d.Pool(), 4711, false, db.Part(1, 0)); !fault.Is(err, fault.Missing) {
			t.Errorf("of no webhook: %v", err)
		}
		tx(t, d, func(q db.Q) error { return Delete(t.Context(), q, h.ID) })
		if n, err := db.One[int64](t.Context(), d.Pool(), `SELECT count(*) FROM webhook_deliveries`); err != nil || *n != 0 {
			t.Errorf("%d deliveries of a webhook that is gone: %v", *n, err)
		}
	})
}

// Of each webhook the newest deliveries are kept, and they are listed and removed by indexes.
func TestTheNewestDeliveriesAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		busy, calm := register(t, d, "https://a.invalid"), register(t, d, "https://b.invalid")
		tx(t, d, func(q db.Q) error {
			for id, n := range map[int64]int{busy.ID: mostDeliveries + 1500, calm.ID: 3} {
				if _, err := db.Exec(t.Context(), q, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
					INSERT INTO webhook_deliveries (webhook_id, seq, kind, attempts, delivered, created_at, tried_at, milliseconds)
					SELECT w.id, i, 'grade', 1, TRUE, w.created_at, w.created_at, 1 FROM n, webhooks w WHERE w.id = $1`, id,
					n); err != nil {
					return err
				}
			}
			return nil
		})
		c := &Deliverer{DB: d}
		for range pruneEvery { // which removes the first of them
			if err := c.noted(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []int64{500, 0} {
			tx(t, d, func(q db.Q) error {
				n, err := Prune(t.Context(), q)
				if n != want {
					t.Errorf("%d are removed, want %d", n, want)
				}
				return err
			})
		}
		list, total := deliveries(t, d, busy.ID, false)
		if total != mostDeliveries || *list[0].Seq != mostDeliveries+1500 {
			t.Errorf("%d are left, the newest is %d", total, *list[0].Seq)
		}
		if _, total := deliveries(t, d, calm.ID, false); total != 3 {
			t.Errorf("the other webhook has %d", total)
		}
		var texts []string
		ctx, _ := db.Counting(t.Context(), func(text string) { texts = append(texts, text) })
		for _, failed := range []bool{false, true} {
			if _, _, err := Deliveries(ctx, d.Pool(), busy.ID, failed, db.Part(100, 0)); err != nil {
				t.Fatal(err)
			}
		}
		if len(texts) != 6 {
			t.Errorf("%d statements", len(texts))
		}
		for _, text := range texts {
			plan := dbtest.Plan(t, d, regexp.MustCompile(`\$\d`).ReplaceAllString(text, "1"))
			if regexp.MustCompile(`(SCAN|Seq Scan on) webhook_deliveries|USE TEMP B-TREE|Sort Key`).MatchString(plan) {
				t.Errorf("%s\n%s", text, plan)
			}
		}
	})
}
