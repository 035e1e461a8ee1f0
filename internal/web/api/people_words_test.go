package api

import (
	"testing"

	"lectern/internal/people/ident"
)

// Two names that thousands have each find the few who have both, with what else is asked for, and a name that
// nobody has finds nobody with them.
func TestTwoCommonNamesFindThoseWhoHaveBoth(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4203)
			INSERT INTO users (username, username_key, email, email_key, first_name, last_name, role, created_at, updated_at)
			SELECT 'c' || CAST(i AS TEXT), 'c' || CAST(i AS TEXT), 'c' || CAST(i AS TEXT) || '@common.example',
				'c' || CAST(i AS TEXT) || '@common.example', CASE WHEN i <= 2103 THEN 'Adelheid' ELSE 'Jun' END,
				CASE WHEN i <= 3 OR i > 2103 THEN 'Watanabe' ELSE 'Osei' END, CASE i WHEN 1 THEN 3 ELSE 1 END, $1, $1 FROM n`,
			w.db.Now())
		if err := ident.FillWords(t.Context(), w.db); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]int{"text=adel+wata": 3, "text=watanabe+adelheid": 3,
			"text=adel+wata&system_role=Convenor": 1, "text=adel+wata&state=invited": 3, "text=adel+wata+nobody": 0,
			"text=adel+wata+common": 3, "text=adel+common&limit=10": 10, "text=adel+wata+c2": 1} {
			if got := w.do("admin", "GET /api/admin/people?"+query, nil).status(200).list(); len(got) != want {
				t.Errorf("%s finds %d, want %d", query, len(got), want)
			}
		}
	})
}
