package admin

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/web/site/page"
)

func (s *room) peopleRoutes() {
	page.Show(s.Site, links.People, policy.SeeAccounts, "All people, with how their accounts stand", s.people)
	s.personRoutes()
	s.personFormRoutes()
	s.personDataRoutes()
	s.newPersonRoutes()
	s.peopleSheetRoutes()
}

// peopleOnPage is how many people stand on one page.
const peopleOnPage = 100

// peopleIn is what the address of the list says.
type peopleIn struct {
	Text   string `param:"text"`
	Role   string `param:"role"`
	State  string `param:"state"`
	Unit   string `param:"unit"`   // its code or its number
	Factor string `param:"factor"` // none: staff without a second factor
	Leave  string `param:"leave"`  // waits: those whose erasure waits
	Sort   string `param:"sort"`
	Page   int64  `param:"page"`
}

// peopleRoles and peopleStates are what the list can be narrowed to.
var (
	peopleRoles  = []policy.Role{policy.Student, policy.Tutor, policy.Convenor, policy.Admin}
	peopleStates = []ident.AccountState{ident.AccountActive, ident.AccountInvited, ident.AccountLocked,
		ident.AccountDisabled, ident.AccountErased}
)

// clean replaces what the address says wrongly by what is usual: everybody, by name.
func (in *peopleIn) clean() {
	if _, ok := policy.ParseRole(in.Role); !ok {
		in.Role = ""
	}
	if !slices.Contains(peopleStates, ident.AccountState(in.State)) {
		in.State = ""
	}
	in.Unit = strings.TrimSpace(in.Unit)
	if in.Factor != "none" {
		in.Factor = ""
	}
	if in.Leave != "waits" {
		in.Leave = ""
	}
	if orders := ident.PeopleOrders(); !slices.Contains(orders, ident.PeopleOrder(in.Sort)) {
		in.Sort = string(orders[0])
	}
	in.Page = min(max(in.Page, 1), 1e6)
}

func (in *peopleIn) search() ident.PeopleSearch {
	role, _ := policy.ParseRole(in.Role)
	return ident.PeopleSearch{Text: in.Text, Role: role, State: ident.AccountState(in.State),
		NoFactor: in.Factor != "", Erasing: in.Leave != "", Order: ident.PeopleOrder(in.Sort),
		Page: db.Part(peopleOnPage, (in.Page-1)*peopleOnPage)}
}

// peoplePage is the people that the address asks for.
type peoplePage struct {
	peopleIn
	Counts *ident.PeopleCounts
	People []ident.Person
	Rows   template.HTML // what peopleLines drew
	Total  int64
	Of     *course.Unit // whose people are listed; nil: of all, or of a unit that is none
	words  *page.Language
}

func (s *room) people(ctx context.Context, who *access.Caller, in peopleIn) (*page.Page, error) {
	in.clean()
	v := &peoplePage{peopleIn: in, words: s.Words}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Counts, err = ident.CountPeople(ctx, q); err != nil {
			return err
		}
		search := in.search()
		if in.Unit != "" {
			if v.Of, err = unitMeant(ctx, q, in.Unit); fault.Is(err, fault.Missing) {
				return nil // there is nobody in it
			} else if err != nil {
				return err
			}
			search.UnitID = v.Of.ID
		}
		v.People, v.Total, err = ident.People(ctx, q, search)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Rows = s.peopleLines(v.People)
	return s.Titled(who, "people", s.Word("people.title"), v), nil
}

// unitMeant gives the unit that a code or a number means.
func unitMeant(ctx context.Context, q db.Q, text string) (*course.Unit, error) {
	u, err := course.UnitByCode(ctx, q, text)
	if id, wrong := strconv.ParseInt(text, 10, 64); fault.Is(err, fault.Missing) && wrong == nil {
		return course.UnitByID(ctx, q, id)
	}
	return u, err
}

// With is the address of the list with another value of one of its filters.
func (v *peoplePage) With(name, value string) string {
	q := v.query()
	q.Set(name, value)
	return peopleAddress(q)
}

// peopleAddress is that of the list, without what is empty.
func peopleAddress(q url.Values) string {
	for name, values := range q {
		if values[0] == "" {
			q.Del(name)
		}
	}
	if len(q) == 0 {
		return links.People
	}
	return links.People + "?" + q.Encode()
}

func (v *peoplePage) query() url.Values {
	sort := v.Sort
	if sort == string(ident.PeopleOrders()[0]) {
		sort = ""
	}
	return url.Values{"text": {v.Text}, "role": {v.Role}, "state": {v.State}, "unit": {v.Unit},
		"factor": {v.Factor}, "leave": {v.Leave}, "sort": {sort}}
}

// formValue is a value that a form carries along.
type formValue struct{ Name, Value string }

// Kept is what a search keeps of the list.
func (v *peoplePage) Kept() (list []formValue) {
	for name, values := range v.query() {
		if name != "text" && values[0] != "" {
			list = append(list, formValue{name, values[0]})
		}
	}
	slices.SortFunc(list, func(a, b formValue) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Filtered tells whether the address leaves some people out.
func (v *peoplePage) Filtered() bool {
	return v.Text+v.Role+v.State+v.Unit+v.Factor+v.Leave != ""
}

// peopleMenu is a chip that opens a choice of what the list can be narrowed to.
type peopleMenu struct {
	Text, Label string
	On          bool
	Items       []peopleChoice
}

type peopleChoice struct {
	Text, Href string
	Current    bool
}

func (m *peopleMenu) add(text, href string, chosen, usual bool) {
	m.Items = append(m.Items, peopleChoice{text, href, chosen})
	if chosen {
		m.Text, m.On = text, !usual
	}
}

// Menus are the chips with a choice: of a role and of how the account stands.
func (v *peoplePage) Menus() []peopleMenu {
	role := peopleMenu{Label: v.words.Word("people.role")}
	role.add(v.words.Word("people.any-role"), v.With("role", ""), v.Role == "", true)
	for _, r := range peopleRoles {
		role.add(v.words.Word("people.role-"+r.String()), v.With("role", r.String()), v.Role == r.String(), false)
	}
	state := peopleMenu{Label: v.words.Word("people.account")}
	state.add(v.words.Word("people.any-account"), v.With("state", ""), v.State == "", true)
	for _, one := range peopleStates {
		state.add(v.words.Word("people.state-"+string(one)), v.With("state", string(one)), v.State == string(one), false)
	}
	return []peopleMenu{role, state}
}

// FactorHref leads to the staff without a second factor, or back.
func (v *peoplePage) FactorHref() string {
	if v.Factor != "" {
		return v.With("factor", "")
	}
	return v.With("factor", "none")
}

// LeaveHref leads to those whose erasure waits, or back.
func (v *peoplePage) LeaveHref() string {
	if v.Leave != "" {
		return v.With("leave", "")
	}
	return v.With("leave", "waits")
}

// UnitHref leads from the people of a unit back to all.
func (v *peoplePage) UnitHref() string { return v.With("unit", "") }

// Way tells in which way a column orders the list; empty: in none.
func (v *peoplePage) Way(sort string) string {
	switch v.Sort {
	case sort:
		return "ascending"
	case "-" + sort:
		return "descending"
	}
	return ""
}

// Turn is the address of the list ordered by a column, first one way, then the other.
func (v *peoplePage) Turn(sort string) string {
	if v.Sort == sort {
		sort = "-" + sort
	}
	return v.With("sort", sort)
}

// Range says which rows these are, and of how many.
func (v *peoplePage) Range() string {
	first, last := (v.Page-1)*peopleOnPage+1, (v.Page-1)*peopleOnPage+int64(len(v.People))
	if v.more() {
		return v.words.Word("people.range-more", first, last, ident.MostCounted)
	}
	return v.words.Word("students.range", first, last, v.Total)
}

// more tells whether there are more people than were counted.
func (v *peoplePage) more() bool { return v.Total == ident.MostCounted && v.Total < v.Counts.Accounts }

// Back is the page before this one; empty: this is the first.
func (v *peoplePage) Back() string {
	if v.Page <= 1 {
		return ""
	}
	return v.With("page", fmt.Sprint(v.Page-1))
}

// Next is the page after this one; empty: this is the last.
func (v *peoplePage) Next() string {
	if len(v.People) < peopleOnPage || !v.more() && v.Page*peopleOnPage >= v.Total {
		return ""
	}
	return v.With("page", fmt.Sprint(v.Page+1))
}

// Many says a number that was counted up to MostCounted.
func (v *peoplePage) Many(n int64) string {
	if n >= ident.MostCounted {
		return v.words.Word("people.many", n)
	}
	return fmt.Sprint(n)
}

// peopleKeys are those of words that are put together.
func peopleKeys() (list []string) {
	for _, r := range peopleRoles {
		list = append(list, "people.role-"+r.String())
	}
	for _, s := range peopleStates {
		list = append(list, "people.state-"+string(s))
	}
	for _, one := range personDone {
		list = append(list, "person.done-"+one)
	}
	return append(list, "people.invitation-waiting", "people.invitation-sending", "people.invitation-sent",
		"people.invitation-unsure", "people.invitation-failed", "people.invitation-needless")
}
