package api

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"lectern/internal/db"
)

// TestReadsFollowIndexes asks both engines how they would run the statements
// of the reads that grow with a unit: never by walking a whole table. On
// PostgreSQL, which prefers to walk small ones, that is forbidden first.
func TestReadsFollowIndexes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, request := range []string{
			"GET /api/students?unit_id={unitA}", "GET /api/students?unit_id={unitA}&withdraw=true",
			"GET /api/students?unit_id={unitA}&limit=5", "GET /api/projects/{project:student}", "GET /api/projects",
		} {
			for _, text := range w.texts("tutor", request) {
				// A page made by an inner statement is walked, and is no table.
				plan := strings.ReplaceAll(w.plan(text), "SCAN page", "")
				if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN ") {
					t.Errorf("%s walks a table:\n%s\n%s", request, text, plan)
				}
			}
		}
	})
}

// texts gives the statements of a request, but for the two that find the caller
// and their standing.
func (w *world) texts(who, request string) (texts []string) {
	w.Helper()
	r := w.request(who, request, nil)
	ctx, _ := db.Counting(r.Context(), func(text string) { texts = append(texts, text) })
	w.send(r.WithContext(ctx), who+" "+request).status(200)
	for i, text := range texts {
		if strings.Contains(text, "FROM projects") || strings.Contains(text, "tutorial_streams") {
			return texts[i:]
		}
	}
	w.Fatalf("%s reads no project", request)
	return nil
}

var (
	flagArgument = regexp.MustCompile(`enrolled = \$\d+`)
	argument     = regexp.MustCompile(`\$\d+`)
)

// plan tells how the engine would run a statement, its arguments replaced by
// values of their types.
func (w *world) plan(text string) string {
	w.Helper()
	text = argument.ReplaceAllString(flagArgument.ReplaceAllString(text, "enrolled = TRUE"), "1")
	var lines []string
	err := w.db.View(context.Background(), func(q db.Q) (err error) {
		if !q.Postgres() {
			lines, err = sqlitePlan(q, text)
			return err
		}
		if _, err := db.Exec(context.Background(), q, "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		lines, err = db.All[string](context.Background(), q, "EXPLAIN "+text)
		return err
	})
	if err != nil {
		w.Fatalf("%v in %s", err, text)
	}
	return strings.Join(lines, "\n")
}

func sqlitePlan(q db.Q, text string) (lines []string, err error) {
	steps, err := db.All[struct {
		ID     int64  `db:"id"`
		Parent int64  `db:"parent"`
		Unused int64  `db:"notused"`
		Detail string `db:"detail"`
	}](context.Background(), q, "EXPLAIN QUERY PLAN "+text)
	for _, s := range steps {
		lines = append(lines, s.Detail)
	}
	return lines, err
}
