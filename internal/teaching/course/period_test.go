package course

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/week"
)

func day(t *rapid.T, from clock.Date, low, high int, what string) clock.Date {
	return from.AddDays(rapid.IntRange(low, high).Draw(t, what))
}

// Whatever the rules let pass the database takes, and what it would not take
// they name by its field.
func TestPeriodRulesAgreeWithTheDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rapid.Check(t, func(t *rapid.T) {
			start := clock.On(2000, 1, 1).AddDays(rapid.IntRange(-500, 370_000).Draw(t, "start"))
			p := TeachingPeriod{
				Period:      strings.Repeat("ä", rapid.IntRange(0, 22).Draw(t, "length")),
				Year:        rapid.Int64Range(1998, 3001).Draw(t, "year"),
				StartDate:   clock.At(start.Time),
				EndDate:     clock.At(day(t, start, -3, 100, "end").Time),
				ActiveUntil: clock.At(day(t, start, -3, 200, "until").Time),
			}
			rolledBack(t, d, func(q db.Q) error {
				out, err := AddPeriod(t.Context(), q, p)
				if err == nil {
					out.ID, out.Active = 0, false
					if *out != p {
						t.Fatalf("wrote %v, read %v", p, out)
					}
					return nil
				}
				e, ok := errors.AsType[*fault.Error](err)
				if !ok || e.Kind != fault.Refused && e.Kind != fault.Invalid || len(e.Fields) == 0 {
					t.Fatalf("got %v", err)
				}
				return nil
			})
		})
	})
}

// Whatever breaks are asked for, those that stand take out different weeks and
// lie inside their period.
func TestBreaksNeverShareAWeek(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		rapid.Check(t, func(t *rapid.T) {
			rolledBack(t, d, func(q db.Q) error {
				ctx := t.Context()
				start := day(t, clock.On(2026, 3, 2), 0, 6, "weekday")
				p, err := AddPeriod(ctx, q, TeachingPeriod{Period: "T1", Year: 2026, StartDate: clock.At(start.Time),
					EndDate: clock.At(start.AddDays(120).Time), ActiveUntil: clock.At(start.AddDays(120).Time)})
				if err != nil {
					return err
				}
				for range rapid.IntRange(1, 12).Draw(t, "requests") {
					tryBreak(ctx, t, q, p)
				}
				breaks, err := Breaks(ctx, q, p.ID)
				if err != nil {
					return err
				}
				taken := map[clock.Date]bool{}
				for _, b := range breaks {
					if b.StartDate.Before(start) || b.StartDate.AddDays(int(7*b.NumberOfWeeks)).After(start.AddDays(120)) {
						t.Fatalf("%v lies outside the period", b)
					}
					for monday := firstMonday(b.StartDate); b.NumberOfWeeks > 0; b.NumberOfWeeks-- {
						if taken[monday] {
							t.Fatalf("two breaks take the week of %s: %v", monday, breaks)
						}
						taken[monday] = true
						monday = monday.AddDays(7)
					}
				}
				return week.Check(start, start.AddDays(120), Weeks(breaks))
			})
		})
	})
}

// tryBreak adds or changes a break at random; a refusal is fine.
func tryBreak(ctx context.Context, t *rapid.T, q db.Q, p *TeachingPeriod) {
	start, _ := p.Days()
	b := Break{StartDate: day(t, start, -5, 125, "start"), NumberOfWeeks: rapid.Int64Range(0, 4).Draw(t, "weeks")}
	old, err := Breaks(ctx, q, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(old) > 0 && rapid.Bool().Draw(t, "change one") {
		id := rapid.SampledFrom(old).Draw(t, "which").ID
		_, err = ChangeBreak(ctx, q, p.ID, id, BreakChange{StartDate: &b.StartDate, NumberOfWeeks: &b.NumberOfWeeks})
	} else {
		_, err = AddBreak(ctx, q, p.ID, b)
	}
	outside := b.NumberOfWeeks < 1 && fault.Is(err, fault.Invalid)
	if err != nil && !fault.Is(err, fault.Refused) && !outside {
		t.Fatal(err)
	}
}

func firstMonday(d clock.Date) clock.Date {
	for d.Weekday() != 1 {
		d = d.AddDays(1)
	}
	return d
}

var errUndo = errors.New("undo")

// rolledBack runs f in a transaction that leaves nothing behind.
func rolledBack(t *rapid.T, d *db.DB, f func(q db.Q) error) {
	err := d.Tx(t.Context(), func(q db.Q) error {
		if err := f(q); err != nil {
			return err
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
}
