package unit

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/site/page"
)

func (s *room) studentRoutes() {
	page.Show(s.Site, links.StudentSetup, policy.ChangeEnrolments, "The students of a unit, for those who enrol them",
		s.studentList)
	s.studentEditorRoutes()
	s.studentMoveRoutes()
	s.studentSheetRoutes()
}

// studentsOnPage is how many students stand on one page.
const studentsOnPage = 100

// studentsIn is what the address of the list says.
type studentsIn struct {
	Text     string `param:"text"`
	Tutorial string `param:"tutorial"` // 0: without any
	Campus   string `param:"campus"`   // 0: without any
	Show     string `param:"show"`     // withdrawn or all; empty: enrolled
	Sort     string `param:"sort"`
	Chosen   string `param:"chosen"` // all: every row of the page is ticked
	Page     int64  `param:"page"`
	Done     string `param:"done"`  // what was done just now
	About    string `param:"about"` // to which student, or to how many
}

var (
	studentShows  = []string{"", "withdrawn", "all"}
	studentOrders = []string{"name", "-name", "tutorial", "-tutorial"}
	studentsDone  = []string{"enrolled", "withdrawn", "again", "moved", "saved"}
)

// clean replaces what the address says wrongly by what is usual: the enrolled, by name.
func (in *studentsIn) clean() {
	if !slices.Contains(studentShows, in.Show) {
		in.Show = ""
	}
	if !slices.Contains(studentOrders, in.Sort) {
		in.Sort = studentOrders[0]
	}
	if !slices.Contains(studentsDone, in.Done) {
		in.Done = ""
	}
	in.Tutorial, in.Campus = idOrNone(in.Tutorial), idOrNone(in.Campus)
	in.Page = min(max(in.Page, 1), 1e6)
}

// idOrNone is a text if it is that of an id, or 0; else nothing.
func idOrNone(text string) string {
	if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 0 {
		return ""
	}
	return text
}

func maybeID(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

func (in *studentsIn) search(who *access.Caller, unitID int64) enrol.StudentSearch {
	s := enrol.StudentSearch{UnitID: unitID, CallerID: who.ID, Text: in.Text, TutorialID: maybeID(in.Tutorial),
		CampusID: maybeID(in.Campus), Order: enrol.StudentOrder(in.Sort),
		Page: db.Part(studentsOnPage, (in.Page-1)*studentsOnPage)}
	if in.Show != "all" {
		s.Enrolled = new(in.Show == "")
	}
	return s
}

// places are where the students of a unit can be.
type places struct {
	Unit      *course.Unit
	Streams   []enrol.Stream
	Tutorials []enrol.Tutorial
	Campuses  []course.Campus
	classes   map[int64]*enrol.Tutorial
	words     *page.Language
}

func (s *room) readPlaces(ctx context.Context, q db.Q, unitID int64) (p *places, err error) {
	p = &places{classes: map[int64]*enrol.Tutorial{}, words: s.Words}
	if p.Unit, err = course.UnitByID(ctx, q, unitID); err != nil {
		return nil, err
	}
	if p.Streams, err = enrol.StreamsOf(ctx, q, unitID); err != nil {
		return nil, err
	}
	if p.Tutorials, err = enrol.TutorialsOf(ctx, q, unitID); err != nil {
		return nil, err
	}
	for i := range p.Tutorials {
		p.classes[p.Tutorials[i].ID] = &p.Tutorials[i]
	}
	p.Campuses, err = course.Campuses(ctx, q)
	return p, err
}

// Path is where the list stands.
func (p *places) Path() string { return links.To(links.StudentSetup, p.Unit.ID) }

// CampusName names a campus; none is empty.
func (p *places) CampusName(id *int64) string {
	for _, c := range p.Campuses {
		if id != nil && c.ID == *id {
			return c.Name
		}
	}
	return ""
}

// Names are those of the tutorials of a student.
func (p *places) Names(held []enrol.Enrolment) (out []string) {
	for _, e := range held {
		if t := p.classes[e.TutorialID]; t != nil {
			out = append(out, t.Abbreviation)
		}
	}
	return out
}

// streamOf are the tutorials of a stream, or of none.
func (p *places) streamOf(abbreviation string) (out []enrol.Tutorial) {
	for _, t := range p.Tutorials {
		of := ""
		if t.StreamAbbr != nil {
			of = *t.StreamAbbr
		}
		if of == abbreviation {
			out = append(out, t)
		}
	}
	return out
}

// full says how many places of a tutorial are taken.
func (p *places) full(t enrol.Tutorial) string {
	switch {
	case t.Capacity <= 0:
		return p.words.Word("enrol.taken", t.Abbreviation, t.NumStudents)
	case t.NumStudents >= t.Capacity:
		return p.words.Word("enrol.full", t.Abbreviation, t.NumStudents, t.Capacity)
	}
	return p.words.Word("enrol.taken-of", t.Abbreviation, t.NumStudents, t.Capacity)
}

// studentsPage is the students of a unit that the address asks for.
type studentsPage struct {
	studentsIn
	*places
	Counts   *enrol.RosterCounts
	Students []enrol.ListedStudent
	Total    int64
	about    *enrol.ListedStudent // whom something was done to just now
}

func (s *room) studentList(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id" scope:"unit"`
	studentsIn
}) (*page.Page, error) {
	v, err := s.readStudents(ctx, who, in.ID, in.studentsIn)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "student-setup", s.Word("students.title"), v), nil
}

func (s *room) readStudents(ctx context.Context, who *access.Caller, unitID int64, in studentsIn) (*studentsPage,
	error) {
	in.clean()
	v := &studentsPage{studentsIn: in}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.places, err = s.readPlaces(ctx, q, unitID); err != nil {
			return err
		}
		if v.Counts, err = enrol.CountRoster(ctx, q, unitID); err != nil {
			return err
		}
		if id := maybeID(in.About); id != nil && in.Done != "" && in.Done != "moved" {
			// Of whoever is gone meanwhile nothing is said.
			if v.about, err = enrol.ListedByProject(ctx, q, unitID, *id); err != nil && !fault.Is(err, fault.Missing) {
				return err
			}
		}
		v.Students, v.Total, err = in.search(who, unitID).Listed(ctx, q)
		return err
	})
	return v, err
}

// With is the address of the list with another value of one of its filters.
func (v *studentsPage) With(name, value string) string {
	q := v.query()
	q.Set(name, value)
	return taskAddress(v.Path(), q)
}

func (v *studentsPage) query() url.Values {
	sort := v.Sort
	if sort == studentOrders[0] {
		sort = ""
	}
	return url.Values{"text": {v.Text}, "tutorial": {v.Tutorial}, "campus": {v.Campus}, "show": {v.Show}, "sort": {sort}}
}

// Kept is what a search keeps of the list.
func (v *studentsPage) Kept() (list []taskValue) {
	for name, values := range v.query() {
		if name != "text" && values[0] != "" {
			list = append(list, taskValue{name, values[0]})
		}
	}
	slices.SortFunc(list, func(a, b taskValue) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Filtered tells whether the address leaves some students out.
func (v *studentsPage) Filtered() bool {
	return v.Text != "" || v.Tutorial != "" || v.Campus != "" || v.Show != ""
}

// studentMenu is a chip that opens a choice of what the list can be narrowed to.
type studentMenu struct {
	Text, Label string
	On          bool
	Items       []taskChoice
}

func (m *studentMenu) add(text, href string, chosen, usual bool) {
	m.Items = append(m.Items, taskChoice{Text: text, Href: href, Current: chosen})
	if chosen {
		m.Text, m.On = text, !usual
	}
}

// Menus are the chips with a choice: of a tutorial, of a campus where there are some, and of the enrolment.
func (v *studentsPage) Menus() []studentMenu {
	tutorial := studentMenu{Label: v.words.Word("students.tutorial")}
	tutorial.add(v.words.Word("students.any-tutorial"), v.With("tutorial", ""), v.Tutorial == "", true)
	for _, t := range v.Tutorials {
		id := strconv.FormatInt(t.ID, 10)
		tutorial.add(t.Abbreviation, v.With("tutorial", id), v.Tutorial == id, false)
	}
	if v.Tutorial == "0" {
		tutorial.Text = tutorial.Items[0].Text
	}
	out := []studentMenu{tutorial}
	if len(v.Campuses) > 0 {
		campus := studentMenu{Label: v.words.Word("students.campus")}
		campus.add(v.words.Word("students.any-campus"), v.With("campus", ""), v.Campus == "", true)
		campus.add(v.words.Word("enrol.no-campus"), v.With("campus", "0"), v.Campus == "0", false)
		for _, c := range v.Campuses {
			id := strconv.FormatInt(c.ID, 10)
			campus.add(c.Name, v.With("campus", id), v.Campus == id, false)
		}
		out = append(out, campus)
	}
	show := studentMenu{Label: v.words.Word("students.show")}
	for _, one := range studentShows {
		show.add(v.words.Word("students.show-"+one), v.With("show", one), v.Show == one, one == "")
	}
	return append(out, show)
}

// UnplacedHref leads to those without a tutorial, or back to all.
func (v *studentsPage) UnplacedHref() string {
	if v.Tutorial == "0" {
		return v.With("tutorial", "")
	}
	return v.With("tutorial", "0")
}

// Way tells in which way a column orders the list; empty: in none.
func (v *studentsPage) Way(sort string) string {
	switch v.Sort {
	case sort:
		return "ascending"
	case "-" + sort:
		return "descending"
	}
	return ""
}

// Turn is the address of the list ordered by a column, first one way, then the other.
func (v *studentsPage) Turn(sort string) string {
	if v.Sort == sort {
		sort = "-" + sort
	}
	return v.With("sort", sort)
}

// First is the first row of the page.
func (v *studentsPage) First() int64 { return min((v.Page-1)*studentsOnPage+1, v.Total) }

// Last is the last of them.
func (v *studentsPage) Last() int64 { return min(v.Page*studentsOnPage, v.Total) }

// Back is the page before this one; empty: this is the first.
func (v *studentsPage) Back() string {
	if v.Page <= 1 {
		return ""
	}
	return v.With("page", fmt.Sprint(v.Page-1))
}

// Next is the page after this one; empty: this is the last.
func (v *studentsPage) Next() string {
	if v.Page*studentsOnPage >= v.Total {
		return ""
	}
	return v.With("page", fmt.Sprint(v.Page+1))
}

// All leads to the page with every row ticked.
func (v *studentsPage) All() string {
	q := v.query()
	q.Set("chosen", "all")
	if v.Page > 1 {
		q.Set("page", fmt.Sprint(v.Page))
	}
	return taskAddress(v.Path(), q)
}

// None leads to the page with no row ticked.
func (v *studentsPage) None() string {
	q := v.query()
	if v.Page > 1 {
		q.Set("page", fmt.Sprint(v.Page))
	}
	return taskAddress(v.Path(), q)
}

// studentNews says what was done just now, with the way back.
type studentNews struct {
	Text, Name string
	Undo       string // where the way back leads; empty: there is none
	Enrolled   bool   // what they become again
}

// News says what was done just now; nil: nothing was.
func (v *studentsPage) News() *studentNews {
	if n := maybeID(v.About); v.Done == "moved" && n != nil {
		return &studentNews{Text: v.words.Word("enrol.moved", *n)}
	}
	if v.about == nil {
		return nil
	}
	n := &studentNews{Name: v.about.FirstName + " " + v.about.LastName,
		Undo: links.To(links.StudentEditor, v.Unit.ID, v.about.ProjectID) + "/enrolment"}
	switch {
	case v.Done == "saved":
		n.Text, n.Undo = v.words.Word("enrol.saved"), ""
	case v.Done == "withdrawn" && !v.about.Enrolled:
		n.Text, n.Enrolled = v.words.Word("enrol.withdrawn"), true
	case v.Done == "again" && v.about.Enrolled:
		n.Text = v.words.Word("enrol.again")
	case v.Done == "enrolled" && v.about.Enrolled:
		n.Text = v.words.Word("enrol.enrolled")
	default:
		return nil
	}
	return n
}

// studentKeys are those of words that are put together.
func studentKeys() (list []string) {
	for _, show := range studentShows {
		list = append(list, "students.show-"+show)
	}
	for _, kind := range enrol.SheetKinds {
		list = append(list, "enrol.kind-"+string(kind), "enrol.count-"+string(kind))
	}
	for _, field := range enrol.PlaceField("").Enum() {
		if field != string(enrol.PlaceEnrolment) {
			list = append(list, "enrol.field-"+field)
		}
	}
	return append(list, "enrol.becomes-enrolled", "enrol.becomes-withdrawn")
}
