package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Class is what one class handed in for one task.
type Class struct {
	Name     string
	Language string // the file extension
	Template string // what everyone was given, may be empty
	Works    []Work
}

// Work is one submission, of one file.
type Work struct {
	Name string // of the file
	Text string
	// Copied is the index of the work this one was copied from, -1 if it was
	// made independently; How is the disguise.
	Copied int
	How    string
}

// Source finds where a work comes from in the end.
func (c *Class) Source(i int) int {
	for c.Works[i].Copied >= 0 {
		i = c.Works[i].Copied
	}
	return i
}

// Copy tells whether one of two works comes from the other, or both from a third.
func (c *Class) Copy(i, j int) bool { return c.Source(i) == c.Source(j) }

// Options say what to make.
type Options struct {
	Seed        uint64
	Classes     int // in each language
	Independent int // works in a class, of which the first ones are copied
	Copies      int // copies in a class
	Exercises   int // in a work; 0 for seven to ten
	OneSource   bool
	Bare        bool // without templates, and with fewer habits: the exercise says what to print
	Levels      bool // copies are disguised by Levels instead of Disguises, and habits differ more
}

// Default is the corpus the figures of the documentation are about.
var Default = Options{Seed: 1, Classes: 3, Independent: 30, Copies: 12}

// Tiny is made of single exercises, ten to forty lines each. One work is copied
// again and again: the hardest case, since a copied fragment is then not rare.
var Tiny = Options{Seed: 1, Classes: 7, Independent: 16, Copies: 50, Exercises: 1, OneSource: true, Bare: true}

// Restructured is a corpus of copies that were taken apart and put together again.
var Restructured = Options{Seed: 1, Classes: 3, Independent: 30, Copies: 12, Levels: true}

// TinyRestructured is made of single exercises, one of them copied again and again.
var TinyRestructured = Options{Seed: 1, Classes: 7, Independent: 16, Copies: 48, Exercises: 1, OneSource: true,
	Bare: true, Levels: true}

// Make makes the corpus.
func Make(o Options) []Class {
	var out []Class
	for l, lang := range Languages {
		for c := range o.Classes {
			r := rand.New(rand.NewPCG(o.Seed, uint64(l*1000+c)))
			out = append(out, makeClass(o, r, lang, c))
		}
	}
	return out
}

func makeClass(o Options, r *rand.Rand, lang string, number int) Class {
	if o.Levels {
		return makeLevels(o, r, lang, number)
	}
	n := o.Exercises
	if n == 0 {
		n = 7 + r.IntN(4)
	}
	sheet := r.Perm(len(exercises))[:n]
	if o.Exercises == 1 {
		sheet = []int{(number * 2) % len(exercises)}
	}
	c := Class{Name: fmt.Sprintf("%s class %d", lang[1:], number+1), Language: lang}
	if !o.Bare && number%2 == 0 {
		c.Template = templates[lang]
	}
	seeds := make([]uint64, o.Independent)
	for i := range seeds {
		seeds[i] = r.Uint64()
		c.add(r, solve(seeds[i], sheet, o.Bare), -1, "")
	}
	for k := range o.Copies {
		from := k % o.Independent
		if o.OneSource {
			from = 0
		}
		how := Disguises[k%len(Disguises)]
		own := func() *program { return solve(r.Uint64(), sheet, o.Bare) }
		c.add(r, disguise(r, how, solve(seeds[from], sheet, o.Bare), own), from, how)
	}
	return c
}

// solve builds a student's work; the same seed builds the same work again.
func solve(seed uint64, sheet []int, bare bool) *program {
	return solveOf(exercises, seed, sheet, bare)
}

func solveOf(all []exercise, seed uint64, sheet []int, bare bool) *program {
	r := rand.New(rand.NewPCG(seed, 7))
	a, p := newAuthor(r), &program{tight: r.IntN(2) == 0}
	for _, e := range sheet {
		all[e](a, p)
	}
	for _, b := range p.blocks {
		b.own = a.coin(a.helpers)
	}
	if bare {
		a.habits(0.2).apply(p)
		return p
	}
	a.habits(1).apply(p)
	p.output = r.IntN(3)
	return p
}

func (c *Class) add(r *rand.Rand, p *program, from int, how string) {
	text := ""
	if how == "verbatim" {
		text = c.Works[from].Text
	} else {
		pr := newPrinter(r, c.Language)
		text = c.Template + pr.program(p)
	}
	name := fmt.Sprintf("student%03d%s", len(c.Works)+1, c.Language)
	c.Works = append(c.Works, Work{Name: name, Text: text, Copied: from, How: how})
}

func newPrinter(r *rand.Rand, lang string) *printer {
	often := []int{4, 8, 100000}[r.IntN(3)]
	indent := []string{"  ", "    ", "\t"}[r.IntN(3)]
	return &printer{lang: lang, indent: indent, newLine: r.IntN(3) == 0, blanks: r.IntN(2) == 0, notes: func() string {
		if r.IntN(often) > 0 {
			return ""
		}
		words := strings.Fields("now we loop over all values and print the result of this step here is where it " +
			"happens")
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return strings.Join(words[:3+r.IntN(4)], " ")
	}}
}

// Large makes independent works of about so many lines, to measure time and memory by.
func Large(seed uint64, lang string, works, lines int) []Work {
	out := make([]Work, works)
	for i := range out {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		var text strings.Builder
		for n := 0; n < lines; {
			more := newPrinter(r, lang).program(solve(r.Uint64(), r.Perm(len(exercises)), false))
			text.WriteString(more)
			n += strings.Count(more, "\n")
		}
		out[i] = Work{Name: fmt.Sprintf("work%05d%s", i, lang), Text: text.String(), Copied: -1}
	}
	return out
}

// Relation names how two works of a class are related: the disguise,
// "copies of one" for siblings, "independent" for no relation.
func (c *Class) Relation(i, j int) string {
	switch {
	case !c.Copy(i, j):
		return "independent"
	case c.Works[j].Copied == i:
		return c.Works[j].How
	case c.Works[i].Copied == j:
		return c.Works[i].How
	}
	return "copies of one"
}
