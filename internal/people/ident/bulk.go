package ident

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Key is the form in which user names and addresses are compared.
func Key(name string) string { return fold(name) }

// Flaw tells what keeps an account from being made, in one sentence; "" when
// nothing does. It trims the values first.
func (n *NewUser) Flaw() string {
	n.trim()
	return n.flaws().String()
}

// Account is what imports must know of a user there is.
type Account struct {
	ID        int64       `db:"id"`
	Name      string      `db:"username_key"`
	Email     string      `db:"email_key"`
	StudentID *string     `db:"student_id"`
	LoginID   *string     `db:"login_id"`
	Role      policy.Role `db:"role"`
	Opened    bool        `db:"opened"` // see User
}

// Accounts are users by each of the values no two of them share; names and
// addresses by their Key.
type Accounts struct {
	ByName, ByEmail, ByStudentID, ByLoginID map[string]*Account
}

// Taken tells which value of a new user another one has; "" for none.
func (a *Accounts) Taken(n *NewUser) string {
	switch {
	case a.ByName[fold(n.Username)] != nil:
		return "username"
	case a.ByEmail[fold(n.Email)] != nil:
		return "email"
	case n.StudentID != "" && a.ByStudentID[n.StudentID] != nil:
		return "student_id"
	case n.LoginID != "" && a.ByLoginID[n.LoginID] != nil:
		return "login_id"
	}
	return ""
}

// FindAll gives the users who have a name, an address, a student number or a
// login_id that one of some has, in one statement.
func FindAll(ctx context.Context, q db.Q, some []NewUser) (*Accounts, error) {
	found := &Accounts{map[string]*Account{}, map[string]*Account{}, map[string]*Account{}, map[string]*Account{}}
	rows := make([][]any, len(some))
	for i := range some {
		rows[i] = []any{fold(some[i].Username), fold(some[i].Email), some[i].StudentID, some[i].LoginID}
	}
	list, args, err := db.Rows(q, nil, []string{"name TEXT", "email TEXT", "number TEXT", "login TEXT"}, rows)
	if err != nil {
		return nil, err
	}
	const columns = `SELECT id, username_key, email_key, student_id, login_id, role,
		(opened_at IS NOT NULL OR password_hash IS NOT NULL) AS opened FROM users WHERE `
	for a, err := range db.Each[Account](ctx, q, `WITH w AS (SELECT * FROM `+list+` r) `+columns+
		`username_key IN (SELECT name FROM w)
		UNION `+columns+`email_key IN (SELECT email FROM w) UNION `+columns+`student_id IN (SELECT number FROM w)
		UNION `+columns+`login_id IN (SELECT login FROM w)`,
		args...) {
		if err != nil {
			return nil, err
		}
		found.ByName[a.Name], found.ByEmail[a.Email] = &a, &a
		if a.StudentID != nil {
			found.ByStudentID[*a.StudentID] = &a
		}
		if a.LoginID != nil {
			found.ByLoginID[*a.LoginID] = &a
		}
	}
	return found, nil
}

// Added is a user made by AddAll. Its token is for a link to set a password,
// and is known only now.
type Added struct {
	ID    int64
	Token string
}

// AddAll makes accounts that Flaw finds nothing wrong with, each with a link to set a password,
// and gives them by the Key of their name. Whoever shares a value with a user there is by now
// is left out. It is for holders of policy.ImportUsers, as far as policy.MayAppoint lets them.
func AddAll(ctx context.Context, q db.Q, some []NewUser) (map[string]Added, error) {
	out := make(map[string]Added, len(some))
	if len(some) == 0 {
		return out, nil
	}
	now := q.Now().String()
	rows := make([][]any, len(some))
	for i := range some {
		rows[i] = append(some[i].columns(), now)
	}
	list, args, err := db.Rows(q, nil, []string{"username TEXT", "username_key TEXT", "email TEXT", "email_key TEXT",
		"student_id TEXT",
		"first_name TEXT", "last_name TEXT", "nickname TEXT", "role BIGINT", "login_id TEXT", "name_key TEXT",
		"at TIMESTAMPTZ"}, rows)
	if err != nil {
		return nil, err
	}
	made, err := db.All[struct {
		named
		Key  string `db:"username_key"`
		Role int64  `db:"role"`
	}](ctx, q, `INSERT INTO users (username, username_key, email, email_key, student_id, first_name, last_name,
		nickname, role, login_id, name_key, words_made, created_at, updated_at)
		SELECT username, username_key, email, email_key, student_id, first_name, last_name, nickname, role, login_id,
			name_key, TRUE, at, at
		FROM `+list+` r WHERE TRUE
		ON CONFLICT DO NOTHING RETURNING id, username_key, role, first_name, last_name, nickname, username, email,
			student_id`, args...)
	if err != nil {
		return nil, err
	}
	until := clock.At(q.Now().Add(LinkLife)).String()
	rows = rows[:0]
	var entries []audit.Entry
	var people []named
	for _, u := range made {
		people = append(people, u.named)
		entries = append(entries, created(u.ID), appointed(u.ID, policy.Role(u.Role)))
		token := newToken()
		out[u.Key] = Added{u.ID, token}
		rows = append(rows, []any{u.ID, HashToken(token), now, until})
	}
	if err := addWords(ctx, q, people...); err != nil {
		return nil, err
	}
	if err := audit.Add(ctx, q, entries...); err != nil {
		return nil, err
	}
	return out, insertLinks(ctx, q, rows)
}

func insertLinks(ctx context.Context, q db.Q, rows [][]any) error {
	list, args, err := db.Rows(q, nil, []string{"id BIGINT", "token TEXT", "at TIMESTAMPTZ", "until TIMESTAMPTZ"}, rows)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `INSERT INTO password_links (user_id, token_hash, created_at, expires_at) SELECT id,
		token, at, until FROM `+list+` r`, args...)
	return err
}

// SetStudentIDs gives users, by id, their student numbers. One that another user has by now is
// fault.Conflict. It is for imports, by holders of policy.ImportUnit.
func SetStudentIDs(ctx context.Context, q db.Q, numbers map[int64]string) error {
	if len(numbers) == 0 {
		return nil
	}
	var rows [][]any
	var entries []audit.Entry
	for id, number := range numbers {
		entries = append(entries, audit.Entry{Kind: audit.Account, Action: audit.Changed, UserID: id,
			Fields: []string{"student_id"}})
		rows = append(rows, []any{id, number, q.Now().String()})
	}
	list, args, err := db.Rows(q, nil, []string{"id BIGINT", "number TEXT", "at TIMESTAMPTZ"}, rows)
	if err != nil {
		return err
	}
	people, err := db.All[named](ctx, q, `UPDATE users SET student_id = r.number, updated_at = r.at, words_made = TRUE
		FROM `+list+` r WHERE users.id = r.id RETURNING users.id, first_name, last_name, nickname, username, email,
			student_id`, args...)
	if err != nil {
		return taken(err)
	}
	if err := setWords(ctx, q, people...); err != nil {
		return err
	}
	return audit.Add(ctx, q, entries...)
}
