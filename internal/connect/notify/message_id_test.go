package notify

import (
	"strings"
	"testing"

	"lectern/internal/platform/db/dbtest"
)

// Two installations that send for one host number their jobs alike.
func TestMessageIDsOfTwoInstallationsDiffer(t *testing.T) {
	var ends []string
	for range 2 {
		d := dbtest.New(t, "sqlite", nil)
		for range 2 { // started twice
			m, err := NewMailer(t.Context(), d, nil, Config{From: "lectern@example.edu"})
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, m.idEnd())
		}
	}
	if ends[0] != ends[1] || ends[2] != ends[3] || ends[0] == ends[2] || !strings.HasSuffix(ends[0], "@example.edu") {
		t.Errorf("Message-IDs end with %q", ends)
	}
}
