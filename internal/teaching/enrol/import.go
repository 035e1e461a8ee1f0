package enrol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
)

// importBatch is how many rows of a sheet one transaction carries out, so that
// other writers never wait long.
const importBatch = 100

// ImportOptions say how a sheet of students is taken in.
type ImportOptions struct {
	By     policy.Role // of the importer, in the system
	Actor  int64       // the importer, whom events name
	Exceed bool        // full tutorials take more
	Dry    bool        // tell what would happen, and do nothing

	Strict    bool   // a row whose tutorial cannot be had is refused as a whole, not only noted
	Withdraw  bool   // whoever is enrolled and stands in no row is withdrawn
	Confirmed *int64 // so many withdrawals are meant, though they are many
	Told      bool   // give the plan, person by person

	Inviter ident.Inviter // emails those who get an account; nil: nobody does
}

// ImportedStudents is what an import of students came to, or in a dry run would.
type ImportedStudents struct {
	*ident.Imported
	*SheetPlan // nil: it was not asked for
}

// outcome is what becomes of a row.
type outcome uint8

const (
	pending outcome = iota
	done
	failed
	ignored
)

// rosterRow is a row of a sheet of students while it is imported.
type rosterRow struct {
	row      sheet.Row
	user     ident.NewUser
	campusID *int64  // nil: left alone
	classes  []int64 // tutorials
	remarks  []string
	strict   bool // see ImportOptions
	ours     bool // it is about this unit

	// What stands above is read from the sheet, what follows is made from the
	// database, and made anew when a transaction is tried again.
	plan
}

// plan is what a row comes to.
type plan struct {
	outcome  outcome
	message  string
	advice   string // what to do about a refusal
	token    string // for the link of a new account
	account  *ident.Account
	sitter   *student
	renumber bool    // the account gets another student number
	enrols   bool    // a project is made
	back     bool    // a project is enrolled again
	moves    bool    // a project gets another campus
	from     *string // the campus it had
	notes    []string
	changes  []PlaceChange
}

func (e *rosterRow) end(f outcome, format string, args ...any) {
	e.outcome, e.message = f, fmt.Sprintf(format, args...)
}

// refuse ends a row with what is wrong, and with what to do about it; a row with several mistakes tells
// all of them, and what to do about each.
func (e *rosterRow) refuse(advice, format string, args ...any) {
	if e.outcome != failed {
		e.end(failed, format, args...)
		e.advice = advice
		return
	}
	e.message += ". " + fmt.Sprintf(format, args...)
	if !strings.Contains(e.advice, advice) {
		e.advice += " " + advice
	}
}

// Import enrols the students of a sheet, making accounts where there are none. Names and
// addresses of users there are stay as they are. Rows are checked by themselves and among each
// other first; then they are carried out in short transactions, each deciding by what it finds,
// so that an import broken off can be sent again: what is done already is ignored. It is for
// holders of policy.ImportUnit. Rows that name two people, a tutorial that there is not or
// somebody twice are reported and left out. To withdraw whoever stands in no row is refused
// where no row is about the unit, and with fault.Conflict where they are more than one in twenty
// and their number was not confirmed; then nothing is done at all.
func (r *Roster) Import(ctx context.Context, d *db.DB, rows *sheet.Reader, o ImportOptions) (*ImportedStudents, error) {
	all := r.rosterRows(rows, o.Strict)
	open := slices.DeleteFunc(slices.Clone(all), func(e *rosterRow) bool { return e.outcome != pending })
	var left *leftOut
	err := d.View(ctx, func(q db.Q) (err error) {
		if o.Withdraw || o.Told {
			if left, err = r.leftOut(ctx, q, all); err != nil {
				return err
			}
		}
		if o.Withdraw && !o.Dry {
			return left.mayLeave(o.Confirmed)
		}
		return nil
	})
	if err == nil {
		err = r.carryOut(ctx, d, open, o)
	}
	if err == nil && o.Withdraw {
		err = left.withdraw(ctx, d, o)
	}
	if err != nil {
		return nil, err
	}
	out := &ImportedStudents{Imported: imported(all)}
	if o.Withdraw {
		left.report(out.Imported)
	}
	if o.Told {
		out.SheetPlan = planOf(all, left, o.Withdraw)
	}
	return out, nil
}

// carryOut decides about rows and, unless the run is dry, does what was decided.
func (r *Roster) carryOut(ctx context.Context, d *db.DB, open []*rosterRow, o ImportOptions) error {
	if o.Dry {
		return d.View(ctx, func(q db.Q) error {
			b := batch{r, o, open, nil}
			return b.plan(ctx, q)
		})
	}
	for some := range slices.Chunk(open, importBatch) {
		err := d.Tx(ctx, func(q db.Q) error {
			b := batch{r, o, some, nil}
			if err := b.plan(ctx, q); err != nil {
				return err
			}
			return b.write(ctx, q)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// imported gathers the fates of rows, in the order of the sheet.
func imported(all []*rosterRow) *ident.Imported {
	out := &ident.Imported{Success: []ident.Newcomer{}, Errors: []sheet.Line{}, Ignored: []sheet.Line{}}
	for _, e := range all {
		line := sheet.Line{Row: e.row.Pairs(), Line: e.row.Line(), Message: e.message}
		switch e.outcome {
		case failed:
			out.Errors = append(out.Errors, line)
		case ignored:
			out.Ignored = append(out.Ignored, line)
		default:
			out.Success = append(out.Success, ident.Newcomer{Line: line, Token: e.token})
		}
	}
	return out
}

// rosterRows reads the rows of a sheet. Those that cannot be used, or say again
// what another says, have their outcome already.
func (r *Roster) rosterRows(rows *sheet.Reader, strict bool) []*rosterRow {
	var all []*rosterRow
	lines := map[string]sheet.Row{} // by what no two rows may share
	for row, err := range rows.Rows() {
		e := &rosterRow{row: row, strict: strict}
		if err != nil {
			e.ours = r.about(row.Get("unit_code"))
			e.refuse("Check the separators and the quotes of this row.", "%v", err)
		} else {
			r.read(e, lines)
		}
		all = append(all, e)
	}
	return all
}

func (r *Roster) read(e *rosterRow, lines map[string]sheet.Row) {
	if code := e.row.Get("unit_code"); !r.about(code) {
		e.end(ignored, "the row is for unit %s, not %s", code, r.Code)
		e.advice = "Correct unit_code, or remove the row."
		return
	}
	e.ours = true
	e.user = ident.NewUser{Username: e.row.Get("username"), Email: e.row.Get("email"),
		FirstName: e.row.Get("first_name"),
		LastName:  e.row.Get("last_name"), Nickname: e.row.Get("preferred_name"), StudentID: e.row.Get("student_id"),
		Role: policy.Student}
	// People with one name only.
	if e.user.FirstName == "" {
		e.user.FirstName = e.user.LastName
	}
	if e.user.LastName == "" {
		e.user.LastName = e.user.FirstName
	}
	if flaw := e.user.Flaw(); flaw != "" {
		e.refuse("Correct it in the sheet.", "%s", flaw)
	}
	r.readPlaces(e)
	e.alone(lines)
}

// readPlaces finds the campus and the tutorials a row names. A campus that does
// not exist is a mistake; a tutorial that does not is only left out, unless the
// import is strict.
func (r *Roster) readPlaces(e *rosterRow) {
	if name := e.row.Text("campus"); strings.TrimSpace(name) != "" {
		id, ok := r.campuses.find(name)
		if !ok {
			e.refuse(r.campuses.offer(name, "campus"), "there is no campus %s", name)
		}
		e.campusID = &id
	}
	for _, c := range r.columns {
		name := e.row.Text(c.heading)
		if strings.TrimSpace(name) == "" {
			continue
		}
		id, ok := r.tutorials.find(name)
		switch foreign := ok && c.streamID != nil && !opt.Same(r.streams[id], c.streamID); {
		case !ok && e.strict:
			e.refuse(r.tutorials.offer(name, "tutorial"), "there is no tutorial %s", name)
		case foreign && e.strict:
			e.refuse("Put it into the column of its own stream.", "tutorial %s is not of the stream %s", name, c.heading)
		case !ok:
			e.remarks = append(e.remarks, fmt.Sprintf("There is no tutorial %s.", name))
		case foreign:
			e.remarks = append(e.remarks, fmt.Sprintf("Tutorial %s is not of the stream %s.", name, c.heading))
		default:
			e.classes = append(e.classes, id)
		}
	}
}

// alone sees to it that a person stands in a sheet once. Who is in a row that is refused may stand in
// another that is not.
func (e *rosterRow) alone(lines map[string]sheet.Row) {
	name, email, number := "username "+ident.Key(e.user.Username), "email "+ident.Key(e.user.Email),
		"student_id "+e.user.StudentID
	if first, seen := lines[name]; seen {
		if e.outcome == failed {
			e.refuse("Remove one of the two rows.", "%s is already in %s", e.user.Username, first)
			return
		}
		e.end(ignored, "%s is already in %s", e.user.Username, first)
		e.advice = "Remove one of the two rows."
		return
	}
	for _, key := range []string{email, number} {
		what, value, _ := strings.Cut(key, " ")
		if first, seen := lines[key]; seen && value != "" {
			e.refuse("Correct one of the two rows.", "the same %s stands in %s", what, first)
		}
	}
	if e.outcome == pending {
		lines[name], lines[email], lines[number] = e.row, e.row, e.row
	}
}
