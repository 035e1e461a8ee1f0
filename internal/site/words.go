package site

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// The words of the pages stand in one table per language, so that another
// language is another file. What the domain says of errors stays English.
//
//go:embed words/en.json
var wordFiles embed.FS

// language is a table of words with the tag of its language, as browsers know it.
type language struct {
	tag   string
	words map[string]string
}

var english = func() *language {
	l, err := readLanguage(wordFiles, "words/en.json")
	if err != nil {
		panic(err) // it is inside the program
	}
	return l
}()

// readLanguage reads a table, whose file is named after the tag of its language.
func readLanguage(files fs.FS, name string) (*language, error) {
	data, err := fs.ReadFile(files, name)
	l := &language{tag: strings.TrimSuffix(path.Base(name), ".json")}
	if err == nil {
		err = json.Unmarshal(data, &l.words)
	}
	return l, err
}

// word gives the words of a key, with values put in. A key that is not there is a
// mistake of ours, and a test finds it.
func (l *language) word(key string, values ...any) string {
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
func (l *language) some(prefix string) string {
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

// word gives words of the language that pages speak.
func word(key string, values ...any) string { return english.word(key, values...) }
