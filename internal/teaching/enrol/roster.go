package enrol

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
)

// Roster is what the sheets of a unit's students are read and written by: the
// unit's code, its classes and the campuses.
type Roster struct {
	UnitID    int64
	Code      string
	columns   []classColumn
	campuses  finder
	campus    map[int64]course.Campus
	tutorials finder
	streams   map[int64]*int64 // of the tutorials
}

// classColumn is where a sheet names the tutorial of a stream or, under
// "tutorial", one that has none.
type classColumn struct {
	heading  string
	streamID *int64
}

// studentColumns are the columns every sheet of students has; an import does
// without preferred_name.
var studentColumns = []string{"unit_code", "campus", "username", "student_id", "preferred_name", "first_name",
	"last_name", "email"}

const tutorialColumn = "tutorial"

// ReadRoster reads what a unit's sheets are about.
func ReadRoster(ctx context.Context, q db.Q, unitID int64) (*Roster, error) {
	code, err := db.OneOf[string](ctx, q, "unit", `SELECT code FROM units WHERE id = $1`, unitID)
	if err != nil {
		return nil, err
	}
	streams, err := StreamsOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	classes, err := db.All[lockedTutorial](ctx, q, `SELECT id, tutorial_stream_id, abbreviation FROM tutorials
		WHERE unit_id = $1 ORDER BY id`, unitID)
	if err != nil {
		return nil, err
	}
	r := &Roster{UnitID: unitID, Code: *code, campus: map[int64]course.Campus{}, streams: map[int64]*int64{}}
	r.setColumns(streams, slices.ContainsFunc(classes, func(c lockedTutorial) bool { return c.StreamID == nil }))
	for _, c := range classes {
		r.streams[c.ID] = c.StreamID
		r.tutorials.add(c.ID, c.Abbreviation)
	}
	return r, r.readCampuses(ctx, q)
}

func (r *Roster) readCampuses(ctx context.Context, q db.Q) error {
	campuses, err := course.Campuses(ctx, q)
	if err != nil {
		return err
	}
	for _, c := range campuses {
		r.campus[c.ID] = c
		r.campuses.add(c.ID, c.Abbreviation)
	}
	for _, c := range campuses {
		r.campuses.add(c.ID, c.Name)
	}
	return nil
}

// setColumns gives every stream a column under its abbreviation, numbered where
// another column reads the same, and one for tutorials without a stream where
// there are any or no streams at all.
func (r *Roster) setColumns(streams []Stream, streamless bool) {
	taken := map[string]bool{tutorialColumn: true}
	for _, name := range studentColumns {
		taken[name] = true
	}
	for _, s := range streams {
		heading := s.Abbreviation
		for n := 2; taken[headingKey(heading)]; n++ {
			heading = s.Abbreviation + "_" + strconv.Itoa(n)
		}
		taken[headingKey(heading)] = true
		r.columns = append(r.columns, classColumn{heading, &s.ID})
	}
	if streamless || len(streams) == 0 {
		r.columns = append(r.columns, classColumn{tutorialColumn, nil})
	}
}

// headingKey is the form in which sheets compare headings.
func headingKey(heading string) string {
	return strings.ToLower(strings.Join(strings.Fields(heading), "_"))
}

// Sheet is what a sheet of students must have.
func (r *Roster) Sheet() sheet.Options {
	names := slices.DeleteFunc(slices.Clone(studentColumns), func(s string) bool { return s == "preferred_name" })
	for _, c := range r.columns {
		if c.streamID != nil || len(r.columns) == 1 {
			names = append(names, c.heading)
		}
	}
	return sheet.Options{Required: names, Optional: []string{"preferred_name"}}
}

// Headings are those of a sheet of the unit's students, in their order.
func (r *Roster) Headings() []string {
	headings := slices.Clone(studentColumns)
	for _, c := range r.columns {
		headings = append(headings, c.heading)
	}
	return headings
}

// WriteExample writes a sheet of one made-up student, to be filled in, with a tutorial of each stream that
// has any.
func (r *Roster) WriteExample(w io.Writer) error {
	t := sheet.Write(w, r.Headings())
	cells := []string{r.Code, "", "jdoe", "100200300", "Jo", "Joanna", "Doe", "jdoe@example.edu"}
	for _, c := range r.columns {
		first := ""
		for name, id := range r.tutorials.exact {
			if opt.Same(r.streams[id], c.streamID) && (first == "" || name < first) {
				first = name
			}
		}
		cells = append(cells, first)
	}
	if err := t.Row(cells...); err != nil {
		return err
	}
	return t.Flush()
}

// about tells whether a row's unit_code means this unit: its code, or one of
// the codes it joins as in A/B.
func (r *Roster) about(code string) bool {
	key := ident.Key(code)
	return key == ident.Key(r.Code) || slices.ContainsFunc(strings.Split(r.Code, "/"), func(part string) bool {
		return key != "" && key == ident.Key(part)
	})
}

// finder finds records by what people write: exactly, or else in any case and
// without blanks around, where that means one record only.
type finder struct{ exact, loose map[string]int64 }

// add lets a record be found; where several have a name, the first added.
func (f *finder) add(id int64, name string) {
	if f.exact == nil {
		f.exact, f.loose = map[string]int64{}, map[string]int64{}
	}
	if _, there := f.exact[name]; !there {
		f.exact[name] = id
	}
	if other, there := f.loose[ident.Key(name)]; there && other != id {
		id = 0
	}
	f.loose[ident.Key(name)] = id
}

func (f *finder) find(text string) (int64, bool) {
	if id, ok := f.exact[text]; ok {
		return id, true
	}
	id := f.loose[ident.Key(text)]
	return id, id != 0
}

// rosterLine is an enrolled student as a sheet shows them.
type rosterLine struct {
	ProjectID int64   `db:"id"`
	Key       string  `db:"username_key"`
	CampusID  *int64  `db:"campus_id"`
	Username  string  `db:"username"`
	StudentID *string `db:"student_id"`
	Nickname  *string `db:"nickname"`
	FirstName string  `db:"first_name"`
	LastName  string  `db:"last_name"`
	Email     string  `db:"email"`
}

// Export reads the enrolled students of a unit, by user name, and gives what
// writes them as a sheet that Import takes back.
func (r *Roster) Export(ctx context.Context, q db.Q) (func(io.Writer) error, error) {
	students, err := db.All[rosterLine](ctx, q, `SELECT p.id, u.username_key, p.campus_id, u.username, u.student_id,
		u.nickname, u.first_name,
			u.last_name, u.email
		FROM projects p JOIN users u ON u.id = p.user_id WHERE p.unit_id = $1 AND p.enrolled`, r.UnitID)
	if err != nil {
		return nil, err
	}
	type tutorialName struct {
		Enrolment
		Abbreviation string `db:"abbreviation"`
	}
	tutorials := map[[2]int64]string{} // by project and stream
	for e, err := range db.Each[tutorialName](ctx, q, `SELECT e.project_id, e.tutorial_id, e.tutorial_stream_id,
		t.abbreviation
		FROM projects p JOIN tutorial_enrolments e ON e.project_id = p.id JOIN tutorials t ON t.id = e.tutorial_id
		WHERE p.unit_id = $1 AND p.enrolled`, r.UnitID) {
		if err != nil {
			return nil, err
		}
		tutorials[[2]int64{e.ProjectID, opt.Or(e.StreamID, 0)}] = e.Abbreviation
	}
	// The engines sort text differently.
	slices.SortFunc(students, func(a, b rosterLine) int { return cmp.Compare(a.Key, b.Key) })
	return func(w io.Writer) error { return r.write(w, students, tutorials) }, nil
}

func (r *Roster) write(w io.Writer, students []rosterLine, tutorials map[[2]int64]string) error {
	t := sheet.Write(w, r.Headings())
	for _, s := range students {
		cells := []string{r.Code, r.campus[opt.Or(s.CampusID, 0)].Abbreviation, s.Username, opt.Or(s.StudentID, ""),
			opt.Or(s.Nickname, ""), s.FirstName, s.LastName, s.Email}
		for _, c := range r.columns {
			cells = append(cells, tutorials[[2]int64{s.ProjectID, opt.Or(c.streamID, 0)}])
		}
		if err := t.Row(cells...); err != nil {
			return err
		}
	}
	return t.Flush()
}
