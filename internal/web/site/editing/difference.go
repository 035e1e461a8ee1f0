// Package editing is what pages share on which one record is edited that colleagues may edit, too: what a
// form changed against what it was read with, and the fields again with both values where they clash.
package editing

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

// Difference takes what one form has and another has not, or all it has, and keeps what is wrong with it.
type Difference struct {
	Wrong fault.Fields
	All   bool
}

// Differs tells whether a value is to be taken.
func (r *Difference) Differs(now, other string) bool { return r.All || now != other }

// Text takes a text of lines as one, however browsers end them.
func (r *Difference) Text(to **string, now, other string) {
	now = strings.ReplaceAll(now, "\r\n", "\n")
	if r.Differs(now, strings.ReplaceAll(other, "\r\n", "\n")) {
		*to = &now
	}
}

// Flag takes whether something is on.
func (r *Difference) Flag(to **bool, now, other bool) {
	if r.All || now != other {
		*to = &now
	}
}

// Day takes a date, as a browser writes it.
func (r *Difference) Day(name string, to **clock.Date, now, other string) {
	if !r.Differs(now, other) {
		return
	}
	d, err := clock.ParseDate(now)
	if err != nil {
		r.Wrong.Add(name, "must be a date")
		return
	}
	*to = &d
}

// Whole takes a whole number.
func (r *Difference) Whole(name string, to **int64, now, other string) {
	if !r.Differs(now, other) {
		return
	}
	n, err := strconv.ParseInt(strings.TrimSpace(now), 10, 64)
	if err != nil {
		r.Wrong.Add(name, "must be a whole number")
		return
	}
	*to = &n
}

// OrElse takes a whole number, which none stands for where nothing is typed.
func (r *Difference) OrElse(name string, to **int64, none int64, now, other string) {
	if now = strings.TrimSpace(now); now == "" && r.Differs(now, other) {
		*to = &none
		return
	}
	r.Whole(name, to, now, other)
}

// Onto gives the fields of a form with what is there now wherever nobody typed: where they still hold
// what was read.
func Onto[T any](typed, read, now T) T {
	mine, before, is := reflect.ValueOf(&typed).Elem(), reflect.ValueOf(read), reflect.ValueOf(now)
	for i := range mine.NumField() {
		if reflect.DeepEqual(mine.Field(i).Interface(), before.Field(i).Interface()) {
			mine.Field(i).Set(is.Field(i))
		}
	}
	return typed
}

// Pack writes what the fields of a form held when they were read, for the form to send back.
// Whatever people wrote, it is one line.
func Pack(form any) (string, error) {
	text, err := json.Marshal(form)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// Parse reads what Pack wrote.
func Parse[T any](text string) (*T, error) {
	f := new(T)
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(plain, f)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "The form is not complete. Open the page again.")
	}
	return f, nil
}
