package site

import (
	"embed"
	"encoding/json"
	"fmt"
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
