package chart

import (
	"slices"
	"strings"
	"testing"

	"lectern/internal/teaching/status"
)

// TestEveryStatusIsShown fails when a status is added and forgotten here: its students would
// silently be missing from the shares.
func TestEveryStatusIsShown(t *testing.T) {
	var shown []status.Status
	for _, s := range shownStatuses {
		shown = append(shown, s.status)
	}
	for _, s := range status.All {
		if !slices.Contains(shown, s) {
			t.Errorf("the chart of statuses leaves out %q", s)
		}
	}
	if len(shown) != len(status.All) {
		t.Errorf("%d statuses are shown, there are %d", len(shown), len(status.All))
	}
}

func TestEveryStatusCountsInTheShares(t *testing.T) {
	counts := map[status.Status]int{}
	for _, s := range status.All {
		counts[s] = 1
	}
	picture := string(Statuses{Unit: "A", Tasks: []TaskCounts{{Abbreviation: "1P", Name: "One", Counts: counts}}}.SVG())
	for _, s := range status.All {
		if !strings.Contains(picture, s.Name()) {
			t.Errorf("the picture does not name %q", s.Name())
		}
	}
	if parts := shares(counts); len(parts) != len(status.All) {
		t.Errorf("%d shares of %d statuses", len(parts), len(status.All))
	}
}
