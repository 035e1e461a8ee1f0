package params

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/clock"
)

// scalar makes a setter of one that takes text and answers with what is wrong
// with it, nothing when it fits.
func scalar(set func(v reflect.Value, text string) string) setter {
	return func(d *decoding, v reflect.Value, n *node) {
		n = last(n)
		switch n.kind {
		case isNull:
			return
		case isText, isString:
			if n.text == "" && v.Kind() != reflect.String {
				return
			}
		case isFile:
			d.flaw("must be a value, not a file")
			return
		case isList, isObject:
			d.flaw("must be a single value")
			return
		}
		if wrong := set(v, n.text); wrong != "" {
			d.flaw(wrong)
		}
	}
}

// last is the value that counts where a form gives one name several times.
func last(n *node) *node {
	if n.kind == isRepeat {
		return &n.kids[len(n.kids)-1].node
	}
	return n
}

// setString takes text. It stays on one line unless the field's tag text says
// otherwise: "lines" for what people write at length, "any" for what is not shown,
// such as passwords.
func setString(enum []string, kind string) func(reflect.Value, string) string {
	wrong := "must be one of " + strings.Join(enum, ", ")
	return func(v reflect.Value, text string) string {
		if enum != nil && !slices.Contains(enum, text) {
			return wrong
		}
		if kind == "" && !bounds.FitsOneLine(text) {
			return "must be one line without control characters"
		}
		if kind == "lines" && !bounds.FitsLines(text) {
			return "must not hold control characters other than line breaks and tabs"
		}
		v.SetString(text)
		return ""
	}
}

func setBool(v reflect.Value, text string) string {
	switch strings.ToLower(text) {
	case "true", "t", "yes", "y", "on", "1":
		v.SetBool(true)
	case "false", "f", "no", "n", "off", "0":
		v.SetBool(false)
	default:
		return "must be true or false"
	}
	return ""
}

func setInt(v reflect.Value, text string) string {
	n, wrong := parseInt(text, v.Type().Bits())
	if wrong == "" {
		v.SetInt(n)
	}
	return wrong
}

// parseInt reads a whole number in base 10: digits, perhaps a minus, nothing
// else.
func parseInt(text string, bits int) (n int64, wrong string) {
	if text == "" || text[0] == '+' {
		return 0, "must be a whole number"
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err == nil {
		return n, ""
	}
	if errors.Is(err, strconv.ErrRange) {
		return 0, "is a number out of range"
	}
	return 0, "must be a whole number"
}

func setFloat(v reflect.Value, text string) string {
	// ParseFloat alone would also take inf, nan and hexadecimal.
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return "must be a number"
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		if errors.Is(err, strconv.ErrRange) {
			return "is a number out of range"
		}
		return "must be a number"
	}
	v.SetFloat(f)
	return ""
}

func setTime(v reflect.Value, text string) string {
	t, ok := parseTime(text)
	if !ok {
		return "must be a date and time such as 2026-03-02T04:05:06Z"
	}
	v.Set(reflect.ValueOf(t))
	return ""
}

// setInstant is setTime for the type that is stored, to the millisecond.
func setInstant(v reflect.Value, text string) string {
	var t time.Time
	reason := setTime(reflect.ValueOf(&t).Elem(), text)
	if reason == "" {
		v.Set(reflect.ValueOf(clock.At(t)))
	}
	return reason
}

func setDate(v reflect.Value, text string) string {
	d, ok := parseDate(text)
	if !ok {
		return "must be a date such as 2026-03-02"
	}
	v.Set(reflect.ValueOf(d))
	return ""
}
