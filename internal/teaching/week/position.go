package week

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lectern/internal/ground/fault"
)

// Position is where a day lies in a period: a teaching week and a weekday, or
// a week of a break and a weekday. Break and BreakWeek count from 1 and are 0
// in teaching weeks; Week is 0 or less before the period, and 0 in a break.
type Position struct {
	Week      int
	Break     int
	BreakWeek int
	Day       time.Weekday
}

// WeekText writes the week without the weekday: "5", or "B1.2" for the second
// week of the first break.
func (p Position) WeekText() string {
	if p.Break == 0 {
		return strconv.Itoa(p.Week)
	}
	return fmt.Sprintf("B%d.%d", p.Break, p.BreakWeek)
}

// DayText writes the weekday in three letters.
func (p Position) DayText() string { return p.Day.String()[:3] }

// String writes the week and the day, as sheets have them: "4 Tue".
func (p Position) String() string { return p.WeekText() + " " + p.DayText() }

// farthest bounds the weeks Parse takes, so that a slip of the keyboard cannot
// name a year no calendar has.
const farthest = 1000

// Parse reads what WeekText and DayText write, in any case and with spaces
// around; weekdays also by their full names.
func Parse(weekText, dayText string) (Position, error) {
	p, ok := parseWeek(strings.ToUpper(strings.TrimSpace(weekText)))
	if !ok {
		return Position{}, fault.New(fault.Invalid,
			"%q is not a week: write a number such as 5, or B1.2 for the second week of the first break", weekText)
	}
	day, ok := parseDay(strings.TrimSpace(dayText))
	if !ok {
		return Position{}, fault.New(fault.Invalid, "%q is not a weekday: write Mon, Tue, Wed, Thu, Fri, Sat or Sun",
			dayText)
	}
	p.Day = day
	return p, nil
}

func parseWeek(text string) (Position, bool) {
	pause, inBreak := strings.CutPrefix(text, "B")
	if !inBreak {
		n, err := strconv.Atoi(text)
		return Position{Week: n}, err == nil && n >= -farthest && n <= farthest
	}
	k, j, _ := strings.Cut(pause, ".")
	p := Position{}
	var err, err2 error
	p.Break, err = strconv.Atoi(k)
	p.BreakWeek, err2 = strconv.Atoi(j)
	return p, err == nil && err2 == nil && p.Break >= 1 && p.BreakWeek >= 1
}

func parseDay(text string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if name := d.String(); strings.EqualFold(text, name) || strings.EqualFold(text, name[:3]) {
			return d, true
		}
	}
	return 0, false
}

func count(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun
	case 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
