package unit

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
)

// difference takes what one form has and another has not, or all it has, and keeps what is wrong with it.
type difference struct {
	wrong fault.Fields
	all   bool
}

func (r *difference) differs(now, other string) bool { return r.all || now != other }

// text takes a text of lines as one, however browsers end them.
func (r *difference) text(to **string, now, other string) {
	now = strings.ReplaceAll(now, "\r\n", "\n")
	if r.differs(now, strings.ReplaceAll(other, "\r\n", "\n")) {
		*to = &now
	}
}

func (r *difference) flag(to **bool, now, other bool) {
	if r.all || now != other {
		*to = &now
	}
}

func (r *difference) day(name string, to **clock.Date, now, other string) {
	if !r.differs(now, other) {
		return
	}
	d, err := clock.ParseDate(now)
	if err != nil {
		r.wrong.Add(name, "must be a date")
		return
	}
	*to = &d
}

func (r *difference) whole(name string, to **int64, now, other string) {
	if !r.differs(now, other) {
		return
	}
	n, err := strconv.ParseInt(strings.TrimSpace(now), 10, 64)
	if err != nil {
		r.wrong.Add(name, "must be a whole number")
		return
	}
	*to = &n
}

// onto gives the fields of a form with what is there now wherever nobody typed: where they still hold
// what was read.
func onto[T any](typed, read, now T) T {
	mine, before, is := reflect.ValueOf(&typed).Elem(), reflect.ValueOf(read), reflect.ValueOf(now)
	for i := range mine.NumField() {
		if reflect.DeepEqual(mine.Field(i).Interface(), before.Field(i).Interface()) {
			mine.Field(i).Set(is.Field(i))
		}
	}
	return typed
}

// packSeen writes what the fields of a form held when they were read, for the form to send back.
// Whatever people wrote, it is one line.
func packSeen(form any) (string, error) {
	text, err := json.Marshal(form)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// parseSeen reads what packSeen wrote.
func parseSeen[T any](text string) (*T, error) {
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
