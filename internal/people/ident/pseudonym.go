package ident

import (
	"context"
	"fmt"
	"slices"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Pseudonym is a name without a person behind it, under which the work of a student stands once it is anonymous:
// "Student 17". There is one account for each number, which stands for somebody else in every unit. It counts as
// erased: nobody signs in with it, and no list of people has it, that of erased ones neither. The list of a unit's
// students has it among those who are not enrolled, as it leads to the work.
type Pseudonym struct {
	ID     int64  `db:"id"`
	Number int64  `db:"number"`
	Name   string `db:"name"`
}

// Pseudonymous tells of a user u whether they are a pseudonym.
const Pseudonymous = `(u.erased_at IS NOT NULL AND u.username_key LIKE '` + calledLike + `%')`

// calledLike is how the account of a pseudonym is named, before its number.
const calledLike = "anonymous-student-"

// Pseudonyms gives the first n of them by number, and makes the ones there are not yet. A number is left out where
// somebody else has its user name or address. It is part of anonymising a unit (trash.Retire), and refuses nothing.
func Pseudonyms(ctx context.Context, q db.Q, n int) ([]Pseudonym, error) {
	rows, err := pseudonymRows(ctx, q, n)
	if err != nil {
		return nil, err
	}
	list, args, err := db.Rows(q, []any{int64(policy.Student)}, []string{"number BIGINT", "name TEXT", "email TEXT", "last TEXT",
		"sorted TEXT", "at TIMESTAMPTZ"}, rows)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO users (username, username_key, email, email_key, first_name, last_name, role,
			name_key, words_made, receive_task_notifications, receive_portfolio_notifications,
			receive_feedback_notifications, receive_announcement_notifications, disabled_at, erased_at, created_at,
			updated_at)
		SELECT v.name, v.name, v.email, v.email, 'Student', v.last, $1, v.sorted, TRUE, FALSE, FALSE, FALSE, FALSE,
			v.at, v.at, v.at, v.at FROM `+list+` v WHERE TRUE ON CONFLICT (username_key) DO NOTHING`, args...)
	if err != nil {
		return nil, err
	}
	made, err := db.All[Pseudonym](ctx, q, `SELECT x.id, x.number, x.name FROM (SELECT u.id,
			CAST(substr(u.username_key, length('`+calledLike+`') + 1) AS BIGINT) AS number,
			u.first_name || ' ' || u.last_name AS name FROM users u WHERE `+Pseudonymous+`) x
		ORDER BY x.number LIMIT $1`, n)
	if err == nil && len(made) != n {
		err = fmt.Errorf("of %d pseudonyms %d are there", n, len(made))
	}
	return made, err
}

// pseudonymRows are n accounts with the first numbers that are free, or a pseudonym's already.
func pseudonymRows(ctx context.Context, q db.Q, n int) ([][]any, error) {
	others, err := db.All[string](ctx, q, `SELECT username_key FROM users u WHERE username_key LIKE '`+calledLike+`%'
			AND NOT `+Pseudonymous+`
		UNION SELECT email_key FROM users u WHERE email_key LIKE '`+calledLike+`%' AND NOT `+Pseudonymous)
	if err != nil {
		return nil, err
	}
	const at = "@erased.invalid"
	var rows [][]any
	for number := 1; len(rows) < n; number++ {
		name := fmt.Sprint(calledLike, number)
		if slices.Contains(others, name) || slices.Contains(others, name+at) {
			continue
		}
		rows = append(rows, []any{number, name, name + at, fmt.Sprint(number), fmt.Sprintf("student %06d", number),
			q.Now().String()})
	}
	return rows, nil
}
