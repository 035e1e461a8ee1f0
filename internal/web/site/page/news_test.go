package page

import (
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
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

// What happened to a task on a day is one row, named after the verdict, with the newest words, and
// leads to them; the PDF stands beside what it was made of.
func TestNewsStandInARowForEachTaskOfADay(t *testing.T) {
	now, task, other := time.Date(2026, 11, 17, 1, 0, 0, 0, time.UTC), int64(7), int64(8)
	at := func(hours int) clock.Time { return clock.Time{Time: now.Add(-time.Duration(hours) * time.Hour)} }
	news := func(hours int, kind events.Kind, definition *int64, body string) usecase.News {
		return usecase.News{Kind: kind, Mine: true, At: at(hours), DefinitionID: definition, Body: []byte(body), Path: "/t"}
	}
	said := news(1, events.Comment, &task, `{"comment_id":9}`)
	said.CommentID, said.Said, said.New = 9, "The newest words", true
	older := news(3, events.Comment, &task, `{"comment_id":5}`)
	older.CommentID, older.Said = 5, "Older words"
	days := English.NewsDays([]usecase.News{news(0, events.Document, &task, `{"state":"ready"}`), said,
		news(2, events.Status, &task, `{"status":"complete"}`), older, news(3, events.Document, &other, `{"state":"ready"}`),
		news(20, events.Status, &task, `{"status":"redo"}`)}, time.FixedZone("", 10*3600), now)
	if len(days) != 2 || days[0].Name != "Today" || days[1].Name != "Yesterday" || len(days[0].Rows) != 2 {
		t.Fatalf("the days are %+v", days)
	}
	row := days[0].Rows[0]
	if row.Words != "Complete" || row.Family != "green" || row.To != "/t#comment-9" ||
		row.Quote != "The newest words" || !row.New || strings.Join(row.Also, ", ") != "PDF is ready, New comment" {
		t.Errorf("the row is %+v", row)
	}
	if alone := days[0].Rows[1]; alone.Words != "PDF is ready" || alone.To != "/t" || alone.New {
		t.Errorf("the other row is %+v", alone)
	}
}
