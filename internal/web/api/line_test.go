package api

import (
	"strconv"
	"strings"
	"testing"
)

// What stands on one line holds no control characters, whichever way it comes;
// what people write at length keeps its lines.
func TestOneLineFields(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, bad := range []string{"Eve\r\nBcc: x", "Eve\tX", "\x1b[31m", "a\u202eb", "a\u2028b"} {
			for _, c := range []struct{ as, request, field string }{
				{"student", "PUT /api/users/{student}", "user[first_name]"},
				{"student", "PUT /api/users/{student}", "user[nickname]"},
				{"convenor", "PUT /api/units/{unitA}", "unit[name]"},
				{"convenor", "PUT /api/units/{unitA}", "unit[code]"},
				{"convenor", "PUT /api/units/{unitA}/task_definitions/{defA1}", "task_def[name]"},
				{"convenor", "PUT /api/tutorials/{tutorialA}", "tutorial[abbreviation]"},
			} {
				w.do(c.as, c.request, form{c.field: bad}).status(400).says(c.field, "one line")
			}
			r := users(t, w, "username,email,first_name,last_name,role,nickname\n"+
				"eve,eve@example.edu,E,L,Student,\"x"+bad+"x\"\n", nil)
			if len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Message, "nickname must be one line") {
				t.Errorf("%q: %+v", bad, r)
			}
		}
		const long = "First line\nsecond\twith a tab"
		got := w.do("convenor", "PUT /api/units/{unitA}", form{"unit[description]": long}).status(200).object()
		if got["description"] != long {
			t.Errorf("got %q", got["description"])
		}
		for _, bad := range []string{"a\x1b[31mb", "a\bb", "a\u009bb", "\x7f"} {
			w.do("convenor", "PUT /api/units/{unitA}", form{"unit[description]": bad}).status(400).
				says("unit[description]", "control characters")
			w.do("student", "POST "+ownTask+"/comments", form{"comment": bad}).status(400).
				says("comment", "control characters")
		}
		for _, bad := range []string{".", "..", " .. "} {
			w.do("convenor", "PUT /api/tutorials/{tutorialA}", form{"tutorial[abbreviation]": bad,
				"tutorial[unit_id]": strconv.FormatInt(w.id["unitA"], 10)}).status(422)
		}
	})
}
