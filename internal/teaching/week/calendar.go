// Package week counts teaching weeks: which week of a teaching period a day
// lies in, and which day a week means.
//
// Calendar weeks begin on Monday. Week 1 is the calendar week that holds the
// start of the period. A break of n weeks takes out the n calendar weeks from
// its first Monday on or after its start; those are weeks of the break, not
// teaching weeks. Every day has exactly one Position and every Position at
// most one day, before the start and after the end too, so that dates survive
// an export and an import, and a rollover there and back.
package week

import (
	"cmp"
	"slices"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

// Break is a pause of whole weeks in a teaching period.
type Break struct {
	Start clock.Date
	Weeks int
}

// Calendar counts the weeks of one teaching period, or of a unit without one.
// The zero value counts from the beginning of time; build one with New.
type Calendar struct {
	monday clock.Date // of the calendar week that holds the start
	last   int        // calendar week of the end, counted from monday
	breaks []span
}

// span is a run of calendar weeks taken out by a break, counted from the
// calendar's first Monday: from inclusive, to exclusive.
type span struct{ from, to int }

// New builds the calendar of a period from its dates and its breaks in any
// order; a unit without a period has none. It never fails, so that stored data
// stays readable whatever happened to it: breaks that Check would refuse for
// taking the same weeks follow one another instead, one that begins before
// the period begins with it, and one of no weeks takes out none.
func New(start, end clock.Date, breaks []Break) Calendar {
	c := Calendar{monday: MondayOf(start)}
	c.last = c.index(end)
	free := 0
	for _, b := range inOrder(breaks) {
		from := max(c.index(firstMonday(b.Start)), free)
		free = from + max(b.Weeks, 0)
		c.breaks = append(c.breaks, span{from, free})
	}
	return c
}

// Weeks is how many teaching weeks the period has, the one that holds its end
// included.
func (c Calendar) Weeks() int { return max(c.taught(c.last+1)-1, 0) }

// Position tells where a day lies. It is exact for every day, also outside the
// period: weeks 0, -1, … come before the start, and the count runs on after
// the end.
func (c Calendar) Position(day clock.Date) Position {
	i := c.index(day)
	for k, s := range c.breaks {
		if i >= s.from && i < s.to {
			return Position{Break: k + 1, BreakWeek: i - s.from + 1, Day: day.Weekday()}
		}
	}
	return Position{Week: c.taught(i), Day: day.Weekday()}
}

// Date is the day at a position. It fails only for a break, or a week of one,
// that this calendar does not have.
func (c Calendar) Date(p Position) (clock.Date, error) {
	if p.Break == 0 {
		return c.day(c.untaught(p.Week), p.Day), nil
	}
	if p.Break < 0 || p.Break > len(c.breaks) {
		return clock.Date{}, fault.New(fault.Refused, "There is no break %d: the teaching period has %s.",
			p.Break, count(len(c.breaks), "break"))
	}
	s := c.breaks[p.Break-1]
	if p.BreakWeek < 1 || p.BreakWeek > s.to-s.from {
		return clock.Date{}, fault.New(fault.Refused, "Break %d has no week %d: it lasts %s.",
			p.Break, p.BreakWeek, count(s.to-s.from, "week"))
	}
	return c.day(s.from+p.BreakWeek-1, p.Day), nil
}

// Carry gives the day in another calendar that has the same position as day
// has in this one: how rollover moves dates. A day in a break the target does
// not have, or not for so long, goes to the same weekday of the first teaching
// week after that break.
func (c Calendar) Carry(to Calendar, day clock.Date) clock.Date {
	p := c.Position(day)
	if date, err := to.Date(p); err == nil {
		return date
	}
	after := c.taught(c.breaks[p.Break-1].to)
	if p.Break <= len(to.breaks) {
		after = to.taught(to.breaks[p.Break-1].to)
	}
	return to.day(to.untaught(after), p.Day)
}

// Shift gives the day so many teaching weeks later, or earlier, on the same weekday. From a day in a
// break the first week later is the one after the break, and the first one earlier that before it.
func (c Calendar) Shift(day clock.Date, weeks int) clock.Date {
	p := c.Position(day)
	if p.Break != 0 {
		p = Position{Week: c.taught(c.index(day)), Day: p.Day}
		if weeks > 0 {
			weeks--
		}
	}
	return c.day(c.untaught(p.Week+weeks), p.Day)
}

// index is the calendar week of a day, 0 for the one that holds the start.
func (c Calendar) index(day clock.Date) int {
	return MondayOf(day).DaysSince(c.monday) / 7
}

// day is the weekday of a calendar week.
func (c Calendar) day(index int, d time.Weekday) clock.Date {
	return c.monday.AddDays(7*index + sinceMonday(d))
}

// taught is the number of the teaching week that begins at a calendar week,
// or of the next one when a break takes that out.
func (c Calendar) taught(index int) int {
	n := index + 1
	for _, s := range c.breaks {
		if index >= s.from {
			n -= min(index, s.to) - s.from
		}
	}
	return n
}

// untaught is the calendar week of a teaching week.
func (c Calendar) untaught(week int) int {
	i := week - 1
	for _, s := range c.breaks {
		if i >= s.from {
			i += s.to - s.from
		}
	}
	return i
}

// Check tells whether a period may have these breaks: each of at least a week,
// inside the period from its start to its start plus its weeks, no two taking
// out the same calendar week. One break may follow right after another.
func Check(start, end clock.Date, breaks []Break) error {
	var last Break
	for i, b := range inOrder(breaks) {
		switch {
		case b.Weeks < 1:
			return fault.New(fault.Refused, "the break of %s must last at least one week", b.Start.Told())
		case b.Start.Before(start):
			return fault.New(fault.Refused, "the break of %s begins before the teaching period, which starts on %s",
				b.Start.Told(), start.Told())
		case b.Start.AddDays(7 * b.Weeks).After(end):
			return fault.New(fault.Refused, "the break of %s lasts %s and ends after the teaching period, which ends "+
				"on %s",
				b.Start.Told(), count(b.Weeks, "week"), end.Told())
		case i > 0 && firstMonday(b.Start).Before(firstMonday(last.Start).AddDays(7*last.Weeks)):
			return fault.New(fault.Refused, "the breaks of %s and %s take the same week: move one or make it shorter",
				last.Start.Told(), b.Start.Told())
		}
		last = b
	}
	return nil
}

// inOrder gives the breaks by their start: break 1 is the first of the period.
func inOrder(breaks []Break) []Break {
	return slices.SortedStableFunc(slices.Values(breaks), func(a, b Break) int {
		return cmp.Or(a.Start.Compare(b.Start.Time), cmp.Compare(a.Weeks, b.Weeks))
	})
}

func sinceMonday(d time.Weekday) int { return (int(d) + 6) % 7 }

// MondayOf is the first day of the calendar week that holds a day.
func MondayOf(day clock.Date) clock.Date { return day.AddDays(-sinceMonday(day.Weekday())) }

func firstMonday(day clock.Date) clock.Date { return MondayOf(day.AddDays(6)) }
