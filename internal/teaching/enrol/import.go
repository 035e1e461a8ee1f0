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

	// What stands above is read from the sheet, what follows is made from the
	// database, and made anew when a transaction is tried again.
	plan
}

// plan is what a row comes to.
type plan struct {
	outcome  outcome
	message  string
	token    string // for the link of a new account
	account  *ident.Account
	sitter   *student
	renumber bool // the account gets another student number
	enrols   bool // a project is made
	back     bool // a project is enrolled again
	moves    bool // a project gets another campus
	notes    []string
}

func (e *rosterRow) end(f outcome, format string, args ...any) {
	e.outcome, e.message = f, fmt.Sprintf(format, args...)
}

// Import enrols the students of a sheet, making accounts where there are none. Names and
// addresses of users there are stay as they are. Rows are checked by themselves and among each
// other first; then they are carried out in short transactions, each deciding by what it finds,
// so that an import broken off can be sent again: what is done already is ignored. It is for
// holders of policy.ImportUnit. Rows that name two people, a tutorial that there is not or
// somebody twice are reported and left out.
func (r *Roster) Import(ctx context.Context, d *db.DB, rows *sheet.Reader, o ImportOptions) (*ident.Imported, error) {
	all := r.rosterRows(rows)
	open := slices.DeleteFunc(slices.Clone(all), func(e *rosterRow) bool { return e.outcome != pending })
	if o.Dry {
		err := d.View(ctx, func(q db.Q) error {
			b := batch{r, o, open, nil}
			return b.plan(ctx, q)
		})
		return imported(all), err
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
			return nil, err
		}
	}
	return imported(all), nil
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
func (r *Roster) rosterRows(rows *sheet.Reader) []*rosterRow {
	var all []*rosterRow
	lines := map[string]sheet.Row{} // by what no two rows may share
	for row, err := range rows.Rows() {
		e := &rosterRow{row: row}
		if err != nil {
			e.end(failed, "%v", err)
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
		return
	}
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
		e.end(failed, "%s", flaw)
		return
	}
	r.readPlaces(e)
	if e.outcome == pending {
		e.alone(lines)
	}
}

// readPlaces finds the campus and the tutorials a row names. A campus that does
// not exist is a mistake; a tutorial that does not is only left out.
func (r *Roster) readPlaces(e *rosterRow) {
	if name := e.row.Text("campus"); strings.TrimSpace(name) != "" {
		id, ok := r.campuses.find(name)
		if !ok {
			e.end(failed, "there is no campus %s", name)
			return
		}
		e.campusID = &id
	}
	for _, c := range r.columns {
		name := e.row.Text(c.heading)
		if strings.TrimSpace(name) == "" {
			continue
		}
		id, ok := r.tutorials.find(name)
		switch {
		case !ok:
			e.remarks = append(e.remarks, fmt.Sprintf("There is no tutorial %s.", name))
		case c.streamID != nil && !opt.Same(r.streams[id], c.streamID):
			e.remarks = append(e.remarks, fmt.Sprintf("Tutorial %s is not of the stream %s.", name, c.heading))
		default:
			e.classes = append(e.classes, id)
		}
	}
}

// alone sees to it that a person stands in a sheet once.
func (e *rosterRow) alone(lines map[string]sheet.Row) {
	name, email, number := "username "+ident.Key(e.user.Username), "email "+ident.Key(e.user.Email),
		"student_id "+e.user.StudentID
	if first, seen := lines[name]; seen {
		e.end(ignored, "%s is already in %s", e.user.Username, first)
		return
	}
	for _, key := range []string{email, number} {
		what, value, _ := strings.Cut(key, " ")
		if first, seen := lines[key]; seen && value != "" {
			e.end(failed, "the same %s stands in %s", what, first)
			return
		}
	}
	lines[name], lines[email], lines[number] = e.row, e.row, e.row
}
