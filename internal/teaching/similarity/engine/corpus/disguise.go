package corpus

import (
	"math/rand/v2"
	"slices"
)

// Disguises are the ways in which a copy hides, easiest first.
var Disguises = []string{"verbatim", "comments", "renamed", "reordered", "dead code", "split or merged", "statements",
	"partial", "renamed and commented", "partial and renamed", "renamed and reordered", "everything"}

// disguise changes a copy of a program. own makes a solution by the copier, who
// in a partial copy did some of the work.
func disguise(r *rand.Rand, how string, p *program, own func() *program) *program {
	switch how {
	case "renamed", "renamed and commented":
		renamed(r, p)
	case "reordered":
		reordered(r, p)
	case "dead code":
		deadCode(r, p)
	case "split or merged":
		splitOrMerge(p)
	case "statements":
		statements(p)
	case "partial":
		return partial(r, p, own())
	case "partial and renamed":
		p = partial(r, p, own())
		renamed(r, p)
	case "renamed and reordered":
		renamed(r, p)
		reordered(r, p)
	case "everything":
		renamed(r, p)
		reordered(r, p)
		deadCode(r, p)
		splitOrMerge(p)
	}
	return p
}

// splitOrMerge makes functions of what stood in main, or the other way round.
func splitOrMerge(p *program) {
	for _, b := range p.blocks {
		b.own = !b.own
	}
}

func renamed(r *rand.Rand, p *program) {
	to, done := map[string]string{}, map[string]bool{} // statements that are shared are met twice
	p.rename(func(old string) string {
		if done[old] {
			return old
		}
		if _, ok := to[old]; !ok {
			to[old] = invented(r, done)
			done[to[old]] = true
		}
		return to[old]
	})
}

// invented makes up a name nobody else would take.
func invented(r *rand.Rand, taken map[string]bool) string {
	for {
		n := ""
		for range 2 + r.IntN(2) {
			n += string("bdfgklmnprstvz"[r.IntN(14)]) + string("aeiou"[r.IntN(5)])
		}
		if !taken[n] {
			return n
		}
	}
}

func reordered(r *rand.Rand, p *program) {
	r.Shuffle(len(p.helpers), func(i, j int) { p.helpers[i], p.helpers[j] = p.helpers[j], p.helpers[i] })
	r.Shuffle(len(p.blocks), func(i, j int) { p.blocks[i], p.blocks[j] = p.blocks[j], p.blocks[i] })
	for _, b := range p.blocks {
		swapDeclarations(r, b.body, 0.5)
	}
}

// swapDeclarations changes the order of neighbours that do not need each other.
func swapDeclarations(r *rand.Rand, body []stmt, p float64) {
	for i := 1; i < len(body); i++ {
		x, okX := body[i-1].(*decl)
		y, okY := body[i].(*decl)
		if okX && okY && !mentions(y.value, x.name) && r.Float64() < p {
			body[i-1], body[i] = y, x
		}
	}
}

func mentions(e expr, what string) bool {
	found := false
	deep(e, func(e expr) expr {
		found = found || e == expr(name(what))
		return e
	})
	return found
}

func deadCode(r *rand.Rand, p *program) {
	for _, b := range p.blocks {
		for range 1 + r.IntN(2) {
			n := invented(r, nil)
			dead := []stmt{&decl{n, whole, number(r.IntN(50))}}
			if r.IntN(2) == 0 {
				dead = append(dead, &branch{&bin{"<", name(n), number(0)},
					[]stmt{&say{[]expr{quote(invented(r, nil))}}}, nil})
			}
			b.body = slices.Insert(b.body, r.IntN(len(b.body)+1), dead...)
		}
	}
}

// statements rewrites what can be said otherwise: for as while, x += y as x = x + y,
// a < b as b > a.
func statements(p *program) {
	for _, f := range p.helpers {
		f.body = restated(f.body)
	}
	for _, b := range p.blocks {
		b.body = restated(b.body)
	}
}

func restated(body []stmt) []stmt {
	var out []stmt
	for _, s := range body {
		switch s := s.(type) {
		case *loop:
			step := &set{name(s.name), "=", &bin{"+", name(s.name), number(s.step)}}
			out = append(out, &decl{s.name, whole, s.from},
				&while{&bin{s.op, name(s.name), s.to}, append(restated(s.body), step)})
			continue
		case *while:
			s.body = restated(s.body)
		case *branch:
			s.then, s.alt = restated(s.then), restated(s.alt)
		case *set:
			if len(s.op) == 2 {
				s.value, s.op = &bin{s.op[:1], s.to, s.value}, "="
			}
		}
		out = append(out, s)
	}
	return out
}

// partial keeps about two thirds of what was copied and does the rest alone.
func partial(r *rand.Rand, from, own *program) *program {
	keep := max(1, (2*len(from.blocks)+2)/3)
	copied := r.Perm(len(from.blocks))[:keep]
	out := &program{output: from.output, tight: from.tight, helpers: slices.Clone(from.helpers)}
	for i := range from.blocks {
		if slices.Contains(copied, i) {
			out.blocks = append(out.blocks, from.blocks[i])
			continue
		}
		out.blocks = append(out.blocks, own.blocks[i])
		out.helpers = missing(out.helpers, own, i)
	}
	return out
}

// missing adds the copier's own helper, where the exercise has one.
func missing(have []*function, own *program, block int) []*function {
	walk(own.blocks[block].body, func(stmt) {}, func(e expr) expr {
		c, ok := e.(*call)
		if !ok {
			return e
		}
		same := func(f *function) bool { return f.name == c.name }
		if i := slices.IndexFunc(own.helpers, same); i >= 0 && !slices.ContainsFunc(have, same) {
			have = append(have, own.helpers[i])
		}
		return e
	})
	return have
}
