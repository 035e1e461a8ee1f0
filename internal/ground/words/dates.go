package words

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

// dateForms are the forms of a table by the rest of their keys.
func dateForms(t *Table) map[string]dateForm {
	forms := map[string]dateForm{}
	for key, layout := range t.texts {
		if name, found := strings.CutPrefix(key, "date."); found {
			forms[name] = t.newDateForm(layout.Plain)
		}
	}
	return forms
}

func (t *Table) newDateForm(layout string) (f dateForm) {
	at := 0
	for _, place := range dateName.FindAllStringIndex(layout, -1) {
		f = append(f, datePart{layout: layout[at:place[0]]}, t.named(layout[place[0]:place[1]]))
		at = place[1]
	}
	return append(f, datePart{layout: layout[at:]})
}

// named is the part of a form that package time calls so.
func (t *Table) named(name string) (p datePart) {
	key := map[string]string{"January": "month.", "Jan": "month-short.",
		"Monday": "weekday.", "Mon": "weekday-short."}[name]
	if strings.HasPrefix(key, "month") {
		p.months = &[12]string{}
		for i := range p.months {
			p.months[i] = t.Word(key + strconv.Itoa(i+1))
		}
		return p
	}
	p.weekdays = &[7]string{}
	for i := 1; i <= 7; i++ { // weeks begin on Monday
		p.weekdays[i%7] = t.Word(key + strconv.Itoa(i))
	}
	return p
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
func (t *Table) Date(form string, at time.Time) string {
	f, ok := t.dates[form]
	if !ok {
		panic("words: there is no form of dates " + form)
	}
	return f.of(at)
}
