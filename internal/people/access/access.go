// Package access tells who a caller is in the unit, on the project or the task
// a request is about. Its statements may read any table, so that the question
// is answered in one place and by one statement.
package access

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"lectern/internal/ground/fault"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

// Caller is who asks, and what they are to the record the request is about.
type Caller struct {
	ID        int64       // 0: a visitor
	Username  string      //
	Role      policy.Role // in the system
	SessionID int64       //
	Enrolling bool        // the session may only set up a second factor
	Who       policy.Who  // every standing, in the system and on the record

	UnitID    int64       // of the record; 0 when it has none
	UnitRole  policy.Role // Tutor or Convenor where employed, else 0
	ProjectID int64       // of the record
	OwnerID   int64       // the student of that project
	TaskID    int64       // of the record

	View *View // where one of the staff looks as the student does; the caller is that student then

	RequestID string     // the number of the request, as in the log
	From      netip.Addr // the network address the request came from
	Agent     string     // what the client calls itself

	found *found // told with the session; see Resolve

	// Asked, where it is set, hears of every right the caller is asked for, so
	// that a test can tell whether the endpoint declares it.
	Asked func(*policy.Right)
}

// May tells whether the caller holds a right on the record of the request.
func (c *Caller) May(r *policy.Right) bool {
	if c.Asked != nil {
		c.Asked(r)
	}
	return r.Allows(c.Who)
}

// Must gives the refusal when the caller does not hold a right.
func (c *Caller) Must(r *policy.Right) error {
	if c.May(r) {
		return nil
	}
	switch {
	case c.ID == 0:
		return fault.New(fault.Unknown, "Sign in first.")
	case c.Enrolling:
		return &fault.Error{Kind: fault.Denied, Code: "second_factor_enrolment",
			Text: "Your role needs a second factor here. Set one up before you do anything else."}
	}
	if c.MarksOwn() {
		return fault.New(fault.Denied, "This is your own work, so you may not %s. Ask another member of staff.",
			r.Action)
	}
	return fault.New(fault.Denied, "%s", r.Refusal())
}

// MarksOwn tells whether the caller, who could do more with another student's
// project, is the student of this one.
func (c *Caller) MarksOwn() bool {
	return c.OwnerID != 0 && c.OwnerID == c.ID && (c.UnitRole != 0 || c.Role == policy.Admin)
}

// Could tells whether the caller holds one of a rule's rights on the unit, or may
// turn out to hold it on a project of theirs that the request has not named yet.
// It only refuses early what would be refused anyway.
func (c *Caller) Could(r policy.Rule) bool {
	w := c.Who | policy.FormerOwner // of whoever left, nothing is known here
	if w&policy.UnitStudent != 0 {
		w |= policy.Owner
	}
	return r.Allows(w)
}

// about is the kind of record the caller's standing was found on.
func (c *Caller) about() policy.Scope {
	switch {
	case c.ProjectID != 0:
		return policy.Project
	case c.UnitID != 0:
		return policy.Unit
	}
	return policy.System
}

// MyRole is the caller's role in the unit as shown in my_role; empty for none.
func (c *Caller) MyRole() policy.RoleName {
	switch {
	case c.UnitRole != 0:
		return c.UnitRole.Name()
	case c.Who&(policy.UnitStudent|policy.Owner) != 0:
		return policy.Student.Name()
	case c.Role == policy.Admin:
		return policy.Admin.Name()
	}
	return ""
}

// System gives the standings of a signed-in user that no record decides.
func System(r policy.Role) policy.Who {
	switch r {
	case policy.Tutor:
		return policy.User | policy.SystemTutor
	case policy.Convenor:
		return policy.User | policy.SystemConvenor
	case policy.Admin:
		return policy.User | policy.SystemAdmin
	}
	return policy.User
}

// Scope names the record a request is about, by the ids in its path or
// parameters. Several together must belong to each other. An Alignment, which is
// the unit's or a student's, is named with its unit only; a Note alone.
type Scope struct {
	User, Unit, UnitRole, Tutorial, GroupSet, Group, Project, Definition, Task, Alignment, Note, Verdict,
	VerdictBatch int64
}

// Resolve gives c with its standing on the record s names. What does not exist,
// or not under the parent named with it, is fault.Missing. What was found with the
// session is not asked for again; it serves once, so who resolves the result later
// asks anew.
func Resolve(ctx context.Context, q db.Q, c Caller, s Scope) (*Caller, error) {
	known := c.found
	c.found = nil
	c.stand(s)
	if !s.record() {
		return &c, nil
	}
	if known == nil || known.user != c.ID || known.scope != s {
		text, args, what := s.statement("$1", "", "", c.ID)
		row, err := db.OneOf[standing](ctx, q, what, text, args...)
		if fault.Is(err, fault.Missing) {
			return nil, s.absent(ctx, q, err)
		}
		if err != nil {
			return nil, err
		}
		known = &found{c.ID, s, *row}
	}
	known.apply(&c)
	c.narrow()
	return &c, nil
}

// record tells whether s names one that standings are found on: more than a user.
func (s Scope) record() bool { return (Scope{User: s.User}) != s }

// stand gives c the standings that no unit decides.
func (c *Caller) stand(s Scope) {
	c.Who = System(c.Role)
	if c.ID == 0 {
		c.Who = policy.Visitor
	}
	if s.User != 0 && s.User == c.ID {
		c.Who |= policy.Self
	}
	c.narrow()
}

// narrow leaves a session that may only set up a second factor no other standing.
func (c *Caller) narrow() {
	if c.Enrolling {
		c.Who = policy.Enrolling
	}
}

// Permit gives c with its standing on the record s names, if that holds the right
// that the rule asks on such a record. It refuses with fault.Unknown a visitor who would have to sign in, with
// fault.Denied whoever else lacks the right, and with fault.Missing everybody where
// the record does not exist. Where s names no record, q is not asked and may be
// nil.
func Permit(ctx context.Context, q db.Q, c Caller, s Scope, r policy.Rule) (*Caller, error) {
	who, err := Resolve(ctx, q, c, s)
	if err != nil {
		return nil, err
	}
	if err := who.looks(ctx, q, s, r); err != nil {
		return nil, err
	}
	if err := who.Must(r.On(who.about())); err != nil {
		return nil, refuse(ctx, q, s, err)
	}
	return who, nil
}

// refuse gives the answer to a caller who lacks a right: the refusal, or that
// the user the request is about does not exist. Only the refused pay for asking;
// of all other records Resolve knows already that they exist.
func refuse(ctx context.Context, q db.Q, s Scope, refusal error) error {
	if s.record() || s.User == 0 {
		return refusal
	}
	if _, err := db.OneOf[int64](ctx, q, "user", `SELECT id FROM users WHERE id = $1`, s.User); err != nil {
		return err
	}
	return refusal
}

// standing is what one statement tells of the caller and the record.
type standing struct {
	UnitID     int64  `db:"unit_id"`
	MayMove    bool   `db:"may_move"`
	MayExtend  bool   `db:"may_extend"`
	UnitRole   *int64 `db:"unit_role"`
	Enrolled   *bool  `db:"enrolled"`
	ProjectID  *int64 `db:"project_id"`
	OwnerID    *int64 `db:"owner_id"`
	OwnerIn    *bool  `db:"owner_in"`
	TaskID     *int64 `db:"task_id"`
	MayCreate  *bool  `db:"may_create"`
	MayManage  *bool  `db:"may_manage"`
	SetLocked  *bool  `db:"set_locked"`
	GroupLock  *bool  `db:"group_locked"`
	Membership *int64 `db:"membership"`
}

// apply turns the row into standings. What the caller was on another record is no part of it.
func (r *standing) apply(c *Caller) {
	c.UnitID, c.UnitRole, c.ProjectID, c.OwnerID, c.TaskID = r.UnitID, 0, 0, 0, 0
	if r.ProjectID != nil {
		c.ProjectID, c.OwnerID = *r.ProjectID, *r.OwnerID
	}
	if r.TaskID != nil {
		c.TaskID = *r.TaskID
	}
	if r.UnitRole != nil {
		c.UnitRole = policy.Role(*r.UnitRole)
	}
	if c.OwnerID != 0 && c.OwnerID == c.ID {
		c.Who = r.owner()
		return
	}
	switch c.UnitRole {
	case policy.Tutor:
		c.Who |= policy.UnitTutor
	case policy.Convenor:
		c.Who |= policy.UnitConvenor
	}
	if yes(r.Enrolled) {
		c.Who |= r.student()
	}
}

// owner gives the standings of the project's own student, and no others: who
// teaches the unit too is still no marker of their own work.
func (r *standing) owner() policy.Who {
	if !yes(r.OwnerIn) {
		return policy.User | policy.FormerOwner
	}
	w := policy.User | policy.Owner | r.student()
	if r.MayMove {
		w |= policy.OwnerMayMove
	}
	if r.MayExtend {
		w |= policy.OwnerMayExtend
	}
	if yes(r.MayManage) {
		w |= policy.OwnerManaging
	}
	return w
}

// student gives the standings of an enrolled student in the unit and its groups.
func (r *standing) student() policy.Who {
	w := policy.UnitStudent
	if yes(r.MayCreate) && !yes(r.SetLocked) {
		w |= policy.StudentCreating
	}
	if r.Membership != nil {
		w |= policy.GroupMember
		if yes(r.MayManage) && !yes(r.SetLocked) && !yes(r.GroupLock) {
			w |= policy.GroupMemberManaging
		}
	}
	return w
}

func yes(b *bool) bool { return b != nil && *b }

// part is a table a scope may name: how it joins the unit, and its name in words.
type part struct {
	id    int64
	table string
	join  string // with %s for the number of the id's argument
	what  string
}

// absent names the first record of the scope that does not exist at all; mixed is
// the answer where all do, but do not belong to each other. Only who names what is
// not there pays for asking.
func (s Scope) absent(ctx context.Context, q db.Q, mixed error) error {
	var parts []part
	var args []any
	var text []string
	for _, p := range s.parts() {
		if p.id != 0 {
			parts, args = append(parts, p), append(args, p.id)
			text = append(text, fmt.Sprintf("SELECT %d AS n WHERE NOT EXISTS (SELECT 1 FROM %s WHERE id = $%d)",
				len(parts)-1, p.table, len(args)))
		}
	}
	if len(parts) < 2 {
		return mixed
	}
	gone, err := db.All[int](ctx, q, strings.Join(text, " UNION ALL ")+" ORDER BY 1 LIMIT 1", args...)
	if err != nil || len(gone) == 0 {
		return cmp.Or(err, mixed)
	}
	return fault.New(fault.Missing, "There is no such %s.", parts[gone[0]].what)
}

// statement puts together the one statement for s. Caller is the id of who is asked
// for, as SQL; args are those of caller and of the further columns and joins. All text
// is constant, and made once for all scopes that name the same kinds; ids are arguments.
func (s Scope) statement(caller, columns, joins string, args ...any) (string, []any, string) {
	key := shape{caller, columns, joins, 0}
	ids := s.ids()
	for i, id := range ids {
		if id != 0 {
			key.names |= 1 << i
			args = append(args, id)
		}
	}
	made, ok := texts.Load(key)
	if !ok {
		made, _ = texts.LoadOrStore(key, s.write(caller, columns, joins, len(args)))
	}
	t := made.(text)
	return t.sql, args, t.what
}

// shape is all that the text of a statement depends on: which ids a scope has, as bits.
type shape struct {
	caller, columns, joins string
	names                  int
}

// text is a statement, and its record in words.
type text struct{ sql, what string }

var texts sync.Map // of shape to text: there are as many as kinds of routes

// write makes the text of a statement whose last arguments, n in all, are the ids.
func (s Scope) write(caller, columns, joins string, n int) text {
	var from strings.Builder
	from.WriteString(joins)
	what := "record"
	parts := slices.DeleteFunc(s.parts(), func(p part) bool { return p.id == 0 })
	for i, p := range parts {
		fmt.Fprintf(&from, " "+p.join, fmt.Sprintf("$%d", n-len(parts)+i+1))
		what = p.what
	}
	if s.Task != 0 && s.Project == 0 {
		from.WriteString(" JOIN projects x ON x.id = t.project_id")
	}
	return text{`SELECT ` + columns + `u.id AS unit_id, u.allow_student_change_tutorial AS may_move,
			u.allow_student_extension_requests AS may_extend, r.role AS unit_role, p.enrolled AS enrolled` +
		s.columns() + ` FROM units u` + from.String() + `
		LEFT JOIN unit_roles r ON r.unit_id = u.id AND r.user_id = ` + caller + `
		LEFT JOIN projects p ON p.unit_id = u.id AND p.user_id = ` + caller + s.membership(), what}
}

// ids are those of parts, in their order.
func (s Scope) ids() [12]int64 {
	return [...]int64{s.Unit, s.UnitRole, s.Tutorial, s.GroupSet, s.Group, s.Task, s.Project, s.Definition, s.Alignment,
		s.Note, s.Verdict, s.VerdictBatch}
}

// parts lists what a scope can name, the outermost first.
func (s Scope) parts() []part {
	return []part{
		{s.Unit, "units", "JOIN (SELECT id FROM units WHERE id = %s) su ON su.id = u.id", "unit"},
		{s.UnitRole, "unit_roles", "JOIN unit_roles sr ON sr.id = %s AND sr.unit_id = u.id", "unit role"},
		{s.Tutorial, "tutorials", "JOIN tutorials st ON st.id = %s AND st.unit_id = u.id", "tutorial"},
		{s.GroupSet, "group_sets", "JOIN group_sets gs ON gs.id = %s AND gs.unit_id = u.id", "group set"},
		{s.Group, "unit_groups", "JOIN unit_groups g ON g.id = %s AND g.group_set_id = gs.id", "group"},
		{s.Task, "tasks", "JOIN tasks t ON t.id = %s AND t.unit_id = u.id", "task"},
		{s.Project, "projects", "JOIN projects x ON x.id = %s AND x.unit_id = u.id", "project"},
		{s.Definition, "task_definitions", "JOIN task_definitions d ON d.id = %s AND d.unit_id = u.id",
			"task definition"},
		{s.Alignment, "learning_outcome_links", `JOIN learning_outcome_links l ON l.id = %s
			JOIN task_definitions d ON d.id = l.task_definition_id AND d.unit_id = u.id
			LEFT JOIN tasks t ON t.id = l.task_id LEFT JOIN projects x ON x.id = t.project_id`, "learning alignment"},
		{s.Note, "staff_notes", `JOIN staff_notes sn ON sn.id = %s
			JOIN projects x ON x.id = sn.project_id AND x.unit_id = u.id`, "note"},
		{s.Verdict, "verdicts", `JOIN verdicts v ON v.id = %s JOIN tasks t ON t.id = v.task_id AND t.unit_id = u.id
			JOIN projects x ON x.id = t.project_id`, "verdict"},
		{s.VerdictBatch, "verdict_batches", "JOIN verdict_batches b ON b.id = %s AND b.unit_id = u.id",
			"batch of verdicts"},
	}
}

// columns lists what only some scopes have.
func (s Scope) columns() (list string) {
	if s.Project != 0 || s.Task != 0 || s.Alignment != 0 || s.Note != 0 || s.Verdict != 0 {
		list += `, x.id AS project_id, x.user_id AS owner_id, x.enrolled AS owner_in`
	}
	if s.Task != 0 || s.Alignment != 0 || s.Verdict != 0 {
		list += `, t.id AS task_id`
	}
	if s.GroupSet != 0 {
		list += `, gs.allow_students_to_create_groups AS may_create, gs.allow_students_to_manage_groups AS may_manage,
			gs.locked AS set_locked`
	}
	if s.Group != 0 {
		list += `, g.locked AS group_locked, gm.id AS membership`
	}
	return list
}

func (s Scope) membership() string {
	if s.Group == 0 {
		return ""
	}
	return ` LEFT JOIN group_memberships gm ON gm.unit_group_id = g.id AND gm.project_id = p.id AND gm.active`
}
