package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// Languages are those the corpus is printed in, by their file extension.
var Languages = []string{".java", ".py", ".c", ".cs", ".js"}

// printer writes a program in one language and one layout.
type printer struct {
	strings.Builder
	lang    string
	notes   func() string // a comment now and then, or ""
	indent  string
	newLine bool // braces on a line of their own
	blanks  bool // blank lines between statements now and then
	output  int
	tight   bool
	depth   int
	count   int
}

var kinds = map[string][6]string{
	".java": {"void", "int", "double", "boolean", "String", "int[]"},
	".c":    {"void", "int", "double", "int", "char *", "int *"},
	".cs":   {"void", "int", "double", "bool", "string", "int[]"},
	".js":   {"let", "let", "let", "let", "let", "let"},
}

func (p *printer) line(format string, args ...any) {
	p.count++
	if note := p.notes(); note != "" {
		mark := "// "
		if p.lang == ".py" {
			mark = "# "
		}
		p.WriteString(strings.Repeat(p.indent, p.depth) + mark + note + "\n")
	}
	p.WriteString(strings.Repeat(p.indent, p.depth))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
	if p.blanks && p.count%5 == 0 {
		p.WriteByte('\n')
	}
}

// open begins a nested block, close ends it.
func (p *printer) open(head string) {
	switch {
	case p.lang == ".py":
		p.line("%s:", head)
	case p.newLine:
		p.line("%s", head)
		p.line("{")
	default:
		p.line("%s {", head)
	}
	p.depth++
}

func (p *printer) close() {
	p.depth--
	if p.lang != ".py" {
		p.line("}")
	}
}

func (p *printer) program(pr *program) string {
	main := &function{name: "main"}
	p.output, p.tight = pr.output, pr.tight
	helpers := pr.helpers
	for _, b := range pr.blocks {
		if b.own {
			helpers = append(helpers[:len(helpers):len(helpers)], &function{name: b.name, body: b.body})
			main.body = append(main.body, &do{&call{b.name, nil}})
			continue
		}
		main.body = append(main.body, b.body...)
	}
	for _, n := range pr.notes {
		p.stmt(&note{n})
	}
	p.head()
	for _, c := range pr.constants {
		p.constant(c)
	}
	for _, f := range helpers {
		p.function(f, false)
	}
	p.function(main, true)
	if p.lang == ".java" || p.lang == ".cs" {
		p.close()
	}
	if p.lang == ".py" || p.lang == ".js" {
		p.line("main()%s", p.end())
	}
	return p.String()
}

func (p *printer) head() {
	switch p.lang {
	case ".java":
		p.line("import java.util.Scanner;")
		p.open("public class Main")
	case ".cs":
		p.line("using System;")
		p.open("class Program")
	case ".c":
		p.line("#include <stdio.h>")
	}
}

func (p *printer) end() string {
	if p.lang == ".py" {
		return ""
	}
	return ";"
}

func (p *printer) function(f *function, main bool) {
	var params []string
	for _, a := range f.params {
		if p.lang == ".py" || p.lang == ".js" {
			params = append(params, a.name)
		} else {
			params = append(params, kinds[p.lang][a.kind]+" "+a.name)
		}
	}
	args := strings.Join(params, ", ")
	switch {
	case p.lang == ".java" && main:
		p.open("public static void main(String[] args)")
	case p.lang == ".cs" && main:
		p.open("static void Main(string[] args)")
	case p.lang == ".c" && main:
		p.open("int main(void)")
	case p.lang == ".java":
		p.open(fmt.Sprintf("public static %s %s(%s)", kinds[p.lang][f.result], f.name, args))
	case p.lang == ".cs":
		p.open(fmt.Sprintf("static %s %s(%s)", kinds[p.lang][f.result], f.name, args))
	case p.lang == ".c":
		p.open(fmt.Sprintf("%s %s(%s)", kinds[p.lang][f.result], f.name, args))
	case p.lang == ".py":
		p.open(fmt.Sprintf("def %s(%s)", f.name, args))
	default:
		p.open(fmt.Sprintf("function %s(%s)", f.name, args))
	}
	p.body(f.body)
	p.close()
}

func (p *printer) body(body []stmt) {
	for _, s := range body {
		p.stmt(s)
	}
	if len(body) == 0 && p.lang == ".py" {
		p.line("pass")
	}
}

func (p *printer) stmt(s stmt) {
	switch s := s.(type) {
	case *decl:
		p.decl(s)
	case *set:
		p.line("%s %s %s%s", p.expr(s.to), s.op, p.expr(s.value), p.end())
	case *branch:
		p.branch(s)
	case *loop:
		p.loop(s)
	case *while:
		p.open(p.head1("while", p.expr(s.cond)))
		p.body(s.body)
		p.close()
	case *result:
		p.line("return %s%s", p.expr(s.value), p.end())
	case *say:
		p.line("%s%s", p.print(s), p.end())
	case *do:
		p.line("%s%s", p.expr(s.call), p.end())
	default:
		p.more(s)
	}
}

func (p *printer) head1(word, cond string) string {
	if p.lang == ".py" {
		return word + " " + cond
	}
	return word + " (" + cond + ")"
}

func (p *printer) decl(d *decl) {
	switch {
	case d.value == nil:
		p.declareOnly(d)
	case p.lang == ".py":
		p.line("%s = %s", d.name, p.expr(d.value))
	case p.lang == ".c" && d.kind == list:
		p.line("int %s[] = %s;", d.name, p.expr(d.value))
	default:
		p.line("%s %s = %s;", kinds[p.lang][d.kind], d.name, p.expr(d.value))
	}
}

func (p *printer) branch(b *branch) {
	p.open(p.head1("if", p.expr(b.cond)))
	p.body(b.then)
	p.close()
	for len(b.alt) == 1 {
		next, ok := b.alt[0].(*branch)
		if !ok {
			break
		}
		word := "else if"
		if p.lang == ".py" {
			word = "elif"
		}
		p.open(p.head1(word, p.expr(next.cond)))
		p.body(next.then)
		p.close()
		b = next
	}
	if len(b.alt) > 0 {
		p.open("else")
		p.body(b.alt)
		p.close()
	}
}

func (p *printer) loop(l *loop) {
	step := l.name + "++"
	if l.step != 1 {
		step = fmt.Sprintf("%s += %d", l.name, l.step)
	}
	if p.lang == ".py" {
		to := p.expr(l.to)
		if l.op == "<=" {
			to += " + 1"
		}
		if by := strconv.Itoa(l.step); l.step != 1 {
			to += ", " + by
		}
		p.open(fmt.Sprintf("for %s in range(%s, %s)", l.name, p.expr(l.from), to))
	} else {
		p.open(fmt.Sprintf("for (%s %s = %s; %s %s %s; %s)", kinds[p.lang][whole], l.name, p.expr(l.from),
			l.name, l.op, p.expr(l.to), step))
	}
	p.body(l.body)
	p.close()
}

// print writes a line of output in one of the ways the language has.
func (p *printer) print(s *say) string {
	format, args := p.format(s)
	parts := p.parts(s)
	way := p.output
	if p.lang == ".c" || len(s.parts) == 1 && way == 1 {
		way = 2 * (1 - way%2) // printf or puts with one part alone would be odd
	}
	switch p.lang {
	case ".java":
		return [...]string{"System.out.println(" + strings.Join(parts, " + ") + ")",
			"System.out.printf(\"" + format + "\\n\"" + args + ")",
			"System.out.print(" + strings.Join(parts, " + ") + " + \"\\n\")"}[way]
	case ".cs":
		return [...]string{"Console.WriteLine(" + strings.Join(parts, " + ") + ")",
			"Console.WriteLine(\"" + strings.ReplaceAll(format, "%d", "{0}") + "\"" + args + ")",
			"Console.Write(" + strings.Join(parts, " + ") + " + \"\\n\")"}[way]
	case ".js":
		return [...]string{"console.log(" + strings.Join(parts, " + ") + ")",
			"console.log(`" + p.template(s) + "`)", "console.log(" + strings.Join(parts, ", ") + ")"}[way]
	case ".py":
		return [...]string{"print(" + strings.Join(parts, ", ") + ")", "print(f\"" + p.template(s) + "\")",
			"print(str(" + strings.Join(parts, ") + str(") + "))"}[way]
	}
	if way == 2 && args == "" {
		return "puts(\"" + format + "\")"
	}
	return "printf(\"" + format + "\\n\"" + args + ")"
}

func (p *printer) parts(s *say) []string {
	var out []string
	for _, e := range s.parts {
		out = append(out, p.side(e))
	}
	return out
}

func (p *printer) format(s *say) (format, args string) {
	for _, e := range s.parts {
		if q, ok := e.(quote); ok {
			format += string(q)
			continue
		}
		format += "%d"
		args += ", " + p.expr(e)
	}
	return format, args
}

// template is a string with expressions inside.
func (p *printer) template(s *say) string {
	open := "${"
	if p.lang == ".py" {
		open = "{"
	}
	out := ""
	for _, e := range s.parts {
		if q, ok := e.(quote); ok {
			out += string(q)
			continue
		}
		out += open + p.expr(e) + "}"
	}
	return out
}

func (p *printer) expr(e expr) string {
	switch e := e.(type) {
	case name:
		return string(e)
	case number:
		return strconv.Itoa(int(e))
	case quote:
		return strconv.Quote(string(e))
	case *bin:
		return p.operand(e.l, e.op) + " " + p.operator(e.op) + " " + p.operand(e.r, e.op)
	case *call:
		var args []string
		for _, a := range e.args {
			args = append(args, p.expr(a))
		}
		return e.name + "(" + strings.Join(args, ", ") + ")"
	case *at:
		return p.expr(e.list) + "[" + p.expr(e.index) + "]"
	case *length:
		return p.length(p.expr(e.list))
	case *items:
		return p.items(e.values)
	}
	return p.moreExpr(e)
}

func (p *printer) length(of string) string {
	switch p.lang {
	case ".py":
		return "len(" + of + ")"
	case ".c":
		return "sizeof(" + of + ") / sizeof(" + of + "[0])"
	case ".cs":
		return of + ".Length"
	}
	return of + ".length"
}

func (p *printer) items(values []int) string {
	var out []string
	for _, v := range values {
		out = append(out, strconv.Itoa(v))
	}
	inner := strings.Join(out, ", ")
	if p.lang == ".py" || p.lang == ".js" {
		return "[" + inner + "]"
	}
	return "{" + inner + "}"
}

// operand puts brackets round an operation, which some do without where they can.
func (p *printer) operand(e expr, outer string) string {
	inner, ok := e.(*bin)
	if ok && p.tight && binds[inner.op] > binds[outer] {
		return p.expr(e)
	}
	return p.side(e)
}

// binds tells how strongly an operator binds.
var binds = map[string]int{"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, ">": 3, "<=": 3, ">=": 3, "+": 4, "-": 4,
	"*": 5, "/": 5, "%": 5}

// side puts an operand that is itself an operation into brackets.
func (p *printer) side(e expr) string {
	if _, ok := e.(*bin); ok {
		return "(" + p.expr(e) + ")"
	}
	return p.expr(e)
}

func (p *printer) operator(op string) string {
	if p.lang == ".py" {
		switch op {
		case "&&":
			return "and"
		case "||":
			return "or"
		}
	}
	return op
}
