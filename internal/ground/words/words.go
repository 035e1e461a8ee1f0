// Package words holds what the service says to people as tables, one per language: texts by keys, with
// the forms that the rules of the language give to numbers, and forms of dates. It knows no text itself;
// whoever speaks brings the files.
package words

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"lectern/internal/ground/fault"
)

// Spoken is the language that pages and emails are in: the tag that its files are named after.
const Spoken = "en"

// folder is where the tables stand, beside the code that says their words.
const folder = "words"

// Table is the words of a language, with the tag that browsers and mail programs know it by.
type Table struct {
	Tag   string
	rules language.Tag // of its numbers
	texts map[string]Text
	dates map[string]dateForm // by the rest of their key
}

// New makes a table of texts by their keys.
func New(tag string, texts map[string]Text) *Table {
	t := &Table{Tag: tag, rules: language.Make(tag), texts: texts}
	t.dates = dateForms(t)
	return t
}

// Read reads the table of a language from files, which are inside the program. A language that is not
// among them is refused.
func Read(files fs.FS, tag string) (*Table, error) {
	if tags := Tags(files); !slices.Contains(tags, tag) {
		return nil, fault.New(fault.Invalid, "There is no language %q: choose one of %s.", tag, strings.Join(tags, ", "))
	}
	texts := map[string]Text{}
	data, err := fs.ReadFile(files, path.Join(folder, tag+".json"))
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err != nil {
		return nil, fmt.Errorf("read the words of %s: %w", tag, err)
	}
	return New(tag, texts), nil
}

// Tags lists the tags of the languages that files hold.
func Tags(files fs.FS) (tags []string) {
	list, err := fs.ReadDir(files, folder)
	if err != nil {
		panic(err) // it is inside the program
	}
	for _, f := range list {
		tags = append(tags, strings.TrimSuffix(f.Name(), path.Ext(f.Name())))
	}
	return tags
}

// Word gives the words of a key, with values put in, in the form that the number among them asks
// for. A key that is not there is a mistake of ours, and a test finds it.
func (t *Table) Word(key string, values ...any) string {
	text, ok := t.texts[key]
	if !ok {
		panic("words: there are none for " + key)
	}
	return text.say(t.rules, values)
}

// Text gives what the table holds for a key.
func (t *Table) Text(key string) (text Text, ok bool) {
	text, ok = t.texts[key]
	return text, ok
}

// Some gives the words whose keys begin so, by the rest of the key.
func (t *Table) Some(prefix string) map[string]Text {
	some := map[string]Text{}
	for key, text := range t.texts {
		if rest, found := strings.CutPrefix(key, prefix); found {
			some[rest] = text
		}
	}
	return some
}
