package db

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var recordOfPrograms = regexp.MustCompile(`INSERT INTO schema_programs \(schema_version, oldest_program\)\s+VALUES ` +
	`\((\d+), (\d+)\);`)

// wrongRecord tells what is wrong with the record that a migration of a number makes of
// the programs which may run on it; empty when nothing is.
func wrongRecord(number int64, text string) string {
	all := strings.Count(text, "schema_programs (schema_version")
	for _, m := range recordOfPrograms.FindAllStringSubmatch(text, -1) {
		all--
		schema, _ := strconv.ParseInt(m[1], 10, 64)
		oldest, _ := strconv.ParseInt(m[2], 10, 64)
		if schema != number || oldest > number {
			return "it records schema " + m[1] + " for programs from " + m[2]
		}
	}
	if all != 0 {
		return "it records programs in another form than CONTRIBUTING.md shows"
	}
	return ""
}

func TestAMigrationRecordsProgramsForItsOwnNumberOnly(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		number, _ := strconv.ParseInt(head, 10, 64)
		if wrong := wrongRecord(number, string(text)); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
	for text, right := range map[string]bool{
		"INSERT INTO schema_programs (schema_version, oldest_program) VALUES (57, 55);": true,
		"INSERT INTO schema_programs (schema_version, oldest_program) VALUES (56, 55);": false,
		"INSERT INTO schema_programs (schema_version, oldest_program) VALUES (57, 58);": false,
		"INSERT INTO schema_programs (schema_version) VALUES (57);":                     false,
	} {
		if wrong := wrongRecord(57, text); (wrong == "") != right {
			t.Errorf("%s: %q", text, wrong)
		}
	}
}

func TestASchemaFitsTheProgramsItNames(t *testing.T) {
	for s, fits := range map[Schema]bool{
		{}:                                     true,
		{Applied: 42, Newest: 43, Oldest: 42}:  true,
		{Applied: 43, Newest: 43, Oldest: 43}:  true,
		{Applied: 44, Newest: 43, Oldest: 44}:  false,
		{Applied: 44, Newest: 43, Oldest: 43}:  true,
		{Applied: 50, Newest: 43, Oldest: 44}:  false,
		{Applied: 50, Newest: 45, Oldest: 44}:  true,
		{Applied: 50, Newest: 100, Oldest: 50}: true,
	} {
		if err := s.Fits(); (err == nil) != fits {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if newest() < 43 {
		t.Errorf("the newest migration is %d", newest())
	}
}
