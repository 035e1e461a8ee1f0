package marking

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/status"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) studentRoutes() {
	page.Show(s.Site, links.Students, policy.ListStudents, "The students of a unit", s.students,
		endpoint.Asks(policy.Announce))
}

// rowsOnPage is how many students stand on one page.
const rowsOnPage = 50

type studentsIn struct {
	UnitID   int64  `path:"id" scope:"unit"`
	Text     string `param:"text"`
	Tutorial string `param:"tutorial"`
	Campus   string `param:"campus"`
	Target   string `param:"target"` // only those who aim for this grade
	Show     string `param:"show"`
	Sort     string `param:"sort"`
	Page     int64  `param:"page"`
}

// studentsPage lists the students of a unit that the address asks for.
type studentsPage struct {
	studentsIn
	Unit      *course.Unit
	Students  []enrol.FoundStudent
	Total     int64
	Tutorials []enrol.Tutorial
	Campuses  []course.Campus
	MayWrite  bool // to those who are selected
	classes   map[int64]string
	words     language
}

func (s *room) students(ctx context.Context, who *access.Caller, in studentsIn) (*page.Page, error) {
	in.clean()
	v := &studentsPage{words: s.words, studentsIn: in, classes: map[int64]string{}, MayWrite: who.May(policy.Announce)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.Tutorials, err = enrol.TutorialsOf(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.Campuses, err = course.Campuses(ctx, q); err != nil {
			return err
		}
		v.Students, v.Total, err = in.search(who).Students(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range v.Tutorials {
		v.classes[t.ID] = t.Abbreviation
	}
	return s.Titled(who, "students", s.Word("students.title"), v), nil
}

// clean replaces what the address says wrongly by what is usual: the enrolled, by name.
func (in *studentsIn) clean() {
	if !enrol.StudentOrder(in.Sort).Known() {
		in.Sort = "name"
	}
	if !slices.Contains(enrolments, in.Show) && signs[in.Show] == "" {
		in.Show = ""
	}
	in.Tutorial, in.Campus, in.Target = number(in.Tutorial), number(in.Campus), number(in.Target)
	if in.target() == nil {
		in.Target = ""
	}
	in.Page = min(max(in.Page, 1), 1e6)
}

// target is the grade that the students aim for; nil: any.
func (in *studentsIn) target() *grade.Grade {
	id := maybe(in.Target)
	if id == nil || !slices.Contains(grade.Targets, grade.Grade(*id)) {
		return nil
	}
	return new(grade.Grade(*id))
}

// number is a text if it is that of an id, or 0; else nothing.
func number(text string) string {
	if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 0 {
		return ""
	}
	return text
}

// maybe is the number of a text that may be empty.
func maybe(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

func (in *studentsIn) search(who *access.Caller) enrol.StudentSearch {
	s := enrol.StudentSearch{UnitID: in.UnitID, CallerID: who.ID, Text: in.Text, TutorialID: maybe(in.Tutorial),
		CampusID: maybe(in.Campus), Target: in.target(), Sign: signs[in.Show], Order: enrol.StudentOrder(in.Sort),
		Page: pageOf(in.Page)}
	if in.Show != "all" && s.Sign != enrol.SecondLook {
		s.Enrolled = new(in.Show != "withdrawn")
	}
	return s
}

// pageOf is the part of a list that stands on a page.
func pageOf(number int64) db.Page { return db.Part(rowsOnPage, (number-1)*rowsOnPage) }

// enrolments are the students that can be shown by whether they are enrolled.
var enrolments = []string{"", "withdrawn", "all"}

// signs are those that students can be narrowed to, as the address says them.
var signs = map[string]enrol.Sign{"overdue": enrol.Overdue, "behind-plan": enrol.BehindPlan,
	"need-help": enrol.NeedHelp, "second-look": enrol.SecondLook}

// with is the address of the list with another value of one of its filters.
func (v *studentsPage) with(name, value string) string {
	q := v.query()
	q.Set(name, value)
	return withQuery(links.To(links.Students, v.UnitID), given(q))
}

func (v *studentsPage) query() url.Values {
	return url.Values{"text": {v.Text}, "tutorial": {v.Tutorial}, "campus": {v.Campus}, "target": {v.Target},
		"show": {v.Show}, "sort": {v.Sort}}
}

// Kept is what a search keeps of the list.
func (v *studentsPage) Kept() url.Values {
	q := given(v.query())
	q.Del("text")
	return q
}

// Signs are the chips that narrow the list to students with a sign.
func (v *studentsPage) Signs() (out []filterChip) {
	for _, c := range []filterChip{
		{Icon: page.Icon("calendar-clock"), Text: v.words.Word("students.overdue"), Href: "overdue"},
		{Icon: page.Icon("trending-down"), Text: v.words.Word("students.behind"), Href: "behind-plan"},
		{Icon: page.Icon("hand-helping"), Text: v.words.Word("students.need-help"), Href: "need-help"},
		{Icon: page.Icon("eye"), Text: v.words.Word("desk.second-look"), Href: "second-look"}} {
		show := c.Href
		if c.On = v.Show == show; c.On {
			show = ""
		}
		c.Href = v.with("show", show)
		out = append(out, c)
	}
	return out
}

// filterChip is a chip of a filter bar.
type filterChip struct {
	Icon       page.Icon
	Text, Href string
	Count      *int64
	On         bool
}

// menuChip is a chip that opens a menu of what a list can be narrowed to.
type menuChip struct {
	Text, Label string
	On          bool
	Items       []menuItem
}

// menuItem is an entry of such a menu.
type menuItem struct {
	Text, Href string
	Count      int64
	Current    bool
}

// add adds an entry to the menu; the chip says what is chosen.
func (c *menuChip) add(text, href string, chosen, usual bool) {
	c.Items = append(c.Items, menuItem{Text: text, Href: href, Current: chosen})
	if chosen && !usual {
		c.Text, c.On = text, true
	}
}

// Menus are the chips with a choice: of a tutorial, of a campus where there are some, of the target grade, and of the
// enrolment.
func (v *studentsPage) Menus() (out []menuChip) {
	tutorial := menuChip{Label: v.words.Word("students.tutorial"), Text: v.words.Word("students.any-tutorial")}
	tutorial.add(tutorial.Text, v.with("tutorial", ""), v.Tutorial == "", true)
	tutorial.add(v.words.Word("students.no-tutorial"), v.with("tutorial", "0"), v.Tutorial == "0", false)
	for _, t := range v.Tutorials {
		id := strconv.FormatInt(t.ID, 10)
		tutorial.add(t.Abbreviation, v.with("tutorial", id), v.Tutorial == id, false)
	}
	out = append(out, tutorial)
	if len(v.Campuses) > 0 {
		campus := menuChip{Label: v.words.Word("students.campus"), Text: v.words.Word("students.any-campus")}
		campus.add(campus.Text, v.with("campus", ""), v.Campus == "", true)
		for _, c := range v.Campuses {
			id := strconv.FormatInt(c.ID, 10)
			campus.add(c.Name, v.with("campus", id), v.Campus == id, false)
		}
		out = append(out, campus)
	}
	target := menuChip{Label: v.words.Word("students.target"), Text: v.words.Word("students.any-target")}
	target.add(target.Text, v.with("target", ""), v.Target == "", true)
	for _, g := range grade.Targets {
		id := strconv.Itoa(int(g))
		target.add(v.words.Grade(g), v.with("target", id), v.Target == id, false)
	}
	out = append(out, target)
	enrolled := menuChip{Label: v.words.Word("students.show"), Text: v.words.Word("students.show-")}
	for _, show := range enrolments {
		enrolled.add(v.words.Word("students.show-"+show), v.with("show", show), v.Show == show, show == "")
	}
	return append(out, enrolled)
}

// sortHead is the head of a column that orders a list.
type sortHead struct {
	Text, Href, Way string
	Number          bool
}

// Heads are those of the columns. Pressed once more, one turns its order round.
func (v *studentsPage) Heads() (out []sortHead) {
	for _, c := range []struct {
		text, first string
		number      bool
	}{{v.words.Word("students.name"), "name", false}, {v.words.Word("students.tutorial"), "tutorial", false},
		{v.words.Word("students.target"), "-target_grade", false}, {v.words.Word("students.progress"), "progress", false},
		{v.words.Word("students.waits"), "-waiting", true}, {v.words.Word("students.active"), "last_active", false},
		{v.words.Word("students.signs"), "-overdue", false}} {
		out = append(out, headOf(c.text, c.first, v.Sort, c.number, func(o string) string { return v.with("sort", o) }))
	}
	return out
}

// SortMenu is the chip with the orders, for screens that have no heads.
func (v *studentsPage) SortMenu() menuChip { return sortMenu(v.words, v.Heads()) }

// sortMenu offers what the heads of columns do as a menu.
func sortMenu(words language, heads []sortHead) menuChip {
	c := menuChip{Label: words.Word("project.sort"), Text: words.Word("project.sort")}
	for _, h := range heads {
		c.add(h.Text, h.Href, h.Way != "", true)
	}
	return c
}

// headOf is the head of a column that orders a list first one way, then the other; a minus in front
// of an order turns it round.
func headOf(text, first, now string, number bool, with func(order string) string) sortHead {
	h := sortHead{Text: text, Number: number}
	other := strings.TrimPrefix(first, "-")
	if other == first {
		other = "-" + first
	}
	if now == first || now == other {
		if h.Way = "ascending"; strings.HasPrefix(now, "-") {
			h.Way = "descending"
		}
	}
	if h.Href = with(first); now == first {
		h.Href = with(other)
	}
	return h
}

// Counts are the tasks of a student by status, for a bar.
func (v *studentsPage) Counts(s enrol.FoundStudent) map[status.Status]int {
	out := map[status.Status]int{}
	for _, c := range s.Tasks {
		out[c.Status] = int(c.Count)
	}
	return out
}

// Filtered tells whether the address leaves some students out.
func (v *studentsPage) Filtered() bool {
	return v.Text != "" || v.Tutorial != "" || v.Campus != "" || v.Target != "" || v.Show != ""
}

// TutorialNames names the tutorials of a student.
func (v *studentsPage) TutorialNames(held []enrol.StreamEnrolment) (names []string) {
	for _, s := range held {
		if s.TutorialID != nil {
			names = append(names, v.classes[*s.TutorialID])
		}
	}
	return names
}

// Pages leads to the pages beside this one.
func (v *studentsPage) Pages() pages { return pagesOf(v.Page, v.Total, v.query()) }

// pages are the addresses of the pages beside one of a list, "" where there is none,
// and which rows it shows.
type pages struct {
	Newer, Older       string
	First, Last, Total int64
}

func pagesOf(number, total int64, query url.Values) (p pages) {
	query = given(query)
	to := func(n int64) string {
		query.Set("page", fmt.Sprint(n))
		return "?" + query.Encode()
	}
	p = pages{First: min((number-1)*rowsOnPage+1, total), Last: min(number*rowsOnPage, total), Total: total}
	if number > 1 {
		p.Newer = to(number - 1)
	}
	if number*rowsOnPage < total {
		p.Older = to(number + 1)
	}
	return p
}

// given leaves out what an address does not say.
func given(query url.Values) url.Values {
	maps.DeleteFunc(query, func(_ string, values []string) bool { return values[0] == "" })
	return query
}
