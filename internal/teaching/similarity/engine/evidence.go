package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// mostEvidence is how much of each kind of evidence is told.
const mostEvidence = 5

// reading is what may be evidence in a work.
type reading struct {
	*Prints
	words []rareWord
	steps []aStepAt // those that are not the template's
}

// rareWord is a comment, a text, a name or a number that hardly anybody has, where it is
// first met.
type rareWord struct {
	run
	weight float64
	owners int
}

func (x *Index) read(p *Prints) *reading {
	out := &reading{Prints: p, steps: x.ownSteps(p)}
	p.words(level(p.Tokens()), func(r run) {
		n, known := x.numbers[r.hash]
		if !known || x.entries[n].works < 2 {
			return
		}
		e := &x.entries[n]
		if w := x.weight(e); w > 0 && (r.view != shortWordView || e.owners <= 2) {
			out.words = append(out.words, rareWord{r, w, int(e.owners)})
		}
	})
	return out
}

// rareWords tells which words two works share that hardly anybody else has.
func (x *Index) rareWords(left, right *reading) (out []string) {
	there := map[uint64]run{}
	for _, w := range right.words {
		there[w.hash] = w.run
	}
	found := slices.DeleteFunc(slices.Clone(left.words), func(w rareWord) bool {
		_, ok := there[w.hash]
		return !ok
	})
	slices.SortStableFunc(found, func(a, b rareWord) int { return cmp.Compare(b.weight, a.weight) })
	for _, w := range found[:min(len(found), mostEvidence)] {
		who := "nobody else has"
		if w.owners > 2 {
			who = fmt.Sprintf("only %d of %d have", w.owners, x.class())
		}
		here, other := left.placeOf(w.run), right.placeOf(there[w.hash])
		out = append(out, fmt.Sprintf("%s, and %s of the other work: %s that %s.",
			capital(left.between(here, here, "")), right.between(other, other, aside), left.kindOf(w.run), who))
	}
	return out
}

// aside stands on both sides of what names a file of the other work in the form of an
// explanation that is kept: a file may be named after its author, whom not everybody who
// reads it may know.
const aside = "\x1f"

// Told makes words of an explanation as it is kept, with the names of the other work's
// files or without them.
func Told(kept string, names bool) string {
	if names {
		return strings.ReplaceAll(kept, aside, "")
	}
	var out strings.Builder
	for i, part := range strings.Split(kept, aside) {
		if i%2 == 0 {
			out.WriteString(part)
		}
	}
	return out.String()
}

// lineIn is a line of a file, by their numbers.
type lineIn struct{ line, file int }

func (p *Prints) placeOf(r run) lineIn {
	if r.note > 0 {
		n := p.notes[r.note-1]
		return lineIn{int(n.line), int(n.file)}
	}
	return lineIn{int(p.toks[r.from].line), p.fileNumber(int(r.from))}
}

// between names the lines of a work from one up to another, and their files where there
// are several. What names a file stands between two marks.
func (p *Prints) between(from, upTo lineIn, mark string) string {
	switch {
	case from.file != upTo.file:
		return fmt.Sprintf("line %d of one file%s to line %d of another%s", from.line, p.nameOf(from, mark), upTo.line,
			p.nameOf(upTo, mark))
	case from.line >= upTo.line:
		return fmt.Sprintf("line %d%s", from.line, p.nameOf(from, mark))
	}
	return fmt.Sprintf("lines %d to %d%s", from.line, upTo.line, p.nameOf(from, mark))
}

// nameOf names the file of a line where there are several. Students choose the names: none
// may end a line of the explanation, or a mark.
func (p *Prints) nameOf(at lineIn, mark string) string {
	if len(p.files) < 2 {
		return ""
	}
	return mark + " (" + strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return unicode.ReplacementChar
		}
		return r
	}, p.files[at.file].name) + ")" + mark
}

func (p *Prints) kindOf(r run) string {
	if r.note > 0 {
		return "a comment"
	}
	switch p.toks[r.from].norm {
	case normString:
		return "a text"
	case normNumber:
		return "a number"
	}
	return "a name"
}

// aStepAt is a statement of a work.
type aStepAt struct {
	hash       uint64
	from, upTo int // tokens
}

// own lists the statements of a work that are not the template's.
func (x *Index) ownSteps(p *Prints) (out []aStepAt) {
	given := x.template.holds(p)
	s := p.signer(0, nil)
	for _, file := range p.files {
		if file.language == Words {
			continue
		}
		s.eachStep(file, func(h uint64, from, upTo int) {
			if !mostly(given[from:upTo]) {
				out = append(out, aStepAt{nth(signHash(stepView, h), 0), from, upTo})
			}
		})
	}
	return out
}

// Bounds on what belongs to one group of steps, and on the places tried for one.
const (
	leastSteps = 3
	stepGap    = 3
	stepReach  = 8
	stepTries  = 8
)

// group is statements that stand near each other in both works.
type group struct {
	left, right []int // numbers of statements
	rare        bool  // one of them is known to few
}

// steps tells which statements stand near each other in both works but not in the same
// order, or with others between them.
func (x *Index) steps(left, right *reading, m Match) (out []string) {
	a, b := left.steps, right.steps
	groups := x.groups(a, b)
	in := m.inside(len(left.toks))
	groups = slices.DeleteFunc(groups, func(g group) bool {
		return len(g.left) < leastSteps || !g.rare || slices.IsSorted(g.right) && covered(in, a, g)
	})
	slices.SortStableFunc(groups, func(g, h group) int { return len(h.left) - len(g.left) })
	for _, g := range groups[:min(len(groups), mostEvidence)] {
		how := "in another order"
		if slices.IsSorted(g.right) {
			how = "with others between them"
		}
		out = append(out, fmt.Sprintf("%s, and %s of the other work: the same %s steps %s.",
			capital(left.stepsAt(a[g.left[0]], a[g.left[len(g.left)-1]], "")),
			right.stepsAt(b[slices.Min(g.right)], b[slices.Max(g.right)], aside), numeral(len(g.left)), how))
	}
	return out
}

// groups puts together statements of both works that are the same, each taken once.
func (x *Index) groups(a, b []aStepAt) (out []group) {
	places := placesOf(b)
	var g group
	for i, s := range a {
		j := -1
		if list := places[s.hash]; list != nil {
			j = list.nearest(g)
		}
		if j < 0 {
			continue
		}
		if len(g.left) > 0 && (i-g.left[len(g.left)-1] > stepGap || j < slices.Min(g.right)-stepReach ||
			j > slices.Max(g.right)+stepReach || len(g.left) == mostGroup) {
			out = append(out, g)
			g = group{}
		}
		g.left, g.right = append(g.left, i), append(g.right, j)
		g.rare = g.rare || x.rareStep(s.hash)
	}
	return append(out, g)
}

// mostGroup bounds a group, so that looking for its ends takes no time.
const mostGroup = 64

// stepPlaces are where in a work a statement stands.
type stepPlaces struct {
	count int
	list  []int
}

// placesOf lists the places of each statement, all in one piece of memory.
func placesOf(steps []aStepAt) map[uint64]*stepPlaces {
	out, all := make(map[uint64]*stepPlaces, len(steps)), make([]stepPlaces, 0, len(steps))
	for _, s := range steps {
		p := out[s.hash]
		if p == nil {
			all = append(all, stepPlaces{})
			p = &all[len(all)-1]
			out[s.hash] = p
		}
		p.count++
	}
	room := make([]int, len(steps))
	for i := range all {
		all[i].list, room = room[:0:all[i].count], room[all[i].count:]
	}
	for j, s := range steps {
		p := out[s.hash]
		p.list = append(p.list, j)
	}
	return out
}

// nearest takes the place of a statement that is nearest to the last one of a group.
func (p *stepPlaces) nearest(g group) int {
	list := p.list
	if len(list) == 0 {
		return -1
	}
	best := 0
	if n := len(g.right); n > 0 {
		for k := range min(len(list), stepTries) {
			if distance(list[k], g.right[n-1]) < distance(list[best], g.right[n-1]) {
				best = k
			}
		}
	}
	j := list[best]
	list[best] = list[0] // those that are tried stay at the front
	p.list = list[1:]
	return j
}

func distance(a, b int) int { return max(a-b, b-a) }

// rareStep tells a statement that few have.
func (x *Index) rareStep(hash uint64) bool {
	n, ok := x.numbers[hash]
	return ok && (x.entries[n].owners <= 2 || float64(x.entries[n].owners) <= few*float64(x.class()))
}

// covered tells whether the statements of a group are parts of passages anyhow.
func covered(in []int, steps []aStepAt, g group) bool {
	for _, i := range g.left {
		if in[steps[i].from] == 0 {
			return false
		}
	}
	return true
}

// stepsAt names the lines of two statements and those between them.
func (p *Prints) stepsAt(first, last aStepAt, mark string) string {
	from, upTo := first.from, last.upTo-1
	return p.between(lineIn{int(p.toks[from].line), p.fileNumber(from)},
		lineIn{int(p.toks[upTo].last), p.fileNumber(upTo)}, mark)
}

func capital(s string) string { return string(s[0]-'a'+'A') + s[1:] }

// numeral writes small numbers in words.
func numeral(n int) string {
	words := [...]string{"three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	if i := n - 3; i >= 0 && i < len(words) {
		return words[i]
	}
	return fmt.Sprint(n)
}
