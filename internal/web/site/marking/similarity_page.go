package marking

import (
	"slices"
	"strconv"
	"strings"

	"lectern/internal/connect/turnitin"
	"lectern/internal/ground/links"
	"lectern/internal/teaching/similarity"
	"lectern/internal/usecase"
	"lectern/internal/web/site/page"
)

// casesPage is the similar work of a unit.
type casesPage struct {
	Unit      *usecase.UnitChoices
	Filter    casesFilter
	Counts    similarity.Counts
	Clusters  []clusterRow
	Hidden    int // clusters that are not shown
	Cases     []caseRow
	Total     int64
	Page      int64
	MayDecide bool
	Typed     typedDecision
	Done      int64
	Held      *turnitin.Held // nil: there is no outside service, or it is not the caller's
	Actions   []turnitin.Action
	words     *page.Language
}

// clusterRow is a cluster in words.
type clusterRow struct {
	similarity.CaseCluster
	Names, File, Href string
	Current           bool
}

// caseRow is a case in words.
type caseRow struct {
	similarity.Case
	Own, Alike, File, Href, Tied string
	Chosen                       bool
}

// Path is where the page stands.
func (v *casesPage) Path() string { return links.To(links.UnitSimilarity, v.Unit.ID) }

func (v *casesPage) with(f casesFilter) string {
	if q := f.query().Encode(); q != "" {
		return v.Path() + "?" + q
	}
	return v.Path()
}

// All is the list without its filter.
func (v *casesPage) All() string { return v.Path() }

// Narrow tells whether some cases are left out.
func (v *casesPage) Narrow() bool { return len(v.Filter.query()) > 0 }

// Hold are the hidden fields that keep the filter while something is decided.
func (v *casesPage) Hold() (out [][2]string) {
	for _, one := range v.Filter.fields() {
		if one[1] != "" {
			out = append(out, one)
		}
	}
	return out
}

// Choices are what narrows the list to a part: by state, task, tutorial and who found it.
func (v *casesPage) Choices() []casesChoice {
	states := []option{}
	for _, state := range similarity.State("").Enum() {
		states = append(states, option{state, v.State(similarity.State(state))})
	}
	return []casesChoice{
		{"state", v.words.Word("cases.state"), v.Filter.State, states},
		{"task", v.words.Word("lists.task"), v.Filter.Task, options(v.Unit.Tasks)},
		{"tutorial", v.words.Word("lists.tutorial"), v.Filter.Tutorial, options(v.Unit.Tutorials)},
		{"origin", v.words.Word("cases.origin"), v.Filter.Origin, []option{{"ours", v.words.Word("cases.ours")},
			{"outside", v.words.Word("cases.outside")}}},
	}
}

// casesChoice is a choice of the filter. None of its options is chosen where the list is not narrowed by it.
type casesChoice struct {
	Name, Label, Chosen string
	Options             []option
}

// option is a value that can be chosen.
type option struct{ Value, Text string }

func options(of []usecase.UnitChoice) (out []option) {
	for _, c := range of {
		out = append(out, option{strconv.FormatInt(c.ID, 10), c.Name})
	}
	return out
}

// State says how far the staff are with a case.
func (v *casesPage) State(s similarity.State) string { return stateWord(v.words, s) }

func stateWord(l *page.Language, s similarity.State) string {
	switch s {
	case similarity.Harmless:
		return l.Word("compare.clear")
	case similarity.Asked:
		return l.Word("cases.asked")
	case similarity.Reported:
		return l.Word("cases.reported")
	case similarity.KeptFlagged:
		return l.Word("cases.flagged")
	}
	return l.Word("cases.undecided")
}

// Look is how a state is drawn: its icon and its colour.
func (v *casesPage) Look(s similarity.State) map[string]any {
	icon, colour := page.Icon("circle-dashed"), "orange"
	switch s {
	case similarity.Harmless:
		icon, colour = page.Icon("check"), "green"
	case similarity.Asked:
		icon, colour = page.Icon("messages-square"), "blue"
	case similarity.Reported:
		icon, colour = page.Icon("triangle-alert"), "red"
	case similarity.KeptFlagged:
		icon, colour = page.Icon("layers"), "violet"
	}
	return map[string]any{"Icon": icon, "Colour": colour, "Text": v.State(s)}
}

// First and Last are the numbers of the rows on the page; Back and Next lead to the others.
func (v *casesPage) First() int64 { return min((v.Page-1)*casesOnPage+1, v.Total) }

// Last is the number of the last row on the page.
func (v *casesPage) Last() int64 { return min(v.Page*casesOnPage, v.Total) }

// Back is the address of the page before; empty: there is none.
func (v *casesPage) Back() string { return v.turn(v.Page-1, v.Page > 1) }

// Next is the address of the page after; empty: there is none.
func (v *casesPage) Next() string { return v.turn(v.Page+1, v.Last() < v.Total) }

// Several tells whether the list goes on elsewhere.
func (v *casesPage) Several() bool { return v.Total > casesOnPage }

func (v *casesPage) turn(to int64, there bool) string {
	if !there {
		return ""
	}
	q := v.Filter.query()
	q.Set("page", strconv.FormatInt(to, 10))
	return v.Path() + "?" + q.Encode()
}

// arrange puts cases and clusters into words.
func (v *casesPage) arrange(cases []similarity.Case, clusters []similarity.CaseCluster) {
	for _, c := range clusters {
		f := casesFilter{Cluster: strconv.FormatInt(c.ID, 10)}
		v.Clusters = append(v.Clusters, clusterRow{CaseCluster: c, Names: namesOf(c.Students), File: v.file(c.File),
			Href: v.with(f), Current: v.Filter.Cluster == f.Cluster})
	}
	for _, c := range cases {
		row := caseRow{Case: c, Own: namesOf(c.Students), File: v.file(c.File), Chosen: slices.Contains(v.Typed.Chosen, c.ID),
			Href: comparePath(v.Unit.ID, c.TaskID, c.ID)}
		if c.Other != nil {
			row.Alike = c.OtherTitle()
			if len(c.Other.Students) > 0 && c.Other.UnitCode == v.Unit.Code {
				row.Alike = namesOf(c.Other.Students)
			}
		}
		if c.Size > 2 && v.Filter.Cluster == "" {
			row.Tied = v.with(casesFilter{Cluster: strconv.FormatInt(c.Cluster, 10)})
		}
		v.Cases = append(v.Cases, row)
	}
	if v.Filter.Cluster != "" && !v.Typed.again {
		for i := range v.Cases { // what hangs together is decided together, unless somebody says otherwise
			v.Cases[i].Chosen = v.Cases[i].State == similarity.Undecided
		}
	}
}

// file says what is alike.
func (v *casesPage) file(key string) string {
	if key == "code" {
		return v.words.Word("cases.code")
	}
	return v.words.Word("cases.document")
}

func namesOf(list []similarity.Student) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = strings.TrimSpace(s.FirstName + " " + s.LastName)
	}
	return strings.Join(names, ", ")
}
