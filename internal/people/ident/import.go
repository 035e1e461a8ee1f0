package ident

import (
	"context"
	"io"
	"slices"

	"lectern/internal/ground/opt"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

// sheetColumns is the columns of users in a file, in the order of an export.
var sheetColumns = []string{"email", "first_name", "last_name", "username", "nickname", "role", "student_id"}

// Imported is the outcome of the rows of a file of users.
type Imported struct {
	Success []Newcomer   `json:"success"`
	Errors  []sheet.Line `json:"errors"`
	Ignored []sheet.Line `json:"ignored"`

	known []knownRow // of whom has an account and has not come in yet
}

// knownRow is a line of Ignored about an account there is.
type knownRow struct {
	at   int
	user int64
	name string
}

// Inviter invites people by an email to open their accounts.
type Inviter interface {
	// Uninvited gives those of some users who have not come in and hold no invitation.
	Uninvited(ctx context.Context, q db.Q, users []int64) ([]int64, error)
	// Invite sends each an email, in due time.
	Invite(ctx context.Context, q db.Q, users []int64) error
}

// Newcomer is a row that became a user. Its token is for a link to set a
// password, and is known only now.
type Newcomer struct {
	sheet.Line
	Link  string `json:"link,omitempty"`
	Token string `json:"-"`
}

// candidate is a row that may become a user.
type candidate struct {
	row sheet.Row
	NewUser
}

// importBatch is how many users one transaction makes, so that the writer is
// never held for long.
const importBatch = 200

// Import makes users of the rows of a file, on behalf of a caller of system
// role by. Users who exist are left alone. The whole file is checked before the
// first user is made; then they are made in short transactions, so that an
// import broken off can be sent again. A dry run ends after the check. With an
// inviter those are invited who have not come in yet and hold no invitation, whether
// the account is new or not. It is for holders of policy.ImportUsers. Rows with values that
// cannot be, of somebody else's, or with a role that by may not give are reported and left out.
func Import(ctx context.Context, d *db.DB, by policy.Role, r *sheet.Reader, dry bool,
	inviter Inviter) (*Imported, error) {
	out := &Imported{Success: []Newcomer{}, Errors: []sheet.Line{}, Ignored: []sheet.Line{}}
	found, err := out.unknown(ctx, d.Pool(), out.read(r, by))
	if err != nil {
		return nil, err
	}
	if dry {
		for _, c := range found {
			out.succeed(c, "")
		}
		return out, out.invite(ctx, d.Pool(), inviter, false)
	}
	for len(found) > 0 {
		n := min(len(found), importBatch)
		if err := out.make(ctx, d, found[:n], inviter); err != nil {
			return nil, err
		}
		found = found[n:]
	}
	if inviter == nil || len(out.known) == 0 {
		return out, nil
	}
	return out, d.Tx(ctx, func(q db.Q) error { return out.invite(ctx, q, inviter, true) })
}

// invite invites the people of rows that had an account before, and says so in those rows.
func (o *Imported) invite(ctx context.Context, q db.Q, inviter Inviter, forReal bool) error {
	if inviter == nil || len(o.known) == 0 {
		return nil
	}
	users := make([]int64, len(o.known))
	for i, k := range o.known {
		users[i] = k.user
	}
	invited, err := inviter.Uninvited(ctx, q, users)
	if err == nil && forReal {
		err = inviter.Invite(ctx, q, invited)
	}
	if err != nil {
		return err
	}
	is := make(map[int64]bool, len(invited))
	for _, id := range invited {
		is[id] = true
	}
	for _, k := range o.known {
		if is[k.user] {
			o.Ignored[k.at].Message = "There is a user " + k.name + " already, who has not come in yet: nothing was " +
				"changed, and they are invited by an email."
		}
	}
	return nil
}

func (o *Imported) fail(row sheet.Row, reason string) {
	o.Errors = append(o.Errors, sheet.Line{Row: row.Pairs(), Line: row.Line(), Message: reason})
}

func (o *Imported) ignore(row sheet.Row, reason string) {
	o.Ignored = append(o.Ignored, sheet.Line{Row: row.Pairs(), Line: row.Line(), Message: reason})
}

func (o *Imported) succeed(c candidate, token string) {
	o.Success = append(o.Success, Newcomer{Token: token, Line: sheet.Line{Row: c.row.Pairs(), Line: c.row.Line(),
		Message: "New " + c.Role.String() + " " + c.Username + "."}})
}

// read takes the rows that are fit by themselves and among each other.
func (o *Imported) read(r *sheet.Reader, by policy.Role) []candidate {
	var out []candidate
	lines := map[string]sheet.Row{} // by what must be unique
	for row, err := range r.Rows() {
		if err != nil {
			o.fail(row, err.Error())
			continue
		}
		c := candidate{row, newUser(row)}
		if reason := c.flaw(by); reason != "" {
			o.fail(row, reason)
			continue
		}
		if reason := c.twice(lines); reason != "" {
			o.fail(row, reason)
			continue
		}
		out = append(out, c)
	}
	return out
}

func newUser(row sheet.Row) NewUser {
	role, _ := policy.ParseRole(row.Get("role"))
	return NewUser{Username: row.Get("username"), Email: row.Get("email"), FirstName: row.Get("first_name"),
		LastName: row.Get("last_name"), Nickname: row.Get("nickname"), StudentID: row.Get("student_id"),
		LoginID: row.Get("login_id"), Role: role}
}

func (c *candidate) flaw(by policy.Role) string {
	flaws := c.flaws()
	if c.Role == 0 {
		flaws.Add("role", "must be Student, Tutor, Convenor or Admin")
	}
	if flaws.Len() > 0 {
		return flaws.String()
	}
	if !policy.MayAppoint(by, 0, c.Role) {
		return "You may not create a " + c.Role.String() + "."
	}
	if c.LoginID != "" && by != policy.Admin {
		return "Only an administrator sets a login_id: leave the column out."
	}
	return ""
}

// keys are the values of which no two users have the same.
func (c *candidate) keys() map[string]string {
	k := map[string]string{"username": fold(c.Username), "email": fold(c.Email)}
	if c.StudentID != "" {
		k["student_id"] = c.StudentID
	}
	if c.LoginID != "" {
		k["login_id"] = c.LoginID
	}
	return k
}

func (c *candidate) twice(lines map[string]sheet.Row) string {
	for _, name := range []string{"username", "email", "student_id", "login_id"} {
		if key, ok := c.keys()[name]; ok {
			if first, seen := lines[name+" "+key]; seen {
				return "The same " + name + " stands in " + first.String() + "."
			}
		}
	}
	for name, key := range c.keys() {
		lines[name+" "+key] = c.row
	}
	return ""
}

// unknown gives the candidates that clash with no user there is.
func (o *Imported) unknown(ctx context.Context, q db.Q, all []candidate) ([]candidate, error) {
	there, err := FindAll(ctx, q, users(all))
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, c := range all {
		if !o.clash(c, there) {
			out = append(out, c)
		}
	}
	return out, nil
}

func users(some []candidate) []NewUser {
	out := make([]NewUser, len(some))
	for i := range some {
		out[i] = some[i].NewUser
	}
	return out
}

// clash reports a candidate whose values are taken.
func (o *Imported) clash(c candidate, there *Accounts) bool {
	switch name := there.Taken(&c.NewUser); name {
	case "":
		return false
	case "username":
		if a := there.ByName[fold(c.Username)]; !a.Opened {
			o.known = append(o.known, knownRow{len(o.Ignored), a.ID, c.Username})
		}
		o.ignore(c.row, "There is a user "+c.Username+" already; nothing was changed.")
	default:
		o.fail(c.row, "Another user has that "+name+".")
	}
	return true
}

// make makes users with their links in one transaction. Whatever took a name
// since the check wins; the row is then reported as if found before.
func (o *Imported) make(ctx context.Context, d *db.DB, some []candidate, inviter Inviter) error {
	var made map[string]Added
	var there *Accounts
	err := d.Tx(ctx, func(q db.Q) (err error) {
		if made, err = AddAll(ctx, q, users(some)); err == nil && inviter != nil {
			err = inviter.Invite(ctx, q, idsOf(made))
		}
		if err != nil || len(made) == len(some) {
			return err
		}
		there, err = FindAll(ctx, q, users(some))
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range some {
		if u, ok := made[fold(c.Username)]; ok {
			o.succeed(c, u.Token)
		} else if !o.clash(c, there) {
			o.fail(c.row, "Somebody changed a user with these values in the meantime. Send the row again.")
		}
	}
	return nil
}

// idsOf lists new users in the order of their ids.
func idsOf(made map[string]Added) []int64 {
	var ids []int64
	for _, u := range made {
		ids = append(ids, u.ID)
	}
	slices.Sort(ids)
	return ids
}

// ReadSheet opens a CSV file or workbook of users. It refuses a file without the
// columns an import needs.
func ReadSheet(r io.ReaderAt, size int64) (*sheet.Reader, error) {
	return sheet.Read(r, size, sheet.Options{Required: []string{"username", "email", "first_name", "last_name",
		"role"}, Optional: []string{"nickname", "student_id", "login_id"},
		Names: map[string]string{"system_role": "role"}}) // as the API calls it
}

// Export writes all users as a sheet that Import reads.
func Export(ctx context.Context, q db.Q, w io.Writer) error {
	t := sheet.Write(w, sheetColumns)
	for u, err := range List(ctx, q, Selection{Limit: -1}) {
		if err != nil {
			return err
		}
		if err := t.Row(u.Email, u.FirstName, u.LastName, u.Username, u.Nickname, u.Role.String(),
			opt.Or(u.StudentID, "")); err != nil {
			return err
		}
	}
	return t.Flush()
}
