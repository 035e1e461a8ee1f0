package course

import (
	"fmt"
	"reflect"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
)

// Clashes notes the values of u that somebody else changed since whoever makes the change saw
// them, to something else than they are to be. Of what seen does not have nothing is said: it
// may be changed whatever it was.
func (c UnitChange) Clashes(u Unit, seen UnitChange, wrong *fault.Fields) {
	before := seen.over(u)
	after := c.over(before)
	is, was, to := db.Values(&u, UnitColumns), db.Values(&before, UnitColumns), db.Values(&after, UnitColumns)
	for i, name := range UnitColumns {
		Clash(wrong, name, is[i], was[i], to[i])
	}
}

// Clash notes a value that somebody changed while somebody else was about to change it, too: what
// it is, what it was when they saw it, what it is to be.
func Clash(wrong *fault.Fields, name string, is, was, to any) {
	now, before, after := said(is), said(was), said(to)
	wrong.When(after != before && now != before && now != after, name, "was changed in the meantime: it is %s", now)
}

// clashed is Clash of a value that may not have been seen, or is not to change.
func clashed[T any](wrong *fault.Fields, name string, is T, seen, to *T) {
	if seen != nil && to != nil {
		Clash(wrong, name, is, *seen, *to)
	}
}

// said tells a value in words.
func said(v any) string {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return "not set"
		}
		v = r.Elem().Interface()
	}
	switch v := v.(type) {
	case clock.Date:
		return v.Told()
	case clock.Time:
		return clock.Day(v.Time).Told()
	case bool:
		if v {
			return "on"
		}
		return "off"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
