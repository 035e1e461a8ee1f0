package ident

import (
	"context"
	"iter"

	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// batch is how many users a list reads at a time: enough that a list of a
// thousand takes one statement, few enough to hold for every slow reader.
const batch = 2000

// Selection says which users to list.
type Selection struct {
	AtLeast       policy.Role // 0: everybody
	Limit, Offset int64       // Limit below 0: no end
}

// Count tells how many users hold at least a role. Pseudonyms are nobody: an index knows the few erased accounts they
// are among.
func Count(ctx context.Context, q db.Q, atLeast policy.Role) (int64, error) {
	n, err := db.One[int64](ctx, q, `SELECT (SELECT count(*) FROM users WHERE role >= $1)
		- (SELECT count(*) FROM users u WHERE u.role >= $1 AND `+Pseudonymous+`)`, int64(atLeast))
	if err != nil {
		return 0, err
	}
	return *n, nil
}

// listed is a user with their place in the list.
type listed struct {
	User
	NameKey string `db:"name_key"`
}

// List gives users by name, without pseudonyms. They are read in batches, each by
// a statement of its own that goes on behind the last one, so that no connection
// is held while a slow reader takes them.
func List(ctx context.Context, q db.Q, s Selection) iter.Seq2[User, error] {
	return func(yield func(User, error) bool) {
		after, name, offset, left := int64(0), "", s.Offset, s.Limit
		for left != 0 {
			n := int64(batch)
			if left > 0 {
				n = min(n, left)
			}
			users, err := db.All[listed](ctx, q, `SELECT `+userColumns+`, name_key FROM users u
				WHERE (name_key, id) > ($5, $1) AND role >= $2 AND NOT `+Pseudonymous+`
				ORDER BY name_key, id LIMIT $3 OFFSET $4`, after, int64(s.AtLeast), n, offset, name)
			if err != nil {
				yield(User{}, err)
				return
			}
			for _, u := range users {
				if !yield(u.User, nil) {
					return
				}
			}
			if int64(len(users)) < n {
				return
			}
			last := users[len(users)-1]
			after, name, offset = last.ID, last.NameKey, 0
			if left > 0 {
				left -= n
			}
		}
	}
}
