package handover

import (
	"context"
	"regexp"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/work/worktest"
)

// walked are the tables that grow with every handover or unit, walked from end to end.
var walked = regexp.MustCompile(`Seq Scan on (handovers|handover_staff|unit_roles|users)|` +
	`SCAN (h|hh|s|hs|hr|a|o|r|sr|u|su)\b`)

// Whatever asks for handovers follows an index, and is one statement.
func TestHandoversFollowIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := worktest.New(t, d, 4, 1)
		tutor, other, today := c.Students+1, c.Students+2, clock.Day(d.Now().Time)
		if err := d.Tx(t.Context(), func(q db.Q) error {
			_, err := Add(t.Context(), q, New{UnitID: worktest.Unit, RoleID: 1, Staff: []int64{2}, From: today, Until: today})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for name, read := range map[string]func(ctx context.Context, q db.Q) (int, error){
			"a unit's": func(ctx context.Context, q db.Q) (int, error) {
				list, err := Of(ctx, q, worktest.Unit)
				return len(list), err
			},
			"the tutor's own": func(ctx context.Context, q db.Q) (int, error) {
				list, err := Concerning(ctx, q, tutor, 0)
				return len(list), err
			},
			"the colleague's roles": func(ctx context.Context, q db.Q) (int, error) {
				list, err := Roles(ctx, q, other)
				return len(list) - 1, err
			},
			"the colleague's tutors": func(ctx context.Context, q db.Q) (int, error) {
				list, err := Tutors(ctx, q, other)
				return len(list), err
			},
			"who stands in": func(ctx context.Context, q db.Q) (int, error) {
				with, err := StandInsOf(ctx, q, worktest.Unit, 4711)
				if of := with.Of(worktest.Unit, tutor); err == nil && (len(of) != 1 || of[0] != other) {
					t.Errorf("%v have the queue", of)
				}
				return len(with), err
			},
		} {
			texts, plans := c.Plans(func(ctx context.Context, q db.Q) error {
				n, err := read(ctx, q)
				if err == nil && n != 1 {
					t.Errorf("%s: %d", name, n)
				}
				return err
			})
			if len(texts) != 1 {
				t.Errorf("%s: %d statements", name, len(texts))
			}
			for i, plan := range plans {
				if found := walked.FindString(plan); found != "" {
					t.Errorf("%s: %q\n%s\n%s", name, found, texts[i], plan)
				}
			}
		}
	})
}
