package site

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/assess"
	"lectern/internal/events"
	"lectern/internal/ident"
	"lectern/internal/status"
	"lectern/internal/taskdef"
	"lectern/internal/usecase"
)

// key is a key in a template, spoken one in a program, scripted what the keys of a
// script begin with.
var (
	key      = regexp.MustCompile(`\bt "([^"]+)"`)
	spoken   = regexp.MustCompile(`\bword\("([^"]+)"[,)]`)
	scripted = regexp.MustCompile(`\bwords "([^"]+)"`)
)

// Every key that templates ask for has words, and no words are left over.
func TestWordsAndTemplatesAgree(t *testing.T) {
	used := map[string]bool{"password.differ": true, "sign-in.both": true, "error.title": true}
	asked := func(name, text string, key *regexp.Regexp) {
		for _, m := range key.FindAllStringSubmatch(text, -1) {
			if used[m[1]] = true; english.words[m[1]] == "" {
				t.Errorf("%s: there are no words for %s", name, m[1])
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
			asked(name, string(text), key)
			asked(name, string(text), spoken)
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
		word("status." + string(st))
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
	used["news.enrolled"], used["news.withdrawn"] = true, true
	for k := range english.words {
		if !used[k] {
			t.Errorf("nobody says %s", k)
		}
	}
}

// Another language is one file: the shell takes its words and its tag from there.
func TestAnotherLanguageIsOneFile(t *testing.T) {
	other, err := readLanguage(os.DirFS("testdata"), "words/eo.json")
	if err != nil {
		t.Fatal(err)
	}
	in := &language{other.tag, maps.Clone(english.words)} // it has but the words of the shell
	maps.Copy(in.words, other.words)
	p := &Page{Title: "Paĝo", Frame: &usecase.Frame{}, site: &Server{product: "Lectern"}, Data: "sign-in.title"}
	var b strings.Builder
	if err := read(frameIn(in), in, "templates/done.html").ExecuteTemplate(&b, "frame", p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<html lang="eo"`, "Al la enhavo", "<a class=\"quiet\" href=\"/sign-in\">Ensaluti</a>",
		`<p role="status">Ensaluti</p>`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in %s", want, b.String())
		}
	}
	if text := b.String(); strings.Contains(text, english.words["frame.skip"]) {
		t.Errorf("English is left in %s", text)
	}
}
