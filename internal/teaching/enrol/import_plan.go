package enrol

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
)

// batch is the rows of an import that one transaction carries out.
type batch struct {
	*Roster
	ImportOptions
	rows    []*rosterRow
	seating *allocation
}

// plan decides about every row by what the database holds. Unless the run is
// dry, all that the decisions rest on is locked.
func (b *batch) plan(ctx context.Context, q db.Q) error {
	users := make([]ident.NewUser, len(b.rows))
	for i, e := range b.rows {
		e.plan, users[i] = plan{}, e.user
	}
	accounts, err := ident.FindAll(ctx, q, users)
	if err != nil {
		return err
	}
	for _, e := range b.rows {
		b.identify(e, accounts)
	}
	projects, err := b.projects(ctx, q)
	if err != nil {
		return err
	}
	var ids []int64
	for _, id := range projects {
		ids = append(ids, id)
	}
	if !b.Dry {
		if err := lockAllocation(ctx, q, b.UnitID, ids); err != nil {
			return err
		}
	}
	if b.seating, err = readAllocation(ctx, q, b.UnitID, ids, b.Exceed); err != nil {
		return err
	}
	for _, e := range b.rows {
		if e.outcome == pending {
			b.decide(e, projects)
		}
	}
	return nil
}

// identify finds the account of a row, or makes sure that one may be made.
func (b *batch) identify(e *rosterRow, there *ident.Accounts) {
	e.account = there.ByName[ident.Key(e.user.Username)]
	if e.account == nil {
		if what := there.Taken(&e.user); what != "" {
			e.refuse("Write the username of that account, or correct the "+what+".", "another user has that %s", what)
		} else if !policy.MayAppoint(b.By, 0, policy.Student) {
			e.refuse("Ask an administrator to create the account.", "there is no user %s, and you may not create one",
				e.user.Username)
		}
		return
	}
	number := e.user.StudentID
	if number == "" || number == opt.Or(e.account.StudentID, "") {
		return
	}
	switch {
	case there.ByStudentID[number] != nil:
		e.refuse("Correct the number.", "another user has that student_id")
	case !policy.MayRenumber(b.By, e.account.Role, e.account.Opened):
		e.notes = append(e.notes, "Their student_id stays: you may not change their account.")
	default:
		e.renumber = true
	}
}

// projects gives the projects the rows' users have in the unit, by user.
func (b *batch) projects(ctx context.Context, q db.Q) (map[int64]int64, error) {
	var users []int64
	for _, e := range b.rows {
		if e.account != nil {
			users = append(users, e.account.ID)
		}
	}
	return projectsOf(ctx, q, b.UnitID, users)
}

func projectsOf(ctx context.Context, q db.Q, unitID int64, users []int64) (map[int64]int64, error) {
	found := map[int64]int64{}
	list, args, err := idRows(q, users)
	if err != nil {
		return nil, err
	}
	type project struct {
		ID     int64 `db:"id"`
		UserID int64 `db:"user_id"`
	}
	args = append(args, unitID)
	for p, err := range db.Each[project](ctx, q, `SELECT id, user_id FROM projects
		WHERE unit_id = $2 AND user_id IN (SELECT id FROM `+list+` r)`, args...) {
		if err != nil {
			return nil, err
		}
		found[p.UserID] = p.ID
	}
	return found, nil
}

// decide makes the plan of one row.
func (b *batch) decide(e *rosterRow, projects map[int64]int64) {
	e.sitter = &student{Enrolled: true}
	if e.account != nil && projects[e.account.ID] != 0 {
		e.sitter = b.seating.students[projects[e.account.ID]]
	}
	p := e.sitter
	e.enrols, e.back = p.ProjectID == 0, !p.Enrolled
	e.notes = append(e.notes, e.remarks...)
	restore := b.seating.state(p)
	if e.campusID != nil && !opt.Same(e.campusID, p.HomeID) {
		name := b.campus[*e.campusID].Name
		e.moves, e.from, p.HomeID, p.Home = true, p.Home, e.campusID, &name
	}
	if e.back {
		for _, name := range b.seating.readmit(p) {
			e.notes = append(e.notes, fmt.Sprintf("Their place in tutorial %s is gone.", name))
		}
	}
	if !b.joinTutorials(e) {
		restore()
		return
	}
	lost, err := b.seating.settle(p)
	if err != nil {
		restore()
		e.refuse("Or leave the campus as it is.", "the campus cannot change: %s", err.Error())
		return
	}
	for _, name := range lost {
		e.notes = append(e.notes, fmt.Sprintf("Left tutorial %s, which is for another campus.", name))
	}
	b.conclude(e)
}

// joinTutorials takes the tutorials a row names; one that cannot be had is only noted, or
// where the import is strict ends the row.
func (b *batch) joinTutorials(e *rosterRow) bool {
	for _, id := range e.classes {
		t := b.seating.tutorials[id]
		if t == nil {
			e.notes = append(e.notes, "A tutorial was deleted in the meantime.")
			continue
		}
		switch err := b.seating.take(e.sitter, t); {
		case err != nil && b.Strict:
			e.refuse(insteadOf(t, err), "%s", err.Error())
			return false
		case err != nil:
			e.notes = append(e.notes, fmt.Sprintf("Not in tutorial %s: %s", t.Tutorial, err.Error()))
		}
	}
	return true
}

// insteadOf advises what to do where a tutorial cannot be had.
func insteadOf(t *tutorialLoad, err error) string {
	switch {
	case fault.Is(err, fault.Refused):
		return "Choose a tutorial of that campus, or change the campus."
	case t.full():
		return "Choose another tutorial, or let full tutorials take more."
	}
	return "Or leave the tutorial as it is."
}

// conclude says what was decided.
func (b *batch) conclude(e *rosterRow) {
	var what []string
	say := func(yes bool, format string, args ...any) {
		if yes {
			what = append(what, fmt.Sprintf(format, args...))
		}
	}
	say(e.account == nil, "account created")
	say(e.enrols, "enrolled")
	say(e.back, "enrolled again")
	say(e.moves, "campus %s", opt.Or(e.sitter.Home, ""))
	for _, s := range e.sitter.held {
		say(!enrolledIn(e.sitter.was, s.TutorialID), "tutorial %s", b.benchName(s.TutorialID))
	}
	for _, s := range e.sitter.was {
		say(!enrolledIn(e.sitter.held, s.TutorialID), "no longer in tutorial %s", b.benchName(s.TutorialID))
	}
	for _, g := range e.sitter.ties {
		say(g.left, "no longer in the group %s", g.Group)
	}
	say(e.renumber, "student_id %s", e.user.StudentID)
	e.changes = b.changes(e)
	notes := strings.Join(append([]string{""}, e.notes...), " ")
	if len(what) == 0 {
		e.end(ignored, "%s is enrolled like this already.%s", e.user.Username, notes)
		return
	}
	e.end(done, "%s: %s.%s", e.user.Username, strings.Join(what, ", "), notes)
}

func (b *batch) benchName(id int64) string { return b.seating.tutorials[id].Tutorial }

const changedMeanwhile = "someone changed this user or their enrolment meanwhile; send the row again"

// write carries the plans out.
func (b *batch) write(ctx context.Context, q db.Q) error {
	owners, err := b.writeAccounts(ctx, q)
	if err != nil {
		return err
	}
	if err := b.enrol(ctx, q, owners); err != nil {
		return err
	}
	if err := b.invite(ctx, q, owners); err != nil {
		return err
	}
	var changed [][]any
	var back, come []int64
	var sitters []*student
	var entries []audit.Entry
	for _, e := range b.rows {
		if e.outcome != done {
			continue
		}
		sitters = append(sitters, e.sitter)
		if !e.enrols && (e.back || e.moves) {
			changed = append(changed, []any{e.sitter.ProjectID, e.sitter.HomeID, q.Now().String()})
		}
		if e.back {
			back = append(back, e.sitter.ProjectID)
		}
		if e.back || e.enrols || e.account == nil {
			come = append(come, e.sitter.ProjectID)
		} else {
			entries = append(entries, audit.Entry{Kind: audit.Enrolment, Action: "imported", UserID: e.account.ID,
				UnitID: b.UnitID, ProjectID: e.sitter.ProjectID})
		}
	}
	if err := b.update(ctx, q, changed); err != nil {
		return err
	}
	if err := b.seating.write(ctx, q, sitters); err != nil {
		return err
	}
	if err := dropStale(ctx, q, back...); err != nil {
		return err
	}
	if err := audit.Add(ctx, q, entries...); err != nil {
		return err
	}
	return tellEnrolment(ctx, q, b.Actor, come...)
}

// writeAccounts makes the accounts that are new, sets the student numbers that
// change, and gives the rows that need a project by the id of their user.
func (b *batch) writeAccounts(ctx context.Context, q db.Q) (map[int64]*rosterRow, error) {
	owners, numbers, fresh := map[int64]*rosterRow{}, map[int64]string{}, []ident.NewUser{}
	for _, e := range b.rows {
		switch {
		case e.outcome != done:
		case e.account == nil:
			fresh = append(fresh, e.user)
		default:
			if e.renumber {
				numbers[e.account.ID] = e.user.StudentID
			}
			if e.enrols {
				owners[e.account.ID] = e
			}
		}
	}
	added, err := ident.AddAll(ctx, q, fresh)
	if err != nil {
		return nil, err
	}
	for _, e := range b.rows {
		if e.outcome != done || e.account != nil {
			continue
		}
		if u, ok := added[ident.Key(e.user.Username)]; ok {
			e.token, owners[u.ID] = u.Token, e
		} else {
			e.end(failed, changedMeanwhile)
		}
	}
	return owners, ident.SetStudentIDs(ctx, q, numbers)
}

// enrol makes the projects of those who have none, by their user's id.
func (b *batch) enrol(ctx context.Context, q db.Q, owners map[int64]*rosterRow) error {
	if len(owners) == 0 {
		return nil
	}
	var rows [][]any
	for user, e := range owners {
		rows = append(rows, []any{b.UnitID, user, e.sitter.HomeID, q.Now().String()})
	}
	list, args, err := db.Rows(q, nil, []string{"unit BIGINT", "person BIGINT", "campus BIGINT", "at TIMESTAMPTZ"},
		rows)
	if err != nil {
		return err
	}
	type project struct {
		ID     int64 `db:"id"`
		UserID int64 `db:"user_id"`
	}
	made, err := db.All[project](ctx, q, `INSERT INTO projects (unit_id, user_id, campus_id, created_at, updated_at)
		SELECT unit, person, campus, at, at FROM `+list+` r WHERE TRUE
		ON CONFLICT (unit_id, user_id) DO NOTHING RETURNING id, user_id`, args...)
	if err != nil {
		return err
	}
	for _, p := range made {
		owners[p.UserID].sitter.ProjectID = p.ID
	}
	for _, e := range owners {
		if e.sitter.ProjectID == 0 {
			e.end(failed, changedMeanwhile)
		}
	}
	return nil
}

func (b *batch) update(ctx context.Context, q db.Q, changed [][]any) error {
	if len(changed) == 0 {
		return nil
	}
	list, args, err := db.Rows(q, nil, []string{"id BIGINT", "campus BIGINT", "at TIMESTAMPTZ"}, changed)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, q, `UPDATE projects SET enrolled = TRUE, campus_id = r.campus, updated_at = r.at FROM `+list+
		` r WHERE projects.id = r.id`, args...)
	return err
}
