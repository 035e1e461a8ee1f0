package chart

import (
	"fmt"
	"strconv"
	"strings"
)

// Age is how much has waited how long.
type Age struct {
	Days  string // "under 1 day", "1 to 2 days" and so on
	Tasks int
	Late  bool // all of it has waited longer than was promised
}

// AgesWords is what the picture says.
type AgesWords struct {
	Title, Axis, None string
	About             string // how many tasks there are in all, and the bars in words
	Late              string // of a bar: its words, when all of it has waited too long
	Age, Tasks        string // heads of the table
}

// WaitingAges shows how long the work of a unit has been waiting for feedback. The
// bars stand in the order given.
type WaitingAges struct {
	Words   AgesWords
	Promise string // in words; empty: there is none
	Ages    []Age
}

// Figure draws the picture for a page.
func (w WaitingAges) Figure() Figure {
	p := picture{title: w.Words.Title, none: w.Words.None, subtitle: clean(w.Promise), wide: halfWidth}
	t := Table{Title: w.Words.Title, Head: []string{w.Words.Age, w.Words.Tasks}, Rows: [][]string{}}
	total, pillars, words := 0.0, make([]pillar, len(w.Ages)), make([]string, len(w.Ages))
	for i, a := range w.Ages {
		n := max(a.Tasks, 0)
		total += float64(n)
		words[i] = a.words(w.Words)
		pillars[i] = pillar{name: clean(a.Days), value: n, above: strconv.Itoa(n), says: words[i], late: a.Late}
		t.Rows = append(t.Rows, []string{pillars[i].name, pillars[i].above})
	}
	if total > 0 {
		p.says = fmt.Sprintf(w.Words.About, int(total), strings.Join(words, ", "))
		p.marks, p.height = columns(pillars, w.Words.Axis, clean(w.Promise)), 260
	}
	return Figure{p.inPage(), t}
}

func (a Age) words(say AgesWords) string {
	text := fmt.Sprintf("%s: %d", clean(a.Days), max(a.Tasks, 0))
	if a.Late {
		text = fmt.Sprintf(say.Late, text)
	}
	return text
}
