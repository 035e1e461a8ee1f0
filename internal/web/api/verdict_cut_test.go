package api

import (
	"fmt"
	"testing"
	"time"

	"lectern/internal/platform/db"
)

// What is typed is never lost: a verdict, its undo, a batch and its undo are cut short at
// every statement, as a crash would. Nothing of it is kept then, neither of what follows from
// it, and the repeat with the same key does it once.
func TestVerdictsCutShort(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.task("both", "defA1", nil)
		w.membersOfBoth()
		other := w.task("other", "defA2", nil)
		w.move("other", "/api/projects/{project:other}/task_def_id/{defA2}", "rff")
		v := form{"trigger": "fix", "comment": "Come and see me."}
		w.snippetOf("Come and see me.", "tutor", "unitA", nil)
		for _, about := range []string{"one", "many"} {
			w.later(time.Minute)
			w.comment("asked", "student", ownTask, "When?")
			v["key"] = about
			v["version"], v["tasks"] = w.version("task"), w.batchOf(w.id["task"], other)
			give, undo := "POST "+ownVerdict, "POST /api/verdicts/%.0f/undo"
			if about == "many" {
				give, undo = "POST /api/units/{unitA}/verdicts", "POST /api/verdict_batches/%.0f/undo"
			}
			before := w.written()
			given, cuts := w.cutShort(give, v, before)
			w.later(time.Minute)
			_, more := w.cutShort(fmt.Sprintf(undo, given["id"]), nil, w.written())
			t.Logf("%s: cut short at %d statements and, undone, at %d", about, cuts, more)
			w.countsAreRight()
		}
	})
}

// cutShort makes a request fail at its first statement, at its second and so on, until it
// succeeds. Whenever it failed, what stands must be as it was; whenever it is repeated
// after a success, it must stay as it is.
func (w *world) cutShort(request string, body any, before string) (map[string]any, int64) {
	w.Helper()
	for n := int64(1); ; n++ {
		r := w.request("tutor", request, body)
		ctx, _ := db.Failing(r.Context(), n)
		got := w.send(r.WithContext(ctx), request)
		if got.Code != 500 {
			after := w.written()
			if again := w.do("tutor", request, body).status(200); again.Body.String() != got.Body.String() {
				w.Errorf("the repeat of %s gives %s, not %s", request, again.Body, got.Body)
			}
			if now := w.written(); now != after || after == before {
				w.Errorf("%s made %s of %s, and %s when repeated", request, after, before, now)
			}
			return got.status(200).object(), n - 1
		}
		if now := w.written(); now != before {
			w.Fatalf("%s, cut short at statement %d, made %s of %s", request, n, now, before)
		}
	}
}
