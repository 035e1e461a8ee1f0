package submit

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

// Cover and foot of a document tell the moment in words, on the unit's clock.
func TestADocumentTellsItsMomentOnTheUnitsClock(t *testing.T) {
	zone := "Australia/Melbourne"
	at := clock.Time{Time: time.Date(2026, 11, 16, 23, 5, 9, 0, time.UTC)}
	for _, c := range []struct {
		zone             *string
		foot, onTheCover string
	}{
		{&zone, "17 Nov 2026, 10:05 AEDT", "Tuesday 17 November 2026, 10:05:09 AEDT"},
		{nil, "16 Nov 2026, 23:05 UTC", "Monday 16 November 2026, 23:05:09 UTC"},
	} {
		doc := (&coverData{At: at, TimeZone: c.zone, Student: "Aisha Student"}).document("A university")
		if want := "Aisha Student · " + c.foot; doc.Footer != want {
			t.Errorf("the foot says %q, not %q", doc.Footer, want)
		}
		var lines []string
		for _, line := range doc.Sections[0].Cover.Lines {
			lines = append(lines, line.Key+": "+line.Value)
		}
		if all := strings.Join(lines, "\n"); !strings.Contains(all, "Submitted on: "+c.onTheCover) {
			t.Errorf("the cover does not say %q:\n%s", c.onTheCover, all)
		}
	}
}
