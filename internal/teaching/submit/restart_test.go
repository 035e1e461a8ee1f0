package submit

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// After a restore the next receipt of a unit names both moments, and only that one.
func TestTheFirstReceiptAfterARestoreSaysSo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, _ := newSigner(t)
		ctx, made := t.Context(), clock.At(time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC))
		var unit int64
		give := func() (b ReceiptBody) {
			t.Helper()
			if err := d.Tx(ctx, func(q db.Q) error {
				last, err := heldEnd(ctx, q, unit)
				if err != nil {
					return err
				}
				b = ReceiptBody{Unit: ReceiptUnit{ID: unit}, Service: "Lectern"}
				_, err = s.extend(ctx, q, &b, last)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return b
		}
		if err := d.Tx(ctx, func(q db.Q) error {
			id, err := db.One[int64](ctx, q, `INSERT INTO units (code, name, description, start_date, end_date, created_at,
				updated_at) VALUES ('A', 'A', '', '2026-01-01', '2026-06-01', $1, $1) RETURNING id`, q.Now())
			if err != nil {
				return err
			}
			unit = *id
			if _, err := s.extend(ctx, q, &ReceiptBody{Unit: ReceiptUnit{ID: unit}}, end{}); err != nil {
				return err
			}
			return db.Restored(ctx, q, made)
		}); err != nil {
			t.Fatal(err)
		}
		if err := TellRestart(ctx, d); err != nil {
			t.Fatal(err)
		}
		first, second := give(), give()
		if first.Restart == nil || first.Restart.From != made || first.Sequence != 2 {
			t.Errorf("the first after the restore is %+v", first)
		}
		if words := first.Words(); !strings.Contains(words, "from its backup of 1 November 2026 at 03:00 UTC") {
			t.Errorf("it says %s", words)
		}
		if second.Restart != nil || second.Sequence != 3 {
			t.Errorf("the one after it is %+v", second)
		}
	})
}
