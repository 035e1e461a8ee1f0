package chart

import (
	"fmt"
	"strconv"
	"strings"
)

// GradeCount is how many students aim for a grade.
type GradeCount struct {
	Grade    string // "Pass", "Credit" and so on
	Students int
}

// TargetGrades shows what the students of a unit aim for. The bars stand in
// the order given, a grade nobody aims for included.
type TargetGrades struct {
	Unit   string
	Grades []GradeCount
}

// SVG draws the picture.
func (t TargetGrades) SVG() []byte {
	p := picture{title: "Target grades of students", subtitle: clean(t.Unit)}
	total := 0.0
	for _, g := range t.Grades {
		total += float64(max(g.Students, 0))
	}
	if total == 0 {
		return p.alone()
	}
	words, pillars := make([]string, len(t.Grades)), make([]pillar, len(t.Grades))
	for i, g := range t.Grades {
		n := max(g.Students, 0)
		words[i] = g.words(total)
		pillars[i] = pillar{name: clean(g.Grade), value: n, says: words[i],
			above: fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/total)}
	}
	p.says = fmt.Sprintf("Bars of how many of %.0f students aim for which grade. %s.", total, strings.Join(words, ", "))
	p.subtitle = join(" · ", p.subtitle, plural(int(total), "student"))
	p.marks, p.height = columns(pillars, "students", ""), 320
	return p.alone()
}

// Table gives the same counts as a table.
func (t TargetGrades) Table() Table {
	out := Table{Title: join(": ", "Target grades of students", clean(t.Unit)), Rows: [][]string{},
		Head: []string{"Grade", "Students"}}
	for _, g := range t.Grades {
		out.Rows = append(out.Rows, []string{clean(g.Grade), strconv.Itoa(max(g.Students, 0))})
	}
	return out
}

func (g GradeCount) words(total float64) string {
	n := max(g.Students, 0)
	return fmt.Sprintf("%s: %d (%.0f %%)", clean(g.Grade), n, 100*float64(n)/total)
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
