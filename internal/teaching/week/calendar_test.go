package week

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

func day(text string) clock.Date {
	t, err := clock.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return t
}

func period(start, end string, breaks ...Break) Calendar { return New(day(start), day(end), breaks) }

func rest(start string, weeks int) Break { return Break{Start: day(start), Weeks: weeks} }

// Three trimesters of a real university calendar.
var (
	first  = period("2018-03-05", "2018-05-25", rest("2018-03-30", 1)) // begins on a Friday: takes out 2 to 8 April
	second = period("2018-07-09", "2018-09-28", rest("2018-08-13", 1))
	third  = period("2018-11-05", "2019-02-01", rest("2018-12-24", 2))
)

func TestPositionAndDateOfKnownDays(t *testing.T) {
	for _, c := range []struct {
		in        Calendar
		date, pos string
	}{
		{first, "2018-03-04", "0 Sun"}, {first, "2018-03-05", "1 Mon"}, {first, "2018-03-11", "1 Sun"},
		{first, "2018-03-19", "3 Mon"}, {first, "2018-03-26", "4 Mon"}, {first, "2018-03-30", "4 Fri"},
		{first, "2018-03-31", "4 Sat"}, {first, "2018-04-02", "B1.1 Mon"}, {first, "2018-04-03", "B1.1 Tue"},
		{first, "2018-04-06", "B1.1 Fri"}, {first, "2018-04-08", "B1.1 Sun"}, {first, "2018-04-09", "5 Mon"},
		{first, "2018-04-16", "6 Mon"}, {first, "2018-05-25", "11 Fri"}, {first, "2018-05-28", "12 Mon"},
		{second, "2018-08-06", "5 Mon"}, {second, "2018-08-13", "B1.1 Mon"}, {second, "2018-08-19", "B1.1 Sun"},
		{second, "2018-08-20", "6 Mon"}, {second, "2018-08-21", "6 Tue"}, {second, "2018-08-27", "7 Mon"},
		{third, "2018-12-17", "7 Mon"}, {third, "2018-12-24", "B1.1 Mon"}, {third, "2018-12-25", "B1.1 Tue"},
		{third, "2018-12-31", "B1.2 Mon"}, {third, "2019-01-01", "B1.2 Tue"}, {third, "2019-01-07", "8 Mon"},
		{third, "2018-10-29", "0 Mon"}, {third, "2018-10-22", "-1 Mon"},
		{period("2026-03-04", "2026-06-01"), "2026-03-02", "1 Mon"}, // week 1 holds a start in mid-week
		{period("2026-03-04", "2026-06-01"), "2026-03-09", "2 Mon"},
		{period("2026-03-02", "2026-06-01", rest("2026-03-02", 1)), "2026-03-09", "1 Mon"}, // a break at the very start
	} {
		if got := c.in.Position(day(c.date)).String(); got != c.pos {
			t.Errorf("%s is %s, want %s", c.date, got, c.pos)
		}
		week, weekday, _ := strings.Cut(c.pos, " ")
		p, err := Parse(week, weekday)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.in.Date(p); err != nil || got != day(c.date) {
			t.Errorf("%s is on %v (%v), want %s", c.pos, got, err, c.date)
		}
	}
}

func TestWeeksOfAPeriod(t *testing.T) {
	for want, c := range map[int]Calendar{11: first, 3: period("2026-03-01", "2026-03-15")} {
		if got := c.Weeks(); got != want {
			t.Errorf("%d weeks, want %d", got, want)
		}
	}
}

func TestDateRefusesBreaksThatAreNotThere(t *testing.T) {
	for _, p := range []Position{{Break: 2, BreakWeek: 1}, {Break: -1, BreakWeek: 1}, {Break: 1, BreakWeek: 3},
		{Break: 1}} {
		if _, err := third.Date(p); !fault.Is(err, fault.Refused) {
			t.Errorf("%v gave %v", p, err)
		}
	}
}

func TestCarry(t *testing.T) {
	none := period("2020-03-02", "2020-06-01")
	short := period("2020-03-02", "2020-06-30", rest("2020-04-06", 1)) // after week 5
	for _, c := range []struct {
		from, to   Calendar
		date, want string
	}{
		{second, none, "2018-08-10", "2020-04-03"},  // 5 Fri
		{second, none, "2018-08-14", "2020-04-07"},  // B1.1 Tue: week 6 follows the break
		{second, short, "2018-08-14", "2020-04-07"}, // B1.1 Tue there too
		{second, short, "2018-08-21", "2020-04-14"}, // 6 Tue
		{third, short, "2019-01-01", "2020-04-14"},  // B1.2 Tue: that break has one week only
		{third, none, "2019-01-01", "2020-04-21"},   // week 8
	} {
		if got := c.from.Carry(c.to, day(c.date)); got != day(c.want) {
			t.Errorf("%s (%v) went to %s, want %s", c.date, c.from.Position(day(c.date)), got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	start, end := day("2018-03-05"), day("2018-05-25")
	for _, c := range []struct {
		about  string
		breaks []Break
		words  string // "" when allowed
	}{
		{"none", nil, ""},
		{"inside", []Break{rest("2018-03-30", 1)}, ""},
		{"at the start", []Break{rest("2018-03-05", 1)}, ""},
		{"up to the end", []Break{rest("2018-05-18", 1)}, ""},
		{"back to back", []Break{rest("2018-04-09", 2), rest("2018-04-02", 1)}, ""},
		{"no weeks", []Break{rest("2018-04-02", 0)}, "at least one week"},
		{"negative", []Break{rest("2018-04-02", -1)}, "at least one week"},
		{"too early", []Break{rest("2018-03-04", 1)}, "starts on Mon 5 Mar 2018"},
		{"too long", []Break{rest("2018-05-19", 1)}, "ends on Fri 25 May 2018"},
		{"the same", []Break{rest("2018-04-02", 1), rest("2018-04-02", 1)}, "take the same week"},
		{"the same first Monday", []Break{rest("2018-03-30", 1), rest("2018-04-02", 1)}, "Fri 30 Mar 2018 and Mon 2 Apr 2018"},
		{"inside another", []Break{rest("2018-04-16", 1), rest("2018-04-02", 3)}, "Mon 2 Apr 2018 and Mon 16 Apr 2018"},
	} {
		err := Check(start, end, c.breaks)
		if c.words == "" && err != nil {
			t.Errorf("%s: %v", c.about, err)
		}
		if c.words != "" && (!fault.Is(err, fault.Refused) || !strings.Contains(err.Error(), c.words)) {
			t.Errorf("%s: %v does not say %q", c.about, err, c.words)
		}
	}
}

// drawn is a random period with random breaks, allowed or not.
type drawn struct {
	start, end clock.Date
	breaks     []Break
}

var periods = rapid.Custom(func(t *rapid.T) drawn {
	p := drawn{start: clock.On(2000, 1, 1).AddDays(rapid.IntRange(0, 40000).Draw(t, "start"))}
	days := rapid.IntRange(0, 200).Draw(t, "days")
	p.end = p.start.AddDays(days)
	for range rapid.IntRange(0, 3).Draw(t, "breaks") {
		p.breaks = append(p.breaks, Break{
			Start: p.start.AddDays(rapid.IntRange(-20, days+20).Draw(t, "break")),
			Weeks: rapid.IntRange(-1, 4).Draw(t, "weeks"),
		})
	}
	return p
})

// allowed draws periods whose breaks Check accepts.
var allowed = periods.Filter(func(p drawn) bool { return Check(p.start, p.end, p.breaks) == nil })

func (p drawn) around(visit func(clock.Date)) {
	for d := p.start.AddDays(-60); !d.After(p.end.AddDays(60)); d = d.AddDays(1) {
		visit(d)
	}
}

func TestEveryDayHasOnePositionAndComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := periods.Draw(t, "period")
		c := New(p.start, p.end, p.breaks)
		seen := map[Position]bool{}
		p.around(func(d clock.Date) {
			pos := c.Position(d)
			if back, err := c.Date(pos); err != nil || back != d {
				t.Fatalf("%v is %v, which is %v (%v)", d, pos, back, err)
			}
			if parsed, err := Parse(pos.WeekText(), pos.DayText()); err != nil || parsed != pos {
				t.Fatalf("%v is read as %v (%v)", pos, parsed, err)
			}
			if seen[pos] {
				t.Fatalf("two days are %v", pos)
			}
			seen[pos] = true
		})
	})
}

// Counts the slow way: a walk over the Mondays, asking of each whether some
// break has taken it out.
func TestWeeksAreConsecutiveAndBreaksTakeTheirWeeksOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := allowed.Draw(t, "period")
		c := New(p.start, p.end, p.breaks)
		out := map[clock.Date]bool{}
		for _, b := range p.breaks {
			monday := b.Start
			for monday.Weekday() != time.Monday {
				monday = monday.AddDays(1)
			}
			for i := range 7 * b.Weeks {
				out[monday.AddDays(i)] = true
			}
		}
		week, begun := 0, false
		p.around(func(d clock.Date) {
			pos := c.Position(d)
			if out[d] != (pos.Break > 0) {
				t.Fatalf("%v is %v, taken out: %v", d, pos, out[d])
			}
			if pos.Day != d.Weekday() {
				t.Fatalf("%v is %v", d, pos)
			}
			if pos.Break > 0 {
				return
			}
			if d.Weekday() == time.Monday && begun {
				week++
			}
			if !begun {
				week, begun = pos.Week, true
			}
			if pos.Week != week {
				t.Fatalf("%v is week %d, expected %d", d, pos.Week, week)
			}
		})
		if pos := c.Position(p.start); pos.Break == 0 && pos.Week != 1 {
			t.Fatalf("the start is %v", pos)
		}
	})
}

func TestCarryThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := allowed.Draw(t, "from"), allowed.Draw(t, "to")
		from, to := New(a.start, a.end, a.breaks), New(b.start, b.end, b.breaks)
		a.around(func(d clock.Date) {
			pos, carried := from.Position(d), from.Carry(to, d)
			if carried.Weekday() != d.Weekday() {
				t.Fatalf("%v went to %v", d, carried)
			}
			landed := to.Position(carried)
			if _, err := to.Date(pos); err == nil && landed != pos {
				t.Fatalf("%v went to %v", pos, landed)
			}
			if landed == pos && to.Carry(from, carried) != d {
				t.Fatalf("%v does not come back", d)
			}
			if landed != pos && landed.Break != 0 {
				t.Fatalf("%v went to another break, %v", pos, landed)
			}
		})
	})
}

// A shift skips breaks, keeps the weekday, and is undone by the same one back.
func TestShift(t *testing.T) {
	for _, c := range []struct {
		day   string
		weeks int
		want  string
	}{
		{"2018-03-30", 1, "2018-04-13"}, // over the break of 2 to 8 April
		{"2018-04-13", -1, "2018-03-30"}, {"2018-03-06", 2, "2018-03-20"}, {"2018-04-03", 1, "2018-04-10"},
		{"2018-04-03", -1, "2018-03-27"}, {"2018-05-25", 3, "2018-06-15"}, {"2018-03-06", -2, "2018-02-20"},
	} {
		if got := first.Shift(day(c.day), c.weeks); got != day(c.want) {
			t.Errorf("%s by %d weeks is %s, not %s", c.day, c.weeks, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		at, weeks := first.monday.AddDays(rapid.IntRange(-100, 300).Draw(t, "day")), rapid.IntRange(-20, 20).Draw(t, "weeks")
		to := first.Shift(at, weeks)
		if to.Weekday() != at.Weekday() {
			t.Errorf("%s becomes %s", at, to)
		}
		if first.Position(at).Break == 0 && first.Shift(to, -weeks) != at {
			t.Errorf("%s by %d weeks and back is %s", at, weeks, first.Shift(to, -weeks))
		}
	})
}
