// Package clock tells the time, lets a test tell it instead, and holds the two
// shapes of time the service stores and shows: an instant and a calendar day.
package clock

import (
	"database/sql/driver"
	_ "embed" // the names of zones
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Clock gives the present moment.
type Clock func() time.Time

// Real is the machine's clock, in UTC and to the millisecond the service
// stores and shows, so that what is written equals what is read back.
func Real() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

const (
	instantLayout = "2006-01-02T15:04:05.000Z"
	dateLayout    = "2006-01-02"
)

// Time is an instant in UTC to the millisecond. It is text of fixed width in
// SQLite, where it therefore sorts and compares as it should, and TIMESTAMPTZ
// in PostgreSQL.
type Time struct{ time.Time }

// At makes a Time of t.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// String gives the form the service shows and stores.
func (t Time) String() string { return t.UTC().Format(instantLayout) }

// Value implements driver.Valuer.
func (t Time) Value() (driver.Value, error) { return t.String(), nil }

// Scan implements sql.Scanner.
func (t *Time) Scan(src any) error {
	at, err := scan(src, time.RFC3339Nano)
	*t = At(at)
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(instantLayout)+2)
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, instantLayout)
	return append(b, '"'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(b []byte) error {
	var at time.Time
	err := json.Unmarshal(b, &at)
	*t = At(at)
	return err
}

// Date is a calendar day: midnight UTC inside, without a time of day outside.
type Date struct{ time.Time }

// Day gives the calendar day of t in t's own zone.
func Day(t time.Time) Date { return On(t.Year(), t.Month(), t.Day()) }

// On gives the day y-m-d.
func On(y int, m time.Month, d int) Date {
	return Date{time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

// ParseDate reads 2006-01-02.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(dateLayout, s)
	return Date{t}, err
}

// AddDays gives the day n days later.
func (d Date) AddDays(n int) Date { return Date{d.AddDate(0, 0, n)} }

// DaysSince counts the days from e to d. It does not subtract the times, since a
// Duration ends at 292 years.
func (d Date) DaysSince(e Date) int { return int((d.Unix() - e.Unix()) / (24 * 60 * 60)) }

// Before and After compare days.
func (d Date) Before(e Date) bool { return d.Time.Before(e.Time) }

// After tells whether d is later than e.
func (d Date) After(e Date) bool { return d.Time.After(e.Time) }

// String gives 2006-01-02.
func (d Date) String() string { return d.Format(dateLayout) }

// Value implements driver.Valuer.
func (d Date) Value() (driver.Value, error) { return d.String(), nil }

// Scan implements sql.Scanner.
func (d *Date) Scan(src any) error {
	t, err := scan(src, dateLayout)
	*d = On(t.Year(), t.Month(), t.Day())
	return err
}

// MarshalJSON implements json.Marshaler.
func (d Date) MarshalJSON() ([]byte, error) { return []byte(`"` + d.String() + `"`), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (d *Date) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	at, err := ParseDate(s)
	*d = at
	return err
}

// scan reads what the engines hand over: PostgreSQL a time, SQLite text.
func scan(src any, layout string) (time.Time, error) {
	switch v := src.(type) {
	case time.Time:
		return v.UTC(), nil
	case string:
		return time.Parse(layout, v)
	case []byte:
		return time.Parse(layout, string(v))
	}
	return time.Time{}, fmt.Errorf("cannot read a time from %T", src)
}

// Zone is the time zone of a name, as a unit has one; nil where there is none, or none that
// this machine knows.
func Zone(name *string) *time.Location {
	if name == nil || *name == "" {
		return nil
	}
	if zone, ok := zones.Load(*name); ok {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(*name)
	if err != nil {
		return nil
	}
	zones.Store(*name, zone)
	return zone
}

// zones are those asked for so far: a page asks for one in every row, and package time would
// read a file each time.
var zones sync.Map

// IsZone tells whether name is in the zone database. The names that mean
// something else on every machine are none.
func IsZone(name string) bool {
	return name != "Local" && utf8.ValidString(name) && Zone(&name) != nil
}

//go:embed zones.txt
var zoneNames string

// Zones are the names of zones to choose from: one for each place whose clocks went their own way
// since 1970. There are more names, which IsZone knows.
func Zones() []string { return strings.Fields(zoneNames) }
