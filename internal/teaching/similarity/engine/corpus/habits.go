package corpus

import "fmt"

// habits puts into a solution what students do beside the point: headings,
// variables for what could be said at once, sizes kept in a variable.
type habits struct {
	*author
	heading, blank, hoist, size, early, turn float64
	headings                                 []string
	n                                        int
}

func (a *author) habits(strength float64) *habits {
	often := func() float64 { return strength * []float64{0.05, 0.2, 0.5, 0.9}[a.IntN(4)] }
	styles := [][]string{{"Exercise %d", "Task %d", "Part %d:", "%d)", "--- %d ---", "Result of %d"},
		{"Now number %d", "No. %d", "*** %d ***"}}
	return &habits{author: a, heading: often(), blank: often(), hoist: often(), size: often(), early: often(),
		turn: often() / 2, headings: styles[a.IntN(2)]}
}

func (h *habits) apply(p *program) {
	heading := h.headings[h.IntN(len(h.headings))]
	for _, f := range p.helpers {
		h.turned(f.body)
		f.body = h.body(f.body)
	}
	for i, b := range p.blocks {
		h.turned(b.body)
		b.body = h.body(b.body)
		if h.coin(h.heading) {
			b.body = append([]stmt{&say{[]expr{quote(fmt.Sprintf(heading, i+1))}}}, b.body...)
		}
		if h.coin(h.blank) {
			b.body = append(b.body, &say{[]expr{quote("")}})
		}
	}
}

// turned writes b + a for a + b, and declares in another order.
func (h *habits) turned(body []stmt) {
	walk(body, func(stmt) {}, func(e expr) expr {
		if b, ok := e.(*bin); ok && (b.op == "+" || b.op == "*") && h.coin(h.turn) {
			b.l, b.r = b.r, b.l
		}
		return e
	})
	swapDeclarations(h.Rand, body, h.turn)
}

func (h *habits) body(body []stmt) []stmt {
	var out []stmt
	for _, s := range body {
		switch s := s.(type) {
		case *loop:
			out = append(out, h.keep(&s.to)...)
			s.body = h.body(s.body)
		case *while:
			s.body = h.body(s.body)
		case *branch:
			s.then, s.alt = h.body(s.then), h.alt(s.alt)
		case *say:
			out = append(out, h.spoken(s)...)
		case *result:
			if _, simple := s.value.(name); !simple && h.coin(h.hoist/2) {
				out = append(out, h.variable("answer result value ret", whole, &s.value))
			}
		case *decl:
			if n, ok := s.value.(number); ok && n >= 10 && h.coin(h.early) {
				out = append(out, h.variable("start first input given", whole, &s.value))
			}
		}
		out = append(out, s)
	}
	return out
}

// alt leaves a chain of else if a chain.
func (h *habits) alt(body []stmt) []stmt {
	if len(body) == 1 {
		if b, ok := body[0].(*branch); ok {
			b.then, b.alt = h.body(b.then), h.alt(b.alt)
			return body
		}
	}
	return h.body(body)
}

// keep puts the bound of a loop into a variable of its own.
func (h *habits) keep(to *expr) []stmt {
	switch (*to).(type) {
	case *length, number:
		if h.coin(h.size) {
			return []stmt{h.variable("size len limit end upper last", whole, to)}
		}
	}
	return nil
}

// spoken puts what is printed into a variable first.
func (h *habits) spoken(s *say) []stmt {
	for i, part := range s.parts {
		switch part.(type) {
		case *call, *bin, *at:
			if h.coin(h.hoist) {
				return []stmt{h.variable("output answer shown current item", whole, &s.parts[i])}
			}
		}
	}
	return nil
}

func (h *habits) variable(pool string, k kind, value *expr) stmt {
	h.n++
	v := name(h.pick(pool))
	if h.n > 1 && used(h.called, string(v)) {
		v = name(fmt.Sprintf("%s%d", v, h.n))
	}
	h.called[fmt.Sprint("habit", h.n)] = string(v)
	d := &decl{string(v), k, *value}
	*value = v
	return d
}
