package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// A board of a unit with 2,000 students in 400 groups shows a page of them within 100 ms, and in at most
// twice the time of the calls behind it.
func TestABoardOfManyGroups(t *testing.T) {
	dbtest.Load(t)
	u := newUniversity(t)
	crowd := []string{
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
			INSERT INTO users (username, username_key, first_name, last_name, email, email_key, name_key, role,
				created_at, updated_at)
			SELECT 'crowd' || i, 'crowd' || i, 'Crowd', 'Number ' || i, i || '@crowd.test', i || '@crowd.test', '', 1,
			'2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n`,
		`INSERT INTO projects (unit_id, user_id, created_at, updated_at)
			SELECT 1, id, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM users WHERE username LIKE 'crowd%'`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
			INSERT INTO unit_groups (group_set_id, tutorial_id, name)
			SELECT s.id, t.id, 'Crowd ' || i FROM n, group_sets s, tutorials t WHERE s.unit_id = 1
			AND t.id = (SELECT min(id) FROM tutorials WHERE unit_id = 1)`,
		`INSERT INTO group_memberships (group_set_id, unit_group_id, project_id)
			SELECT g.group_set_id, g.id, p.id FROM projects p JOIN users u ON u.id = p.user_id AND u.username LIKE 'crowd%'
			JOIN (SELECT group_set_id, min(id) AS id FROM unit_groups WHERE name LIKE 'Crowd%' GROUP BY group_set_id) f
			JOIN unit_groups g ON g.id = f.id + p.id % 400`,
	}
	if err := u.db.Tx(t.Context(), func(q db.Q) error {
		for _, text := range crowd {
			if _, err := db.Exec(t.Context(), q, text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	calls := slices.Concat(framed, []string{aUnit, aUnit + "/deleted", aSetOf, aSetOf + "/groups"})
	for range 24 { // the groups of a page
		calls = append(calls, aSetOf+"/groups/{group_id}/members")
	}
	path := aBoard
	page, behind := turns(func() { u.ask(aConvenor, path) }, func() {
		for _, c := range calls {
			u.ask(aConvenor, c)
		}
	})
	var all []time.Duration
	for range 40 {
		start := time.Now()
		u.ask(aConvenor, path)
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	p95 := all[len(all)*95/100]
	t.Logf("%s: %.1f ms, p95 %.1f ms, the calls behind it %.1f ms", strings.TrimPrefix(path, "/units"), ms(page), ms(p95),
		ms(behind))
	if p95 > 100*time.Millisecond || page > wantedPage*behind {
		t.Errorf("a board takes %v, p95 %v, the calls behind it %v", page, p95, behind)
	}
}
