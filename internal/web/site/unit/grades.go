package unit

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) gradeRoutes() {
	asks := endpoint.Asks(policy.GradeUnit, policy.PublishGrades)
	page.Show(s.Site, links.Grades, policy.ListStudents, "The final grades of a unit", s.grades, asks)
	page.Form(s.Site, links.Grades+"/page", policy.GradeUnit, "Another page of the final grades, with what was typed",
		s.turnGrades, asks, endpoint.Unaudited("draws the page again and changes nothing"))
	page.Form(s.Site, links.Grades+"/plan", policy.GradeUnit, "What would become of the final grades", s.planGrades,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, page.MostSheet),
		endpoint.Costs(endpoint.Imports))
	page.Form(s.Site, links.Grades, policy.GradeUnit, "Save final grades whose plan was shown", s.saveGrades,
		endpoint.Audited(audit.Grade))
	page.Show(s.Site, links.Grades+"/import", policy.ListStudents, "Final grades from a spreadsheet", s.importGrades)
	endpoint.Route(s.Server, "GET "+links.Grades+"/grades.csv", 200, policy.ExportUnit, "The final grades as a sheet",
		s.exportGrades, endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
	s.publishRoutes()
	s.gradeOfRoutes()
}

// gradesOnPage is how many students stand on one page of the grid.
const gradesOnPage = 50

// gradesIn is what the address of the grid says.
type gradesIn struct {
	Text  string `param:"text"`
	Show  string `param:"show"`
	Page  int64  `param:"page"`
	Saved int64  `param:"saved"` // how many grades were saved just now
	Done  string `param:"done"`  // published or taken-back, just now
}

// clean replaces what the address says wrongly by what is usual.
func (in *gradesIn) clean() {
	if !enrol.GradeShow(in.Show).Known() {
		in.Show = ""
	}
	in.Page = min(max(in.Page, 1), 1e6)
}

// query is the part of the list that the address asks for.
func (in *gradesIn) query(who *access.Caller, unitID int64) enrol.GradeQuery {
	return enrol.GradeQuery{UnitID: unitID, CallerID: who.ID, Text: in.Text, Show: enrol.GradeShow(in.Show),
		Page: db.Part(gradesOnPage, (in.Page-1)*gradesOnPage)}
}

// gradesPage is the grid of final grades.
type gradesPage struct {
	gradesIn
	Unit        *course.Unit
	PublishedAt *clock.Time
	Counts      *enrol.GradeCounts
	List        []enrol.FinalGradeRow
	Total       int64
	MayGrade    bool
	MayPublish  bool
	Typed       bool // what is shown was typed, and is not saved
	held        []heldGrade
	spread      enrol.GradeSpread
	words       *page.Language
}

// heldGrade is a grade that was typed and is carried from page to page until it is saved: enrol.GivenGrade
// as a form carries it.
type heldGrade struct {
	ProjectID int64   `json:"p,omitempty"`
	Name      string  `json:"n,omitempty"`
	Grade     *int64  `json:"g,omitempty"`
	Old       *int64  `json:"o,omitempty"`
	Rationale *string `json:"r,omitempty"`
	OldWords  *string `json:"b,omitempty"`
	Line      int     `json:"l,omitempty"`
	Wrong     string  `json:"w,omitempty"`
}

type unitGrades struct {
	ID int64 `path:"id" scope:"unit"`
}

func (s *room) grades(ctx context.Context, who *access.Caller, in struct {
	unitGrades
	gradesIn
}) (*page.Page, error) {
	v, err := s.readGrades(ctx, who, in.ID, in.gradesIn)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "grades", s.Word("grades.title"), v), nil
}

func (s *room) readGrades(ctx context.Context, who *access.Caller, unitID int64, in gradesIn) (*gradesPage, error) {
	in.clean()
	v := &gradesPage{gradesIn: in, words: s.Words, MayGrade: who.May(policy.GradeUnit),
		MayPublish: who.May(policy.PublishGrades)}
	ask := in.query(who, unitID)
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, unitID); err != nil {
			return err
		}
		if v.PublishedAt, err = enrol.GradesPublished(ctx, q, unitID); err != nil {
			return err
		}
		if v.Counts, err = ask.Counts(ctx, q); err != nil {
			return err
		}
		if v.spread, err = ask.Spread(ctx, q); err != nil {
			return err
		}
		v.List, v.Total, err = ask.List(ctx, q)
		return err
	})
	return v, err
}

// Path is where the grid stands.
func (v *gradesPage) Path() string { return links.To(links.Grades, v.Unit.ID) }

// With is the address of the grid with another value of one of its filters.
func (v *gradesPage) With(name, value string) string {
	q := url.Values{"text": {v.Text}, "show": {v.Show}}
	q.Set(name, value)
	return taskAddress(v.Path(), q)
}

// First and Last are the rows of the page among all.
func (v *gradesPage) First() int64 { return min((v.Page-1)*gradesOnPage+1, v.Total) }

// Last is First for the last row.
func (v *gradesPage) Last() int64 { return min(v.Page*gradesOnPage, v.Total) }

// Back leads to the page before; empty: there is none.
func (v *gradesPage) Back() string {
	if v.Page <= 1 {
		return ""
	}
	return v.With("page", strconv.FormatInt(v.Page-1, 10))
}

// Next leads to the page after; empty: there is none.
func (v *gradesPage) Next() string {
	if v.Later() == 0 {
		return ""
	}
	return v.With("page", strconv.FormatInt(v.Page+1, 10))
}

// Earlier is the number of the page before; 0: there is none.
func (v *gradesPage) Earlier() int64 { return v.Page - 1 }

// Later is the number of the page after; 0: there is none.
func (v *gradesPage) Later() int64 {
	if v.Page*gradesOnPage >= v.Total {
		return 0
	}
	return v.Page + 1
}

// Of leads to a student with the portfolio, within the part that is shown.
func (v *gradesPage) Of(project int64) string {
	return oneGrade{UnitID: v.Unit.ID, Text: v.Text, Show: v.Show}.At(project)
}

// Percent is a share in words.
func (v *gradesPage) Percent(share float64) string {
	return v.words.Word("grades.percent", int(share*100+0.5))
}

// Graded is how many students have a final grade.
func (v *gradesPage) Graded() int64 { return v.Counts.Students - v.Counts.Without }

// gradeChip narrows the grid.
type gradeChip struct {
	Text, Href, Show string
	Count            int64
	On               bool
}

// Chips are what narrows the grid. Who changes is told where somebody saw a grade before.
func (v *gradesPage) Chips() (list []gradeChip) {
	for _, one := range []struct {
		show  enrol.GradeShow
		text  string
		count int64
	}{
		{"", v.words.Word("grades.all"), v.Counts.Students},
		{enrol.ShowWithout, v.words.Word("grades.without"), v.Counts.Without},
		{enrol.ShowChanged, v.words.Word("grades.show-changed"), v.Counts.Changed},
		{enrol.ShowPortfolios, v.words.Word("grades.portfolios"), v.Counts.Portfolios},
	} {
		on := v.Show == string(one.show)
		if one.count > 0 || on || one.show == "" {
			list = append(list, gradeChip{one.text, v.With("show", string(one.show)), cmp.Or(string(one.show), showAll),
				one.count, on})
		}
	}
	return list
}

// gradeBand is how many students have a final grade of ten.
type gradeBand struct {
	Words                 string
	Before, Now           int64
	BeforeShare, NowShare int64 // of the most of all, in hundred
}

// gradeBars is how final grades are spread, and how they will be where After says so.
type gradeBars struct {
	List               []gradeBand
	Median, MedianThen string // empty: nobody has a grade
	After              bool
}

// barsOf puts the counts of final grades beside each other, the best on top.
func barsOf(before, now *enrol.GradeSpread, words *page.Language, after bool) gradeBars {
	was, is := before.Tens(), now.Tens()
	most := max(slices.Max(was[:]), slices.Max(is[:]), 1)
	out := gradeBars{After: after, Median: medianText(before), MedianThen: medianText(now)}
	for i := range was {
		to := i*10 + 9
		if i == 9 {
			to = 100
		}
		out.List = append(out.List, gradeBand{words.Word("grades.band", i*10, to), was[i], is[i], was[i] * 100 / most,
			is[i] * 100 / most})
	}
	slices.Reverse(out.List)
	return out
}

func medianText(s *enrol.GradeSpread) string {
	if m := s.Median(); m > 0 {
		return strconv.FormatFloat(m, 'f', -1, 64)
	}
	return ""
}

// Distribution is how many students have which grades.
func (v *gradesPage) Distribution() gradeBars { return barsOf(&v.spread, &v.spread, v.words, false) }

// gridRow is a row of the grid with what its fields hold.
type gridRow struct {
	*enrol.FinalGradeRow
	N                int    // its number on the page
	Grade, Was       string // as typed, and as it is; empty: none
	Why, Before      string
	Changed, Reasons bool // the grade, and the rationale, are not as they are saved
}

// Rows are the rows of the page with what was typed in them.
func (v *gradesPage) Rows() []gridRow {
	held := map[int64]*heldGrade{}
	for i := range v.held {
		held[v.held[i].ProjectID] = &v.held[i]
	}
	list := make([]gridRow, len(v.List))
	for i := range v.List {
		one := &v.List[i]
		r := gridRow{FinalGradeRow: one, N: i, Was: gradeText(one.GradeValue.Grade)}
		if one.GradeRationale != nil {
			r.Before = *one.GradeRationale
		}
		r.Grade, r.Why = r.Was, r.Before
		if h := held[one.ProjectID]; h != nil {
			r.put(h)
		}
		r.Changed, r.Reasons = r.Grade != r.Was, r.Why != r.Before
		list[i] = r
	}
	return list
}

// put shows what was typed.
func (r *gridRow) put(h *heldGrade) {
	switch {
	case h.Wrong != "":
		r.Grade = h.Name
	case h.Grade != nil:
		r.Grade = gradeText(*h.Grade)
	}
	if h.Rationale != nil {
		r.Why = *h.Rationale
	}
}

// gradeText is a final grade as a field holds it; none is empty.
func gradeText(grade int64) string {
	if grade == 0 {
		return ""
	}
	return strconv.FormatInt(grade, 10)
}

// Held is what was typed on other pages, for the form of this one.
func (v *gradesPage) Held() (string, error) { return packGrades(v.held) }

// Unsaved is how many students have something that was typed and is not saved.
func (v *gradesPage) Unsaved() int { return len(v.held) }

func packGrades(list []heldGrade) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	text, err := json.Marshal(list)
	return string(text), err
}

func (s *room) unpackGrades(text string) (list []heldGrade, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil, fault.New(fault.Invalid, "%s", s.Word("sheet-import.broken"))
	}
	return list, nil
}

// typedIn is what the grid sends: its rows, and what was typed on other pages.
type typedIn struct {
	Rows []typedGrade `param:"rows"`
	Held string       `param:"held"`
}

// typedGrade is a row of the grid: what its fields hold, and what they held.
type typedGrade struct {
	ID     int64  `param:"id"`
	Grade  string `param:"grade"`
	Was    string `param:"was"`
	Why    string `param:"why" text:"lines"`
	Before string `param:"before" text:"lines"`
}

// typed puts the rows of a page to what was typed on others.
func (s *room) typed(in typedIn) ([]heldGrade, error) {
	list, err := s.unpackGrades(in.Held)
	if err != nil {
		return nil, err
	}
	for _, r := range in.Rows {
		list = slices.DeleteFunc(list, func(h heldGrade) bool { return h.ProjectID == r.ID })
		if h := r.held(s.Words); h != nil {
			list = append(list, *h)
		}
	}
	return list, nil
}

// held is what a row changes; nil: nothing.
func (r typedGrade) held(words *page.Language) *heldGrade {
	h := &heldGrade{ProjectID: r.ID}
	grade, was := strings.TrimSpace(r.Grade), strings.TrimSpace(r.Was)
	if grade != was {
		n, err := strconv.ParseInt(grade, 10, 64)
		switch {
		case grade == "":
			h.Grade = new(int64)
		case err != nil || n < 0 || n > 100:
			h.Name, h.Wrong = grade, words.Word("grades.no-number", grade)
		default:
			h.Grade = &n
		}
		old, _ := strconv.ParseInt(was, 10, 64) // our own field: empty is none
		h.Old = &old
	}
	if strings.TrimSpace(r.Why) != strings.TrimSpace(r.Before) {
		h.Rationale, h.OldWords = &r.Why, &r.Before
	}
	if grade == was && h.Rationale == nil {
		return nil
	}
	return h
}

// showAll narrows the grid no more.
const showAll = "all"

// turnGrades draws another page or part of the grid, with what was typed so far.
func (s *room) turnGrades(ctx context.Context, who *access.Caller, in struct {
	unitGrades
	gradesIn
	typedIn
	Narrow string `param:"narrow"` // to another part, from its first page; showAll: to everybody
}) (endpoint.Drawing, error) {
	if in.Narrow != "" {
		in.Show, in.Page = strings.TrimPrefix(in.Narrow, showAll), 1
	}
	list, err := s.typed(in.typedIn)
	if err != nil {
		return nil, err
	}
	v, err := s.readGrades(ctx, who, in.ID, in.gradesIn)
	if err != nil {
		return nil, err
	}
	// What names nobody whom the grid has was told of in the plan, and is left behind.
	v.held, v.Typed = slices.DeleteFunc(list, func(h heldGrade) bool { return h.ProjectID == 0 }), true
	return s.Titled(who, "grades", s.Word("grades.title"), v), nil
}
