package sheet

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// format is what matters of a number format for reading: whether a number is
// a date, a share or an identifier with leading zeros. Separators of
// thousands, currencies and colours are left out, since they only get in the
// way of reading the number again.
type format struct {
	date, time bool
	percent    bool
	decimals   int // of a percentage
	digits     int // leading zeros up to this many digits
}

// ornament is the part of a format code that does not say what the number is:
// quoted and escaped text, colours and conditions.
var ornament = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)

func parseFormat(code string) format {
	elapsed := strings.Contains(strings.ToLower(code), "[h") // hours beyond 24 are no time of day
	code = strings.ToLower(ornament.ReplaceAllString(code, ""))
	code, _, _ = strings.Cut(code, ";")
	if elapsed || strings.Contains(code, "general") || strings.Contains(code, "@") {
		return format{}
	}
	f := format{date: strings.ContainsAny(code, "yd"), time: strings.ContainsAny(code, "hs")}
	if !f.date && !f.time {
		f.date = strings.Contains(code, "m")
	}
	whole, fraction, _ := strings.Cut(code, ".")
	f.percent, f.decimals = strings.Contains(code, "%"), strings.Count(fraction, "0")
	if code == whole && len(code) > 1 && strings.Trim(code, "0") == "" {
		f.digits = len(code)
	}
	return f
}

// builtinFormat gives the formats a workbook uses without spelling them out.
func builtinFormat(id int) format {
	switch {
	case id == 9 || id == 10:
		return format{percent: true, decimals: 2 * (id - 9)}
	case id == 22:
		return format{date: true, time: true}
	case id >= 14 && id <= 17, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 58:
		return format{date: true}
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47:
		return format{time: true}
	}
	return format{}
}

// show gives a stored number as text. Dates come as 2026-03-09, whatever the
// sheet's own style, because 3/9/26 means two days; times as 14:30.
func (f format) show(value string, since04 bool) string {
	v, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
		return value
	case (f.date || f.time) && v >= 0 && v < lastDay:
		return f.moment(v, since04)
	case f.percent:
		return strconv.FormatFloat(v*100, 'f', min(f.decimals, 15), 64) + "%"
	case f.digits > 0 && v >= 0 && v == math.Trunc(v) && v < 1e15:
		digits := strconv.FormatFloat(v, 'f', 0, 64)
		return strings.Repeat("0", max(0, min(f.digits, 32)-len(digits))) + digits
	}
	return plain(v)
}

const lastDay = 2958466 // the day after 9999-12-31

func (f format) moment(days float64, since04 bool) string {
	day := math.Floor(days)
	seconds := math.Round((days - day) * 86400)
	t := time.Date(1899, 12, 30, 0, 0, int(seconds), 0, time.UTC)
	switch {
	case since04:
		t = t.AddDate(4, 0, 2)
	case day < 60: // the day count has a 29 February 1900 that never was
		t = t.AddDate(0, 0, 1)
	}
	t = t.AddDate(0, 0, int(day))
	clock := "15:04"
	if t.Second() != 0 {
		clock = time.TimeOnly
	}
	switch {
	case f.date && f.time:
		return t.Format(time.DateOnly + " " + clock)
	case f.date:
		return t.Format(time.DateOnly)
	}
	return t.Format(clock)
}

// plain writes a number with the 15 digits a spreadsheet shows, so that
// 0.1+0.2 reads 0.3, and whole numbers without a point.
func plain(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if a := math.Abs(v); a != 0 && (a >= 1e21 || a < 1e-9) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
