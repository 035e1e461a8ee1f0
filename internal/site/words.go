package site

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

// The words of the pages stand in one table per language, so that another
// language is another file. What the domain says of errors stays English.
//
//go:embed words/en.json
var wordFiles embed.FS

var words = func() map[string]string {
	data, err := wordFiles.ReadFile("words/en.json")
	out := map[string]string{}
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		panic(err) // it is inside the program
	}
	return out
}()

// word gives the words of a key, with values put in. A key that is not there is a
// mistake of ours, and a test finds it.
func word(key string, values ...any) string {
	text, ok := words[key]
	if !ok {
		panic("site: there are no words for " + key)
	}
	if len(values) == 0 {
		return text
	}
	return fmt.Sprintf(text, values...)
}

// wordsOf gives the words whose keys begin so, by the rest of the key, as JSON: a
// script has no words of its own.
func wordsOf(prefix string) (string, error) {
	some := map[string]string{}
	for key, text := range words {
		if rest, found := strings.CutPrefix(key, prefix); found {
			some[rest] = text
		}
	}
	data, err := json.Marshal(some)
	return string(data), err
}
