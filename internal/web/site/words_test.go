package site

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/people/ident"
	"lectern/internal/platform/events"
	"lectern/internal/teaching/assess"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/taskdef"
)

// key is a key in a template, spoken one in a program, scripted what the keys of a
// script begin with, dated a form of dates.
var (
	key      = regexp.MustCompile(`\bt "([^"]+)"`)
	spoken   = regexp.MustCompile(`\bword\("([^"]+)"[,)]`)
	scripted = regexp.MustCompile(`\bwords "([^"]+)"`)
	dated    = regexp.MustCompile(`\b(?:date|dates)[ ([]"([a-z-]+)"`)
)

// Every key that templates ask for has words, and no words are left over.
func TestWordsAndTemplatesAgree(t *testing.T) {
	word := english.word
	used := map[string]bool{"password.differ": true, "sign-in.both": true, "error.title": true}
	asked := func(name, text, prefix string, key *regexp.Regexp) {
		for _, m := range key.FindAllStringSubmatch(text, -1) {
			if used[prefix+m[1]] = true; english.words[prefix+m[1]] == "" {
				t.Errorf("%s: there are no words for %s", name, prefix+m[1])
			}
		}
	}
	for _, pattern := range []string{"*.go", "templates/*.html", "templates/parts/*.html"} {
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
				for k := range english.words {
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
	for _, o := range (&termPage{}).Orders() {
		used["project.sort-"+o] = true
	}
	for _, o := range (&studentsPage{}).Orders() {
		used["students.sort-"+o] = true
	}
	for _, show := range (&studentsPage{}).Shows() {
		used["students.show-"+show] = true
	}
	for _, o := range (&unitTaskPage{}).Orders() {
		used["unit-task.sort-"+o] = true
	}
	for _, span := range (&calendarPage{}).Spans() {
		used["calendar.span-"+span] = true
	}
	for _, view := range (&termPage{}).Views() {
		used["project.view-"+view] = true
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
	for k := range english.words { // newLanguage asks for each of them
		begin, _, _ := strings.Cut(k, ".")
		used[k] = used[k] || slices.Contains([]string{"grade", "month", "month-short", "weekday", "weekday-short"}, begin)
	}
	for code := 400; code < 600; code++ {
		used[fmt.Sprint("error.", code)] = true
	}
	used["news.enrolled"], used["news.withdrawn"] = true, true
	for k := range english.words {
		if !used[k] {
			t.Errorf("nobody says %s", k)
		}
	}
}

// verb is where a value is put into words.
var verb = regexp.MustCompile(`%[-+# 0]*[0-9.]*(\[\d+\])?[a-z%]`)

// alone is a key in a template that no value comes with.
var alone = regexp.MustCompile(`\bt "([^"]+)"\s*[)}]`)

// Words that have a place for a value are given one: nobody reads "%d days".
func TestTemplatesGiveTheValuesOfWords(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"templates/*.html", "templates/parts/*.html"} {
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
				if seen++; verb.MatchString(english.words[m[1]]) {
					t.Errorf("%s says %s as it stands: %s", name, m[1], english.words[m[1]])
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d words are said without a value", seen)
	}
}

// Every language has words for what English has words for, with the same values.
func TestLanguagesAreComplete(t *testing.T) {
	for _, tag := range Languages() {
		l, err := LanguageOf(tag)
		if err != nil {
			t.Fatal(err)
		}
		for k, text := range english.words {
			theirs := verb.FindAllString(l.words[k], -1)
			if l.words[k] == "" || !slices.Equal(theirs, verb.FindAllString(text, -1)) {
				t.Errorf("%s says %q for %s: %q", tag, l.words[k], k, text)
			}
		}
		for k := range l.words {
			if _, ok := english.words[k]; !ok {
				t.Errorf("%s has words that nobody says: %s", tag, k)
			}
		}
	}
	if _, err := LanguageOf("xx"); err == nil || !strings.Contains(err.Error(), "en") {
		t.Errorf("a language that is not there: %v", err)
	}
}

// What pages say in English is what the rest of the service says: documents, letters and
// the API name statuses and grades, write dates and explain due dates the same way.
func TestEnglishIsThatOfTheDomain(t *testing.T) {
	for _, st := range append(slices.Clone(status.All), "", "none") {
		if got := english.status(st); got != st.Name() {
			t.Errorf("%s is %q", st, got)
		}
	}
	for g := grade.Lowest - 1; g <= grade.Highest+1; g++ {
		if got := english.grade(g); got != g.Name() {
			t.Errorf("%d is %q", g, got)
		}
	}
	for day := clock.On(2026, 1, 1); day.Year() == 2026; day = day.AddDays(1) {
		at := day.Add(13*time.Hour + 4*time.Minute)
		for form := range english.dates {
			if got, want := english.date(form, at), at.Format(english.words["date."+form]); got != want {
				t.Errorf("%s: %q, want %q", form, got, want)
			}
		}
	}
	p, q := reflect.ValueOf(english.picture()), reflect.ValueOf(chart.EnglishBurndown)
	for i := range p.NumField() {
		if p.Field(i).Kind() == reflect.String && p.Field(i).String() != q.Field(i).String() {
			t.Errorf("the picture says %q, want %q", p.Field(i), q.Field(i))
		}
	}
	sydney := time.FixedZone("Australia/Sydney", 10*60*60)
	for _, zone := range []*time.Location{nil, sydney} {
		for weeks := range 4 {
			e := due.Dates{Target: clock.On(2026, 3, 2), Deadline: clock.On(2026, 3, 20), Extensions: weeks,
				Zone: zone}.Explain()
			if got := english.why(e); got != e.Text {
				t.Errorf("%q, want %q", got, e.Text)
			}
		}
	}
}
