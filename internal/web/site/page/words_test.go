package page

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/words/wordstest"
	"lectern/internal/teaching/due"
	"lectern/internal/teaching/status"
)

// Every language has words for what English has words for, with the same values, and the forms that its
// numbers need.
func TestLanguagesAreComplete(t *testing.T) { wordstest.Complete(t, wordFiles) }

func TestCountsHaveTheirForms(t *testing.T) { wordstest.Counted(t, wordFiles) }

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
		for form, layout := range English.Some("date.") {
			if got, want := English.Date(form, at), at.Format(layout.Plain); got != want {
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
