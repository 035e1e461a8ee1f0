package usecase

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/course"
)

// unit is a row of units with its definitions, as the tests compare them.
type unit struct {
	ID        int64       `db:"id"`
	Start     clock.Date  `db:"start_date"`
	End       clock.Date  `db:"end_date"`
	Portfolio *clock.Date `db:"portfolio_auto_generation_date"`
}

type definition struct {
	UnitID int64       `db:"unit_id"`
	Start  clock.Date  `db:"start_date"`
	Target clock.Date  `db:"target_date"`
	Due    *clock.Date `db:"due_date"`
}

type state struct {
	Period course.TeachingPeriod
	Units  []unit
	Defs   []definition
}

func (s state) spanOf() span { return daysOf(&s.Period) }

var errUndo = errors.New("undo")

// undone runs f in a transaction that leaves nothing behind.
func undone(t interface{ Fatal(...any) }, d *db.DB, f func(q db.Q)) {
	err := d.Tx(context.Background(), func(q db.Q) error { f(q); return errUndo })
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
}

type fixture struct {
	t interface{ Fatal(...any) }
	q db.Q
	n int
}

func (f *fixture) must(err error) {
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) period(start clock.Date, days int) *course.TeachingPeriod {
	end := start.AddDays(days)
	p, err := course.AddPeriod(context.Background(), f.q, course.TeachingPeriod{Period: "T1", Year: 2026,
		StartDate: clock.At(start.Time),
		EndDate:   clock.At(end.Time), ActiveUntil: clock.At(end.Time)})
	f.must(err)
	return p
}

func (f *fixture) unit(period int64, s span, portfolio *clock.Date, defs ...definition) int64 {
	ctx := context.Background()
	f.n++
	id, err := db.One[int64](ctx, f.q, `INSERT INTO units (code, name, description, teaching_period_id, start_date,
		end_date,
		portfolio_auto_generation_date, created_at, updated_at) VALUES ($1, 'X', 'X', $2, $3, $4, $5, $6, $6)
		RETURNING id`,
		fmt.Sprintf("U%03d", f.n), period, s.start, s.end, portfolio, f.q.Now())
	f.must(err)
	for i, d := range defs {
		_, err := db.Exec(ctx, f.q, `INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting,
			target_grade,
			start_date, target_date, due_date) VALUES ($1, $2, $2, 'X', 1, 0, $3, $4, $5)`,
			*id, fmt.Sprint(i), d.Start, d.Target, d.Due)
		f.must(err)
	}
	return *id
}

func (f *fixture) state(period int64) state {
	ctx := context.Background()
	p, err := course.PeriodByID(ctx, f.q, period)
	f.must(err)
	units, err := db.All[unit](ctx, f.q, `SELECT id, start_date, end_date, portfolio_auto_generation_date
		FROM units ORDER BY id`)
	f.must(err)
	defs, err := db.All[definition](ctx, f.q, `SELECT unit_id, start_date, target_date, due_date
		FROM task_definitions ORDER BY id`)
	f.must(err)
	return state{*p, units, defs}
}

// want is the slow, plain way to tell what a move makes of a state; false when
// it must be refused.
func (s state) want(to span) (state, bool) {
	from, days := s.spanOf(), to.start.DaysSince(s.spanOf().start)
	out := state{Units: append([]unit{}, s.Units...), Defs: append([]definition{}, s.Defs...)}
	follows := map[int64]bool{}
	for i, u := range s.Units {
		if u.Start != from.start || u.End != from.end {
			if u.Start.Before(to.start) || u.End.After(to.end) {
				return s, false
			}
			continue
		}
		follows[u.ID] = true
		out.Units[i].Start, out.Units[i].End = to.start, to.end
		if u.Portfolio != nil {
			day := u.Portfolio.AddDays(days)
			if day.After(to.end) {
				return s, false
			}
			out.Units[i].Portfolio = &day
		}
	}
	for i, d := range s.Defs {
		if !follows[d.UnitID] {
			continue
		}
		out.Defs[i].Start, out.Defs[i].Target = d.Start.AddDays(days), d.Target.AddDays(days)
		if d.Due != nil {
			due := d.Due.AddDays(days)
			out.Defs[i].Due = &due
		}
	}
	return out, true
}

func instants(s span) course.PeriodChange {
	start, end, until := clock.At(s.start.Time), clock.At(s.end.Time), clock.At(s.end.AddDays(30).Time)
	return course.PeriodChange{StartDate: &start, EndDate: &end, ActiveUntil: &until}
}

var monday = clock.On(2026, 3, 2)

func drawDay(t *rapid.T, from clock.Date, low, high int, what string) clock.Date {
	return from.AddDays(rapid.IntRange(low, high).Draw(t, what))
}

func drawDefinitions(t *rapid.T, start clock.Date) []definition {
	var out []definition
	for range rapid.IntRange(0, 3).Draw(t, "definitions") {
		d := definition{Start: drawDay(t, start, 0, 60, "start")}
		d.Target = drawDay(t, d.Start, 0, 30, "target")
		if rapid.Bool().Draw(t, "has due") {
			due := drawDay(t, d.Target, 0, 20, "due")
			d.Due = &due
		}
		out = append(out, d)
	}
	return out
}

// Whatever lies in a period, a move keeps every relative position of what
// follows, leaves the rest alone, and otherwise is refused as a whole.
func TestMoveKeepsRelativePositions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		moved, refused := 0, 0
		rapid.Check(t, func(t *rapid.T) {
			undone(t, d, func(q db.Q) {
				f := &fixture{t: t, q: q}
				p := f.period(monday, 97)
				all := daysOf(p)
				for range rapid.IntRange(0, 4).Draw(t, "units") {
					s := all
					if rapid.IntRange(0, 4).Draw(t, "own days") == 0 {
						s = span{drawDay(t, monday, 5, 40, "unit start"), drawDay(t, monday, 41, 90, "unit end")}
					}
					var portfolio *clock.Date
					if rapid.Bool().Draw(t, "has portfolio") {
						day := drawDay(t, s.start, 1, s.end.DaysSince(s.start), "portfolio")
						portfolio = &day
					}
					f.unit(p.ID, s, portfolio, drawDefinitions(t, s.start)...)
				}
				before := f.state(p.ID)
				to := span{drawDay(t, monday, -40, 40, "new start"), drawDay(t, monday, 60, 140, "new end")}
				want, ok := before.want(to)
				_, err := changePeriod(context.Background(), q, p.ID, instants(to))
				if !ok {
					refused++
					if !fault.Is(err, fault.Conflict) {
						t.Fatalf("got %v, want a refusal", err)
					}
					return
				}
				moved++
				if err != nil {
					t.Fatal(err)
				}
				got := f.state(p.ID)
				if got.spanOf() != to {
					t.Fatalf("the period is %v, want %v", got.spanOf(), to)
				}
				got.Period = course.TeachingPeriod{}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("(-want +got)\n%s", diff)
				}
			})
		})
		if moved == 0 || refused == 0 {
			t.Errorf("%d moves, %d refusals: the test is empty", moved, refused)
		}
	})
}

func TestARefusedMoveChangesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		var id int64
		var before state
		own := span{monday, monday.AddDays(30)}
		err := d.Tx(ctx, func(q db.Q) error {
			f := &fixture{t: t, q: q}
			p := f.period(monday, 97)
			id = p.ID
			f.unit(id, daysOf(p), nil, definition{Start: monday, Target: monday.AddDays(7)})
			for range 7 {
				f.unit(id, own, nil)
			}
			before = f.state(id)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		later := span{monday.AddDays(7), monday.AddDays(104)}
		err = d.Tx(ctx, func(q db.Q) error { _, err := changePeriod(ctx, q, id, instants(later)); return err })
		const want = "The dates cannot change, because these units would lie outside the period: " +
			"U002 (Mon 2 Mar 2026 to Wed 1 Apr 2026), U003 (Mon 2 Mar 2026 to Wed 1 Apr 2026), " +
			"U004 (Mon 2 Mar 2026 to Wed 1 Apr 2026), U005 (Mon 2 Mar 2026 to Wed 1 Apr 2026), " +
			"U006 (Mon 2 Mar 2026 to Wed 1 Apr 2026) and 2 more. Change their dates first."
		if !fault.Is(err, fault.Conflict) || err.Error() != want {
			t.Errorf("got %v", err)
		}
		undone(t, d, func(q db.Q) {
			if diff := cmp.Diff(before, (&fixture{t: t, q: q}).state(id)); diff != "" {
				t.Error(diff)
			}
		})
	})
}

// A new name is no move: whatever lies in the period stays out of it.
func TestRenamingLeavesTheUnitsAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		undone(t, d, func(q db.Q) {
			f := &fixture{t: t, q: q}
			p := f.period(monday, 97)
			f.unit(p.ID, span{monday.AddDays(-30), monday}, nil)
			name, at := "T2", clock.At(monday.Add(9*time.Hour))
			got, err := changePeriod(context.Background(), q, p.ID, course.PeriodChange{Period: &name, StartDate: &at})
			if err != nil || got.Period != "T2" || got.StartDate != at {
				t.Errorf("got %v, %v", got, err)
			}
		})
	})
}

func TestMoveTakesAsManyStatementsForManyUnits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		statements := func(units int) (n int64) {
			undone(t, d, func(q db.Q) {
				f := &fixture{t: t, q: q}
				p := f.period(monday, 97)
				for range units {
					f.unit(p.ID, daysOf(p), nil, definition{Start: monday, Target: monday.AddDays(7)})
				}
				ctx, c := db.Counting(context.Background(), nil)
				_, err := changePeriod(ctx, q, p.ID, instants(span{monday.AddDays(1), monday.AddDays(98)}))
				f.must(err)
				n = c.N()
			})
			return n
		}
		if few, many := statements(2), statements(200); few != many {
			t.Errorf("%d statements for 2 units, %d for 200", few, many)
		}
	})
}
