package insight

import (
	"testing"

	"lectern/internal/ground/clock"
)

func TestMarksAreReadAsTheyAreWritten(t *testing.T) {
	const at, in = clock.Milli(1_770_000_060_000), clock.Milli(1_770_000_000_000)
	for text, want := range map[string]struct {
		firstMark
		undoes int64
	}{
		"7 9 3 2026-02-02T02:41:00.000Z 2026-02-02T02:40:00.000Z": {firstMark{TaskID: 7, ID: 9, UserID: 3, At: at,
			HandedIn: in}, -1},
		"7 9 3 1770000060000 1770000000000":  {firstMark{TaskID: 7, ID: 9, UserID: 3, At: at, HandedIn: in}, -1},
		"7 9 3 1770000060000 0 0":            {firstMark{TaskID: 7, ID: 9, UserID: 3, At: at}, 0}, // takes all back
		"7 9 3 2026-02-02T02:41:00.000Z 0 8": {firstMark{TaskID: 7, ID: 9, UserID: 3, At: at}, 8},
	} {
		var m firstMark
		if undoes, err := m.read(text); err != nil || m != want.firstMark || undoes != want.undoes {
			t.Errorf("%s is read as %+v, %d (%v)", text, m, undoes, err)
		}
	}
	for _, text := range []string{"", "7 x", "7 9 3 2026-02-02T99:00:00.000Z 0"} {
		if _, err := new(firstMark).read(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// What was taken back is no first mark, also where its task had no history before; the next one then is.
func TestFirstMarksAreThoseThatStand(t *testing.T) {
	marks := []firstMark{{ID: 12, TaskID: 1, HandedIn: 5, At: 30}, {ID: 10, TaskID: 1, HandedIn: 5, At: 20},
		{ID: 3, TaskID: 2, HandedIn: 5, At: 20}, {ID: 7, TaskID: 2, HandedIn: 5, At: 40},
		{ID: 2, TaskID: 4, HandedIn: 50, At: 40}}
	got := undos{2: {{after: 0, by: 4}}}.first(marks)
	if len(got) != 2 || got[0].ID != 10 || got[1].ID != 7 {
		t.Errorf("the first marks are %+v", got)
	}
}
