package site

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/words"
	"lectern/internal/ground/words/wordstest"
	"lectern/internal/people/ident"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/site/page"
)

// key is a key in a template, spoken one in a program, scripted what the keys of a
// script begin with, dated a form of dates.
var (
	key      = regexp.MustCompile(`\bt "([^"]+)"`)
	spoken   = regexp.MustCompile(`\b[Ww]ord\("([^"]+)"[,)]`)
	scripted = regexp.MustCompile(`\bwords "([^"]+)"`)
	dated    = regexp.MustCompile(`\b(?:[Dd]ate|dates)[ ([]"([a-z-]+)"`)
)

// tableOf is the English table of words.
func tableOf(t *testing.T) map[string]words.Text {
	t.Helper()
	return wordstest.Tables(t, os.DirFS("page"))["en"].Some("")
}

// Every key that templates ask for has words, and no words are left over.
func TestWordsAndTemplatesAgree(t *testing.T) {
	word := page.English.Word
	table := tableOf(t)
	used := map[string]bool{"password.differ": true, "sign-in.both": true, "error.title": true}
	asked := func(name, text, prefix string, key *regexp.Regexp) {
		for _, m := range key.FindAllStringSubmatch(text, -1) {
			if used[prefix+m[1]] = true; table[prefix+m[1]] == (words.Text{}) {
				t.Errorf("%s: there are no words for %s", name, prefix+m[1])
			}
		}
	}
	for _, pattern := range []string{"*.go", "*/*.go", "*/templates/*.html", "*/components/*.html"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			asked(name, string(text), "", key)
			asked(name, string(text), "", spoken)
			asked(name, string(text), "date.", dated)
			for _, m := range scripted.FindAllStringSubmatch(string(text), -1) {
				for k := range table {
					used[k] = used[k] || strings.HasPrefix(k, m[1])
				}
			}
			name = strings.TrimSuffix(filepath.Base(name), ".html")
			used[name+".title"], used[name+".done"] = true, true
		}
	}
	for _, st := range status.All {
		used["status."+string(st)], used["share."+string(st.Colour())] = true, true
		used["meaning."+string(st)] = true
		word("meaning." + string(st))
	}
	for _, stage := range []string{"not started", "opened", "complete"} {
		used["discussion.stage-"+stage] = true
		word("discussion.stage-" + stage)
	}
	for _, k := range rooms.Keys() {
		used[k] = true
	}
	for _, k := range taskdef.UploadKind("").Enum() {
		used["kind."+k] = true
		word("kind." + k)
	}
	for _, st := range assess.State("").Enum() {
		used["tests."+st] = true
		word("tests." + st)
	}
	for _, k := range events.ForStudents {
		used["news."+string(k)], used["news."+string(k)+"-ready"], used["news."+string(k)+"-failed"] = true, true, true
	}
	for _, k := range events.ForStaff {
		used["news.student-"+string(k)] = true
		word("news.student-" + string(k))
	}
	for _, theme := range ident.Themes {
		used["profile.theme-"+string(theme)] = true
	}
	for k := range table { // page.NewLanguage asks for each of them
		begin, _, _ := strings.Cut(k, ".")
		used[k] = used[k] || slices.Contains([]string{"grade", "month", "month-short", "weekday", "weekday-short"}, begin)
	}
	for _, unit := range []string{"minute", "hour", "day", "week", "month", "year"} {
		used["when.in-"+unit], used["when.ago-"+unit] = true, true
	}
	for code := 400; code < 600; code++ {
		used[fmt.Sprint("error.", code)] = true
	}
	used["news.enrolled"], used["news.withdrawn"] = true, true
	for k := range table {
		if !used[k] {
			t.Errorf("nobody says %s", k)
		}
	}
}

// verb is where a value is put into words.
var verb = regexp.MustCompile(`%[-+# 0]*[0-9.]*(\[\d+\])?[a-z]`)

// alone is a key in a template that no value comes with.
var alone = regexp.MustCompile(`\bt "([^"]+)"\s*[)}]`)

// Words that have a place for a value are given one: nobody reads "%d days".
func TestTemplatesGiveTheValuesOfWords(t *testing.T) {
	seen := 0
	table := tableOf(t)
	for _, pattern := range []string{"*/templates/*.html", "*/components/*.html"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range alone.FindAllStringSubmatch(string(text), -1) {
				if seen++; verb.MatchString(strings.ReplaceAll(table[m[1]].Plain+table[m[1]].Other, "%%", "")) {
					t.Errorf("%s says %s as it stands: %v", name, m[1], table[m[1]])
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d words are said without a value", seen)
	}
}
