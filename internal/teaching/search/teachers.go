package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Teacher is somebody who may teach, with no more than it takes to tell them from others.
type Teacher struct {
	UserID    int64  `db:"user_id" json:"user_id"`
	Username  string `db:"username" json:"username"`
	FirstName string `db:"first_name" json:"first_name"`
	LastName  string `db:"last_name" json:"last_name"`
}

// teacherFirst is how many letters a teacher is found by at least: nobody leafs through all accounts.
const teacherFirst = 3

// Teachers finds those who may teach by the beginnings of words of their name, at most 20, for
// holders of policy.FindTeachers: people of the whole service, not of a unit. Whoever may not sign in
// is not found. It refuses a text of fewer than three characters.
func Teachers(ctx context.Context, q db.Q, text string) ([]Teacher, error) {
	asked := newQuery(text)
	if len([]rune(strings.Join(asked.words, ""))) < teacherFirst {
		return nil, fault.Field(fault.Refused, "text", "must have at least %d characters of a name", teacherFirst)
	}
	p := &peopleQuery{words: slices.Clone(asked.words)}
	count, err := p.chooseFirst(ctx, q)
	if err != nil || count == 0 {
		return nil, err
	}
	with := `WITH h AS MATERIALIZED (SELECT DISTINCT w.user_id FROM person_words w WHERE ` +
		p.begins("w", p.words[0]) + ` AND ` + p.all("w.user_id", p.words[1:]) + `) `
	p.args = append(p.args, int64(policy.Tutor))
	return db.All[Teacher](ctx, q, with+fmt.Sprintf(`SELECT s.id AS user_id, s.username, s.first_name, s.last_name
		FROM h JOIN users s ON s.id = h.user_id WHERE s.role >= $%d AND s.disabled_at IS NULL
		ORDER BY s.name_key, s.first_name, s.last_name, s.id LIMIT %d`, len(p.args), Most), p.args...)
}
