package corpus

import (
	"fmt"
	"math/rand/v2"
)

// Levels are how deep a copy was changed, after Faidhi and Robinson: each takes in those
// before it.
var Levels = []string{"level one: comments and layout", "level two: names", "level three: declarations",
	"level four: methods", "level five: statements", "level six: logic"}

// Level gives the number of a disguise among Levels, from 1; 0 where it is none of them.
func Level(how string) int {
	for i, l := range Levels {
		if l == how {
			return i + 1
		}
	}
	return 0
}

func makeLevels(o Options, r *rand.Rand, lang string, number int) Class {
	n := o.Exercises
	if n == 0 {
		n = 7 + r.IntN(4)
	}
	all := moreExercises()
	sheet := r.Perm(len(all))[:n]
	if o.Exercises == 1 {
		sheet = []int{(number * 2) % len(all)}
	}
	c := Class{Name: fmt.Sprintf("%s class %d", lang[1:], number+1), Language: lang}
	if !o.Bare && number%2 == 0 {
		c.Template = templates[lang]
	}
	seeds := make([]uint64, o.Independent)
	for i := range seeds {
		seeds[i] = r.Uint64()
		c.addLevel(r, styled(seeds[i], sheet, o.Bare), -1, "")
	}
	for k := range o.Copies {
		from := k % o.Independent
		if o.OneSource {
			from = 0
		}
		how := Levels[k%len(Levels)]
		p := styled(seeds[from], sheet, o.Bare)
		c.addLevel(r, (&copier{hand: &hand{Rand: r, p: p, n: 40}}).disguise(Level(how)), from, how)
	}
	return c
}

func (c *Class) addLevel(r *rand.Rand, p *program, from int, how string) {
	pr := &printer{lang: c.Language, indent: []string{"  ", "    ", "\t"}[r.IntN(3)], newLine: r.IntN(3) == 0,
		blanks: r.IntN(2) == 0, notes: func() string { return "" }}
	c.Works = append(c.Works, Work{Name: fmt.Sprintf("student%03d%s", len(c.Works)+1, c.Language),
		Text: c.Template + pr.program(p), Copied: from, How: how})
}

// styled is a student's work in a style of its own: what one always does, another never
// does. The same seed builds the same work again.
func styled(seed uint64, sheet []int, bare bool) *program {
	r := rand.New(rand.NewPCG(seed, 11))
	p := solveOf(moreExercises(), seed, sheet, bare).clone()
	often := func() float64 { return []float64{0, 0, 0.1, 0.3, 0.7}[r.IntN(5)] }
	h := &hand{Rand: r, p: p}
	h.loops(often() / 2)
	h.conditions(often())
	h.join(often())
	h.split(often() / 2)
	h.extract(often() / 3)
	h.inline(often() / 2)
	h.expressions(often() / 2)
	h.constants(often() / 3)
	h.annotate(often())
	return p
}

// copier hides where a program comes from.
type copier struct {
	*hand
}

// disguise changes a program as deep as a level says. How thorough a copier is differs,
// and no two do the same.
func (c *copier) disguise(level int) *program {
	pains := func() float64 { return []float64{0.15, 0.35, 0.6}[c.IntN(3)] }
	if level >= 6 {
		c.conditions(pains())
		c.expressions(pains())
	}
	if level >= 5 {
		c.loops(pains())
		c.join(pains())
		c.split(pains())
		c.reword(pains() / 2)
	}
	if level >= 4 {
		c.inline(pains())
		c.extract(pains())
		c.regroup()
	}
	if level >= 3 {
		c.split(pains() / 2)
		c.constants(pains() / 2)
		c.reorder()
	}
	c.recomment()
	if level >= 2 {
		c.theme()
	}
	return c.p
}

// reorder puts members into another order, declarations that do not need each other, and
// cases.
func (c *copier) reorder() {
	reordered(c.Rand, c.p)
	// The order of cases is drawn apart, so that a seed makes the same otherwise.
	r := rand.New(rand.NewPCG(uint64(c.n), 13))
	c.p.bodies(func(body []stmt) []stmt {
		swapDeclarations(c.Rand, body, 0.7)
		for i, s := range body {
			body[i] = otherCases(r, s)
		}
		return body
	})
}

// otherCases puts the cases of a choice into another order, also where it is written as a
// chain of conditions.
func otherCases(r *rand.Rand, s stmt) stmt {
	switch s := s.(type) {
	case *cases:
		r.Shuffle(len(s.of), func(i, j int) { s.of[i], s.of[j] = s.of[j], s.of[i] })
	case *branch:
		if conds, then, rest := links(s); len(conds) > 1 && exclusive(conds) {
			r.Shuffle(len(conds), func(i, j int) {
				conds[i], conds[j] = conds[j], conds[i]
				then[i], then[j] = then[j], then[i]
			})
			return chain(conds, then, rest)[0]
		}
	}
	return s
}

// exclusive tells conditions of which one holds at most: one thing is compared with
// different numbers.
func exclusive(conds []expr) bool {
	met := map[expr]bool{}
	on := map[expr]bool{}
	for _, c := range conds {
		b, ok := c.(*bin)
		if !ok || b.op != "==" {
			return false
		}
		what, value := b.l, b.r
		if _, turned := what.(number); turned {
			what, value = value, what
		}
		_, isName := what.(name)
		if _, isNumber := value.(number); !isName || !isNumber || met[value] {
			return false
		}
		met[value], on[what] = true, true
	}
	return len(on) == 1
}

// regroup makes methods of parts of main, and parts of main of methods.
func (c *copier) regroup() {
	for _, b := range c.p.blocks {
		if c.coin(0.5) {
			b.own = !b.own
		}
	}
}
