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
		return m, m.Scan(text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return Milli(n), err
}
