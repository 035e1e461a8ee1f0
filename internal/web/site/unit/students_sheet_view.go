package unit

import (
	"unicode"
	"unicode/utf8"

	"lectern/internal/teaching/enrol"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

// kindTile is a number of the plan with its colour and sign.
type kindTile struct {
	Kind, Icon, Colour, Text string
	Count                    int
	On                       bool
}

var kindLooks = map[enrol.SheetKind][2]string{enrol.SheetNew: {"plus", "green"},
	enrol.SheetChanged: {"pencil-line", "blue"}, enrol.SheetUnchanged: {"check", "grey"},
	enrol.SheetLeft: {"log-out", "orange"}, enrol.SheetRefused: {"circle-x", "red"}}

// Tiles are the numbers of the plan: what is new, changes, stays, is in no row, and cannot be.
func (v *importPage) Tiles() (out []kindTile) {
	for _, kind := range []enrol.SheetKind{enrol.SheetNew, enrol.SheetChanged, enrol.SheetUnchanged, enrol.SheetLeft,
		enrol.SheetRefused} {
		look, n := kindLooks[kind], v.Plan.Counts[kind]
		out = append(out, kindTile{string(kind), look[0], look[1], v.words.Word("enrol.count-"+string(kind), n), n,
			v.Show == string(kind)})
	}
	return out
}

// Chips narrow the rows to those of a kind.
func (v *importPage) Chips() []kindTile {
	changes := v.Changes()
	out := []kindTile{{Kind: allChanges, Text: v.words.Word("enrol.all-changes"), Count: changes,
		On: v.Show == allChanges}}
	for _, kind := range enrol.SheetKinds {
		out = append(out, kindTile{Kind: string(kind), Text: v.words.Word("enrol.kind-" + string(kind)),
			Count: v.Plan.Counts[kind], On: v.Show == string(kind)})
	}
	return out
}

// Changes is how many rows are shown at first: all but those that stay.
func (v *importPage) Changes() int {
	n := v.Plan.Counts[enrol.SheetNew] + v.Plan.Counts[enrol.SheetChanged] + v.Plan.Counts[enrol.SheetRefused]
	return n + int(v.Plan.Leaving)
}

// New is how many students are enrolled.
func (v *importPage) New() int { return v.Plan.Counts[enrol.SheetNew] }

// Changed is how many students change.
func (v *importPage) Changed() int { return v.Plan.Counts[enrol.SheetChanged] }

// Refused is how many rows cannot be imported.
func (v *importPage) Refused() int { return v.Plan.Counts[enrol.SheetRefused] }

// Accounts is how many accounts are made.
func (v *importPage) Accounts() (n int) {
	for _, row := range v.Plan.Rows {
		if row.Account {
			n++
		}
	}
	return n
}

// Acts tells whether the sheet would change anything.
func (v *importPage) Acts() bool { return v.New()+v.Changed()+int(v.Plan.Leaving) > 0 }

// Do is what the button says: what it does, with the numbers.
func (v *importPage) Do() string {
	return v.counted(v.words.Word("enrol.do-new", v.New()), v.words.Word("enrol.do-changed", v.Changed()),
		v.words.Word("enrol.do-left", v.Plan.Leaving))
}

// Did says what was done, with the numbers.
func (v *importPage) Did() string {
	return v.counted(v.words.Word("enrol.did-new", v.New()), v.words.Word("enrol.did-changed", v.Changed()),
		v.words.Word("enrol.did-left", v.Plan.Leaving)) + "."
}

// counted puts those of the parts together that count something.
func (v *importPage) counted(fresh, changed, left string) string {
	var parts []string
	for i, n := range []int{v.New(), v.Changed(), int(v.Plan.Leaving)} {
		if n > 0 {
			parts = append(parts, []string{fresh, changed, left}[i])
		}
	}
	switch len(parts) {
	case 0:
		return v.words.Word("enrol.nothing")
	case 1:
		return capital(parts[0])
	case 2:
		return capital(v.words.Word("enrol.two", parts[0], parts[1]))
	}
	return capital(v.words.Word("enrol.three", parts[0], parts[1], parts[2]))
}

// capital lets a text begin with a capital.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Part is the rows that stand on the page.
func (v *importPage) Part() []enrol.SheetRow {
	if v.Done {
		return v.Found[:min(len(v.Found), studentsOnPage)]
	}
	from := min((v.Page-1)*studentsOnPage, len(v.Found))
	return v.Found[from:min(from+studentsOnPage, len(v.Found))]
}

// First is the first row of the page.
func (v *importPage) First() int { return min((v.Page-1)*studentsOnPage+1, len(v.Found)) }

// Last is the last row of the page.
func (v *importPage) Last() int { return min(v.Page*studentsOnPage, len(v.Found)) }

// Back is the page before; 0: this is the first.
func (v *importPage) Back() int { return v.Page - 1 }

// Next is the page after; 0: this is the last.
func (v *importPage) Next() int {
	if v.Page*studentsOnPage >= len(v.Found) {
		return 0
	}
	return v.Page + 1
}

// Look is the sign and the colour of a kind of rows, with its word.
func (v *importPage) Look(kind enrol.SheetKind) kindTile {
	look := kindLooks[kind]
	return kindTile{Kind: string(kind), Icon: look[0], Colour: look[1], Text: v.words.Word("enrol.kind-" + string(kind))}
}

// Steps are those of an import.
func (v *importPage) Steps() []importStep {
	at := 0
	switch {
	case v.Done:
		at = 2
	case v.Plan != nil:
		at = 1
	}
	var out []importStep
	for i, text := range []string{v.words.Word("enrol.step-upload"), v.words.Word("enrol.step-check"),
		v.words.Word("enrol.step-result")} {
		out = append(out, importStep{Text: text, Done: i < at, Current: i == at})
	}
	return out
}

type importStep struct {
	Text, Href, Word string
	Done, Current    bool
}

// Percent is how many of a hundred would be withdrawn.
func (v *importPage) Percent() int64 {
	if v.Plan.Enrolled == 0 {
		return 0
	}
	return 100 * v.Plan.Leaving / v.Plan.Enrolled
}

// Sentence makes one of what is wrong with a row.
func (v *importPage) Sentence(why string) string { return editing.Sentence(why) }

// Told says what changes in the words of the page.
func (v *importPage) Told(list []enrol.PlaceChange) []toldChange { return toldChanges(v.words, list) }

// toldChange is a part of an enrolment that changes, in words.
type toldChange struct{ Words, From, To string }

func toldChanges(words *page.Language, list []enrol.PlaceChange) (out []toldChange) {
	for _, c := range list {
		if c.Field == enrol.PlaceEnrolment {
			if c.From != "" { // that somebody new is enrolled stands beside it
				out = append(out, toldChange{To: words.Word("enrol.becomes-" + c.To)})
			}
			continue
		}
		out = append(out, toldChange{words.Word("enrol.field-" + string(c.Field)), c.From, c.To})
	}
	return out
}
