package corpus

import (
	"slices"
	"strings"
)

// Methods taken out of a program and put into it, statements split and joined, values
// named, members put into another order.

// extract makes methods of loops and conditions.
func (h *hand) extract(p float64) {
	var made []*function
	known := map[string]kind{}
	h.p.bodies(func(body []stmt) []stmt {
		kindsIn(body, known)
		return body
	})
	for _, f := range h.p.helpers {
		for _, q := range f.params {
			known[q.name] = q.kind
		}
	}
	h.p.bodies(func(body []stmt) []stmt {
		for i, s := range body {
			if !h.coin(p) {
				continue
			}
			if f, use := h.method(s, known); f != nil {
				made = append(made, f)
				body[i] = use
			}
		}
		return body
	})
	h.p.helpers = append(h.p.helpers, made...)
}

func kindsIn(body []stmt, known map[string]kind) {
	for _, s := range body {
		switch s := s.(type) {
		case *decl:
			known[s.name] = s.kind
		case *loop:
			known[s.name] = whole
		case *each:
			known[s.name] = whole
		}
	}
}

// method makes one of a loop that changes at most one variable from outside, or of
// the condition of a branch.
func (h *hand) method(s stmt, known map[string]kind) (*function, stmt) {
	switch s := s.(type) {
	case *loop, *while, *each, *until, *forever:
		free, changed := outer([]stmt{s}, known)
		if len(changed) > 1 || returns([]stmt{s}) {
			return nil, nil
		}
		f := &function{name: h.fresh("process", "handle", "run", "helper", "step"), body: []stmt{s}}
		args := h.params(f, free, known)
		if len(changed) == 0 {
			return f, &do{&call{f.name, args}}
		}
		f.result = whole
		f.body = append(f.body, &result{name(changed[0])})
		return f, &set{name(changed[0]), "=", &call{f.name, args}}
	case *branch:
		if b, ok := s.cond.(*bin); ok {
			f := &function{name: h.fresh("is", "check", "test", "holds"), result: truth}
			used := map[string]bool{}
			deep(b, func(e expr) expr { return noted(e, used) })
			args := h.params(f, known2(used, known), known)
			f.body = []stmt{&result{s.cond}}
			s.cond = &call{f.name, args}
			return f, s
		}
	}
	return nil, nil
}

func noted(e expr, used map[string]bool) expr {
	if n, ok := e.(name); ok {
		used[string(n)] = true
	}
	return e
}

func known2(used map[string]bool, known map[string]kind) (out []string) {
	for n := range used {
		if _, ok := known[n]; ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// params gives a method what it needs from outside.
func (h *hand) params(f *function, free []string, known map[string]kind) (args []expr) {
	for _, n := range free {
		f.params = append(f.params, param{n, known[n]})
		args = append(args, name(n))
	}
	return args
}

// outer lists the variables from outside that statements use, and which they change.
func outer(body []stmt, known map[string]kind) (free, changed []string) {
	used, set1, own := map[string]bool{}, map[string]bool{}, map[string]bool{}
	walk(body, func(s stmt) {
		switch s := s.(type) {
		case *decl:
			own[s.name] = true
		case *loop:
			own[s.name] = true
		case *each:
			own[s.name] = true
		case *set:
			if n, ok := s.to.(name); ok {
				set1[string(n)] = true
			}
		}
	}, func(e expr) expr { return noted(e, used) })
	for _, n := range known2(used, known) {
		if own[n] {
			continue
		}
		free = append(free, n)
		if set1[n] {
			changed = append(changed, n)
		}
	}
	return free, changed
}

func returns(body []stmt) bool {
	found := false
	walk(body, func(s stmt) {
		if _, ok := s.(*result); ok {
			found = true
		}
	}, func(e expr) expr { return e })
	return found
}

// recursion makes a method that calls itself of a loop that changes nothing outside.
func (h *hand) recursion(l *loop, cond expr) []stmt {
	known := map[string]kind{l.name: whole}
	h.p.bodies(func(body []stmt) []stmt {
		kindsIn(body, known)
		return body
	})
	free, changed := outer([]stmt{l}, known)
	if len(changed) > 0 || returns(l.body) {
		return nil
	}
	f := &function{name: h.fresh("repeat", "next", "go", "visit"), params: []param{{l.name, whole}}}
	args := h.params(f, free, known)
	again := append([]expr{&bin{"+", name(l.name), number(l.step)}}, args...)
	f.body = []stmt{&branch{cond, append(l.body, &do{&call{f.name, again}}), nil}}
	h.p.helpers = append(h.p.helpers, f)
	return []stmt{&do{&call{f.name, append([]expr{l.from}, args...)}}}
}

// inline puts the bodies of methods where they are called.
func (h *hand) inline(p float64) {
	for _, f := range slices.Clone(h.p.helpers) {
		if !h.coin(p) || !inlinable(f) {
			continue
		}
		left := false
		for _, b := range h.p.blocks {
			b.body = inside(b.body, func(body []stmt) []stmt { return h.inlined(f, body) })
			left = left || calls(b.body, f.name)
		}
		for _, g := range h.p.helpers {
			left = left || g != f && calls(g.body, f.name)
		}
		if !left {
			h.p.helpers = slices.DeleteFunc(h.p.helpers, func(g *function) bool { return g == f })
		}
	}
}

// inlinable tells methods that end with their only result, or look for one in a loop.
func inlinable(f *function) bool {
	return !calls(f.body, f.name) && len(f.body) > 0
}

func calls(body []stmt, method string) bool {
	found := false
	walk(body, func(stmt) {}, func(e expr) expr {
		if c, ok := e.(*call); ok && c.name == method {
			found = true
		}
		return e
	})
	return found
}

func (h *hand) inlined(f *function, body []stmt) []stmt {
	var out []stmt
	for _, s := range body {
		var c *call
		own := func(e expr) expr {
			if got, ok := e.(*call); ok && got.name == f.name {
				c = got
			}
			return e
		}
		switch s := s.(type) {
		case *decl:
			deep(s.value, own)
		case *set:
			deep(s.value, own)
		case *branch:
			deep(s.cond, own)
		case *say, *do:
			walk([]stmt{s}, func(stmt) {}, own)
		}
		if c == nil {
			out = append(out, s)
			continue
		}
		out = append(out, h.placed(f, c, s)...)
	}
	return out
}

// placed is a statement with the body of the method it calls before it.
func (h *hand) placed(f *function, c *call, s stmt) []stmt {
	var out []stmt
	for i, q := range f.params {
		if i < len(c.args) && c.args[i] != expr(name(q.name)) {
			out = append(out, &decl{q.name, q.kind, c.args[i]})
		}
	}
	value := name(h.fresh("outcome", "found", "value", "res"))
	body := cloneAll(f.body)
	if f.result != nothing {
		out = append(out, &decl{string(value), f.result, number(0)})
		body = noResults(body, value, false)
	}
	out = append(out, body...)
	if _, ok := s.(*do); ok {
		return out
	}
	walk([]stmt{s}, func(stmt) {}, func(e expr) expr {
		if e == expr(c) {
			return value
		}
		return e
	})
	return append(out, s)
}

// noResults sets a variable where a method returned; in a loop it leaves that, too.
func noResults(body []stmt, to name, looping bool) []stmt {
	var out []stmt
	for _, s := range body {
		switch s := s.(type) {
		case *result:
			out = append(out, &set{to, "=", s.value})
			if looping {
				out = append(out, &leave{})
			}
			continue
		case *branch:
			s.then, s.alt = noResults(s.then, to, looping), noResults(s.alt, to, looping)
		case *loop:
			s.body = noResults(s.body, to, true)
		case *while:
			s.body = noResults(s.body, to, true)
		case *each:
			s.body = noResults(s.body, to, true)
		}
		out = append(out, s)
	}
	return out
}

// split declares first and sets later, and gives parts of an expression a name.
func (h *hand) split(p float64) {
	h.p.rewrite(func(s stmt) []stmt {
		d, ok := s.(*decl)
		if !ok || d.value == nil || d.kind == list || !h.coin(p) {
			return []stmt{s}
		}
		var out []stmt
		if b, ok := d.value.(*bin); ok && h.coin(0.6) {
			if inner, ok := b.l.(*bin); ok {
				part := h.fresh("part", "half", "tmp")
				out = append(out, &decl{part, d.kind, inner})
				b.l = name(part)
			}
		}
		return append(out, &decl{d.name, d.kind, nil}, &set{name(d.name), "=", d.value})
	})
}

// join puts the value of a variable where it is used, if that is once and right after.
func (h *hand) join(p float64) {
	h.p.bodies(func(body []stmt) []stmt {
		for i := 0; i+1 < len(body); i++ {
			d, ok := body[i].(*decl)
			if !ok || d.value == nil || d.kind == list || !h.coin(p) || uses(body[i+1:], d.name) != 1 ||
				uses(body[i+1:i+2], d.name) != 1 || loops(body[i+1]) {
				continue
			}
			walk(body[i+1:i+2], func(stmt) {}, func(e expr) expr {
				if e == expr(name(d.name)) {
					return d.value
				}
				return e
			})
			body = slices.Delete(body, i, i+1)
		}
		return body
	})
}

func loops(s stmt) bool {
	switch s.(type) {
	case *say, *set, *result, *decl, *do:
		return false
	}
	return true
}

func uses(body []stmt, what string) int {
	n := 0
	walk(body, func(s stmt) {
		if d, ok := s.(*decl); ok && d.name == what {
			n += 2
		}
	}, func(e expr) expr {
		if e == expr(name(what)) {
			n++
		}
		return e
	})
	return n
}

// constants gives values a name before everything else.
func (h *hand) constants(p float64) {
	called := map[expr]string{}
	h.p.exprs(func(e expr) expr {
		k := whole
		switch v := e.(type) {
		case number:
			if v < 2 {
				return e
			}
		case quote:
			k = text
		default:
			return e
		}
		if _, met := called[e]; !met {
			called[e] = ""
			if h.coin(p) {
				called[e] = strings.ToUpper(h.fresh("limit", "max", "value", "const", "bound", "text"))
				h.p.constants = append(h.p.constants, &decl{called[e], k, e})
			}
		}
		if called[e] == "" {
			return e
		}
		return name(called[e])
	})
}
