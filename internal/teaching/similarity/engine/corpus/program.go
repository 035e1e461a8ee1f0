// Package corpus makes small programs to measure the comparison by: exercises
// of a first year, solved independently in many ways, and copies of them,
// disguised in the ways copies are. The same seed makes the same corpus.
//
// A program is built once, as statements, and printed in five languages. It
// is meant to be read by a lexer, not to be run.
package corpus

// program is a sheet of exercises: helpers and the blocks of main, each of
// which stands on its own.
type program struct {
	helpers []*function
	blocks  []*block
	output  int  // the way it prints, of three
	tight   bool // brackets only where they are needed

	constants []*decl  // named values before everything else
	notes     []string // comment lines at the very top
}

type block struct {
	name string
	body []stmt
	own  bool // it is a function, not a part of main
}

type function struct {
	name   string
	params []param
	result kind
	body   []stmt
}

type param struct {
	name string
	kind kind
}

type kind int

const (
	nothing kind = iota
	whole
	real
	truth
	text
	list
)

type stmt interface{}

type (
	decl struct {
		name  string
		kind  kind
		value expr
	}
	set struct {
		to    expr
		op    string // "=", "+=", "-=", "*=", "/="
		value expr
	}
	branch struct {
		cond      expr
		then, alt []stmt
	}
	loop struct { // for name := from; name op to; name += step
		name     string
		from, to expr
		op       string
		step     int
		body     []stmt
	}
	while struct {
		cond expr
		body []stmt
	}
	each struct { // for name of list
		name string
		list expr
		body []stmt
	}
	until struct { // do body while cond
		cond expr
		body []stmt
	}
	forever struct{ body []stmt }
	leave   struct{} // break
	cases   struct { // switch
		on   expr
		of   []option
		rest []stmt
	}
	option struct {
		value expr
		body  []stmt
	}
	note   struct{ text string } // a comment line
	result struct{ value expr }
	say    struct{ parts []expr }
	do     struct{ call expr }
)

type expr interface{}

type (
	name   string
	number int
	quote  string
	bin    struct {
		op   string
		l, r expr
	}
	call struct {
		name string
		args []expr
	}
	at     struct{ list, index expr }
	length struct{ list expr }
	items  struct{ values []int }
	not    struct{ of expr }
	either struct{ cond, yes, no expr }
)

// rename gives every name of the program another one.
func (p *program) rename(to func(string) string) {
	for _, f := range p.helpers {
		f.name = to(f.name)
		for i := range f.params {
			f.params[i].name = to(f.params[i].name)
		}
		renameAll(f.body, to)
	}
	for _, c := range p.constants {
		c.name = to(c.name)
	}
	for _, b := range p.blocks {
		b.name = to(b.name)
		renameAll(b.body, to)
	}
}

func renameAll(body []stmt, to func(string) string) {
	walk(body, func(s stmt) {
		switch s := s.(type) {
		case *decl:
			s.name = to(s.name)
		case *loop:
			s.name = to(s.name)
		case *each:
			s.name = to(s.name)
		}
	}, func(e expr) expr {
		switch e := e.(type) {
		case name:
			return name(to(string(e)))
		case *call:
			e.name = to(e.name)
		}
		return e
	})
}

// walk visits all statements, and replaces all expressions by what f makes of them.
func walk(body []stmt, visit func(stmt), f func(expr) expr) {
	for _, s := range body {
		visit(s)
		switch s := s.(type) {
		case *decl:
			s.value = deep(s.value, f)
		case *set:
			s.to, s.value = deep(s.to, f), deep(s.value, f)
		case *branch:
			s.cond = deep(s.cond, f)
			walk(s.then, visit, f)
			walk(s.alt, visit, f)
		case *loop:
			s.from, s.to = deep(s.from, f), deep(s.to, f)
			walk(s.body, visit, f)
		case *while:
			s.cond = deep(s.cond, f)
			walk(s.body, visit, f)
		case *result:
			s.value = deep(s.value, f)
		case *say:
			for i := range s.parts {
				s.parts[i] = deep(s.parts[i], f)
			}
		case *do:
			s.call = deep(s.call, f)
		default:
			walkMore(s, visit, f)
		}
	}
}

// walkMore visits the statements that only restructured programs have.
func walkMore(s stmt, visit func(stmt), f func(expr) expr) {
	switch s := s.(type) {
	case *each:
		s.list = deep(s.list, f)
		walk(s.body, visit, f)
	case *until:
		s.cond = deep(s.cond, f)
		walk(s.body, visit, f)
	case *forever:
		walk(s.body, visit, f)
	case *cases:
		s.on = deep(s.on, f)
		for _, o := range s.of {
			walk(o.body, visit, f)
		}
		walk(s.rest, visit, f)
	}
}

func deep(e expr, f func(expr) expr) expr {
	switch e := e.(type) {
	case *bin:
		e.l, e.r = deep(e.l, f), deep(e.r, f)
	case *call:
		for i := range e.args {
			e.args[i] = deep(e.args[i], f)
		}
	case *at:
		e.list, e.index = deep(e.list, f), deep(e.index, f)
	case *length:
		e.list = deep(e.list, f)
	case *not:
		e.of = deep(e.of, f)
	case *either:
		e.cond, e.yes, e.no = deep(e.cond, f), deep(e.yes, f), deep(e.no, f)
	}
	return f(e)
}
