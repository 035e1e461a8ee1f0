package words

import (
	"encoding/json"
	"slices"
	"testing"

	"golang.org/x/text/language"
)

// A number is told in the form that the rules of the language ask for.
func TestNumbersChooseTheirForm(t *testing.T) {
	files := Text{None: "no file", One: "%d file", Other: "%d files"}
	slavic := Text{One: "%d плик", Few: "%d плики", Many: "%d пликів", Other: "%d плика"}
	hours := Text{One: "%.1f hour", Other: "%.1f hours"}
	of := Text{Of: 2, One: "%d of %d file", Other: "%d of %d files"}
	turned := Text{Of: 2, One: "%[2]d file of %[1]s", Other: "%[2]d files of %[1]s"}
	for _, c := range []struct {
		tag    string
		text   Text
		values []any
		want   string
	}{
		{"en", files, []any{0}, "no file"}, {"en", files, []any{1}, "1 file"}, {"en", files, []any{int64(21)}, "21 files"},
		{"uk", slavic, []any{1}, "1 плик"}, {"uk", slavic, []any{3}, "3 плики"}, {"uk", slavic, []any{11}, "11 пликів"},
		{"uk", slavic, []any{121}, "121 плик"},
		{"en", hours, []any{1.0}, "1.0 hours"}, {"en", of, []any{2, 1}, "2 of 1 file"}, {"en", of, []any{1, 2}, "1 of 2 files"},
		{"en", turned, []any{"Ann", 1}, "1 file of Ann"}, {"en", turned, []any{"Ann", 2}, "2 files of Ann"},
		{"en", Text{Plain: "Share (%%)"}, nil, "Share (%)"}, {"en", Text{Plain: "%s: %d %%"}, nil, "%s: %d %%"},
	} {
		if got := c.text.say(language.Make(c.tag), c.values); got != c.want {
			t.Errorf("%s of %v: %q, want %q", c.tag, c.values, got, c.want)
		}
	}
	var read map[string]Text
	if err := json.Unmarshal([]byte(`{"a":"b","c":{"one":"d","other":"e"}}`), &read); err != nil ||
		read["a"].Plain != "b" || read["c"].One != "d" || !read["c"].Counts() {
		t.Errorf("%+v: %v", read, err)
	}
	if err := json.Unmarshal([]byte(`{"c":{"ome":"d","other":"e"}}`), &read); err == nil {
		t.Error("a form with a slip of the pen is taken")
	}
	if data, err := json.Marshal(read["c"]); err != nil || string(data) != `{"one":"d","other":"e"}` {
		t.Errorf("%s: %v", data, err)
	}
}

// A language may put values in another order; in what order they are given stays the same.
func TestVerbsStandInTheOrderOfTheirValues(t *testing.T) {
	for text, want := range map[string][]string{"": nil, "100 %% of it": nil, "%s of %d %%": {"%s", "%d"}, "%[2]d: %[1]s": {"%s", "%d"},
		"%.1[2]f, %[1]s": {"%s", "%.1f"}, "%[1]s and %[1]s": {"%s"}, "at 5%": nil, "%[2]s %s": {"", "%s", "%s"}} {
		if got := Verbs(text); !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}
