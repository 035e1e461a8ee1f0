package marking

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/site/page"
)

func (s *room) studentRoutes() {
	page.Show(s.Site, links.Students, policy.ListStudents, "The students of a unit", s.students)
}

// rowsOnPage is how many students stand on one page.
const rowsOnPage = 50

type studentsIn struct {
	UnitID   int64  `path:"id" scope:"unit"`
	Text     string `param:"text"`
	Tutorial string `param:"tutorial"`
	Campus   string `param:"campus"`
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
	classes   map[int64]string
	now       clock.Time
	words     language
}

func (s *room) students(ctx context.Context, who *access.Caller, in studentsIn) (*page.Page, error) {
	in.clean()
	v := &studentsPage{words: s.words, studentsIn: in, now: s.DB.Now(), classes: map[int64]string{}}
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
	if !slices.Contains((&studentsPage{}).Shows(), in.Show) {
		in.Show = ""
	}
	in.Tutorial, in.Campus = number(in.Tutorial), number(in.Campus)
	in.Page = min(max(in.Page, 1), 1e6)
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
		CampusID: maybe(in.Campus), Order: enrol.StudentOrder(in.Sort), Page: pageOf(in.Page)}
	switch in.Show {
	case "", "withdrawn":
		s.Enrolled = new(in.Show == "")
	case "second-look":
		s.Sign = enrol.SecondLook
	}
	return s
}

// pageOf is the part of a list that stands on a page.
func pageOf(number int64) db.Page { return db.Part(rowsOnPage, (number-1)*rowsOnPage) }

// Orders are the ways to sort that the page offers.
func (v *studentsPage) Orders() []string {
	return []string{"name", "tutorial", "-target_grade", "progress", "-progress", "last_active", "-last_active"}
}

// Shows are the students that can be shown.
func (v *studentsPage) Shows() []string { return []string{"", "second-look", "withdrawn", "all"} }

// Filtered tells whether the address leaves some students out.
func (v *studentsPage) Filtered() bool {
	return v.Text != "" || v.Tutorial != "" || v.Campus != "" || v.Show != ""
}

// Is tells whether an id is the one the address names.
func (v *studentsPage) Is(text string, id int64) bool { return text == strconv.FormatInt(id, 10) }

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
func (v *studentsPage) Pages() pages {
	return pagesOf(v.Page, v.Total, url.Values{"text": {v.Text}, "tutorial": {v.Tutorial}, "campus": {v.Campus},
		"show": {v.Show}, "sort": {v.Sort}})
}

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
