package app

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// TestChecksOfTheSchemaFollowTheTypes compares what the migrations let into a
// column with the type that the program writes there. A migration that changes
// a CHECK replaces the one before: the last one counts.
func TestChecksOfTheSchemaFollowTheTypes(t *testing.T) {
	target := between(grade.Targets[0], grade.Targets[len(grade.Targets)-1])
	want := map[string]string{
		"portfolio_files.kind":          "IN " + db.Literals(taskdef.UploadKind("").Enum()...),
		"tasks.grade":                   between(grade.Lowest, grade.Highest),
		"projects.target_grade":         target,
		"projects.submitted_grade":      target,
		"task_definitions.target_grade": target,
		"jobs.state":                    "IN " + db.Literals(jobs.Available, jobs.Running, jobs.Done, jobs.Dead),
		"submissions.state": "IN " + db.Literals(submit.Queued, submit.Processing, submit.Ready,
			submit.Failed),
	}
	got := checks(t)
	for column, condition := range want {
		if got[column] != condition {
			t.Errorf("the schema checks %s with %q, the type says %q", column, got[column], condition)
		}
	}
	fresh := "status TEXT NOT NULL DEFAULT '" + string(status.NotStarted) + "'"
	if !strings.Contains(schema(t), fresh) {
		t.Errorf("no table has a column %s", fresh)
	}
}

func between(low, high grade.Grade) string { return fmt.Sprintf("BETWEEN %d AND %d", low, high) }

// schema is the text of all migrations, in order.
func schema(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("../platform/db/migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	slices.Sort(names)
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

var (
	tableLine = regexp.MustCompile(`(?i)^(?:CREATE TABLE|ALTER TABLE) (\w+)`)
	checkText = regexp.MustCompile(`CHECK \((\w+) (BETWEEN -?\d+ AND -?\d+|IN \([^)]*\))\)`)
)

// checks gives the ranges and lists that the schema holds columns to, by
// table.column.
func checks(t *testing.T) map[string]string {
	t.Helper()
	out, table := map[string]string{}, ""
	for line := range strings.SplitSeq(schema(t), "\n") {
		if m := tableLine.FindStringSubmatch(line); m != nil {
			table = m[1]
		}
		for _, m := range checkText.FindAllStringSubmatch(line, -1) {
			out[table+"."+m[1]] = m[2]
		}
	}
	return out
}
