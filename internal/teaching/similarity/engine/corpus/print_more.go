package corpus

import "strings"

// more writes the statements that only restructured programs have.
func (p *printer) more(s stmt) {
	switch s := s.(type) {
	case *note:
		if p.lang == ".py" {
			p.line("# %s", s.text)
		} else {
			p.line("// %s", s.text)
		}
	case *each:
		p.open(p.eachHead(s))
		p.body(s.body)
		p.close()
	case *until:
		p.until(s)
	case *forever:
		p.open(p.head1("while", p.truth(true)))
		p.body(s.body)
		p.close()
	case *leave:
		p.line("break%s", p.end())
	case *cases:
		p.cases(s)
	}
}

func (p *printer) truth(yes bool) string {
	word := map[bool]string{true: "true", false: "false"}[yes]
	switch p.lang {
	case ".py":
		return strings.ToUpper(word[:1]) + word[1:]
	case ".c":
		return map[bool]string{true: "1", false: "0"}[yes]
	}
	return word
}

func (p *printer) eachHead(s *each) string {
	list := p.expr(s.list)
	switch p.lang {
	case ".py":
		return "for " + s.name + " in " + list
	case ".cs":
		return "foreach (int " + s.name + " in " + list + ")"
	case ".js":
		return "for (const " + s.name + " of " + list + ")"
	case ".c":
		return "for (const int *" + s.name + " = " + list + "; " + s.name + " < " + list + " + " + p.length(list) + "; " +
			s.name + "++)"
	}
	return "for (int " + s.name + " : " + list + ")"
}

// until is a loop that tests at its end; Python has none and leaves by a break.
func (p *printer) until(s *until) {
	if p.lang == ".py" {
		p.open("while True")
		p.body(s.body)
		p.branch(&branch{&not{s.cond}, []stmt{&leave{}}, nil})
		p.close()
		return
	}
	p.open("do")
	p.body(s.body)
	p.depth--
	p.line("} while (%s);", p.expr(s.cond))
}

// cases is a switch; Python writes a chain of conditions.
func (p *printer) cases(s *cases) {
	if p.lang == ".py" {
		chain := s.rest
		for i := len(s.of) - 1; i >= 0; i-- {
			chain = []stmt{&branch{&bin{"==", s.on, s.of[i].value}, s.of[i].body, chain}}
		}
		p.body(chain)
		return
	}
	p.open("switch (" + p.expr(s.on) + ")")
	for _, o := range s.of {
		p.line("case %s:", p.expr(o.value))
		p.depth++
		p.body(append(o.body[:len(o.body):len(o.body)], &leave{}))
		p.depth--
	}
	p.line("default:")
	p.depth++
	p.body(s.rest)
	p.depth--
	p.close()
}

// declareOnly names a variable that gets its value later.
func (p *printer) declareOnly(d *decl) {
	switch {
	case p.lang == ".py":
		p.line("%s = None", d.name)
	case p.lang == ".c" && d.kind == text:
		p.line("char *%s;", d.name)
	default:
		p.line("%s %s;", kinds[p.lang][d.kind], d.name)
	}
}

func (p *printer) constant(c *decl) {
	value := p.expr(c.value)
	switch p.lang {
	case ".java":
		p.line("private static final %s %s = %s;", kinds[p.lang][c.kind], c.name, value)
	case ".cs":
		p.line("const %s %s = %s;", kinds[p.lang][c.kind], c.name, value)
	case ".c":
		p.line("#define %s %s", c.name, value)
	case ".js":
		p.line("const %s = %s;", c.name, value)
	default:
		p.line("%s = %s", c.name, value)
	}
}

func (p *printer) moreExpr(e expr) string {
	switch e := e.(type) {
	case *not:
		if p.lang == ".py" {
			return "not " + p.side(e.of)
		}
		return "!" + p.side(e.of)
	case *either:
		if p.lang == ".py" {
			return p.side(e.yes) + " if " + p.expr(e.cond) + " else " + p.side(e.no)
		}
		return p.side(e.cond) + " ? " + p.side(e.yes) + " : " + p.side(e.no)
	}
	return ""
}
