package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/snippet"
)

const snippetsOfA, theSnippet = "/api/units/{unitA}/snippets", "/api/snippets/{snippet}"

var _ = rights(
	rightRow{"GET " + snippetsPath, snippetsOfA, staffA, nil},
	rightRow{"POST " + snippetsPath, snippetsOfA, staffA, form{"text": "Well done"}},
	rightRow{"GET " + snippetPath, theSnippet, staffA, nil},
	rightRow{"PUT " + snippetPath, theSnippet, "tutor convenor admin", form{"text": "Better"}},
	rightRow{"DELETE " + snippetPath, theSnippet, "tutor convenor admin", nil},
)

var _ = lists(listRow{route: "GET " + snippetsPath, path: snippetsOfA, who: "tutor",
	fill: fill("snippets", func(w *world, i int) row {
		return row{"user_id": w.id["tutor"], "text": numbered("Text", i), "text_key": numbered("text", i),
			"created_at": w.db.Now(), "updated_at": w.db.Now()}
	})})

// snippetOf adds a reusable comment and remembers it by name.
func (w *world) snippetOf(name, as, unit string, more form) {
	w.Helper()
	body := form{"text": name}
	for k, v := range more {
		body[k] = w.path(v)
	}
	w.id[name] = int64(w.do(as, "POST /api/units/{"+unit+"}/snippets", body).status(201).object()["id"].(float64))
}

// offered gives the texts that a person is offered, in order.
func (w *world) offered(as, unit, query string) []string {
	w.Helper()
	texts := []string{}
	for _, s := range w.do(as, "GET /api/units/{"+unit+"}/snippets?"+query, nil).status(200).list() {
		texts = append(texts, s["text"].(string))
	}
	return texts
}

func (w *world) offers(as, unit, query string, want ...string) {
	w.Helper()
	if got := w.offered(as, unit, query); !slices.Equal(got, want) {
		w.Errorf("%s in %s with %q is offered %q, want %q", as, unit, query, got, want)
	}
}

func TestSnippets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		made := w.do("tutor", "POST "+snippetsOfA, form{"text": "  Name your tests  ", "shared": "true",
			"task_definition_id": w.path("{defA1}")}).status(201)
		w.id["one"] = int64(made.object()["id"].(float64))
		is := `{"id":«one»,"unit_id":«unitA»,"task_definition_id":«defA1»,"level_id":null,"text":"Name your tests","user_id":«tutor»,
			"author":"Tutor Person","uses":0,"updated_at":"` + w.db.Now().String() + `"}`
		made.is(is)
		w.do("convenor", "GET "+snippetsOfA, nil).status(200).is(`[` + is + `]`)
		w.snippetOf("Mine", "tutor", "unitA", nil)
		w.do("tutor", "GET /api/snippets/{Mine}", nil).status(200).is(`{"id":«Mine»,"unit_id":null,
			"task_definition_id":null,"level_id":null,"text":"Mine","user_id":«tutor»,"author":"Tutor Person","uses":0,
			"updated_at":"` + w.db.Now().String() + `"}`)

		w.do("tutor", "PUT /api/snippets/{Mine}", form{"text": "Mine\nstill"}).status(200)
		w.do("convenor", "PUT /api/snippets/{one}", form{"text": "Ours"}).status(200)
		w.offers("tutor", "unitA", "", "Mine\nstill", "Ours")
		for _, text := range []string{"", "  \n ", strings.Repeat("ä", snippet.MostText+1)} {
			w.do("tutor", "POST "+snippetsOfA, form{"text": text}).status(400).says("text")
			w.do("tutor", "PUT /api/snippets/{Mine}", form{"text": text}).status(400).says("text")
		}
		w.do("tutor", "PUT /api/snippets/{Mine}", form{"text": strings.Repeat("ä", snippet.MostText)}).status(200)
		w.do("tutor", "DELETE /api/snippets/{Mine}", nil).status(204)
		w.do("tutor", "DELETE /api/snippets/{Mine}", nil).status(404)
		w.do("tutor", "PUT /api/snippets/{Mine}", form{"text": "x"}).status(404)
		w.offers("tutor", "unitA", "", "Ours")
	})
}

// Own ones are their author's alone, Admins included, and go with them to every unit.
func TestOwnSnippetsAreTheirAuthorsAlone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		w.snippetOf("Mine", "tutor", "unitA", nil)
		for _, who := range slices.DeleteFunc(slices.Clone(callers), unknown) {
			if who == "tutor" {
				continue
			}
			w.do(who, "GET /api/snippets/{Mine}", nil).status(404)
			w.do(who, "PUT /api/snippets/{Mine}", form{"text": "Not yours"}).status(404)
			w.do(who, "DELETE /api/snippets/{Mine}", nil).status(404)
		}
		w.offers("convenor", "unitA", "")
		w.add("", "unit_roles", row{"unit_id": w.id["unitB"], "user_id": w.id["tutor"], "role": 2,
			"created_at": w.db.Now(), "updated_at": w.db.Now()})
		w.offers("tutor", "unitB", "", "Mine")
		// Who leaves the staff keeps their own, and has no unit's any more.
		w.snippetOf("Ours", "tutor", "unitA", form{"shared": "true"})
		w.set(`UPDATE tutorials SET unit_role_id = NULL`)
		w.set(`DELETE FROM unit_roles WHERE user_id = $1`, w.id["tutor"])
		w.do("tutor", "GET /api/snippets/{Mine}", nil).status(200)
		for _, request := range []string{"GET", "DELETE"} {
			w.do("tutor", request+" /api/snippets/{Ours}", nil).status(403)
		}
		w.do("tutor", "PUT /api/snippets/{Ours}", form{"text": "x"}).status(403)
	})
}

func TestSnippetsAreOfferedByTaskAndPrefix(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		shared := form{"shared": "true"}
		w.snippetOf("Äpfel", "tutor", "unitA", nil)
		w.snippetOf("100%_sure", "tutor", "unitA", form{"task_definition_id": "{defA1}"})
		w.snippetOf("First", "convenor", "unitA", shared)
		w.snippetOf("Second", "convenor", "unitA", form{"shared": "true", "task_definition_id": "{defA2}"})
		w.snippetOf("Elsewhere", "tutorB", "unitB", shared)
		w.offers("tutor", "unitA", "", "Äpfel", "100%_sure", "First", "Second")
		w.offers("tutor", "unitA", "task_definition_id={defA1}", "Äpfel", "100%_sure", "First")
		w.offers("tutor", "unitA", "task_definition_id={defA2}", "Äpfel", "First", "Second")
		w.offers("tutor", "unitA", "prefix="+url.QueryEscape("äPF"), "Äpfel")
		w.offers("tutor", "unitA", "prefix="+url.QueryEscape("100%"), "100%_sure")
		w.offers("tutor", "unitA", "prefix="+url.QueryEscape("%"))
		w.offers("tutor", "unitA", "prefix=_")
		w.offers("tutor", "unitA", "prefix=irst")
		w.offers("tutor", "unitA", "prefix="+strings.Repeat("x", 9000))
	})
}

// The nine with a digit are those used most on the task, one's own first.
func TestSnippetsUsedMostComeFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		for _, name := range []string{"a", "b"} {
			w.snippetOf(name, "tutor", "unitA", nil)
		}
		for _, name := range []string{"x", "y", "z"} {
			w.snippetOf(name, "convenor", "unitA", form{"shared": "true"})
		}
		w.snippetOf("foreign", "tutorB", "unitB", form{"shared": "true"})
		w.snippetOf("private", "convenor", "unitA", nil)
		used := func(as, unit, def string, names ...string) {
			t.Helper()
			ids := []int64{4711}
			for _, n := range names {
				ids = append(ids, w.id[n])
			}
			if err := w.db.Tx(t.Context(), func(q db.Q) error {
				return snippet.Said{UserID: w.id[as], UnitID: w.id[unit], DefinitionIDs: []int64{w.id[def]}, Named: ids}.
					Count(t.Context(), q)
			}); err != nil {
				t.Fatal(err)
			}
		}
		used("tutor", "unitA", "defA1", "b", "z", "foreign", "private")
		used("tutor", "unitA", "defA1", "z", "y")
		used("convenor", "unitA", "defA2", "y")
		used("convenor", "unitA", "defA2", "y", "a")
		used("tutor", "unitA", "defB1", "x") // a task of another unit
		w.offers("tutor", "unitA", "task_definition_id={defA1}", "b", "a", "z", "y", "x")
		w.offers("tutor", "unitA", "task_definition_id={defA2}", "b", "a", "y", "z", "x")
		w.offers("tutor", "unitA", "", "b", "a", "y", "z", "x")
		w.offers("tutor", "unitA", "limit=2", "b", "a")
		if n := w.number(`SELECT CAST(sum(uses) AS BIGINT) FROM snippet_uses`); n != 6 {
			t.Errorf("%d uses were counted, want 6", n)
		}
	})
}

// A verdict counts the reusable comments that it names, where its author may use them.
func TestVerdictsCountSnippets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.snippetOf("mine", "tutor", "unitA", nil)
		w.snippetOf("theirs", "convenor", "unitA", nil)
		w.do("tutor", "POST "+ownTask+"/verdict", map[string]any{"trigger": "discuss", "comment": "mine", "version": 1,
			"snippet_ids": []int64{w.id["mine"], w.id["snippet"], w.id["theirs"], 4711}}).status(200)
		for name, want := range map[string]int64{"mine": 1, "snippet": 1, "theirs": 0} {
			if n := w.count("snippet_uses WHERE uses = 1 AND snippet_id = $1", w.id[name]); n != want {
				t.Errorf("%s was counted %d times, want %d", name, n, want)
			}
		}
	})
}

func TestSnippetsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		for _, r := range []struct{ shared, says string }{{"false", "You have reached the limit of 500"}, {"true", "The unit has reached the limit of 500"}} {
			w.fillSnippets(snippet.Most-1, r.shared == "true")
			add := func(text string) *answered {
				return w.do("tutor", "POST "+snippetsOfA, form{"text": text, "shared": r.shared})
			}
			add("One more").status(201)
			add("And one more").status(422).says(r.says, "Remove one first")
		}
		w.do("convenor", "POST "+snippetsOfA, form{"text": "Mine"}).status(201)
	})
}

func (w *world) fillSnippets(n int, shared bool) {
	w.Helper()
	var unit any
	if shared {
		unit = w.id["unitA"]
	}
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{w.id["tutor"], unit, fmt.Sprint("Text ", i), fmt.Sprint("text ", i), w.db.Now(), w.db.Now()}
	}
	if err := w.db.Tx(w.Context(), func(q db.Q) error {
		return db.Insert(w.Context(), q, "snippets (user_id, unit_id, text, text_key, created_at, updated_at)", "", rows)
	}); err != nil {
		w.Fatal(err)
	}
}

// Next year's unit has the unit's, and a person's own for a task are offered for the
// same task there.
func TestSnippetsFollowTheirUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		w.secondPeriod("T2", 140)
		w.snippetOf("Own for the task", "convenor", "unitA", form{"task_definition_id": "{defA1}"})
		w.snippetOf("Ours", "tutor", "unitA", form{"shared": "true"})
		w.snippetOf("Ours for the task", "tutor", "unitA", form{"shared": "true", "task_definition_id": "{defA2}"})
		made := w.do("convenor", "POST /api/units/{unitA}/rollover", form{"teaching_period_id": w.path("{T2}")}).
			status(200, 201).object()
		w.id["next"] = int64(made["id"].(float64))
		w.id["next1"] = w.number(`SELECT id FROM task_definitions WHERE unit_id = $1 AND abbreviation = '1.1P'`,
			w.id["next"])
		w.id["next2"] = w.number(`SELECT id FROM task_definitions WHERE unit_id = $1 AND abbreviation = '1.2C'`,
			w.id["next"])
		w.offers("convenor", "next", "", "Own for the task", "Ours", "Ours for the task")
		w.offers("convenor", "next", "task_definition_id={next1}", "Own for the task", "Ours")
		w.offers("convenor", "next", "task_definition_id={next2}", "Ours", "Ours for the task")
		own := w.do("convenor", "GET /api/units/{next}/snippets", nil).status(200).list()[0]
		if own["task_definition_id"] != float64(w.id["next1"]) {
			t.Errorf("%v is not for task %d", own, w.id["next1"])
		}
		// A task that is deleted leaves them for every task, and restored has them back.
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "Work"}).status(201)
		w.snippetOf("Ours for 1", "tutor", "unitA", form{"shared": "true", "task_definition_id": "{defA1}"})
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		w.offers("tutor", "unitA", "task_definition_id={defA2}", "Ours", "Ours for the task", "Ours for 1")
		w.do("convenor", "POST "+deletedOfA+fmt.Sprintf("/%d/restore", w.lastID("deletions")), nil).status(200)
		w.offers("tutor", "unitA", "task_definition_id={defA2}", "Ours", "Ours for the task")
		w.offers("tutor", "unitA", "task_definition_id={defA1}", "Ours", "Ours for 1")
	})
}

// A text that its author keeps again for the same is the one that is there, so that nobody
// is offered it twice.
func TestSnippetKeptTwiceIsOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		for i, one := range []struct {
			who  string
			form form
		}{
			{"tutor", form{"text": "Well done"}},
			{"tutor", form{"text": "Well done", "task_definition_id": w.path("{defA1}")}},
			{"tutor", form{"text": "Well done", "shared": "true"}},
			{"both", form{"text": "Well done", "shared": "true"}}, // whose it is decides who may change it
			{"both", form{"text": "Well done"}},
		} {
			first := w.do(one.who, "POST "+snippetsOfA, one.form).status(201)
			again := w.do(one.who, "POST "+snippetsOfA, one.form).status(201)
			again.is(first.Body.String())
			if n := w.count("snippets"); n != int64(i)+1 {
				t.Fatalf("%d texts after %d were kept twice each", n, i+1)
			}
		}
	})
}
