package page

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dateForm is a form of dates and times with the names of its language. It is written as
// a layout of package time; January, Jan, Monday and Mon stand for names of the table.
type dateForm []datePart

// datePart is a part of a form: a name, or a layout without names.
type datePart struct {
	layout   string
	months   *[12]string
	weekdays *[7]string // from Sunday on, as package time counts
}

var dateName = regexp.MustCompile(`January|Jan|Monday|Mon`)

// dateForms are the forms of a language by the rest of their keys.
func dateForms(l *Language) map[string]dateForm {
	months, shortMonths := &[12]string{}, &[12]string{}
	for i := range months {
		months[i], shortMonths[i] = l.Word("month."+strconv.Itoa(i+1)), l.Word("month-short."+strconv.Itoa(i+1))
	}
	weekdays, shortWeekdays := &[7]string{}, &[7]string{}
	for i := 1; i <= 7; i++ { // weeks begin on Monday
		weekdays[i%7], shortWeekdays[i%7] = l.Word("weekday."+strconv.Itoa(i)), l.Word("weekday-short."+strconv.Itoa(i))
	}
	named := map[string]datePart{"January": {months: months}, "Jan": {months: shortMonths},
		"Monday": {weekdays: weekdays}, "Mon": {weekdays: shortWeekdays}}
	forms := map[string]dateForm{}
	for key, layout := range l.words {
		if name, found := strings.CutPrefix(key, "date."); found {
			forms[name] = newDateForm(layout.Plain, named)
		}
	}
	return forms
}

func newDateForm(layout string, named map[string]datePart) (f dateForm) {
	at := 0
	for _, place := range dateName.FindAllStringIndex(layout, -1) {
		f = append(f, datePart{layout: layout[at:place[0]]}, named[layout[place[0]:place[1]]])
		at = place[1]
	}
	return append(f, datePart{layout: layout[at:]})
}

func (f dateForm) of(t time.Time) string {
	var room [64]byte
	b := room[:0]
	for i := range f {
		switch p := &f[i]; {
		case p.months != nil:
			b = append(b, p.months[t.Month()-1]...)
		case p.weekdays != nil:
			b = append(b, p.weekdays[t.Weekday()]...)
		case p.layout != "":
			b = t.AppendFormat(b, p.layout)
		}
	}
	return string(b)
}

// Date writes a time in a form of the table.
func (l *Language) Date(form string, t time.Time) string {
	f, ok := l.dates[form]
	if !ok {
		panic("site: there is no form of dates " + form)
	}
	return f.of(t)
}
