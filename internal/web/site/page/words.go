package page

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// The words of the pages stand in one table per language, so that another
// language is another file. What the domain says of errors stays English.
//
//go:embed words/*.json
var wordFiles embed.FS

// Language is what pages speak: a table of words, the tag that browsers know it by, and
// what is made of the table once because pages ask for it often.
type Language struct {
	tag      string
	rules    language.Tag // of its numbers
	words    map[string]Text
	statuses map[status.Status]string // names
	grades   map[grade.Grade]string   // names
	dates    map[string]dateForm      // by the rest of their key
}

// English is what pages speak where nothing else is asked for.
var English = Speaking("en")

// Speaking gives a language that is inside the program.
func Speaking(tag string) *Language {
	l, err := LanguageOf(tag)
	if err != nil {
		panic(err)
	}
	return l
}

// LanguageOf reads the language with a tag, which its file is named after.
func LanguageOf(tag string) (*Language, error) {
	if tags := Languages(); !slices.Contains(tags, tag) {
		return nil, fault.New(fault.Invalid, "There is no language %q: choose one of %s.", tag, strings.Join(tags, ", "))
	}
	data, err := wordFiles.ReadFile("words/" + tag + ".json")
	words := map[string]Text{}
	if err == nil {
		err = json.Unmarshal(data, &words)
	}
	if err != nil {
		return nil, fmt.Errorf("read the words of %s: %w", tag, err)
	}
	return NewLanguage(tag, words), nil
}

// Languages lists the tags of the languages there are.
func Languages() (tags []string) {
	files, err := wordFiles.ReadDir("words")
	if err != nil {
		panic(err) // it is inside the program
	}
	for _, f := range files {
		tags = append(tags, strings.TrimSuffix(f.Name(), path.Ext(f.Name())))
	}
	return tags
}

// NewLanguage makes a language of a table of words.
func NewLanguage(tag string, words map[string]Text) *Language {
	l := &Language{tag: tag, rules: language.Make(tag), words: words, statuses: map[status.Status]string{},
		grades: map[grade.Grade]string{}}
	for _, st := range status.All {
		l.statuses[st] = l.Word("status." + string(st))
	}
	for g := grade.Lowest; g <= grade.Highest; g++ {
		l.grades[g] = l.Word("grade." + strconv.Itoa(int(g)))
	}
	l.dates = dateForms(l)
	return l
}

// Word gives the words of a key, with values put in, in the form that the number among them asks
// for. A key that is not there is a mistake of ours, and a test finds it.
func (l *Language) Word(key string, values ...any) string {
	text, ok := l.words[key]
	if !ok {
		panic("site: there are no words for " + key)
	}
	return text.say(l.rules, values)
}

// some gives the words whose keys begin so, by the rest of the key, as JSON: a script
// has no words of its own.
func (l *Language) some(prefix string) string {
	some := map[string]Text{}
	for key, text := range l.words {
		if rest, found := strings.CutPrefix(key, prefix); found {
			some[rest] = text
		}
	}
	data, err := json.Marshal(some)
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
	if title, ok := l.words["error."+strconv.Itoa(status)]; ok {
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
