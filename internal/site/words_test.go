package site

import (
	"regexp"
	"strings"
	"testing"

	"lectern/internal/status"
	"lectern/internal/taskdef"
)

var key = regexp.MustCompile(`\bt "([^"]+)"`)

// Every key that templates ask for has words, and no words are left over.
func TestWordsAndTemplatesAgree(t *testing.T) {
	used := map[string]bool{"password.differ": true, "sign-in.both": true, "error.title": true}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := templateFiles.ReadFile("templates/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(f.Name(), ".html")
		used[name+".title"], used[name+".done"] = true, true
		for _, m := range key.FindAllStringSubmatch(string(text), -1) {
			if used[m[1]] = true; words[m[1]] == "" {
				t.Errorf("%s: there are no words for %s", f.Name(), m[1])
			}
		}
	}
	for _, st := range status.All {
		used["status."+string(st)], used["share."+string(st.Colour())] = true, true
		word("status." + string(st))
	}
	for _, o := range (&termPage{}).Orders() {
		used["project.sort-"+o] = true
	}
	for _, k := range taskdef.UploadKind("").Enum() {
		used["kind."+k] = true
		word("kind." + k)
	}
	for k := range words {
		if !used[k] {
			t.Errorf("nobody says %s", k)
		}
	}
}
