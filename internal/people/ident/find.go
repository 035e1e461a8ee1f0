package ident

import (
	"context"

	"lectern/internal/platform/db"
)

// Find gives the id of the user whom staff mean by a user name, a student
// number or an address, in this order where several people match.
func Find(ctx context.Context, q db.Q, text string) (int64, error) {
	id, err := db.OneOf[int64](ctx, q, "student: no user name, student number or address matches", `SELECT id FROM users
		WHERE username_key = $1 OR student_id = $2 OR email_key = $1
		ORDER BY CASE WHEN username_key = $1 THEN 1 WHEN student_id = $2 THEN 2 ELSE 3 END LIMIT 1`, fold(text), text)
	if err != nil {
		return 0, err
	}
	return *id, nil
}
