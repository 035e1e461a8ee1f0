package week

import (
	"testing"
	"time"

	"lectern/internal/ground/fault"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		week, day string
		want      Position
	}{
		{"5", "Mon", Position{Week: 5, Day: time.Monday}},
		{" 12 ", " sunday ", Position{Week: 12, Day: time.Sunday}},
		{"-1", "THU", Position{Week: -1, Day: time.Thursday}},
		{"0", "Wednesday", Position{Day: time.Wednesday}},
		{"B1.1", "tue", Position{Break: 1, BreakWeek: 1, Day: time.Tuesday}},
		{"b2.10", "Sat", Position{Break: 2, BreakWeek: 10, Day: time.Saturday}},
	} {
		if got, err := Parse(c.week, c.day); err != nil || got != c.want {
			t.Errorf("%q %q gave %+v (%v)", c.week, c.day, got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range [][2]string{
		{"", "Mon"}, {"5", ""}, {"5.5", "Mon"}, {"five", "Mon"}, {"5", "Mo"}, {"5", "Mondays"}, {"B1", "Mon"},
		{"B", "Mon"},
		{"B.1", "Mon"}, {"B0.1", "Mon"}, {"B1.0", "Mon"}, {"B1.-1", "Mon"}, {"B1.1.1", "Mon"}, {"1001", "Mon"},
		{"99999999999999999999", "Mon"},
	} {
		if got, err := Parse(c[0], c[1]); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q %q gave %v, %v", c[0], c[1], got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("5", "Mon")
	f.Add("B1.2", "sunday")
	c := period("2026-03-02", "2026-06-26", rest("2026-04-06", 2))
	f.Fuzz(func(t *testing.T, week, weekday string) {
		p, err := Parse(week, weekday)
		if err != nil {
			return
		}
		if again, err := Parse(p.WeekText(), p.DayText()); err != nil || again != p {
			t.Errorf("%v is read as %v (%v)", p, again, err)
		}
		if date, err := c.Date(p); err == nil && c.Position(date) != p {
			t.Errorf("%v is on %v, which is %v", p, date, c.Position(date))
		}
	})
}
