package unit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

// sheetPage is where a sheet is looked at row by row, and imported.
type sheetPage struct {
	Unit    *course.Unit
	List    string // what the sheet is of
	Back    string // leads there, in words
	At      string // where the sheet is sent to
	Get     string // the sheet of what is there now; empty: there is none
	GetIt   string // leads to it, in words; empty: the unit’s
	Head    string // of the column that names a row
	Hint    string
	Along   string        // what may change along with the rows, in words; empty: nothing may
	AlongOn bool          // it does
	Rows    []sheetRow    // those with mistakes first
	Report  *sheet.Report // what would come of the sheet, or came of it; nil: none was sent
	Sheet   string        // the sheet itself, for the form that imports it
	Plan    string        // what was shown
	Done    bool
	Again   bool // the unit changed since the plan was shown

	names    []string        // columns that name a row
	had      map[string]bool // what there was, by the ident.Key of its name; nil: what is new is not told
	run      func(context.Context, usecase.Sheet) (*sheet.Report, error)
	do, done func(rows int) string // what the button says, and what is said once it is done
}

// sheetRow is a row of the sheet with what becomes of it.
type sheetRow struct {
	Outcome       string // errors, success or ignored; of a success also new or changed
	Line          int
	What, Message string
}

// sheetPlanned is what the form of a sheet whose plan was shown sends.
type sheetPlanned struct {
	Sheet string `param:"sheet"`
	Plan  string `param:"plan"`
}

// Do is what the button says that imports the rows.
func (v *sheetPage) Do() string { return v.do(len(v.Report.Success)) }

// Finished says how many rows were imported.
func (v *sheetPage) Finished() string { return v.done(len(v.Report.Success)) }

func (s *room) sheetTitled(who *access.Caller, title string, v *sheetPage) *page.Page {
	return s.Titled(who, "sheet-import", title, v)
}

// planSheet shows what would come of a sheet, and changes nothing.
func (s *room) planSheet(ctx context.Context, p *page.Page, file *params.Upload) (endpoint.Drawing, error) {
	if err := s.Chosen(file); err != nil {
		return s.Again(p, err)
	}
	v := p.Data.(*sheetPage)
	sent := usecase.Sheet{Upload: page.Uploaded(file), DryRun: true}
	var err error
	if v.Report, err = v.run(ctx, sent); err != nil {
		return s.Again(p, err)
	}
	if v.Sheet, err = page.PackSheet(sent.Upload); err != nil {
		return nil, err
	}
	v.show()
	return p, nil
}

// takeSheet imports a sheet. Where something else would come of it than was shown, because somebody
// changed the unit, that is shown first.
func (s *room) takeSheet(ctx context.Context, p *page.Page, in sheetPlanned) (endpoint.Drawing, error) {
	v := p.Data.(*sheetPage)
	file, done, err := s.UnpackSheet(in.Sheet)
	if err != nil {
		return s.Again(p, err)
	}
	defer done()
	if v.Report, err = v.run(ctx, usecase.Sheet{Upload: file, DryRun: true}); err != nil {
		return s.Again(p, err)
	}
	v.Sheet = in.Sheet
	v.show()
	if v.Plan != in.Plan || len(v.Report.Errors) > 0 {
		v.Again = true
		return p, nil
	}
	if v.Report, err = v.run(ctx, usecase.Sheet{Upload: file}); err != nil {
		return s.Again(p, err)
	}
	v.Done = true
	v.show()
	return p, nil
}

// show puts the rows of the report into their order, and makes the sign by which it is known again.
func (v *sheetPage) show() {
	v.Rows = nil
	sum := sha256.New()
	for _, part := range []struct {
		outcome string
		lines   []sheet.Line
	}{{"errors", v.Report.Errors}, {"success", v.Report.Success}, {"ignored", v.Report.Ignored}} {
		for _, l := range part.lines {
			row := sheetRow{part.outcome, l.Line, l.Names(v.names...), l.Message}
			switch {
			case row.Outcome != "success" || v.had == nil:
			case v.had[ident.Key(row.What)]:
				row.Outcome = "changed"
			default:
				row.Outcome = "new"
			}
			fmt.Fprintln(sum, row)
			v.Rows = append(v.Rows, row)
		}
	}
	v.Plan = hex.EncodeToString(sum.Sum(nil))
}
