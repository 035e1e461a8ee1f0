package page

import (
	"embed"
	"encoding/json"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/words"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// The words of the pages stand in one table per language, so that another
// language is another file. What the domain says of errors stays English.
//
//go:embed words/*.json
var wordFiles embed.FS

// Language is what pages speak: a table of words, and what is made of it once because pages ask
// for it often.
type Language struct {
	*words.Table
	statuses map[status.Status]string // names
	grades   map[grade.Grade]string   // names
}

// English is what tests read.
var English = Speaking("en")

// Spoken is what pages speak where nothing else is asked for.
func Spoken() *Language {
	if English.Tag == words.Spoken {
		return English
	}
	return Speaking(words.Spoken)
}

// Speaking gives a language that is inside the program.
func Speaking(tag string) *Language {
	table, err := words.Read(wordFiles, tag)
	if err != nil {
		panic(err)
	}
	return NewLanguage(table)
}

// NewLanguage makes a language of a table of words.
func NewLanguage(table *words.Table) *Language {
	l := &Language{Table: table, statuses: map[status.Status]string{}, grades: map[grade.Grade]string{}}
	for _, st := range status.All {
		l.statuses[st] = l.Word("status." + string(st))
	}
	for g := grade.Lowest; g <= grade.Highest; g++ {
		l.grades[g] = l.Word("grade." + strconv.Itoa(int(g)))
	}
	return l
}

// some gives the words whose keys begin so, by the rest of the key, as JSON: a script
// has no words of its own.
func (l *Language) some(prefix string) string {
	data, err := json.Marshal(l.Some(prefix))
	if err != nil {
		panic(err) // text can always be written
	}
	return string(data)
}

// Status names a status. What is none counts as not started, as in the domain.
func (l *Language) Status(st status.Status) string {
	if name, ok := l.statuses[st]; ok {
		return name
	}
	return l.statuses[status.NotStarted]
}

// Grade names a grade.
func (l *Language) Grade(g grade.Grade) string {
	if name, ok := l.grades[g]; ok {
		return name
	}
	return l.Word("grade.none")
}

// Refusal is the heading of a page about a failure with this status.
func (l *Language) Refusal(status int) string {
	if title, ok := l.Text("error." + strconv.Itoa(status)); ok {
		return title.Plain
	}
	return l.Word("error.500")
}

// why tells how a due date came about, step by step.
func (l *Language) why(e due.Explanation) string {
	steps := []string{l.Word("due.target", l.dated(e.Target))}
	if e.Extensions > 0 {
		steps = append(steps, l.Word("due.extended", e.Extensions, l.dated(e.Extended)))
	}
	if e.Capped {
		steps = append(steps, l.Word("due.capped"))
	}
	return strings.Join(append(steps, l.Word("due.until", l.dated(e.Due), l.limits(e.Dates).Place)), " ")
}

func (l *Language) dated(d clock.Date) string { return l.Date("day-year", d.Time) }
