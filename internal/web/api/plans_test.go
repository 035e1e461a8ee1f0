package api

import (
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// TestReadsFollowIndexes asks both engines how they would run the statements
// of the reads that grow with a unit: never by walking a whole table. On
// PostgreSQL, which prefers to walk small ones, that is forbidden first.
func TestReadsFollowIndexes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, request := range []string{
			"GET /api/students?unit_id={unitA}", "GET /api/students?unit_id={unitA}&withdraw=true",
			"GET /api/units/{unitA}/students?limit=5", "GET /api/units/{unitA}/students?limit=5&sort=tutorial",
			"GET /api/students?unit_id={unitA}&limit=5", "GET /api/projects/{project:student}", "GET /api/projects",
		} {
			for _, text := range w.texts("tutor", request) {
				// What an inner statement makes is walked, and is no table.
				plan := inner.ReplaceAllString(w.plan(text), "")
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
	listArgument = regexp.MustCompile(`CAST\(\$\d+ AS json\)`)
	argument     = regexp.MustCompile(`\$\d+`)
	inner        = regexp.MustCompile(`SCAN (page|asked|stand|json_each)\b`)
)

// plan tells how the engine would run a statement, its arguments replaced by
// values of their types.
func (w *world) plan(text string) string {
	w.Helper()
	text = listArgument.ReplaceAllString(flagArgument.ReplaceAllString(text, "enrolled = TRUE"), "CAST('[]' AS json)")
	text = argument.ReplaceAllString(text, "1")
	return dbtest.Plan(w, w.db, text)
}
