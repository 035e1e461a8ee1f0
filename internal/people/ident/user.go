// Package ident knows people: their accounts, how they sign in, and the
// sessions that follow.
package ident

import (
	"cmp"
	"context"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// User is a person's account as its owner and administrators see it.
type User struct {
	ID                            int64       `db:"id" json:"id"`
	StudentID                     *string     `db:"student_id" json:"student_id"`
	Email                         string      `db:"email" json:"email"`
	FirstName                     string      `db:"first_name" json:"first_name"`
	LastName                      string      `db:"last_name" json:"last_name"`
	Username                      string      `db:"username" json:"username"`
	Nickname                      string      `db:"nickname" json:"nickname"`
	ReceiveTaskNotifications      bool        `db:"receive_task_notifications" json:"receive_task_notifications"`
	ReceivePortfolioNotifications bool        `db:"receive_portfolio_notifications" json:"receive_portfolio_notifications"`
	ReceiveFeedbackNotifications  bool        `db:"receive_feedback_notifications" json:"receive_feedback_notifications"`
	OptInToResearch               *bool       `db:"opt_in_to_research" json:"opt_in_to_research"`
	HasRunFirstTimeSetup          bool        `db:"has_run_first_time_setup" json:"has_run_first_time_setup"`
	Pronouns                      *string     `db:"pronouns" json:"pronouns"`
	Role                          policy.Role `db:"role" json:"system_role"`
	// EmailPending is an address its owner asked for, until it confirms; for
	// them and administrators.
	EmailPending *string `db:"email_pending" json:"email_pending,omitempty"`
	// AcceptedTerms tells whether they need not be asked to accept the agreement of the
	// outside similarity service; absent where there is none. It is not kept here.
	AcceptedTerms *bool `json:"accepted_tii_eula,omitempty"`
	// Disabled is for administrators; For takes it and LoginID away from everybody else.
	Disabled *bool `db:"disabled" json:"disabled,omitempty"`
	// LoginID is what the institution calls them, for administrators; whoever it
	// belongs to signs in to the account.
	LoginID *string `db:"login_id" json:"login_id,omitempty"`
	// HasPassword tells that the account can be signed in to with a password.
	HasPassword bool `db:"has_password" json:"-"`
	// Opened tells that the account has a password or was signed in to.
	Opened bool `db:"opened" json:"-"`
}

const userColumns = `id, student_id, email, first_name, last_name, username, coalesce(nickname, '') AS nickname,
	receive_task_notifications, receive_portfolio_notifications, receive_feedback_notifications,
	opt_in_to_research, has_run_first_time_setup, pronouns, role, email_pending, disabled_at IS NOT NULL AS disabled,
	login_id, password_hash IS NOT NULL AS has_password,
	(opened_at IS NOT NULL OR password_hash IS NOT NULL) AS opened`

// For gives the record as the user viewer, of system role r, sees it.
func (u *User) For(viewer int64, r policy.Role) *User {
	if r == policy.Admin {
		return u
	}
	seen := *u
	seen.Disabled, seen.LoginID = nil, nil
	if viewer != u.ID {
		seen.EmailPending = nil
	}
	return &seen
}

// fold gives the key by which user names and addresses are compared. It is made
// here because the engines' lower() differ beyond ASCII.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// ByID reads a user. It fails with fault.Missing where there is none.
func ByID(ctx context.Context, q db.Q, id int64) (*User, error) {
	return db.OneOf[User](ctx, q, "user", `SELECT `+userColumns+` FROM users WHERE id = $1`, id)
}

// ByUsername gives a user by name, in any case.
func ByUsername(ctx context.Context, q db.Q, name string) (*User, error) {
	return db.OneOf[User](ctx, q, "user", `SELECT `+userColumns+` FROM users WHERE username_key = $1`, fold(name))
}

// NewUser is what an account is made from.
type NewUser struct {
	Username, Email, FirstName, LastName string
	Nickname, StudentID, LoginID         string // empty: none
	Role                                 policy.Role
}

// Add makes an account without a password: whoever it is for sets one by a link (see NewLink)
// or signs in elsewhere. It is for holders of policy.CreateUsers, up to the role that
// policy.MayAppoint lets them give, for imports and for sign-ins that may make accounts. It
// refuses values that cannot be, and with fault.Conflict every one that another user has.
func Add(ctx context.Context, q db.Q, n NewUser) (*User, error) {
	n.trim()
	if err := refuse(n.flaws()); err != nil {
		return nil, err
	}
	if n.Role == policy.Admin { // whoever comes by the link of the first start sees it, or waits
		if err := db.LockName(ctx, q, firstLock); err != nil {
			return nil, err
		}
	}
	u, err := db.One[User](ctx, q, `INSERT INTO users (username, username_key, email, email_key, student_id,
			first_name, last_name, nickname, role, login_id, name_key, words_made, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, TRUE, $12, $12) ON CONFLICT DO NOTHING RETURNING `+userColumns,
		append(n.columns(), q.Now())...)
	if fault.Is(err, fault.Missing) {
		err = cmp.Or(n.taken(ctx, q, 0), errTakenMeanwhile)
	}
	if err != nil {
		return nil, err
	}
	if err := addWords(ctx, q, u.named()); err != nil {
		return nil, err
	}
	return u, audit.Add(ctx, q, created(u.ID), appointed(u.ID, u.Role))
}

// created and appointed are what the audit log keeps of a new account and of a role
// in the system.
func created(user int64) audit.Entry {
	return audit.Entry{Kind: audit.Account, Action: audit.Created, UserID: user}
}

func appointed(user int64, to policy.Role) audit.Entry {
	return audit.Entry{Kind: audit.Role, Action: strings.ToLower(to.String()), UserID: user}
}

// columns gives the values of username to name_key, in the order they are inserted.
func (n *NewUser) columns() []any {
	return []any{n.Username, fold(n.Username), n.Email, fold(n.Email), opt.NonZero(n.StudentID),
		n.FirstName, n.LastName, opt.NonZero(n.Nickname), int64(n.Role), opt.NonZero(n.LoginID),
		NameKey(n.FirstName, n.LastName)}
}

func (n *NewUser) trim() {
	for _, s := range []*string{&n.Username, &n.Email, &n.FirstName, &n.LastName, &n.Nickname, &n.StudentID,
		&n.LoginID} {
		*s = strings.TrimSpace(*s)
	}
}

// errTakenMeanwhile is for a value that was taken when the row was written and is free again.
var errTakenMeanwhile = fault.New(fault.Conflict, "Another user took one of these values a moment ago. Try again.")

// taken names all values that other users have than the one of an id, in the same words
// whichever of them an engine finds first.
func (n *NewUser) taken(ctx context.Context, q db.Q, id int64) error {
	there, err := FindAll(ctx, q, []NewUser{*n})
	if err != nil {
		return err
	}
	var names []string
	for _, v := range []struct {
		name string
		by   *Account
	}{{"username", there.ByName[fold(n.Username)]}, {"email address", there.ByEmail[fold(n.Email)]},
		{"student_id", there.ByStudentID[n.StudentID]}, {"login_id", there.ByLoginID[n.LoginID]}} {
		if v.by != nil && v.by.ID != id {
			names = append(names, "that "+v.name)
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Conflict, "Another user has %s.", names[0])
	}
	last := len(names) - 1
	return fault.New(fault.Conflict, "Other users have %s and %s.", strings.Join(names[:last], ", "), names[last])
}

// taken names the value that a unique constraint refused. The constraints
// decide, not a look beforehand, so two at once cannot both win.
func taken(err error) error {
	if !db.Duplicate(err) {
		return err
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "username_key"):
		return fault.New(fault.Conflict, "Another user has that username.")
	case strings.Contains(text, "email_key"):
		return fault.New(fault.Conflict, "Another user has that email address.")
	case strings.Contains(text, "login_id"):
		return fault.New(fault.Conflict, "Another user has that login_id.")
	case strings.Contains(text, "student_id"):
		return fault.New(fault.Conflict, "Another user has that student_id.")
	}
	return err
}
