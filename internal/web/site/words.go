package site

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strconv"
	"strings"

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
	words    map[string]string
	statuses map[status.Status]string // names
	grades   map[grade.Grade]string   // names
	dates    map[string]dateForm      // by the rest of their key
	ratings  []template.HTML          // what a rating is chosen from, by the one that is chosen
	pages    map[string]func() *template.Template
}

var english = func() *Language {
	l, err := LanguageOf("en")
	if err != nil {
		panic(err) // it is inside the program
	}
	return l
}()

// LanguageOf reads the language with a tag, which its file is named after.
func LanguageOf(tag string) (*Language, error) {
	if tags := Languages(); !slices.Contains(tags, tag) {
		return nil, fault.New(fault.Invalid, "There is no language %q: choose one of %s.", tag, strings.Join(tags, ", "))
	}
	data, err := wordFiles.ReadFile("words/" + tag + ".json")
	words := map[string]string{}
	if err == nil {
		err = json.Unmarshal(data, &words)
	}
	if err != nil {
		return nil, fmt.Errorf("read the words of %s: %w", tag, err)
	}
	return newLanguage(tag, words), nil
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

func newLanguage(tag string, words map[string]string) *Language {
	l := &Language{tag: tag, words: words, statuses: map[status.Status]string{}, grades: map[grade.Grade]string{}}
	for _, st := range status.All {
		l.statuses[st] = l.word("status." + string(st))
	}
	for g := grade.Lowest; g <= grade.Highest; g++ {
		l.grades[g] = l.word("grade." + strconv.Itoa(int(g)))
	}
	l.dates = dateForms(l)
	l.ratings = ratingOptions(l)
	l.pages = templatesIn(l)
	return l
}

// word gives the words of a key, with values put in. A key that is not there is a
// mistake of ours, and a test finds it.
func (l *Language) word(key string, values ...any) string {
	text, ok := l.words[key]
	if !ok {
		panic("site: there are no words for " + key)
	}
	if len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// some gives the words whose keys begin so, by the rest of the key, as JSON: a script
// has no words of its own.
func (l *Language) some(prefix string) string {
	some := map[string]string{}
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

// status names a status. What is none counts as not started, as in the domain.
func (l *Language) status(st status.Status) string {
	if name, ok := l.statuses[st]; ok {
		return name
	}
	return l.statuses[status.NotStarted]
}

// grade names a grade.
func (l *Language) grade(g grade.Grade) string {
	if name, ok := l.grades[g]; ok {
		return name
	}
	return l.word("grade.none")
}

// refusal is the heading of a page about a failure with this status.
func (l *Language) refusal(status int) string {
	if title, ok := l.words["error."+strconv.Itoa(status)]; ok {
		return title
	}
	return l.word("error.500")
}

// why tells how a due date came about, step by step.
func (l *Language) why(e due.Explanation) string {
	steps := []string{l.word("due.target", e.Target)}
	switch e.Extensions {
	case 0:
	case 1:
		steps = append(steps, l.word("due.extended-once", e.Extended))
	default:
		steps = append(steps, l.word("due.extended", e.Extensions, e.Extended))
	}
	if e.Capped {
		steps = append(steps, l.word("due.capped"))
	}
	return strings.Join(append(steps, l.word("due.until", e.Due, l.zone(e.Zone), e.Ends)), " ")
}

// zone names whose clock ends a day.
func (l *Language) zone(name string) string {
	if name == due.AnywhereOnEarth.String() {
		return l.word("due.anywhere")
	}
	return name
}
