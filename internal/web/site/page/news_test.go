package page

import (
	"testing"

	"lectern/internal/platform/events"
	"lectern/internal/usecase"
)

// Every kind of event that is news has words, for the student it is about and for the staff.
func TestEveryKindOfNewsHasWords(t *testing.T) {
	for mine, kinds := range map[bool][]events.Kind{true: events.ForStudents, false: events.ForStaff} {
		for _, kind := range kinds {
			n := &usecase.News{Kind: kind, Mine: mine, Body: []byte(`{"status":"complete","state":"ready"}`)}
			if English.News(n) == "" { // panics, with the key, where there are no words
				t.Errorf("nothing is said of %q, mine %t", kind, mine)
			}
		}
	}
}
