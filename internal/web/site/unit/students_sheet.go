package unit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

func (s *room) studentSheetRoutes() {
	at := links.StudentSetup + "/import"
	endpoint.Route(s.Server, "GET "+links.StudentSetup+"/students.csv", 200, policy.ExportUnit,
		"The enrolled students of a unit as a sheet", s.studentSheet, endpoint.Audited(audit.Export),
		endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
	endpoint.Route(s.Server, "GET "+at+"/example.csv", 200, policy.ChangeEnrolments,
		"A sheet of students to be filled in", s.exampleSheet, endpoint.Made("text/csv"))
	page.Show(s.Site, at, policy.ChangeEnrolments, "Import the students of a unit from a sheet", s.studentImport)
	page.Form(s.Site, at+"/plan", policy.ImportUnit, "What would come of a sheet of students", s.planStudentSheet,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, page.MostSheet),
		endpoint.Costs(endpoint.Imports))
	endpoint.Route(s.Server, "POST "+at+"/refused", 200, policy.ImportUnit,
		"The rows of a sheet of students that cannot be imported, with what is wrong", s.refusedRows,
		endpoint.Unaudited("gives back what was sent"), endpoint.Costs(endpoint.Imports), endpoint.Made("text/csv"))
	page.Form(s.Site, at, policy.ImportUnit, "Import a sheet of students whose plan was shown", s.takeStudentSheet,
		endpoint.Audited(audit.Enrolment, audit.Account, audit.Role), endpoint.Costs(endpoint.Imports))
}

type studentSheetIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// roster reads what the sheets of a unit's students are about.
func (s *room) roster(ctx context.Context, unitID int64) (r *enrol.Roster, err error) {
	err = s.DB.View(ctx, func(q db.Q) (err error) {
		r, err = enrol.ReadRoster(ctx, q, unitID)
		return err
	})
	return r, err
}

func (s *room) studentSheet(ctx context.Context, _ *access.Caller, in studentSheetIn) (*endpoint.File, error) {
	var f *endpoint.File
	err := s.DB.View(ctx, func(q db.Q) error {
		r, err := enrol.ReadRoster(ctx, q, in.ID)
		if err != nil {
			return err
		}
		write, err := r.Export(ctx, q)
		f = csvFile(r.Code+"-Students.csv", write)
		return err
	})
	return s.exportedTasks(ctx, f, err, "students")
}

func csvFile(name string, write func(io.Writer) error) *endpoint.File {
	return &endpoint.File{Name: name, Type: "text/csv; charset=utf-8", Attachment: true, Write: write}
}

func (s *room) exampleSheet(ctx context.Context, _ *access.Caller, in studentSheetIn) (*endpoint.File, error) {
	r, err := s.roster(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return csvFile(r.Code+"-Students-example.csv", r.WriteExample), nil
}

// sheetOptions say how a sheet of students is taken in.
type sheetOptions struct {
	Withdraw bool `param:"withdraw"`
	Exceed   bool `param:"exceed"`
	Mail     bool `param:"mail"`
}

// importIn is what the plan of a sheet of students is asked with.
type importIn struct {
	studentSheetIn
	sheetOptions
	File *params.Upload `param:"file"`
	Name string         `param:"name"`  // of the file, once it was sent
	Data string         `param:"sheet"` // the sheet that was sent before
	Show string         `param:"show"`  // a kind of rows, or all that change; empty: as it was
	At   string         `param:"at"`    // what was shown before
	Text string         `param:"text"`
	Page string         `param:"page"`
}

// allChanges shows every row that changes something, or cannot.
const allChanges = "changes"

// importPage is where a sheet of students is looked at and imported.
type importPage struct {
	sheetOptions
	Unit       *course.Unit
	List       string
	Headings   []string
	Mails      bool
	Plan       *enrol.SheetPlan // what would come of the sheet, or came of it; nil: none was sent
	Name, Data string
	Sign       string // of what is shown
	Show, Text string
	Page       int
	Found      []enrol.SheetRow // the rows that are looked for
	Lines      int
	Done       bool
	Again      bool   // the unit changed since the plan was shown
	Ask        bool   // the number of those who are withdrawn has to be given
	Links      string // by which those with a new account set a password, one a line
	words      *page.Language
}

func (s *room) studentImport(ctx context.Context, who *access.Caller, in studentSheetIn) (*page.Page, error) {
	v, err := s.importPage(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v.Mail = true
	return s.importTitled(who, v), nil
}

func (s *room) importTitled(who *access.Caller, v *importPage) *page.Page {
	return s.Titled(who, "student-import", s.Word("enrol.import"), v)
}

func (s *room) importPage(ctx context.Context, unitID int64) (*importPage, error) {
	v := &importPage{List: links.To(links.StudentSetup, unitID), Mails: s.Usecases.Mailer.Sends(), words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, unitID); err != nil {
			return err
		}
		r, err := enrol.ReadRoster(ctx, q, unitID)
		if err == nil {
			v.Headings = r.Headings()
		}
		return err
	})
	return v, err
}

// sent is the sheet of a request: a file that was chosen, or what the page carried. The caller calls done.
func (s *room) sent(in *importIn) (f usecase.Upload, done func(), err error) {
	if in.Data != "" && (in.File == nil || in.File.Size == 0) {
		return s.UnpackSheet(in.Data)
	}
	if err := s.Chosen(in.File); err != nil {
		return f, nil, err
	}
	f = page.Uploaded(in.File)
	in.Name = f.Name
	in.Data, err = page.PackSheet(f)
	return f, func() {}, err
}

// run takes a sheet of students in, or plans it.
func (s *room) run(ctx context.Context, who *access.Caller, unitID int64, f usecase.Upload, o sheetOptions, dry bool,
	confirmed *int64) (*enrol.ImportedStudents, error) {
	return s.Usecases.ImportStudents(ctx, who, unitID, usecase.StudentSheet{Sheet: usecase.Sheet{Upload: f, DryRun: dry},
		Exceed: o.Exceed, Strict: true, Withdraw: o.Withdraw, Confirmed: confirmed, Told: true,
		Mailed: o.Mail && s.Usecases.Mailer.Sends()})
}

func (s *room) planStudentSheet(ctx context.Context, who *access.Caller, in importIn) (endpoint.Drawing, error) {
	v, err := s.importPage(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v.sheetOptions = in.sheetOptions
	f, done, err := s.sent(&in)
	if err != nil {
		return s.Again(s.importTitled(who, v), err)
	}
	defer done()
	out, err := s.run(ctx, who, in.ID, f, in.sheetOptions, true, nil)
	if err != nil {
		return s.Again(s.importTitled(who, v), err)
	}
	v.Name, v.Data = in.Name, in.Data
	v.show(out.SheetPlan, in)
	return s.importTitled(who, v), nil
}

// show puts the rows together that are looked for, and makes the sign by which the plan is known again.
func (v *importPage) show(plan *enrol.SheetPlan, in importIn) {
	v.Plan, v.Text = plan, strings.TrimSpace(in.Text)
	v.Show = cmp.Or(in.Show, in.At)
	if !slices.Contains(enrol.SheetKinds, enrol.SheetKind(v.Show)) {
		v.Show = allChanges
	}
	sum, text := sha256.New(), strings.ToLower(v.Text)
	fmt.Fprintln(sum, v.Exceed, v.Withdraw, plan.Leaving)
	for _, row := range plan.Rows {
		fmt.Fprintln(sum, row)
		if row.Line > 0 {
			v.Lines++
		}
		if v.asks(row.Kind) && strings.Contains(strings.ToLower(row.FirstName+" "+row.LastName+" "+row.Username+" "+
			row.Email), text) {
			v.Found = append(v.Found, row)
		}
	}
	v.Sign = hex.EncodeToString(sum.Sum(nil))
	v.Page, _ = strconv.Atoi(in.Page) // else the first
	v.Page = min(max(v.Page, 1), max((len(v.Found)+studentsOnPage-1)/studentsOnPage, 1))
}

// asks tells whether rows of a kind are looked for.
func (v *importPage) asks(kind enrol.SheetKind) bool {
	if v.Show == allChanges {
		return kind != enrol.SheetUnchanged && (kind != enrol.SheetLeft || v.Withdraw)
	}
	return kind == enrol.SheetKind(v.Show)
}

// takeStudentSheet imports a sheet. Where something else would come of it than was shown, because somebody
// changed the unit, that is shown first; where it would withdraw many, it asks for their number.
func (s *room) takeStudentSheet(ctx context.Context, who *access.Caller, in struct {
	importIn
	Plan      string `param:"plan"`
	Confirmed string `param:"confirmed"`
}) (endpoint.Drawing, error) {
	v, err := s.importPage(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v.sheetOptions, v.Name, v.Data = in.sheetOptions, in.Name, in.Data
	f, done, err := s.UnpackSheet(in.Data)
	if err != nil {
		return s.Again(s.importTitled(who, v), err)
	}
	defer done()
	out, err := s.run(ctx, who, in.ID, f, in.sheetOptions, true, nil)
	if err != nil {
		return s.Again(s.importTitled(who, v), err)
	}
	v.show(out.SheetPlan, in.importIn)
	confirmed := maybeID(strings.TrimSpace(in.Confirmed))
	switch {
	case v.Sign != in.Plan:
		v.Again = true
		return s.importTitled(who, v), nil
	case v.Plan.Twice && confirmed == nil:
		v.Ask = true
		return s.importTitled(who, v), nil
	}
	if out, err = s.run(ctx, who, in.ID, f, in.sheetOptions, false, confirmed); err != nil {
		v.Ask = v.Plan.Twice
		return s.Again(s.importTitled(who, v), err)
	}
	v.finish(s, out)
	return s.importTitled(who, v), nil
}

// finish shows what came of the sheet: in rows what was not possible.
func (v *importPage) finish(s *room, out *enrol.ImportedStudents) {
	v.Done, v.Plan, v.Found = true, out.SheetPlan, nil
	for _, row := range v.Plan.Rows {
		if row.Kind == enrol.SheetRefused {
			v.Found = append(v.Found, row)
		}
	}
	if v.Mail && v.Mails {
		return
	}
	var b strings.Builder
	for _, one := range out.Success {
		if one.Token != "" {
			fmt.Fprintln(&b, one.Names("username"), s.Usecases.PublicURL+links.With(links.Password, one.Token))
		}
	}
	v.Links = b.String()
}

// refusedRows gives the rows that cannot be imported as a sheet, each with what is wrong, to be mended and sent
// again.
func (s *room) refusedRows(ctx context.Context, who *access.Caller, in importIn) (*endpoint.File, error) {
	f, done, err := s.UnpackSheet(in.Data)
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := s.run(ctx, who, in.ID, f, in.sheetOptions, true, nil)
	if err != nil {
		return nil, err
	}
	refused := map[int]string{}
	for _, row := range out.Rows {
		if row.Kind == enrol.SheetRefused {
			refused[row.Line] = editing.Sentence(row.Message) + " " + row.Advice
		}
	}
	name := strings.TrimSuffix(strings.TrimSuffix(in.Name, ".csv"), ".xlsx")
	return csvFile(name+"-mistakes.csv", func(w io.Writer) error {
		return writeRefused(w, slices.Concat(out.Errors, out.Ignored), refused)
	}), nil
}

// writeRefused writes rows with what is wrong with them, in the order of the sheet.
func writeRefused(w io.Writer, lines []sheet.Line, refused map[int]string) error {
	slices.SortFunc(lines, func(a, b sheet.Line) int { return a.Line - b.Line })
	var t *sheet.Writer
	for _, l := range lines {
		pairs, ok := l.Row.([][2]string)
		if !ok || refused[l.Line] == "" {
			continue
		}
		pairs = slices.DeleteFunc(slices.Clone(pairs), func(p [2]string) bool { return p[0] == "" || p[0] == "mistake" })
		var names, cells []string
		for _, p := range pairs {
			names, cells = append(names, p[0]), append(cells, p[1])
		}
		if t == nil {
			t = sheet.Write(w, append(names, "mistake"))
		}
		if err := t.Row(append(cells, refused[l.Line])...); err != nil {
			return err
		}
	}
	if t == nil {
		return fault.New(fault.Missing, "no row has a mistake")
	}
	return t.Flush()
}
