package db

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// taking is what programs that do not know of it cannot live with.
var taking = regexp.MustCompile(`(?i)\bDROP (TABLE|COLUMN)\b|\bRENAME\b|\bALTER COLUMN\b|` +
	`\bADD CONSTRAINT\b|\bSET NOT NULL\b`)

var adding = regexp.MustCompile(`(?i)\bADD COLUMN\b[^;]*`)

// takes tells what of a migration the release before cannot live with; nothing when it can.
func takes(text string) string {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	if found := taking.FindString(up); found != "" {
		return found
	}
	for _, column := range adding.FindAllString(up, -1) {
		upper := strings.ToUpper(column)
		if strings.Contains(upper, "NOT NULL") && !strings.Contains(upper, "DEFAULT") {
			return column
		}
	}
	return ""
}

// A migration since the release before either lets that one run beside it, or says that
// everything is stopped first.
func TestMigrationsThatNeedAStopSaySo(t *testing.T) {
	_, before, err := PreviousRelease()
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		if numberOf(strings.TrimPrefix(name, "migrations/")) <= before || strings.Contains(string(text), stopFirst) {
			continue
		}
		if what := takes(string(text)); what != "" {
			t.Errorf("%s has %q, which the release before cannot live with: do that in the release after this one, or "+
				"write %q into it and tell in CHANGELOG.md", name, what, stopFirst)
		}
	}
	for text, want := range map[string]bool{
		"ALTER TABLE a ADD COLUMN b TEXT;": false, "ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT '';": false,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL;": true, "ALTER TABLE a RENAME COLUMN b TO c;": true,
		"CREATE TABLE a (b TEXT NOT NULL);\n-- +goose Down\nDROP TABLE a;": false, "DROP TABLE a;": true,
	} {
		if got := takes(text) != ""; got != want {
			t.Errorf("%q needs a stop: %v", text, got)
		}
	}
}

// The oldest program that may run is the release before, or the first that knows a migration
// which needs a stop.
func TestAMigrationThatNeedsAStopShutsOlderProgramsOut(t *testing.T) {
	_, before, err := PreviousRelease()
	if err != nil {
		t.Fatal(err)
	}
	list := fstest.MapFS{"00001_first.sql": {Data: []byte(stopFirst)}, "90001_more.sql": {Data: []byte("SELECT 1")}}
	if got, err := oldestProgram(list); err != nil || got != before {
		t.Errorf("%d may run, %v", got, err)
	}
	list["90002_less.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + stopFirst + ": a column goes\n")}
	list["90003_more.sql"] = &fstest.MapFile{Data: []byte("SELECT 1")}
	if got, err := oldestProgram(list); err != nil || got != 90002 {
		t.Errorf("%d may run, %v", got, err)
	}
}
