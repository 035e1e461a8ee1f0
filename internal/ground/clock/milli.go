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
	month, day, hour, minute, second := time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5]
	t := time.Date(parts[0], month, day, hour, minute, second, 1e6*parts[6], time.UTC)
	there := t.Month() == month && t.Day() == day && hour < 24 && minute < 60 && second < 60
	return Milli(t.UnixMilli()), there
}
