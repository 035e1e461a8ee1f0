package corpus

import (
	"fmt"
	"math/rand/v2"
)

// hand changes how a program is written and not what it does, as students do by habit
// and copiers on purpose.
type hand struct {
	*rand.Rand
	p *program
	n int // names made up so far
}

func (h *hand) coin(p float64) bool { return h.Float64() < p }

// fresh makes up a name for what a change needs.
func (h *hand) fresh(pool ...string) string {
	h.n++
	return fmt.Sprintf("%s%d", pool[h.IntN(len(pool))], h.n)
}

// loops writes loops as other loops.
func (h *hand) loops(p float64) {
	h.p.rewrite(func(s stmt) []stmt {
		if !h.coin(p) {
			return []stmt{s}
		}
		switch s := s.(type) {
		case *loop:
			return h.otherLoop(s)
		case *while:
			return h.otherWhile(s)
		}
		return []stmt{s}
	})
}

func (h *hand) otherLoop(l *loop) []stmt {
	step := func() stmt {
		if h.coin(0.5) {
			return &set{name(l.name), "+=", number(l.step)}
		}
		return &set{name(l.name), "=", &bin{"+", name(l.name), number(l.step)}}
	}
	cond := func() expr { return &bin{l.op, name(l.name), cloneExpr(l.to)} }
	start := &decl{l.name, whole, l.from}
	switch h.IntN(6) {
	case 0:
		if e := elements(l); e != nil {
			return []stmt{e}
		}
	case 1:
		return []stmt{start, &forever{append([]stmt{&branch{negated(cond()), []stmt{&leave{}}, nil}},
			append(l.body, step())...)}}
	case 2:
		return []stmt{start, &until{cond(), append(l.body, step())}}
	case 3:
		if made := h.recursion(l, cond()); made != nil {
			return made
		}
	case 4:
		if down := backwards(l); down != nil {
			return down
		}
	}
	return []stmt{start, &while{cond(), append(l.body, step())}}
}

func (h *hand) otherWhile(w *while) []stmt {
	if h.coin(0.5) {
		return []stmt{&forever{append([]stmt{&branch{negated(w.cond), []stmt{&leave{}}, nil}}, w.body...)}}
	}
	return []stmt{&branch{cloneExpr(w.cond), []stmt{&until{w.cond, w.body}}, nil}}
}

// elements makes a loop over the elements of a list out of one over its places, where
// the place is used for nothing else.
func elements(l *loop) *each {
	n, ok := l.to.(*length)
	if !ok || l.step != 1 || l.from != expr(number(0)) {
		return nil
	}
	list, item, plain := n.list, name("item"), true
	uses, places := 0, 0
	walk(l.body, func(s stmt) {
		if to, ok := s.(*set); ok {
			_, toElement := to.to.(*at)
			plain = plain && !toElement
		}
	}, func(e expr) expr {
		if e == expr(name(l.name)) {
			uses++
		}
		if a, ok := e.(*at); ok && a.list == list && a.index == expr(name(l.name)) {
			places++
		}
		return e
	})
	if !plain || uses != places || places == 0 {
		return nil
	}
	walk(l.body, func(stmt) {}, func(e expr) expr {
		if a, ok := e.(*at); ok && a.list == list {
			return item
		}
		return e
	})
	return &each{string(item), list, l.body}
}

// backwards counts down where nothing is printed and no end is searched for.
func backwards(l *loop) []stmt {
	if l.step != 1 || speaks(l.body) {
		return nil
	}
	last := l.to
	if l.op == "<" {
		last = &bin{"-", l.to, number(1)}
	}
	return []stmt{&decl{l.name, whole, last}, &while{&bin{">=", name(l.name), l.from},
		append(l.body, &set{name(l.name), "-=", number(1)})}}
}

func speaks(body []stmt) bool {
	found := false
	walk(body, func(s stmt) {
		switch s.(type) {
		case *say, *result, *leave:
			found = true
		}
	}, func(e expr) expr { return e })
	return found
}

// negated is the opposite of a condition.
func negated(e expr) expr {
	b, ok := e.(*bin)
	if !ok {
		return &not{e}
	}
	opposite := map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
	if op := opposite[b.op]; op != "" {
		return &bin{op, b.l, b.r}
	}
	switch b.op {
	case "&&":
		return &bin{"||", negated(b.l), negated(b.r)}
	case "||":
		return &bin{"&&", negated(b.l), negated(b.r)}
	}
	return &not{e}
}

// conditions turns conditions round, takes them apart, or makes a choice of them.
func (h *hand) conditions(p float64) {
	h.p.rewrite(func(s stmt) []stmt {
		b, ok := s.(*branch)
		if !ok || !h.coin(p) {
			return []stmt{s}
		}
		if both, ok := b.cond.(*bin); ok && both.op == "&&" && len(b.alt) == 0 {
			return []stmt{&branch{both.l, []stmt{&branch{both.r, b.then, nil}}, nil}}
		}
		if made := h.choice(b); made != nil {
			return []stmt{made}
		}
		if len(b.alt) > 0 {
			return []stmt{turnedChain(b)}
		}
		return []stmt{s}
	})
}

// choice writes x = c ? a : b where both branches set the same.
func (h *hand) choice(b *branch) stmt {
	if len(b.then) != 1 || len(b.alt) != 1 || h.coin(0.5) {
		return nil
	}
	yes, okYes := b.then[0].(*set)
	no, okNo := b.alt[0].(*set)
	if !okYes || !okNo || yes.to != no.to || yes.op != "=" || no.op != "=" {
		return nil
	}
	return &set{yes.to, "=", &either{b.cond, yes.value, no.value}}
}

// turnedChain begins a chain of conditions at its end: from below instead of from above.
func turnedChain(b *branch) *branch {
	conds, then, rest := links(b)
	if len(rest) == 0 || !ordered(conds) {
		return &branch{negated(conds[0]), chain(conds[1:], then[1:], rest), then[0]}
	}
	out := then[0]
	for i := range conds {
		body := rest
		if i+1 < len(then) {
			body = then[i+1]
		}
		out = []stmt{&branch{negated(conds[i]), body, out}}
	}
	return out[0].(*branch)
}

// links takes a chain of conditions apart.
func links(b *branch) (conds []expr, then [][]stmt, rest []stmt) {
	for {
		conds, then = append(conds, b.cond), append(then, b.then)
		next, ok := (*branch)(nil), false
		if len(b.alt) == 1 {
			next, ok = b.alt[0].(*branch)
		}
		if !ok {
			return conds, then, b.alt
		}
		b = next
	}
}

// ordered tells conditions that all compare from the same side, as limits of grades.
func ordered(conds []expr) bool {
	for _, c := range conds {
		b, ok := c.(*bin)
		if !ok || b.op != ">=" && b.op != ">" {
			return false
		}
	}
	return true
}

func chain(conds []expr, then [][]stmt, rest []stmt) []stmt {
	for i := len(conds) - 1; i >= 0; i-- {
		rest = []stmt{&branch{conds[i], then[i], rest}}
	}
	return rest
}

// expressions says the same in other terms.
func (h *hand) expressions(p float64) {
	h.p.exprs(func(e expr) expr {
		if b, ok := e.(*bin); ok && h.coin(p) {
			return h.otherExpression(b)
		}
		return e
	})
	h.p.rewrite(func(s stmt) []stmt {
		if s, ok := s.(*set); ok && h.coin(p) {
			h.otherSet(s)
		}
		return []stmt{s}
	})
}

func (h *hand) otherExpression(b *bin) expr {
	turned := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
	n, byNumber := b.r.(number)
	switch {
	case b.op == "+" || b.op == "*":
		return &bin{b.op, b.r, b.l}
	case b.op == "-" && byNumber:
		return &bin{"+", b.l, -n}
	case b.op == "==" && byNumber && n <= 1 && isRest(b.l):
		return &bin{"!=", b.l, 1 - n}
	case byNumber && b.op == "<" && h.coin(0.5):
		return &bin{"<=", b.l, n - 1}
	case byNumber && b.op == ">=" && h.coin(0.5):
		return &bin{">", b.l, n - 1}
	case turned[b.op] != "" && h.coin(0.3):
		return &not{negated(b)}
	case turned[b.op] != "":
		return &bin{turned[b.op], b.r, b.l}
	}
	return b
}

// isRest tells the rest of a division by two.
func isRest(e expr) bool {
	b, ok := e.(*bin)
	return ok && b.op == "%" && b.r == expr(number(2))
}

func (h *hand) otherSet(s *set) {
	if len(s.op) == 2 {
		s.value, s.op = &bin{s.op[:1], s.to, s.value}, "="
		return
	}
	if b, ok := s.value.(*bin); ok && b.l == s.to && (b.op == "+" || b.op == "-" || b.op == "*" || b.op == "/") {
		s.op, s.value = b.op+"=", b.r
	}
}
