package api

import (
	"fmt"
	"testing"
	"time"

	"lectern/internal/platform/db"
)

// unreadBy gives how many comments on student's first task are new to each of the staff, as
// the project tells without anybody reading one.
func (w *world) unreadBy(people ...string) (counts []float64) {
	w.Helper()
	for _, as := range people {
		o := w.do(as, "GET /api/projects/{project:student}", nil).status(200).object()
		counts = append(counts, o["tasks"].([]any)[0].(map[string]any)["num_new_comments"].(float64))
	}
	return counts
}

// uses gives how often reusable comments were used on student's first task.
func (w *world) uses(names ...string) (counts []float64) {
	w.Helper()
	for _, name := range names {
		counts = append(counts, float64(w.number(`SELECT CAST(coalesce(sum(uses), 0) AS BIGINT) FROM snippet_uses
			WHERE snippet_id = $1 AND task_definition_id = $2`, w.id[name], w.id["defA1"])))
	}
	return counts
}

func (w *world) are(what string, got []float64, want ...float64) {
	w.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Whoever marks has read the conversation: the student's tutor for all the staff, others for
// themselves. A request for more time waits for its decision all the same, what comes later is
// new, and a repeat reads nothing.
func TestAVerdictReadsTheConversation(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE units SET auto_apply_extension_before_deadline = FALSE`)
		w.comment("c1", "student", ownTask, "When?")
		w.later(time.Second)
		w.comment("c2", "student", ownTask, "And where?")
		w.are("new before", w.unreadBy("tutor", "convenor", "both"), 2, 2, 2)
		w.mark("convenor", form{"trigger": "discuss"})
		w.are("new after the convenor's verdict", w.unreadBy("tutor", "convenor", "both"), 2, 0, 2)
		w.do("student", "POST "+ownTask+"/request_extension", form{"comment": "Ill", "weeks_requested": "1"}).status(201)
		w.later(time.Second)
		v := form{"trigger": "fix", "comment": "Room 3.", "key": "k"}
		w.mark("tutor", v)
		w.are("new after the tutor's verdict", w.unreadBy("tutor", "both"), 1, 1)
		if got := w.news("tutor", ownTask); got != "Ill" {
			t.Errorf("new to the tutor: %s, want the request that waits", got)
		}
		w.later(time.Second)
		w.comment("c3", "student", ownTask, "Thanks")
		w.do("tutor", "POST "+ownVerdict, v).status(200) // again
		w.are("new after a repeat", w.unreadBy("tutor", "both"), 2, 2)
		w.countsAreRight()
	})
}

// A verdict in a group reads what all its members said.
func TestAVerdictReadsTheConversationOfAGroup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.membersOfBoth()
		w.comment("c1", "mate", "/api/projects/{project:mate}/task_def_id/{defA1}", "From the mate")
		w.comment("c2", "student", ownTask, "From the student")
		w.mark("tutor", form{"trigger": "redo"})
		if got := w.news("tutor", ownTask) + w.news("convenor", ownTask); got != "" {
			t.Errorf("new after the verdict: %s", got)
		}
		w.countsAreRight()
	})
}

// A reusable comment is used where its text stands in what was said, or where it is named;
// once for a verdict, and not again for its repeat.
func TestAVerdictCountsSnippetsOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		shared := form{"shared": "true"}
		w.snippetOf("Name your tests.", "convenor", "unitA", shared)
		w.snippetOf("Cite it.", "tutor", "unitA", nil)
		w.snippetOf("Cite", "convenor", "unitA", nil) // somebody else's own
		w.snippetOf("Changed since", "tutor", "unitA", nil)
		w.snippetOf("your tests", "convenor", "unitA", form{"shared": "true", "task_definition_id": "{defA2}"})
		w.snippetOf("Name", "tutorB", "unitB", shared)
		all := []string{"Name your tests.", "Cite it.", "Changed since", "Cite", "your tests", "Name"}
		ids := []int64{w.id["Changed since"], w.id["Cite it."], w.id["Cite"], w.id["Name"]}
		v := map[string]any{"trigger": "fix", "comment": "First: Name your tests.\nCite it.\nCite it.", "version": 1,
			"snippet_ids": ids, "key": "k"}
		for range 2 {
			w.do("tutor", "POST "+ownVerdict, v).status(200)
		}
		w.are("uses", w.uses(all...), 1, 1, 1, 0, 0, 0)
		w.later(time.Minute)
		w.mark("convenor", form{"trigger": "redo", "comment": "100% Name your tests."})
		w.mark("convenor", form{"trigger": "discuss"})
		w.are("uses after the next", w.uses(all...), 2, 1, 1, 0, 0, 0)
	})
}

// A verdict that is refused leaves what is new new, and counts nothing.
func TestARefusedVerdictReadsAndCountsNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		w.snippetOf("Cite it.", "tutor", "unitA", nil)
		w.comment("c1", "student", ownTask, "When?")
		refused := func(as, body string, want int) {
			t.Helper()
			before := w.written()
			w.do(as, "POST "+ownVerdict, body).status(want)
			if now := w.written(); now != before {
				t.Errorf("%s became %s", before, now)
			}
			w.are("new", w.unreadBy("tutor", "convenor"), 1, 1)
		}
		for as, want := range map[string]int{"tutor": 409, "student": 403, "tutorB": 403} {
			refused(as, `{"trigger":"redo","version":7,"comment":"Cite it."}`, want)
		}
		refused("tutor", `{"trigger":"nonsense","version":1,"comment":"Cite it."}`, 400)
		w.are("uses", w.uses("Cite it."), 0)
	})
}

// One verdict on many tasks counts its reusable comment once for each task definition. Nobody
// has the conversations of many before them, so what is new there stays new.
func TestABatchOfVerdictsCountsSnippetsAndReadsNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`DELETE FROM snippets`)
		w.snippetOf("Cite it.", "tutor", "unitA", nil)
		w.comment("c1", "student", ownTask, "When?")
		ids := []int64{w.id["task"], w.task("mate", "defA1", nil), w.task("other", "defA2", nil)}
		v := form{"trigger": "fix", "comment": "Cite it.", "tasks": w.batchOf(ids...), "dry_run": "true", "key": "b"}
		w.markAll("tutor", v)
		w.are("uses after a plan", w.uses("Cite it."), 0)
		v["dry_run"] = "false"
		for range 2 {
			if b := w.markAll("tutor", v); b.Done != 3 {
				t.Fatalf("%+v", b)
			}
		}
		w.are("uses", w.uses("Cite it."), 1)
		if n := w.count("snippet_uses WHERE uses = 1"); n != 2 {
			t.Errorf("%d counts, want one for each task definition", n)
		}
		w.are("new", w.unreadBy("tutor", "convenor"), 1, 1)
	})
}

// Reading and counting cost one statement to look for what is new, three where there is some
// (four on PostgreSQL, which holds the tasks), and one where something was said.
func TestAVerdictTakesFewStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		cost := func(words string) int64 {
			t.Helper()
			r := w.request("tutor", "POST "+ownVerdict, map[string]any{"trigger": "discuss", "comment": words,
				"version": w.number(`SELECT version FROM tasks WHERE id = $1`, w.id["task"])})
			ctx, n := db.Counting(r.Context(), nil)
			w.send(r.WithContext(ctx), "a verdict").status(200)
			return n.N()
		}
		bare, said := cost(""), cost("Good.")
		w.comment("c1", "student", ownTask, "When?")
		unread := cost("Soon.")
		if bare > 17 || said-bare > 7 || unread-said > 4 {
			t.Errorf("%d statements, %d with words, %d with something to read", bare, said, unread)
		}
	})
}
