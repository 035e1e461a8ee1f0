package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// carried lists what became of comments from a version to another.
func (w *world) carried(as, path string) string {
	w.Helper()
	var out []string
	for _, c := range w.do(as, "GET "+ownVersion+path, nil).status(200).object()["comments"].([]any) {
		one := c.(map[string]any)
		text := fmt.Sprintf("%s %s", one["where"], one["state"])
		if one["stands"] == nil {
			text += " (gone)"
		}
		if was, ok := one["was"].(map[string]any); ok && was["line"] != nil {
			text += fmt.Sprintf(" was %v", was["line"])
		}
		for range one["replies"].([]any) {
			text += " answered"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// The comments on a version stand beside what became of their lines in the next one.
func TestWhatBecameOfComments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document")
		one := w.newVersion("student", "first\nsecond = f(1)\nthird\nfourth\n}\n}\n")
		w.made()
		w.points("same", "tutor", one, 1, "Good")
		w.points("changed", "tutor", one, 2, "Call g")
		w.points("gone", "tutor", one, 4, "Why?")
		w.points("twin", "tutor", one, 5, "Which?")
		w.do("tutor", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":"A page","place":
			{"submission_timestamp":%q,"page":1}}`, one)).status(201)
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "I do", "reply_to_id": w.path("{changed}")}).status(201)
		two := w.newVersion("student", "new\nfirst\nsecond = g(1)\nthird\n}\n")
		w.points("later", "tutor", two, 1, "Of the second version")
		want := "main.c, line 2 unchanged was 1; main.c, line 3 changed was 2 answered; " +
			"main.c, on version 1, line 4 removed (gone) was 4; main.c, on version 1, line 5 unknown (gone) was 5; " +
			"On version 1, page 1 unknown (gone)"
		for _, who := range []string{"student", "tutor"} {
			if diff := cmp.Diff(want, w.carried(who, two+"/diff")); diff != "" {
				t.Errorf("%s: %s", who, diff)
			}
		}
		if got := w.carried("tutor", one+"/diff"); got != "" {
			t.Errorf("the first version carries %s", got)
		}
		w.do("tutor", "PUT "+ownTask+"/comments/{gone}/done", form{"done": "true"}).status(200)
		three := w.newVersion("student", "new\nfirst\nsecond = g(1)\nthird\n")
		if got := w.carried("student", three+"/diff?against="+two); !strings.Contains(got, "main.c, line 2 unchanged was 2") ||
			!strings.Contains(got, "main.c, line 1 unchanged was 1") {
			t.Errorf("since the second: %s", got)
		}
		if got := w.carried("student", three+"/diff?against="+one); !strings.Contains(got, "main.c, line 3 changed was 2") {
			t.Errorf("since the first: %s", got)
		}
		w.do("other", "GET "+ownVersion+two+"/diff", nil).status(403)
	})
}
