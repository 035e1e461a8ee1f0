// Package ident knows people: their accounts, how they sign in, and the
// sessions that follow.
package ident

import (
	"context"
	"strings"

	"lectern/internal/db"
	"lectern/internal/policy"
)

// User is a person's account as its owner and administrators see it.
type User struct {
	ID                            int64       `db:"id" json:"id"`
	StudentID                     *string     `db:"student_id" json:"student_id"`
	Email                         string      `db:"email" json:"email"`
	FirstName                     string      `db:"first_name" json:"first_name"`
	LastName                      string      `db:"last_name" json:"last_name"`
	Username                      string      `db:"username" json:"username"`
	Nickname                      *string     `db:"nickname" json:"nickname"`
	ReceiveTaskNotifications      bool        `db:"receive_task_notifications" json:"receive_task_notifications"`
	ReceivePortfolioNotifications bool        `db:"receive_portfolio_notifications" json:"receive_portfolio_notifications"`
	ReceiveFeedbackNotifications  bool        `db:"receive_feedback_notifications" json:"receive_feedback_notifications"`
	OptInToResearch               *bool       `db:"opt_in_to_research" json:"opt_in_to_research"`
	HasRunFirstTimeSetup          bool        `db:"has_run_first_time_setup" json:"has_run_first_time_setup"`
	Pronouns                      *string     `db:"pronouns" json:"pronouns"`
	Role                          policy.Role `db:"role" json:"system_role"`
}

const userColumns = `id, student_id, email, first_name, last_name, username, nickname,
	receive_task_notifications, receive_portfolio_notifications, receive_feedback_notifications,
	opt_in_to_research, has_run_first_time_setup, pronouns, role`

// fold gives the key by which user names and addresses are compared. It is made
// here because the engines' lower() differ beyond ASCII.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// ByID gives a user.
func ByID(ctx context.Context, q db.Q, id int64) (*User, error) {
	return db.OneOf[User](ctx, q, "user", `SELECT `+userColumns+` FROM users WHERE id = $1`, id)
}
