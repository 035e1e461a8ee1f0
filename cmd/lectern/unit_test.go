package main

import (
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/waittest"
)

// The work of a unit of three years ago is shown, anonymised once somebody who may agreed, and brought back; the
// running service does both.
func TestUnitRetire(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			args := storage(t, engine)
			for name, role := range map[string]string{"ada": "Admin", "sam": "Student"} {
				if out, err := userCommand(t, args)("", "add", name, "--email", name+"@example.edu", "--first-name", "Jo",
					"--last-name", "Doe", "--role", role); err != nil {
					t.Fatalf("%v %s", err, out)
				}
			}
			oldUnit(t, args)
			expect := func(fails bool, says, input string, words ...string) {
				t.Helper()
				c := command(t, append(append([]string{"unit", "retire", "1"}, words...), args...)...)
				c.Stdin = strings.NewReader(input)
				out, err := c.CombinedOutput()
				if (err != nil) != fails || !strings.Contains(string(out), says) {
					t.Errorf("%v: %v %s, want %q", words, err, out, says)
				}
			}
			expect(false, "0 submissions with 0 files (0 bytes), 1 comments and 0 portfolios, of 1 students", "")
			expect(true, "with --as", "", "--plan", "keep")
			expect(true, "neither an administrator nor a convenor", "", "--plan", "keep", "--as", "sam")
			expect(true, "nothing was changed", "no\n", "--plan", "anonymise", "--as", "ada")
			expect(false, "Decision 1 is on record", "SIT1\n", "--plan", "anonymise", "--as", "ada")
			expect(true, "being carried out", "", "--plan", "delete_work", "--as", "ada", "--yes")
			expect(true, "cannot be undone", "", "--undo", "1", "--as", "ada")
			start(t, args...)
			says := func(words string) bool {
				out, err := run(t, append([]string{"unit", "retire", "1"}, args...)...)
				return err == nil && strings.Contains(out, words)
			}
			waittest.Until(t, "the work is anonymous", func() bool { return says("anonymise, done") })
			expect(false, "--undo 1 until", "")
			expect(false, "is being undone", "", "--undo", "1", "--as", "ada")
			waittest.Until(t, "the work is back", func() bool { return says("anonymise, undone") })
			expect(false, "Decision 2 is on record", "", "--plan", "keep", "--as", "ada", "--yes")
		})
	}
}

// oldUnit makes unit 1, which ended three years ago, and in which sam said something.
func oldUnit(t *testing.T, args []string) {
	t.Helper()
	at := clock.Real().AddDate(-3, 0, 0)
	day := clock.Day(at)
	for _, text := range []string{
		`INSERT INTO units (code, name, description, start_date, end_date, created_at, updated_at)
			VALUES ('SIT1', 'Logic', '', $2, $2, $1, $1)`,
		`INSERT INTO task_definitions (unit_id, name, abbreviation, description, weighting, target_grade, start_date,
			target_date, due_date) SELECT id, 'One', '1.1P', '', 1, 0, $2, $2, $2 FROM units WHERE created_at = $1`,
		`INSERT INTO projects (unit_id, user_id, created_at, updated_at) SELECT n.id, u.id, $1, $1 FROM units n, users u
			WHERE u.username = 'sam' AND n.start_date = $2`,
		`INSERT INTO tasks (project_id, task_definition_id, unit_id, created_at, updated_at)
			SELECT p.id, d.id, d.unit_id, $1, $1 FROM projects p, task_definitions d WHERE d.due_date = $2`,
		`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
			SELECT t.id, t.unit_id, p.user_id, p.user_id, 'text', 'Hello', $1 FROM tasks t JOIN projects p
			ON p.id = t.project_id JOIN units n ON n.id = t.unit_id WHERE n.end_date = $2`} {
		write(t, args, text, clock.At(at), day)
	}
}
