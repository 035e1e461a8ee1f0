package db

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

func TestTheListOfChangesNamesTheNewestMigration(t *testing.T) {
	text, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	newest, err := strconv.Atoi(filepath.Base(files[len(files)-1])[:5]) // Glob sorts
	if err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{`(?m)^## .*\(schema (\d+)\)$`, `Migrations \d+ to (\d+) run`} {
		found := regexp.MustCompile(says).FindSubmatch(text) // the newest release stands first
		if found == nil || string(found[1]) != strconv.Itoa(newest) {
			t.Errorf("the newest migration is %d; CHANGELOG.md says %q", newest, found)
		}
	}
}
