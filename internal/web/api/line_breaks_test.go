package api

import (
	"encoding/csv"
	"strings"
	"testing"
)

// Names that an identity provider gave with line breaks were stored before they were refused.
func TestNamesStoredWithLineBreaksHarmNoSheetAndNoDocument(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		rows := func() int {
			list, err := csv.NewReader(strings.NewReader(w.do("admin", "GET /api/csv/users", nil).status(200).
				Body.String())).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		before := rows()
		w.set(`UPDATE users SET first_name = $2, last_name = $3, nickname = $2 WHERE id = $1`, w.id["student"],
			"Eve\r\nBcc: spy@example.com", "a,b\n=1+1\r")
		if after := rows(); after != before {
			t.Errorf("a sheet of %d rows has %d", before, after)
		}
		w.asks("code")
		w.handIn("student", "defA1")
		w.made()
		a := w.do("student", "GET "+ownTask+"/submission?as_attachment=true", nil).status(200)
		if !strings.HasPrefix(a.Body.String(), "%PDF-") {
			t.Errorf("got %.60q", a.Body.String())
		}
		for name, values := range a.Header() {
			if strings.ContainsAny(strings.Join(values, ""), "\r\n") {
				t.Errorf("the header %s is %q", name, values)
			}
		}
		if marks := cells(t, w.batch("tutor", "")["marks.csv"]); len(marks) != 1 {
			t.Errorf("the sheet of marks has %d rows", len(marks))
		}
	})
}
