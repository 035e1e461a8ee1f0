package corpus

import "slices"

// clone makes a program of its own out of one whose statements are shared, so that a
// change at one place is none at another.
func (p *program) clone() *program {
	out := &program{output: p.output, tight: p.tight, notes: slices.Clone(p.notes)}
	for _, c := range p.constants {
		out.constants = append(out.constants, &decl{c.name, c.kind, cloneExpr(c.value)})
	}
	for _, f := range p.helpers {
		out.helpers = append(out.helpers, &function{f.name, slices.Clone(f.params), f.result, cloneAll(f.body)})
	}
	for _, b := range p.blocks {
		out.blocks = append(out.blocks, &block{b.name, cloneAll(b.body), b.own})
	}
	return out
}

func cloneAll(body []stmt) []stmt {
	out := make([]stmt, len(body))
	for i, s := range body {
		out[i] = cloneStmt(s)
	}
	return out
}

func cloneStmt(s stmt) stmt {
	switch s := s.(type) {
	case *decl:
		return &decl{s.name, s.kind, cloneExpr(s.value)}
	case *set:
		return &set{cloneExpr(s.to), s.op, cloneExpr(s.value)}
	case *branch:
		return &branch{cloneExpr(s.cond), cloneAll(s.then), cloneAll(s.alt)}
	case *loop:
		return &loop{s.name, cloneExpr(s.from), cloneExpr(s.to), s.op, s.step, cloneAll(s.body)}
	case *while:
		return &while{cloneExpr(s.cond), cloneAll(s.body)}
	case *each:
		return &each{s.name, cloneExpr(s.list), cloneAll(s.body)}
	case *until:
		return &until{cloneExpr(s.cond), cloneAll(s.body)}
	case *forever:
		return &forever{cloneAll(s.body)}
	case *cases:
		return cloneCases(s)
	case *note:
		return &note{s.text}
	case *result:
		return &result{cloneExpr(s.value)}
	case *say:
		return &say{cloneExprs(s.parts)}
	case *do:
		return &do{cloneExpr(s.call)}
	}
	return s
}

func cloneCases(s *cases) *cases {
	out := &cases{on: cloneExpr(s.on), rest: cloneAll(s.rest)}
	for _, o := range s.of {
		out.of = append(out.of, option{cloneExpr(o.value), cloneAll(o.body)})
	}
	return out
}

func cloneExprs(list []expr) []expr {
	out := make([]expr, len(list))
	for i, e := range list {
		out[i] = cloneExpr(e)
	}
	return out
}

func cloneExpr(e expr) expr {
	switch e := e.(type) {
	case *bin:
		return &bin{e.op, cloneExpr(e.l), cloneExpr(e.r)}
	case *call:
		return &call{e.name, cloneExprs(e.args)}
	case *at:
		return &at{cloneExpr(e.list), cloneExpr(e.index)}
	case *length:
		return &length{cloneExpr(e.list)}
	case *items:
		return &items{slices.Clone(e.values)}
	case *not:
		return &not{cloneExpr(e.of)}
	case *either:
		return &either{cloneExpr(e.cond), cloneExpr(e.yes), cloneExpr(e.no)}
	}
	return e
}

// bodies calls f with every list of statements of a program, innermost first, and puts
// what f makes of it in its place.
func (p *program) bodies(f func([]stmt) []stmt) {
	for _, h := range p.helpers {
		h.body = inside(h.body, f)
	}
	for _, b := range p.blocks {
		b.body = inside(b.body, f)
	}
}

func inside(body []stmt, f func([]stmt) []stmt) []stmt {
	for _, s := range body {
		switch s := s.(type) {
		case *branch:
			s.then = inside(s.then, f)
			if len(s.alt) > 0 {
				s.alt = inside(s.alt, f)
			}
		case *loop:
			s.body = inside(s.body, f)
		case *while:
			s.body = inside(s.body, f)
		case *each:
			s.body = inside(s.body, f)
		case *until:
			s.body = inside(s.body, f)
		case *forever:
			s.body = inside(s.body, f)
		case *cases:
			for i := range s.of {
				s.of[i].body = inside(s.of[i].body, f)
			}
		}
	}
	return f(body)
}

// each statement of a program is replaced by what f makes of it, innermost first.
func (p *program) rewrite(f func(stmt) []stmt) {
	p.bodies(func(body []stmt) []stmt {
		out := make([]stmt, 0, len(body))
		for _, s := range body {
			out = append(out, f(s)...)
		}
		return out
	})
}

// exprs replaces all expressions by what f makes of them.
func (p *program) exprs(f func(expr) expr) {
	for _, h := range p.helpers {
		walk(h.body, func(stmt) {}, f)
	}
	for _, b := range p.blocks {
		walk(b.body, func(stmt) {}, f)
	}
}
