package ident

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/personaldata"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Personal lists the tables of accounts.
var Personal = []personaldata.Table{
	{Name: "users", About: "the account, with its preferences", Where: "WHERE t.id = $1",
		Secret: []string{"password_hash", "username_key", "email_key", "name_key", "words_made"},
		Plain: []string{"username", "email", "student_id", "login_id", "first_name", "last_name", "nickname",
			"pronouns"},
		Kept: "its values are replaced by neutral ones"},
	{Name: "person_words", About: "the words by which the person is found", Where: "WHERE t.user_id = $1",
		Secret: []string{"word"}, People: []string{"user_id"}, Erase: `DELETE FROM person_words WHERE user_id = $1`},
	{Name: "sessions", About: "sign-ins that last", Where: "WHERE t.user_id = $1", Secret: []string{"token_hash"},
		People: []string{"user_id"}, Plain: []string{"agent"}, Erase: `DELETE FROM sessions WHERE user_id = $1`},
	{Name: "student_views", About: "looks at a project as its student sees it, by the person or at the person's",
		Where: `JOIN sessions z ON z.id = t.session_id JOIN projects p ON p.id = t.project_id
			WHERE z.user_id = $1 OR p.user_id = $1`,
		Erase: `DELETE FROM student_views WHERE session_id IN (SELECT id FROM sessions WHERE user_id = $1)
			OR project_id IN (SELECT id FROM projects WHERE user_id = $1)`},
	{Name: "password_links", About: "links to set a password", Where: "WHERE t.user_id = $1",
		Secret: []string{"token_hash"}, People: []string{"user_id"},
		Erase: `DELETE FROM password_links WHERE user_id = $1`},
	{Name: "sign_in_tickets", About: "sign-ins under way", Where: "WHERE t.user_id = $1",
		Secret: []string{"token_hash"}, People: []string{"user_id"},
		Erase: `DELETE FROM sign_in_tickets WHERE user_id = $1`},
	{Name: "address_links", About: "links to confirm a mail address", Where: "WHERE t.user_id = $1",
		Secret: []string{"token_hash"}, People: []string{"user_id"}, Plain: []string{"email"},
		Erase: `DELETE FROM address_links WHERE user_id = $1`},
	{Name: "second_factors", About: "the second factor of sign-ins", Where: "WHERE t.user_id = $1",
		Secret: []string{"secret"}, People: []string{"user_id"}, Erase: `DELETE FROM second_factors WHERE user_id = $1`},
	{Name: "recovery_codes", About: "codes to sign in without the app", Where: "WHERE t.user_id = $1",
		Secret: []string{"code_hash"}, People: []string{"user_id"},
		Erase: `DELETE FROM recovery_codes WHERE user_id = $1`},
	{Name: "throttles", About: "failed tries to sign in, counted for some hours", Where: "WHERE t.user_id = $1",
		Secret: []string{"name"}, People: []string{"user_id"}, Erase: `DELETE FROM throttles WHERE user_id = $1`},
	{Name: "sign_in_places", About: "when the account was used from known network addresses",
		Where: "WHERE t.user_id = $1", Secret: []string{"place"}, People: []string{"user_id"},
		Erase: `DELETE FROM sign_in_places WHERE user_id = $1`},
}

// Erasable refuses, with fault.Conflict, to erase the last Admin who can sign in.
// The caller holds the account.
func Erasable(ctx context.Context, q db.Q, u *User) error {
	if u.Role != policy.Admin {
		return nil
	}
	others, err := db.One[int64](ctx, q, `SELECT count(*) FROM users WHERE role = $1 AND id <> $2
		AND disabled_at IS NULL`, int64(policy.Admin), u.ID)
	if err == nil && *others == 0 {
		err = fault.New(fault.Conflict, "%s is the last Admin. Make somebody else an Admin first.", u.Username)
	}
	return err
}

// ErasedName is the user name of somebody who was erased.
func ErasedName(id int64) string { return fmt.Sprintf("erased-%d", id) }

// HoldToErase holds an account that is about to be erased, and whatever else erases one: of the last two
// Admins not both go at once.
func HoldToErase(ctx context.Context, q db.Q, id int64) error {
	if err := db.LockName(ctx, q, "administrators"); err != nil {
		return err
	}
	return db.Lock(ctx, q, "users", id)
}

// Erase replaces all that tells who an account belongs to, disables it for good and forgets
// failed tries to sign in. It refuses the last Admin. It is for whoever runs the installation,
// by `lectern user erase`, and for the erasures that holders of policy.EraseData ask for.
func Erase(ctx context.Context, q db.Q, id int64) error {
	if err := HoldToErase(ctx, q, id); err != nil {
		return err
	}
	u, err := ByID(ctx, q, id)
	if err != nil {
		return err
	}
	if err := Erasable(ctx, q, u); err != nil {
		return err
	}
	if err := forgetAccount(ctx, q, accountName(u.Username)); err != nil {
		return err
	}
	name := ErasedName(id)
	_, err = db.Exec(ctx, q, `UPDATE users SET username = $2, username_key = $2, email = $3, email_key = $3,
			email_pending = NULL, student_id = NULL, login_id = NULL, first_name = 'Erased', last_name = $4,
			name_key = '', nickname = NULL, pronouns = NULL, password_hash = NULL, receive_task_notifications = FALSE,
			receive_portfolio_notifications = FALSE, receive_feedback_notifications = FALSE,
			receive_announcement_notifications = FALSE,
			opt_in_to_research = NULL, disabled_at = coalesce(disabled_at, $5), erased_at = coalesce(erased_at, $5),
			signed_in_at = NULL, updated_at = $5
		WHERE id = $1`, id, name, name+"@erased.invalid", fmt.Sprintf("Person %d", id), q.Now())
	if err != nil {
		return err
	}
	return audit.Add(ctx, q, audit.Entry{Kind: audit.Account, Action: "erased", UserID: id})
}

// ErasedSince lists who was erased from a moment on.
func ErasedSince(ctx context.Context, q db.Q, at clock.Time) ([]int64, error) {
	return db.All[int64](ctx, q, `SELECT id FROM users WHERE updated_at >= $1 AND username LIKE 'erased-%'
		ORDER BY id`, at)
}
