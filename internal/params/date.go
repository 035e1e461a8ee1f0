package params

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Date is a calendar day: midnight UTC of that day. Text with a time part is
// cut to the day as written, whatever its offset.
type Date struct{ time.Time }

// DateOf is the calendar day of t as t's own location has it.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

// String is the day as 2006-01-02.
func (d Date) String() string { return d.Format(time.DateOnly) }

// MarshalText gives the day as 2006-01-02.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalJSON gives the day as "2006-01-02".
func (d Date) MarshalJSON() ([]byte, error) { return []byte(`"` + d.String() + `"`), nil }

// UnmarshalText reads a day, or a date-time whose time part it drops.
func (d *Date) UnmarshalText(b []byte) error {
	day, ok := parseDate(string(b))
	if !ok {
		return fmt.Errorf("%q is not a date such as 2026-03-02", b)
	}
	*d = day
	return nil
}

// UnmarshalJSON reads a JSON string as UnmarshalText does; null changes nothing.
func (d *Date) UnmarshalJSON(b []byte) error {
	var s *string
	if err := json.Unmarshal(b, &s); err != nil || s == nil {
		return err
	}
	return d.UnmarshalText([]byte(*s))
}

// Scan reads a date column: a time, or text that begins with 2006-01-02. A
// column that may be null is scanned into a *Date.
func (d *Date) Scan(src any) error {
	switch x := src.(type) {
	case time.Time:
		*d = DateOf(x)
		return nil
	case string:
		return d.scanText(x)
	case []byte:
		return d.scanText(string(x))
	case nil:
		return errors.New("null where a date is needed")
	}
	return fmt.Errorf("cannot read a date from %T", src)
}

func (d *Date) scanText(s string) error {
	if len(s) < len(time.DateOnly) {
		return fmt.Errorf("%q is not a date", s)
	}
	t, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)])
	if err != nil {
		return fmt.Errorf("%q is not a date", s)
	}
	d.Time = t
	return nil
}

// Value stores the day as the text 2006-01-02, which both databases compare
// and sort rightly.
func (d Date) Value() (driver.Value, error) { return d.String(), nil }

// parseDate reads a day, alone or at the head of an RFC 3339 date-time.
func parseDate(s string) (Date, bool) {
	if len(s) > len(time.DateOnly) {
		if _, ok := parseTime(s); !ok {
			return Date{}, false
		}
		s = s[:len(time.DateOnly)]
	}
	t, err := time.Parse(time.DateOnly, s)
	return Date{t}, err == nil && t.Year() >= 1
}

// parseTime reads an RFC 3339 date-time, or a bare date as midnight UTC.
func parseTime(s string) (time.Time, bool) {
	if len(s) == len(time.DateOnly) {
		d, ok := parseDate(s)
		return d.Time, ok
	}
	// time.Parse also takes an hour of one digit, which RFC 3339 does not.
	if len(s) < len("2006-01-02T15:04:05Z") || s[13] != ':' {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, s)
	t = t.UTC()
	return t, err == nil && t.Year() >= 1 && t.Year() <= 9999
}
