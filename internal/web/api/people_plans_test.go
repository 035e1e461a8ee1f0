package api

import (
	"regexp"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// peoplePlans are searches for people, with the index that finds them on SQLite.
var peoplePlans = []struct{ query, index string }{
	{"", "people_by_name"}, {"?sort=-name", "people_by_name"}, {"?offset=500", "people_by_name"},
	{"?sort=email", "people_by_email"}, {"?sort=-email", "people_by_email"},
	{"?sort=role", "people_by_role"}, {"?system_role=Convenor", "people_by_role"},
	{"?sort=sign_in", "people_by_sign_in"}, {"?sort=-sign_in", "people_by_sign_in"},
	{"?state=active", "people_by_name"}, {"?state=invited", "people_invited"},
	{"?state=disabled", "people_disabled"}, {"?state=erased", "people_erased"},
	{"?text=ada", "person_words"}, {"?text=ada+love", "person_words"}, {"?text=ada&state=active", "person_words"},
	{"?text=ada&system_role=Tutor", "person_words"}, {"?unit_id={unitA}", "projects_"}, {"?state=locked", "throttles_"},
}

var (
	momentArgument = regexp.MustCompile(`blocked_until > \$\d+`)
	wordArgument   = regexp.MustCompile(`word (>=|<) \$\d+`)
	wholeTable     = regexp.MustCompile(`SCAN (u|users|w|person_words|b|throttles|p|projects|r|unit_roles|e|erasures|f)` +
		`\b(.*)`)
)

// People are found among 100,000 by indexes, however they are looked for: no search walks a table, and none but
// those that an index finds a few for sorts what it found.
func TestPeopleAreFoundByIndexes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, one := range peoplePlans {
			used := false
			for _, text := range w.peopleTexts("GET /api/admin/people" + one.query) {
				plan := dbtest.Plan(w, w.db, peopleArguments(text))
				for _, m := range wholeTable.FindAllStringSubmatch(plan, -1) {
					if !strings.Contains(m[2], "USING") {
						t.Errorf("%s walks a table:\n%s\n%s", one.query, text, plan)
					}
				}
				if strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s walks a table:\n%s\n%s", one.query, text, plan)
				}
				used = used || w.db.Postgres() || strings.Contains(plan, one.index)
				found, _, _ := strings.Cut(plan, "SCAN o") // the hundred of a page are sorted behind it
				if strings.HasPrefix(one.index, "people_") && strings.Contains(found, "TEMP B-TREE FOR ORDER BY") {
					t.Errorf("%s sorts all of them:\n%s\n%s", one.query, text, plan)
				}
			}
			if !used {
				t.Errorf("%s does not use %s", one.query, one.index)
			}
		}
	})
}

// peopleTexts gives the statements of a request that read people.
func (w *world) peopleTexts(request string) (texts []string) {
	w.Helper()
	r := w.request("admin", request, nil)
	ctx, _ := db.Counting(r.Context(), func(text string) {
		if strings.Contains(text, "person_words") || strings.Contains(text, "users u") {
			texts = append(texts, text)
		}
	})
	if w.send(r.WithContext(ctx), request).status(200); len(texts) == 0 {
		w.Fatalf("%s reads nobody", request)
	}
	return texts
}

// peopleArguments replaces the arguments of a statement by values of their types.
func peopleArguments(text string) string {
	text = momentArgument.ReplaceAllString(text, "blocked_until > CURRENT_TIMESTAMP")
	text = wordArgument.ReplaceAllString(text, "word $1 'ada'")
	return argument.ReplaceAllString(text, "1")
}
