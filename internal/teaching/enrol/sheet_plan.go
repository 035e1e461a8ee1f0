package enrol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

// SheetKind is what a sheet of students comes to for one person.
type SheetKind string

// The kinds, in the order in which somebody who checks a sheet wants to see them.
const (
	SheetRefused   SheetKind = "refused"
	SheetChanged   SheetKind = "changed"
	SheetNew       SheetKind = "new"
	SheetLeft      SheetKind = "left" // enrolled, and in no row
	SheetUnchanged SheetKind = "unchanged"
)

// SheetKinds are all of them in that order.
var SheetKinds = []SheetKind{SheetRefused, SheetChanged, SheetNew, SheetLeft, SheetUnchanged}

// Enum gives all values, for the documentation of the API.
func (SheetKind) Enum() []string {
	out := make([]string, len(SheetKinds))
	for i, k := range SheetKinds {
		out[i] = string(k)
	}
	return out
}

// PlaceField is a part of an enrolment.
type PlaceField string

// The parts.
const (
	PlaceEnrolment PlaceField = "enrolment"
	PlaceCampus    PlaceField = "campus"
	PlaceTutorial  PlaceField = "tutorial"
	PlaceGroup     PlaceField = "group"
	PlaceStudentID PlaceField = "student_id"
)

// Enum gives all values, for the documentation of the API.
func (PlaceField) Enum() []string {
	return []string{string(PlaceEnrolment), string(PlaceCampus), string(PlaceTutorial), string(PlaceGroup),
		string(PlaceStudentID)}
}

// PlaceChange is a part of an enrolment that changes, or would.
type PlaceChange struct {
	Field PlaceField `json:"field" doc:"what of the enrolment it is"`
	From  string     `json:"from" doc:"what it was; empty: nothing"`
	To    string     `json:"to" doc:"what it becomes; empty: nothing"`
}

// SheetRow is what a sheet comes to for one person.
type SheetRow struct {
	Line      int           `json:"line,omitempty" doc:"where the row begins in the sheet; absent for who is in none"`
	Kind      SheetKind     `json:"kind"`
	Username  string        `json:"username"`
	FirstName string        `json:"first_name"`
	LastName  string        `json:"last_name"`
	Email     string        `json:"email"`
	Account   bool          `json:"new_account" doc:"an account is made"`
	Changes   []PlaceChange `json:"changes" doc:"what becomes different"`
	Message   string        `json:"message" doc:"what is wrong, or what else is to be known; empty: nothing"`
	Advice    string        `json:"advice" doc:"what to do about it; empty: nothing"`
}

// SheetPlan is what a sheet of students comes to: first what is refused, then changes, new students,
// those who stand in no row, and those who stay as they are.
type SheetPlan struct {
	Rows     []SheetRow        `json:"rows"`
	Counts   map[SheetKind]int `json:"counts" doc:"rows of each kind"`
	Enrolled int64             `json:"enrolled" doc:"students enrolled before"`
	Leaving  int64             `json:"withdrawals" doc:"students who are withdrawn, or would be"`
	Twice    bool              `json:"confirm" doc:"they are so many that their number has to be confirmed"`
}

// manyLeave tells whether so many of those enrolled leave that somebody has to say it twice.
func manyLeave(leave, enrolled int64) bool { return leave*20 > enrolled }

// errMany refuses to withdraw many without their number.
func errMany(leave, enrolled int64) error {
	return fault.New(fault.Conflict, "This would withdraw %d of %d students. Nothing was changed. If that is meant, "+
		"confirm the number: %d.", leave, enrolled, leave)
}

// leftOut is who is enrolled in a unit and stands in no row of a sheet.
type leftOut struct {
	roster   *Roster
	people   []enrolledPerson
	enrolled int64
	about    int // rows that are about the unit
}

// enrolledPerson is a student by all that a row may name them by.
type enrolledPerson struct {
	ProjectID int64   `db:"id"`
	Key       string  `db:"username_key"`
	EmailKey  string  `db:"email_key"`
	Username  string  `db:"username"`
	StudentID *string `db:"student_id"`
	FirstName string  `db:"first_name"`
	LastName  string  `db:"last_name"`
	Email     string  `db:"email"`
}

// leftOut reads who stands in no row. A row that is refused names its person all the same: a mistake
// in it withdraws nobody.
func (r *Roster) leftOut(ctx context.Context, q db.Q, all []*rosterRow) (*leftOut, error) {
	out, named := &leftOut{roster: r}, map[string]bool{}
	for _, e := range all {
		if !e.ours {
			continue
		}
		out.about++
		named["u"+ident.Key(e.row.Get("username"))] = true
		named["e"+ident.Key(e.row.Get("email"))] = true
		named["n"+e.row.Get("student_id")] = true
	}
	for p, err := range db.Each[enrolledPerson](ctx, q, `SELECT p.id, u.username_key, u.email_key, u.username,
		u.student_id, u.first_name, u.last_name, u.email FROM projects p JOIN users u ON u.id = p.user_id
		WHERE p.unit_id = $1 AND p.enrolled ORDER BY u.name_key, p.id`, r.UnitID) {
		if err != nil {
			return nil, err
		}
		out.enrolled++
		number := opt.Or(p.StudentID, "")
		if !named["u"+p.Key] && !named["e"+p.EmailKey] && (number == "" || !named["n"+number]) {
			out.people = append(out.people, p)
		}
	}
	return out, nil
}

// mayLeave refuses to withdraw by a sheet of another unit, and many unless their number is confirmed.
func (l *leftOut) mayLeave(confirmed *int64) error {
	n := int64(len(l.people))
	switch {
	case l.about == 0:
		return fault.New(fault.Refused, "No row of the sheet is about %s, so nobody is withdrawn by it. Check unit_code.",
			l.roster.Code)
	case confirmed != nil && *confirmed != n, confirmed == nil && manyLeave(n, l.enrolled):
		return errMany(n, l.enrolled)
	}
	return nil
}

// withdraw takes those out of the unit who stand in no row; a dry run takes nobody.
func (l *leftOut) withdraw(ctx context.Context, d *db.DB, o ImportOptions) error {
	if o.Dry {
		return nil
	}
	for some := range slices.Chunk(l.people, importBatch) {
		ids := make([]int64, len(some))
		for i, p := range some {
			ids[i] = p.ProjectID
		}
		if err := d.Tx(ctx, func(q db.Q) error { return withdrawProjects(ctx, q, o.Actor, ids) }); err != nil {
			return err
		}
	}
	return nil
}

// withdrawProjects takes students out of their unit, on behalf of someone. Who is withdrawn already stays so.
func withdrawProjects(ctx context.Context, q db.Q, by int64, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	if err := lockProjects(ctx, q, ids); err != nil {
		return err
	}
	list, args, err := idRows(q, ids)
	if err != nil {
		return err
	}
	gone, err := db.All[int64](ctx, q, `UPDATE projects SET enrolled = FALSE, updated_at = $2 WHERE enrolled
		AND id IN (SELECT id FROM `+list+` r) RETURNING id`, append(args, q.Now())...)
	if err != nil {
		return err
	}
	return tellEnrolment(ctx, q, by, gone...)
}

// report adds those who are withdrawn to what an import did.
func (l *leftOut) report(out *ident.Imported) {
	for _, p := range l.people {
		out.Success = append(out.Success, ident.Newcomer{Line: sheet.Line{Row: [][2]string{{"username", p.Username}},
			Message: p.Username + ": withdrawn, because they are not in the sheet."}})
	}
}

// planOf puts the rows of a sheet and those who stand in none into their order.
func planOf(all []*rosterRow, left *leftOut, withdraw bool) *SheetPlan {
	plan := &SheetPlan{Rows: []SheetRow{}, Counts: map[SheetKind]int{}, Enrolled: left.enrolled}
	if withdraw {
		plan.Leaving = int64(len(left.people))
		plan.Twice = manyLeave(plan.Leaving, plan.Enrolled)
	}
	by := map[SheetKind][]SheetRow{}
	for _, e := range all {
		row := e.told()
		by[row.Kind] = append(by[row.Kind], row)
	}
	for _, p := range left.people {
		row := SheetRow{Kind: SheetLeft, Username: p.Username, FirstName: p.FirstName, LastName: p.LastName,
			Email: p.Email, Changes: []PlaceChange{}}
		if withdraw {
			row.Changes = append(row.Changes, PlaceChange{PlaceEnrolment, "enrolled", "withdrawn"})
		}
		by[SheetLeft] = append(by[SheetLeft], row)
	}
	for _, kind := range SheetKinds {
		plan.Rows = append(plan.Rows, by[kind]...)
		plan.Counts[kind] = len(by[kind])
	}
	return plan
}

// told says what a row comes to. One that says again what another says, or is about another unit, is refused:
// somebody has to look at it.
func (e *rosterRow) told() SheetRow {
	get := e.row.Get
	row := SheetRow{Line: e.row.Line(), Username: get("username"), FirstName: get("first_name"),
		LastName: get("last_name"), Email: get("email"), Changes: append([]PlaceChange{}, e.changes...),
		Message: strings.Join(e.notes, " ")}
	switch {
	case e.outcome == failed, e.outcome == ignored && e.advice != "":
		row.Kind, row.Message, row.Advice, row.Changes = SheetRefused, e.message, e.advice, []PlaceChange{}
	case e.outcome == ignored:
		row.Kind = SheetUnchanged
	case e.enrols || e.back || e.account == nil:
		row.Kind, row.Account = SheetNew, e.account == nil
	default:
		row.Kind = SheetChanged
	}
	return row
}

// changes lists what a row changes.
func (b *batch) changes(e *rosterRow) []PlaceChange {
	var out []PlaceChange
	switch {
	case e.enrols:
		out = append(out, PlaceChange{PlaceEnrolment, "", "enrolled"})
	case e.back:
		out = append(out, PlaceChange{PlaceEnrolment, "withdrawn", "enrolled"})
	}
	if e.moves {
		out = append(out, PlaceChange{PlaceCampus, opt.Or(e.from, ""), opt.Or(e.sitter.Home, "")})
	}
	out = append(out, b.seating.changes(e.sitter)...)
	if e.renumber {
		out = append(out, PlaceChange{PlaceStudentID, opt.Or(e.account.StudentID, ""), e.user.StudentID})
	}
	return out
}

// changes lists the tutorials and groups of a student that change: the tutorial of a stream for another of it.
func (s *allocation) changes(p *student) (out []PlaceChange) {
	gone := slices.DeleteFunc(slices.Clone(p.was), func(e Enrolment) bool { return enrolledIn(p.held, e.TutorialID) })
	for _, h := range p.held {
		if enrolledIn(p.was, h.TutorialID) {
			continue
		}
		c := PlaceChange{PlaceTutorial, "", s.tutorials[h.TutorialID].Tutorial}
		for i, g := range gone {
			if opt.Same(g.StreamID, h.StreamID) || g.StreamID == nil || h.StreamID == nil {
				c.From, gone = s.tutorials[g.TutorialID].Tutorial, slices.Delete(gone, i, i+1)
				break
			}
		}
		out = append(out, c)
	}
	for _, g := range gone {
		out = append(out, PlaceChange{PlaceTutorial, s.tutorials[g.TutorialID].Tutorial, ""})
	}
	for _, g := range p.ties {
		if g.left {
			out = append(out, PlaceChange{PlaceGroup, g.Group, ""})
		}
	}
	return out
}

// invite emails those who got an account just now.
func (b *batch) invite(ctx context.Context, q db.Q, owners map[int64]*rosterRow) error {
	if b.Inviter == nil {
		return nil
	}
	var users []int64
	for id, e := range owners {
		if e.account == nil && e.outcome == done {
			users = append(users, id)
		}
	}
	if len(users) == 0 {
		return nil
	}
	slices.Sort(users)
	return b.Inviter.Invite(ctx, q, users)
}

// offer says what may have been meant by a name that nothing has: one that is written almost so, or all there are.
func (f *finder) offer(name, what string) string {
	best, least := "", min(3, len([]rune(name))/2+1)
	var all []string
	for other := range f.exact {
		all = append(all, other)
	}
	slices.Sort(all)
	for _, other := range all {
		if len(name)+len(other) > 200 {
			continue // nobody mistypes that
		}
		if d := distance(ident.Key(name), ident.Key(other)); d < least {
			best, least = other, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("Did you mean %s?", best)
	case len(all) == 0:
		return fmt.Sprintf("Add the %s first, or leave the cell empty.", what)
	case len(all) > 8:
		return fmt.Sprintf("Correct it, or add the %s first.", what)
	}
	return fmt.Sprintf("Choose one of %s.", strings.Join(all, ", "))
}

// distance is how many letters must be put in, left out or changed to make one word of another.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := row[0]
		row[0] = i + 1
		for j := range y {
			cost := before
			if x[i] != y[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(y)]
}
