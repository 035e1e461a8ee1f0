package clock

import (
	"strconv"
	"time"
)

// Milli is an instant in milliseconds since 1970; 0: none. It is for those who read very many and only compare them.
type Milli int64

// Scan implements sql.Scanner.
func (m *Milli) Scan(src any) error {
	if *m = 0; src == nil {
		return nil
	}
	at, err := scan(src, time.RFC3339Nano)
	*m = Milli(at.UnixMilli())
	return err
}

// Time is the instant.
func (m Milli) Time() Time { return At(time.UnixMilli(int64(m))) }

// Milli is the instant in milliseconds.
func (t Time) Milli() Milli { return Milli(t.UnixMilli()) }

// Since is how long after another instant it is.
func (m Milli) Since(earlier Milli) time.Duration { return time.Duration(m-earlier) * time.Millisecond }

// ParseMilli reads an instant as a column holds it, or its milliseconds.
func ParseMilli(text string) (m Milli, err error) {
	if len(text) == len(instantLayout) && text[4] == '-' {
		if m, ok := milliOf(text); ok {
			return m, nil
		}
		return m, m.Scan(text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return Milli(n), err
}

// milliOf reads an instant as a column holds it, in a fraction of the time that package time takes, which is left to
// say what is wrong where it is none.
func milliOf(text string) (Milli, bool) {
	const shape = "dddd-dd-ddTdd:dd:dd.dddZ"
	var parts [7]int
	at := 0
	for i := range len(shape) {
		c := text[i]
		switch {
		case shape[i] == 'd' && c >= '0' && c <= '9':
			parts[at] = 10*parts[at] + int(c-'0')
		case shape[i] == 'd' || c != shape[i]:
			return 0, false
		default:
			at++
		}
	}
	year, month, day, hour, minute, second := parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]
	if month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	if day > 28 && time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() != day {
		return 0, false
	}
	return Milli((((daysTo(year, month, day)*24+hour)*60+minute)*60+second)*1000 + parts[6]), true
}

// daysTo are the days from 1970 to a day: years are counted from March, so that a leap day is the last of its year, and
// from 400 years earlier, so that none is negative.
func daysTo(year, month, day int) int {
	const to1970 = 719468 + 146097
	since := (month + 9) % 12 // months since March
	year += 400 - since/10
	return 365*year + year/4 - year/100 + year/400 + (306*since+5)/10 + day - 1 - to1970
}
