package backup

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// Of two backups a day over a year and a half, a rule keeps what it says, and the newest always.
func TestARuleKeepsWhatItSays(t *testing.T) {
	var all []string
	for at := time.Date(2025, 5, 1, 3, 0, 0, 0, time.UTC); at.Before(time.Date(2026, 11, 17, 4, 0, 0, 0, time.UTC)); {
		all = append(all, at.Format(setLayout), at.Add(9*time.Hour).Format(setLayout))
		at = at.AddDate(0, 0, 1)
	}
	for text, want := range map[string][]string{
		"1d": {"20261117T120000Z"},
		"3d": {"20261115T120000Z", "20261116T120000Z", "20261117T120000Z"},
		"2d,3w,2m": {"20261031T120000Z", "20261108T120000Z", "20261115T120000Z", "20261116T120000Z",
			"20261117T120000Z"},
	} {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(r.kept(all))); !slices.Equal(got, want) {
			t.Errorf("%s keeps %v, not %v", text, got, want)
		}
	}
	r, _ := ParseRule("7d,4w,12m")
	if n := len(r.kept(all)); n < 7+3+10 || n > 7+4+12 {
		t.Errorf("7d,4w,12m keeps %d", n)
	}
	old := []string{"20200101T000000Z", "20200102T000000Z", "20200103T000000Z"}
	if n := len(Rule{Days: 2}.kept(old)); n != 2 {
		t.Errorf("of old backups %d are kept: the days that have one count, not those of the calendar", n)
	}
	for _, text := range []string{"d", "7", "0d", "-1d", "7d,", "7d,7d", "7y", "x", ","} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q is taken as %v", text, r)
		}
	}
}
