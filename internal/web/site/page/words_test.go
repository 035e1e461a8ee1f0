package page

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// Every language has words for what English has words for, with the same values.
func TestLanguagesAreComplete(t *testing.T) {
	for _, tag := range Languages() {
		l, err := LanguageOf(tag)
		if err != nil {
			t.Fatal(err)
		}
		for k, text := range English.words {
			theirs, ok := l.words[k]
			if !ok {
				t.Errorf("%s says nothing for %s: %q", tag, k, text.Plain+text.Other)
			}
			want := verbs(text.Plain + text.Other)
			for _, form := range theirs.all() {
				if got := verbs(*form); *form != "" && form != &theirs.None && !slices.Equal(got, want) {
					t.Errorf("%s says %q for %s, with other values than %q", tag, *form, k, text.Plain+text.Other)
				}
			}
		}
		for k := range l.words {
			if _, ok := English.words[k]; !ok {
				t.Errorf("%s has words that nobody says: %s", tag, k)
			}
		}
	}
	if _, err := LanguageOf("xx"); err == nil || !strings.Contains(err.Error(), "en") {
		t.Errorf("a language that is not there: %v", err)
	}
}

// What tells a number of things has the forms that the language needs, and no others: %d stands
// for such a number, and %v for one that counts nothing, as in "Week 3" or "5 of 20".
func TestCountsHaveTheirForms(t *testing.T) {
	for _, tag := range Languages() {
		l, err := LanguageOf(tag)
		if err != nil {
			t.Fatal(err)
		}
		needs := map[plural.Form]bool{plural.Other: true}
		for n := range 1000 {
			needs[formOf(l.rules, strconv.Itoa(n))] = true
		}
		for k, text := range l.words {
			if !text.Counts() {
				if slices.Contains(verbs(text.Plain), "%d") || *text.all()[3] != "" {
					t.Errorf("%s: %s has no forms: %q", tag, k, text.Plain)
				}
				continue
			}
			for f := plural.Other; f <= plural.Many; f++ {
				if (text.form(f) != "") != needs[f] {
					t.Errorf("%s: %s has the form %d: %q", tag, k, f, text.form(f))
				}
			}
			if at := max(text.Of, 1); text.Plain != "" || at > len(verbs(text.Other)) || len(verbs(text.None)) > 0 {
				t.Errorf("%s: %s counts value %d of %q", tag, k, at, text.Other)
			}
		}
	}
}

// A number is told in the form that the rules of the language ask for.
func TestNumbersChooseTheirForm(t *testing.T) {
	files := Text{None: "no file", One: "%d file", Other: "%d files"}
	slavic := Text{One: "%d плик", Few: "%d плики", Many: "%d пликів", Other: "%d плика"}
	hours := Text{One: "%.1f hour", Other: "%.1f hours"}
	of := Text{Of: 2, One: "%d of %d file", Other: "%d of %d files"}
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

// What pages say in English is what the rest of the service says: documents and the API name
// grades and write dates the same way. Statuses differ in
// capitals only, because the API keeps the names of its specification.
func TestEnglishIsThatOfTheDomain(t *testing.T) {
	for _, st := range append(slices.Clone(status.All), "", "none") {
		if got := English.Status(st); !strings.EqualFold(got, st.Name()) {
			t.Errorf("%s is %q", st, got)
		}
	}
	for g := grade.Lowest - 1; g <= grade.Highest+1; g++ {
		if got := English.Grade(g); got != g.Name() {
			t.Errorf("%d is %q", g, got)
		}
	}
	for day := clock.On(2026, 1, 1); day.Year() == 2026; day = day.AddDays(1) {
		at := day.Add(13*time.Hour + 4*time.Minute)
		for form := range English.dates {
			if got, want := English.Date(form, at), at.Format(English.words["date."+form].Plain); got != want {
				t.Errorf("%s: %q, want %q", form, got, want)
			}
		}
	}
}

// A due date is explained step by step, with days as people write them.
func TestDueDatesAreExplained(t *testing.T) {
	sydney := time.FixedZone("Australia/Sydney", 10*60*60)
	for _, c := range []struct {
		zone  *time.Location
		weeks int
		want  string
	}{
		{nil, 0, "Target date: Mon 2 Mar 2026. Due on Mon 2 Mar 2026 at 23:59, anywhere on Earth."},
		{sydney, 1, "Target date: Mon 2 Mar 2026. Extended by 1 week to Mon 9 Mar 2026. " +
			"Due on Mon 9 Mar 2026 at 23:59, Sydney time."},
		{sydney, 3, "Target date: Mon 2 Mar 2026. Extended by 3 weeks to Mon 23 Mar 2026. " +
			"It cannot be later than the deadline. Due on Fri 20 Mar 2026 at 23:59, Sydney time."},
	} {
		e := due.Dates{Target: clock.On(2026, 3, 2), Deadline: clock.On(2026, 3, 20), Extensions: c.weeks,
			Zone: c.zone}.Explain()
		if got := English.why(e); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
