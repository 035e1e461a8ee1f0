// Package grade is the scale of grades: what a graded task can be given, what
// a student can aim for, and what a task definition can be for. The result of
// a unit, 0 to 100 points, is no grade of this scale.
package grade

import "strings"

// Grade is a step of the scale, by the number the API and the database use.
type Grade int

// The grades. A graded task can be given any of them; students aim for Pass or
// more, and task definitions are for one of those.
const (
	Fail            Grade = -1
	Pass            Grade = 0
	Credit          Grade = 1
	Distinction     Grade = 2
	HighDistinction Grade = 3

	Lowest  = Fail
	Highest = HighDistinction
)

// Targets are the grades a student can aim for, in order.
var Targets = []Grade{Pass, Credit, Distinction, HighDistinction}

// table holds names and letters, from Lowest on.
var table = [...]struct{ name, letter string }{
	{"Fail", "F"}, {"Pass", "P"}, {"Credit", "C"}, {"Distinction", "D"}, {"High Distinction", "HD"},
}

// Valid tells whether a task can be given the grade.
func (g Grade) Valid() bool { return Lowest <= g && g <= Highest }

// Target tells whether a student can aim for the grade.
func (g Grade) Target() bool { return Pass <= g && g <= Highest }

// Name is the grade as people read it, "None" for a number that is none.
func (g Grade) Name() string {
	if !g.Valid() {
		return "None"
	}
	return table[g-Lowest].name
}

// Letter is the grade as sheets show it, nothing for a number that is none.
func (g Grade) Letter() string {
	if !g.Valid() {
		return ""
	}
	return table[g-Lowest].letter
}

// Weight is how much a task for this grade counts towards a learning outcome;
// 0 for what no task can be for.
func (g Grade) Weight() float64 {
	if !g.Target() {
		return 0
	}
	return float64(int(1) << g)
}

// Parse reads a grade by its letter or name, in any case.
func Parse(text string) (Grade, bool) {
	for i, row := range table {
		if strings.EqualFold(text, row.name) || strings.EqualFold(text, row.letter) {
			return Lowest + Grade(i), true
		}
	}
	return 0, false
}
