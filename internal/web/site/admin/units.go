package admin

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/search"
	"lectern/internal/web/site/page"
)

func (s *room) unitRoutes() {
	page.Show(s.Site, links.AdminUnits, policy.SeeAllUnits, "All units of the service, closed ones too", s.units)
}

// rowsOnPage is how many rows stand on one page of a list.
const rowsOnPage = 100

// unitsIn is what the address of the list says.
type unitsIn struct {
	Text   string `param:"text"`
	Period string `param:"period"` // 0: without any
	Show   string `param:"show"`   // open or closed; empty: both
	Page   int64  `param:"page"`
}

var unitShows = []string{"", "open", "closed"}

// clean replaces what the address says wrongly by what is usual: all units.
func (in *unitsIn) clean() {
	if n, err := strconv.ParseInt(in.Period, 10, 64); err != nil || n < 0 {
		in.Period = ""
	}
	if !slices.Contains(unitShows, in.Show) {
		in.Show = ""
	}
	in.Page = min(max(in.Page, 1), 1e6)
}

// search is what the list asks for.
func (in *unitsIn) search() search.Units {
	list := search.Units{Text: in.Text, Page: db.Part(rowsOnPage, (in.Page-1)*rowsOnPage)}
	if n, err := strconv.ParseInt(in.Period, 10, 64); err == nil {
		list.PeriodID = &n
	}
	if in.Show != "" {
		list.Active = new(in.Show == "open")
	}
	return list
}

// unitsPage is a page of all units.
type unitsPage struct {
	unitsIn
	Units   []unitRow
	Total   int64
	Periods []course.TeachingPeriod
	words   *page.Language
}

// unitRow is a unit in the list.
type unitRow struct {
	search.ListedUnit
	Period string // that it is in; empty: none
}

func (s *room) units(ctx context.Context, who *access.Caller, in unitsIn) (*page.Page, error) {
	in.clean()
	v := &unitsPage{unitsIn: in, words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Periods, err = course.TeachingPeriods(ctx, q); err != nil {
			return err
		}
		slices.Reverse(v.Periods)
		rows, total, err := in.search().Rows(ctx, q)
		v.Total = total
		for _, u := range rows {
			v.Units = append(v.Units, unitRow{u, v.periodOf(u.TeachingPeriodID)})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "admin-units", s.Word("admin-units.title"), v), nil
}

func (v *unitsPage) periodOf(id *int64) string {
	for _, p := range v.Periods {
		if id != nil && p.ID == *id {
			return periodName(p)
		}
	}
	return ""
}

func periodName(p course.TeachingPeriod) string {
	return p.Period + " " + strconv.FormatInt(p.Year, 10)
}

// link is one of several places to go to.
type link struct {
	Text, Href string
	Current    bool
}

// choice is a menu of places, of which one is chosen.
type choice struct {
	Text, Label string
	On          bool
	Items       []link
}

// at is the address of the list with something else chosen.
func (v *unitsPage) at(change func(*unitsIn)) string {
	in := v.unitsIn
	in.Page = 1
	change(&in)
	q := url.Values{}
	for name, value := range map[string]string{"text": in.Text, "period": in.Period, "show": in.Show} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if in.Page > 1 {
		q.Set("page", strconv.FormatInt(in.Page, 10))
	}
	if len(q) == 0 {
		return links.AdminUnits
	}
	return links.AdminUnits + "?" + q.Encode()
}

// Menus are what narrows the list beside words: a teaching period, and whether units are open.
func (v *unitsPage) Menus() []choice {
	period := choice{Text: v.words.Word("admin-units.every-period"), Label: v.words.Word("admin-units.period"),
		On: v.Period != ""}
	add := func(id, text string) {
		period.Items = append(period.Items, link{text, v.at(func(in *unitsIn) { in.Period = id }), v.Period == id})
		if v.Period == id && id != "" {
			period.Text = text
		}
	}
	add("", v.words.Word("admin-units.every-period"))
	for _, p := range v.Periods {
		add(strconv.FormatInt(p.ID, 10), periodName(p))
	}
	add("0", v.words.Word("admin-units.no-period"))
	texts := map[string]string{"": v.words.Word("admin-units.both"), "open": v.words.Word("admin-units.open"),
		"closed": v.words.Word("admin-units.closed")}
	state := choice{Text: texts[v.Show], Label: v.words.Word("admin-units.state"), On: v.Show != ""}
	for _, show := range unitShows {
		state.Items = append(state.Items, link{texts[show], v.at(func(in *unitsIn) { in.Show = show }), v.Show == show})
	}
	return []choice{period, state}
}

// Filtered tells whether the list is narrowed.
func (v *unitsPage) Filtered() bool {
	return v.Page > 1 || v.Text != "" || v.Period != "" || v.Show != ""
}

// First is the number of the first row of the page, and Last that of its last.
func (v *unitsPage) First() int64 { return min((v.Page-1)*rowsOnPage+1, v.Total) }

// Last is the number of the last row of the page.
func (v *unitsPage) Last() int64 { return min((v.Page-1)*rowsOnPage+int64(len(v.Units)), v.Total) }

// Back is the address of the page before; empty: there is none.
func (v *unitsPage) Back() string {
	if v.Page < 2 {
		return ""
	}
	return v.at(func(in *unitsIn) { in.Page = v.Page - 1 })
}

// Next is the address of the page after; empty: there is none.
func (v *unitsPage) Next() string {
	if v.Page*rowsOnPage >= v.Total {
		return ""
	}
	return v.at(func(in *unitsIn) { in.Page = v.Page + 1 })
}
