package ident

import (
	"context"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// Change is what to set of an account; nil leaves a value alone. Of the
// texts that may be missing, an empty one means none.
type Change struct {
	FirstName, LastName, Email    *string
	StudentID, Nickname, Pronouns *string
	LoginID                       *string
	ReceiveTaskNotifications      *bool
	ReceivePortfolioNotifications *bool
	ReceiveFeedbackNotifications  *bool
	OptInToResearch               **bool
	HasRunFirstTimeSetup          *bool
	Role                          *policy.Role
	Disabled                      *bool

	// Seen is the account as whoever changes it saw it: what somebody else changed meanwhile, to something
	// else, is refused with fault.Conflict. Nil, or a value that is: whatever it was.
	Seen *Change
	// Proof is the password of whoever changes their own address; see Prove.
	Proof *Proof
	// Confirm lets a new address of one's own take effect only when it confirms.
	Confirm bool
}

// Update changes an account on behalf of by, and tells what became of its
// address. Nobody changes their own role, so that part is passed over; only an
// administrator disables, which ends the user's sessions at once. Who may change
// what else, guard and move say.
func Update(ctx context.Context, q db.Q, by *access.Caller, id int64, c Change) (*User, Moved, error) {
	if err := db.Lock(ctx, q, "users", id); err != nil {
		return nil, Moved{}, err
	}
	u, err := ByID(ctx, q, id)
	if err != nil {
		return nil, Moved{}, err
	}
	if id != by.ID && !policy.MayEdit(by.Role, u.Role) {
		return nil, Moved{}, fault.New(fault.Denied, "You may not change this user's record: a Convenor may change "+
			"Students and Tutors only.")
	}
	before := *u
	if err := c.clashes(u); err != nil {
		return nil, Moved{}, err
	}
	c.apply(u)
	if err := guard(by, &before, u); err != nil {
		return nil, Moved{}, err
	}
	if err := c.changeRole(ctx, q, by, u); err != nil {
		return nil, Moved{}, err
	}
	if err := unlinked(ctx, q, by, &before, u); err != nil {
		return nil, Moved{}, err
	}
	moved, err := move(ctx, q, by, u, c)
	if err != nil {
		return nil, Moved{}, err
	}
	if err := u.others(ctx, q, &before); err != nil {
		return nil, Moved{}, err
	}
	if err := store(ctx, q, u); err != nil {
		return nil, Moved{}, err
	}
	return u, moved, audit.Add(ctx, q, changed(&before, u)...)
}

// clashes refuses to change values of u that somebody changed since they were seen.
func (c *Change) clashes(u *User) error {
	if c.Seen == nil {
		return nil
	}
	wrong := &fault.Fields{}
	for _, v := range []struct {
		name     string
		to, seen *string
		is       string
	}{{"first_name", c.FirstName, c.Seen.FirstName, u.FirstName}, {"last_name", c.LastName, c.Seen.LastName, u.LastName},
		{"email", c.Email, c.Seen.Email, u.Email}, {"nickname", c.Nickname, c.Seen.Nickname, u.Nickname},
		{"student_id", c.StudentID, c.Seen.StudentID, opt.Or(u.StudentID, "")},
		{"login_id", c.LoginID, c.Seen.LoginID, opt.Or(u.LoginID, "")},
		{"pronouns", c.Pronouns, c.Seen.Pronouns, opt.Or(u.Pronouns, "")},
		{"system_role", roleName(c.Role), roleName(c.Seen.Role), u.Role.String()}} {
		if v.to == nil || v.seen == nil {
			continue
		}
		to := strings.TrimSpace(*v.to)
		wrong.When(to != *v.seen && v.is != *v.seen && v.is != to, v.name, "was changed in the meantime: it is %q", v.is)
	}
	return wrong.Err(fault.Conflict)
}

func roleName(r *policy.Role) *string {
	if r == nil {
		return nil
	}
	name := r.String()
	return &name
}

// others refuses a change to what other users have. The constraints decide where two come at
// once; this finds all of it.
func (u *User) others(ctx context.Context, q db.Q, before *User) error {
	if fold(u.Email) == fold(before.Email) && opt.Or(u.StudentID, "") == opt.Or(before.StudentID, "") &&
		opt.Or(u.LoginID, "") == opt.Or(before.LoginID, "") {
		return nil
	}
	n := NewUser{Username: u.Username, Email: u.Email, StudentID: opt.Or(u.StudentID, ""), LoginID: opt.Or(u.LoginID, "")}
	return n.taken(ctx, q, u.ID)
}

// changed is what the audit log keeps of a change of an account.
func changed(before, after *User) []audit.Entry {
	list := []audit.Entry{{Kind: audit.Account, Action: audit.Changed, UserID: after.ID,
		Fields: audit.Diff(before, after)}}
	if before.Role != after.Role {
		list = append(list, appointed(after.ID, after.Role))
	}
	return list
}

// guard refuses to change what is not by's to change; what is sent back as it
// was is no change.
func guard(by *access.Caller, before, after *User) error {
	self, admin := by.ID == before.ID, by.Role == policy.Admin
	switch {
	case !self && before.choices() != after.choices():
		return fault.New(fault.Denied, "Only the user can choose which emails they get and whether they take part in "+
			"research.")
	case !self && !admin && (opt.Or(before.Pronouns, "") != opt.Or(after.Pronouns, "") ||
		before.HasRunFirstTimeSetup != after.HasRunFirstTimeSetup):
		return fault.New(fault.Denied, "You may change only the names and the role of this user.")
	case opt.Or(before.LoginID, "") != opt.Or(after.LoginID, "") && !admin:
		return fault.New(fault.Denied, "Only an administrator can set a login_id, because it decides who signs in to "+
			"the account.")
	case opt.Or(before.StudentID, "") != opt.Or(after.StudentID, "") && !admin &&
		(self || !policy.MayRenumber(by.Role, before.Role, before.Opened)):
		return fault.New(fault.Denied, "Once an account is in use, only an administrator can change its student_id. "+
			"Ask one to do it.")
	}
	return nil
}

// unlinked ends the sessions of an account that somebody signed in to from
// elsewhere, once its login_id is no longer theirs.
func unlinked(ctx context.Context, q db.Q, by *access.Caller, before, after *User) error {
	if old := opt.Or(before.LoginID, ""); old == "" || old == opt.Or(after.LoginID, "") {
		return nil
	}
	return endAll(ctx, q, after.ID, by.SessionID)
}

// choices are what only a person decides for themselves.
type choices struct {
	tasks, portfolio, feedback, research, answered bool
}

func (u *User) choices() choices {
	return choices{u.ReceiveTaskNotifications, u.ReceivePortfolioNotifications, u.ReceiveFeedbackNotifications,
		u.OptInToResearch != nil && *u.OptInToResearch, u.OptInToResearch != nil}
}

// changeRole changes the role and whether the account is disabled.
func (c *Change) changeRole(ctx context.Context, q db.Q, by *access.Caller, u *User) error {
	if c.Role != nil && u.ID != by.ID {
		if err := appoint(ctx, q, by.Role, u, *c.Role); err != nil {
			return err
		}
	}
	if c.Disabled == nil {
		return nil
	}
	return disable(ctx, q, by, u, *c.Disabled)
}

// appoint gives u another role. A role is not taken from someone whose work in
// a unit needs it.
func appoint(ctx context.Context, q db.Q, by policy.Role, u *User, to policy.Role) error {
	if to == u.Role {
		return nil
	}
	if !policy.MayAppoint(by, u.Role, to) {
		return fault.New(fault.Denied, "You may not make a %s a %s.", u.Role, to)
	}
	held, err := unitRole(ctx, q, u.ID)
	if err != nil {
		return err
	}
	if held > to {
		return fault.New(fault.Conflict, "%s is a %s in a unit. Remove them from its staff first.", u.Username,
			held)
	}
	u.Role = to
	return shorten(ctx, q, u.ID, to)
}

func disable(ctx context.Context, q db.Q, by *access.Caller, u *User, off bool) error {
	if err := by.Must(policy.ManageAccounts); err != nil {
		return err
	}
	if off && u.ID == by.ID {
		return fault.New(fault.Conflict, "You cannot disable your own account. Ask another administrator.")
	}
	u.Disabled = &off
	if !off {
		return nil
	}
	return endAll(ctx, q, u.ID, 0)
}

func (c *Change) apply(u *User) {
	for _, p := range []struct{ from, to *string }{{c.FirstName, &u.FirstName}, {c.LastName, &u.LastName},
		{c.Nickname, &u.Nickname}} {
		if p.from != nil {
			*p.to = strings.TrimSpace(*p.from)
		}
	}
	for _, p := range []struct {
		from *string
		to   **string
	}{{c.StudentID, &u.StudentID}, {c.Pronouns, &u.Pronouns}, {c.LoginID, &u.LoginID}} {
		if p.from != nil {
			*p.to = opt.NonZero(strings.TrimSpace(*p.from))
		}
	}
	for _, p := range []struct{ from, to *bool }{
		{c.ReceiveTaskNotifications, &u.ReceiveTaskNotifications}, {c.ReceivePortfolioNotifications,
			&u.ReceivePortfolioNotifications},
		{c.ReceiveFeedbackNotifications, &u.ReceiveFeedbackNotifications},
		{c.HasRunFirstTimeSetup, &u.HasRunFirstTimeSetup}} {
		if p.from != nil {
			*p.to = *p.from
		}
	}
	if c.OptInToResearch != nil {
		u.OptInToResearch = *c.OptInToResearch
	}
}

func (u *User) flaws() *fault.Fields {
	f := nameFlaws(u.FirstName, u.LastName, u.Email)
	for name, s := range map[string]*string{"student_id": u.StudentID, "nickname": &u.Nickname,
		"pronouns": u.Pronouns} {
		lineFlaw(f, name, opt.Or(s, ""))
	}
	f.When(u.LoginID != nil && !ValidLoginID(*u.LoginID), "login_id", "must be one line of at most %d characters",
		maxText)
	return f
}

func store(ctx context.Context, q db.Q, u *User) error {
	_, err := db.Exec(ctx, q, `UPDATE users SET first_name = $2, last_name = $3, email = $4, email_key = $5,
			student_id = $6, nickname = $7, pronouns = $8, receive_task_notifications = $9,
			receive_portfolio_notifications = $10, receive_feedback_notifications = $11, opt_in_to_research = $12,
			has_run_first_time_setup = $13, role = $14,
			disabled_at = CASE WHEN $15 THEN coalesce(disabled_at, $16) ELSE NULL END, updated_at = $16,
			email_pending = $17, login_id = $18, name_key = $19, words_made = TRUE
		WHERE id = $1`, u.ID, u.FirstName, u.LastName, u.Email, fold(u.Email), u.StudentID, opt.NonZero(u.Nickname),
		u.Pronouns,
		u.ReceiveTaskNotifications, u.ReceivePortfolioNotifications, u.ReceiveFeedbackNotifications, u.OptInToResearch,
		u.HasRunFirstTimeSetup, int64(u.Role), *u.Disabled, q.Now(), u.EmailPending, u.LoginID,
		NameKey(u.FirstName, u.LastName))
	if err != nil {
		return taken(err)
	}
	return setWords(ctx, q, u.named())
}
