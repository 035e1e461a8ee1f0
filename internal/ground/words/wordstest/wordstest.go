// Package wordstest holds the tables of words to what every language needs, and makes a language of
// which each word can be told from what people wrote.
package wordstest

import (
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"lectern/internal/ground/words"
)

// Tables reads the tables of all languages by their tags. English must be among them.
func Tables(t *testing.T, files fs.FS) map[string]*words.Table {
	t.Helper()
	out := map[string]*words.Table{}
	for _, tag := range words.Tags(files) {
		table, err := words.Read(files, tag)
		if err != nil {
			t.Fatal(err)
		}
		out[tag] = table
	}
	if out["en"] == nil {
		t.Fatal("there is no English")
	}
	return out
}

// Complete fails where a language lacks words for what English has words for, has others, or has other
// values in them.
func Complete(t *testing.T, files fs.FS) {
	t.Helper()
	all := Tables(t, files)
	english := all["en"].Some("")
	for tag, table := range all {
		theirs := table.Some("")
		for key, text := range english {
			own, ok := theirs[key]
			if !ok {
				t.Errorf("%s says nothing for %s: %q", tag, key, text.Plain+text.Other)
			}
			want := words.Verbs(text.Plain + text.Other)
			own.None = "" // it needs no number
			own.Each(func(form string) string {
				if !slices.Equal(words.Verbs(form), want) {
					t.Errorf("%s says %q for %s, with other values than %q", tag, form, key, text.Plain+text.Other)
				}
				return form
			})
		}
		for key := range theirs {
			if _, ok := english[key]; !ok {
				t.Errorf("%s has words that nobody says: %s", tag, key)
			}
		}
	}
	if _, err := words.Read(files, "xx"); err == nil || !strings.Contains(err.Error(), "en") {
		t.Errorf("a language that is not there: %v", err)
	}
}

// Counted fails where what tells a number of things lacks a form that the language needs, or has another:
// %d stands for such a number, and %v for one that counts nothing, as in "Week 3" or "5 of 20".
func Counted(t *testing.T, files fs.FS) {
	t.Helper()
	for tag, table := range Tables(t, files) {
		needs, rules := map[plural.Form]bool{plural.Other: true}, language.Make(tag)
		for n := range 1000 {
			needs[words.FormOf(rules, strconv.Itoa(n))] = true
		}
		for key, text := range table.Some("") {
			if !text.Counts() {
				if slices.Contains(words.Verbs(text.Plain), "%d") || text != (words.Text{Plain: text.Plain}) {
					t.Errorf("%s: %s has no forms: %q", tag, key, text.Plain)
				}
				continue
			}
			for f := plural.Other; f <= plural.Many; f++ {
				if (text.Form(f) != "") != needs[f] {
					t.Errorf("%s: %s has the form %d: %q", tag, key, f, text.Form(f))
				}
			}
			if at := max(text.Of, 1); text.Plain != "" || at > len(words.Verbs(text.Other)) ||
				len(words.Verbs(text.None)) > 0 {
				t.Errorf("%s: %s counts value %d of %q", tag, key, at, text.Other)
			}
		}
	}
}

// The words of a marked language stand between these, which nothing else has.
const opens, closes = '⟦', '⟧'

// value is where a value is put into a text, or where a part of it is set off.
var value = regexp.MustCompile(`%[-+# 0]*[0-9.]*(\[\d+\])?[a-zA-Z%]|\*\*`)

// Marked is English with marks around every word of the table, but around no value: what stands outside of
// them comes from elsewhere.
func Marked(t *testing.T, files fs.FS) *words.Table {
	t.Helper()
	texts := Tables(t, files)["en"].Some("")
	for key, text := range texts {
		if strings.HasPrefix(key, "date.") { // a value of package time
			texts[key] = text.Each(mark)
			continue
		}
		texts[key] = text.Each(func(form string) string {
			said, from := "", 0
			for _, at := range value.FindAllStringIndex(form, -1) {
				said += mark(form[from:at[0]]) + form[at[0]:at[1]]
				from = at[1]
			}
			return said + mark(form[from:])
		})
	}
	return words.New("xx", texts)
}

func mark(text string) string {
	if text == "" {
		return ""
	}
	return string(opens) + text + string(closes)
}

// Unmarked gives what of a text stands outside of the marks.
func Unmarked(text string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r == opens:
			depth++
			return ' ' // so that what stands on both sides is not one word
		case r == closes:
			depth--
		case depth == 0:
			return r
		}
		return -1
	}, text)
}
