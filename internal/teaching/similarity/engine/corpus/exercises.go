package corpus

// exercise adds a student's solution to a program.
type exercise func(a *author, p *program)

var exercises = []exercise{average, extremes, primes, divisor, factorial, leapYears, table, grades, sorting, palindrome,
	temperatures, collatz, fibonacci, powers, searching}

func (p *program) block(name string, body ...stmt) {
	p.blocks = append(p.blocks, &block{name: name, body: body})
}

func average(a *author, p *program) {
	sum, list, i := a.v("sum"), a.v("list"), a.v("i")
	body := []stmt{&decl{string(list), kindList, a.data(4, 8, 15, 16, 23, 42)}, &decl{string(sum), whole, number(0)}}
	body = append(body, a.counted("i", number(0), "<", &length{list}, a.add(sum, &at{list, i}))...)
	avg := &bin{"/", sum, &length{list}}
	if a.coin(0.6) {
		body = append(body, &decl{a.call("avg"), real, avg}, &say{[]expr{a.one("Sum: ", "The sum is ", "sum = "), sum}},
			&say{[]expr{a.one("Average: ", "The average is ", "avg = "), a.v("avg")}})
	} else {
		body = append(body, &say{[]expr{a.one("Sum: ", "Total "), sum}}, &say{[]expr{a.one("Average: ", "Mean "), avg}})
	}
	p.block("averages", body...)
	a.forget("sum", "i")
}

const kindList = list

func extremes(a *author, p *program) {
	list, i, high, low := name(a.call("list")+"2"), a.v("i"), a.v("max"), a.v("min")
	start := expr(&at{list, number(0)})
	from := number(1)
	if a.coin(0.4) {
		start, from = number(0), number(0)
	}
	tests := []stmt{
		&branch{a.less(&at{list, i}, ">", high), []stmt{&set{high, "=", &at{list, i}}}, nil},
		&branch{a.less(&at{list, i}, "<", low), []stmt{&set{low, "=", &at{list, i}}}, nil},
	}
	if a.coin(0.3) {
		tests = []stmt{&branch{a.less(&at{list, i}, ">", high), []stmt{&set{high, "=", &at{list, i}}}, tests[1:]}}
	}
	body := []stmt{&decl{string(list), kindList, a.data(3, 9, 27, 1, 81)}, &decl{string(high), whole, start},
		&decl{string(low), whole, &at{list, number(0)}}}
	body = append(body, a.counted("i", from, "<", &length{list}, tests...)...)
	body = append(body, &say{[]expr{a.one("Largest: ", "Max is ", "The largest number is "), high}},
		&say{[]expr{a.one("Smallest: ", "Min is ", "The smallest number is "), low}})
	p.block("extremes", body...)
	a.forget("i", "max", "min")
}

func primes(a *author, p *program) {
	n, i := a.v("n"), a.v("i")
	divides := &bin{"==", &bin{"%", n, i}, number(0)}
	limit, op := expr(n), "<"
	switch a.IntN(3) {
	case 1:
		limit, op = &bin{"/", n, number(2)}, "<="
	case 2:
		limit, op = &bin{"-", n, number(1)}, "<="
	}
	var body []stmt
	if a.coin(0.6) {
		body = append(body, &branch{a.less(n, "<", number(2)), []stmt{&result{number(0)}}, nil})
	}
	if a.coin(0.5) {
		body = append(body, a.counted("i", number(2), op, limit, &branch{divides, []stmt{&result{number(0)}}, nil})...)
		body = append(body, &result{number(1)})
	} else {
		flag := a.v("flag")
		body = append(body, &decl{string(flag), whole, number(1)})
		body = append(body, a.counted("i", number(2), op, limit,
			&branch{divides, []stmt{&set{flag, "=", number(0)}}, nil})...)
		body = append(body, &result{flag})
	}
	f := a.call("prime")
	p.helpers = append(p.helpers, &function{f, []param{{string(n), whole}}, whole, body})
	k := a.v("j")
	p.block("primes", a.counted("j", number(2), "<=", number(100),
		&branch{&bin{"==", &call{f, []expr{k}}, number(1)}, []stmt{&say{[]expr{k}}}, nil})...)
	a.forget("n", "i", "j", "flag")
}

func divisor(a *author, p *program) {
	x, y := a.v("a"), a.v("b")
	var body []stmt
	f := a.call("gcd")
	switch a.IntN(3) {
	case 0:
		r := a.v("rest")
		body = []stmt{&while{&bin{"!=", y, number(0)}, []stmt{&decl{string(r), whole, &bin{"%", x, y}},
			&set{x, "=", y}, &set{y, "=", r}}}, &result{x}}
	case 1:
		body = []stmt{&while{&bin{"!=", x, y}, []stmt{&branch{a.less(x, ">", y), []stmt{&set{x, "-=", y}},
			[]stmt{&set{y, "-=", x}}}}}, &result{x}}
	default:
		body = []stmt{&branch{&bin{"==", y, number(0)}, []stmt{&result{x}}, nil},
			&result{&call{f, []expr{y, &bin{"%", x, y}}}}}
	}
	p.helpers = append(p.helpers, &function{f, []param{{string(x), whole}, {string(y), whole}}, whole, body})
	p.block("divisors", &say{[]expr{a.one("GCD: ", "The gcd is ", "gcd of 84 and 36: "),
		&call{f, []expr{number(84), number(36)}}}})
	a.forget("a", "b", "rest")
}

func factorial(a *author, p *program) {
	n, i, r := a.v("n"), a.v("i"), a.v("prod")
	f := a.call("fact")
	var body []stmt
	if a.coin(0.4) {
		body = []stmt{&branch{a.less(n, "<=", number(1)), []stmt{&result{number(1)}}, nil},
			&result{&bin{"*", n, &call{f, []expr{&bin{"-", n, number(1)}}}}}}
	} else {
		body = []stmt{&decl{string(r), whole, number(1)}}
		body = append(body, a.counted("i", number(1+a.IntN(2)), "<=", n, &set{r, "*=", i})...)
		body = append(body, &result{r})
	}
	p.helpers = append(p.helpers, &function{f, []param{{string(n), whole}}, whole, body})
	k := a.v("j")
	p.block("factorials", a.counted("j", number(a.IntN(2)), "<=", number(10),
		&say{[]expr{k, a.one("! = ", " ", ": "), &call{f, []expr{k}}}})...)
	a.forget("n", "i", "j", "prod")
}

func leapYears(a *author, p *program) {
	y := a.v("year")
	by := func(n int, op string) expr { return &bin{op, &bin{"%", y, number(n)}, number(0)} }
	yes := &say{[]expr{y, a.one(" is a leap year", " leap", " yes")}}
	no := &say{[]expr{y, a.one(" is not a leap year", " no")}}
	var test stmt
	switch a.IntN(3) {
	case 0:
		test = &branch{&bin{"||", &bin{"&&", by(4, "=="), by(100, "!=")}, by(400, "==")}, []stmt{yes}, []stmt{no}}
	case 1:
		test = &branch{by(400, "=="), []stmt{yes}, []stmt{&branch{by(100, "=="), []stmt{no},
			[]stmt{&branch{by(4, "=="), []stmt{yes}, []stmt{no}}}}}}
	default:
		test = &branch{by(4, "=="), []stmt{&branch{&bin{"&&", by(100, "=="), by(400, "!=")}, []stmt{no}, []stmt{yes}}},
			[]stmt{no}}
	}
	p.block("years", a.counted("year", number(1896+4*a.IntN(2)), "<=", number(2000), test)...)
	a.forget("year")
}

func table(a *author, p *program) {
	r, c := a.v("row"), a.v("col")
	inner := a.counted("col", number(1), "<=", number(10), &say{[]expr{r, a.one(" x ", " * ", " times "), c,
		a.one(" = ", ": "), &bin{"*", r, c}}})
	if a.coin(0.3) {
		inner = append(inner, &say{[]expr{a.one("----------", "", "==========")}})
	}
	p.block("tables", a.counted("row", number(1), "<=", number(10), inner...)...)
	a.forget("row", "col")
}

func grades(a *author, p *program) {
	s, g := a.v("score"), a.v("grade")
	limits, letters := []int{90, 80, 70, 60}, []string{"A", "B", "C", "D", "F"}
	if a.coin(0.3) {
		limits, letters = []int{85, 75, 65, 50}, []string{"HD", "D", "C", "P", "N"}
	}
	var chain []stmt
	give := func(l string) []stmt { return []stmt{&set{g, "=", quote(l)}} }
	if a.coin(0.3) {
		give = func(l string) []stmt { return []stmt{&say{[]expr{a.one("Grade: ", "You got "), quote(l)}}} }
	}
	chain = give(letters[4])
	for i := 3; i >= 0; i-- {
		chain = []stmt{&branch{a.less(s, ">=", number(limits[i])), give(letters[i]), chain}}
	}
	body := []stmt{&decl{string(s), whole, number(50 + a.IntN(50))}, &decl{string(g), text, quote("")}}
	body = append(append(body, chain...), &say{[]expr{a.one("Grade: ", "Your grade is "), g}})
	p.block("grading", body...)
	a.forget("score", "grade")
}

func sorting(a *author, p *program) {
	list, i, j, t := a.v("list"), a.v("i"), a.v("j"), a.v("tmp")
	next := &bin{"+", j, number(1)}
	swap := func(x, y expr) []stmt {
		return []stmt{&decl{string(t), whole, &at{list, x}},
			&set{&at{list, x}, "=", &at{list, y}}, &set{&at{list, y}, "=", t}}
	}
	last := &bin{"-", &length{list}, number(1)}
	var body []stmt
	switch a.IntN(3) {
	case 0:
		body = a.counted("i", number(0), "<", last, a.counted("j", number(0), "<", &bin{"-", last, i},
			&branch{a.less(&at{list, j}, ">", &at{list, next}), swap(j, next), nil})...)
	case 1:
		pos := a.v("pos")
		inner := []stmt{&decl{string(pos), whole, i}}
		inner = append(inner, a.counted("j", &bin{"+", i, number(1)}, "<", &length{list},
			&branch{a.less(&at{list, j}, "<", &at{list, pos}), []stmt{&set{pos, "=", j}}, nil})...)
		body = a.counted("i", number(0), "<", last, append(inner, swap(i, pos)...)...)
	default:
		body = a.counted("i", number(1), "<", &length{list}, &decl{string(t), whole, &at{list, i}},
			&decl{string(j), whole, &bin{"-", i, number(1)}},
			&while{&bin{"&&", a.less(j, ">=", number(0)), a.less(&at{list, j}, ">", t)},
				[]stmt{&set{&at{list, next}, "=", &at{list, j}}, &set{j, "=", &bin{"-", j, number(1)}}}},
			&set{&at{list, next}, "=", t})
	}
	f := a.call("sorted")
	p.helpers = append(p.helpers, &function{f, []param{{string(list), kindList}}, nothing, body})
	p.block("sorts", append([]stmt{&decl{string(list) + "3", kindList, a.data(5, 3, 9, 1)},
		&do{&call{f, []expr{name(string(list) + "3")}}}},
		a.counted("i", number(0), "<", &length{name(string(list) + "3")},
			&say{[]expr{&at{name(string(list) + "3"), i}}})...)...)
	a.forget("i", "j", "tmp", "pos")
}

func palindrome(a *author, p *program) {
	n, r, d, c := a.v("n"), a.v("rev"), a.v("digit"), a.v("copy")
	ten := number(10)
	body := []stmt{&decl{string(n), whole, number(10000 + a.IntN(9000))}, &decl{string(c), whole, n},
		&decl{string(r), whole, number(0)}}
	inner := []stmt{&set{r, "=", &bin{"+", &bin{"*", r, ten}, &bin{"%", n, ten}}}, &set{n, "/=", ten}}
	if a.coin(0.6) {
		inner = []stmt{&decl{string(d), whole, &bin{"%", n, ten}}, &set{r, "=", &bin{"+", &bin{"*", r, ten}, d}},
			&set{n, "=", &bin{"/", n, ten}}}
	}
	cond := a.less(n, ">", number(0))
	if a.coin(0.4) {
		cond = &bin{"!=", n, number(0)}
	}
	body = append(body, &while{cond, inner}, &branch{&bin{"==", c, r},
		[]stmt{&say{[]expr{a.one("Palindrome", "It is a palindrome", "yes")}}},
		[]stmt{&say{[]expr{a.one("No palindrome", "It is not a palindrome", "no")}}}})
	p.block("palindromes", body...)
	a.forget("n", "rev", "digit", "copy")
}

func temperatures(a *author, p *program) {
	c, f := a.v("cel"), a.v("fah")
	value := expr(&bin{"+", &bin{"/", &bin{"*", c, number(9)}, number(5)}, number(32)})
	if a.coin(0.3) {
		value = &bin{"+", number(32), &bin{"/", &bin{"*", number(9), c}, number(5)}}
	}
	body := []stmt{&decl{string(f), real, value},
		&say{[]expr{c, a.one(" C = ", " ", " degrees are "), f, a.one(" F", "", " fahrenheit")}}}
	if a.coin(0.4) {
		body = []stmt{&say{[]expr{c, a.one(" C = ", "\\t", " -> "), value}}}
	}
	l := a.counted("cel", number(-10*a.IntN(3)), "<=", number(40), body...)
	if first, ok := l[0].(*loop); ok && a.coin(0.5) {
		first.step = 5
	}
	p.block("temps", l...)
	a.forget("cel", "fah")
}

func collatz(a *author, p *program) {
	n, s := a.v("n"), a.v("steps")
	half, up := &set{n, "/=", number(2)}, &set{n, "=", &bin{"+", &bin{"*", number(3), n}, number(1)}}
	test := &branch{&bin{"==", &bin{"%", n, number(2)}, number(0)}, []stmt{half}, []stmt{up}}
	if a.coin(0.3) {
		test = &branch{&bin{"==", &bin{"%", n, number(2)}, number(1)}, []stmt{up}, []stmt{half}}
	}
	inner := []stmt{test, a.add(s, number(1))}
	if a.coin(0.4) {
		inner = append(inner, &say{[]expr{n}})
	}
	p.block("steps", &decl{string(n), whole, number(27)}, &decl{string(s), whole, number(0)},
		&while{&bin{"!=", n, number(1)}, inner}, &say{[]expr{a.one("Steps: ", "It took ", "count "), s}})
	a.forget("n", "steps")
}

func fibonacci(a *author, p *program) {
	x, y, z, i := a.v("f1"), a.v("f2"), a.v("next"), a.v("i")
	inner := []stmt{&say{[]expr{x}}, &decl{string(z), whole, &bin{"+", x, y}}, &set{x, "=", y}, &set{y, "=", z}}
	if a.coin(0.4) {
		inner = []stmt{&decl{string(z), whole, &bin{"+", x, y}},
			&say{[]expr{i, a.one(": ", " "), z}}, &set{x, "=", y}, &set{y, "=", z}}
	}
	body := []stmt{&decl{string(x), whole, number(a.IntN(2))}, &decl{string(y), whole, number(1)}}
	p.block("fib", append(body, a.counted("i", number(a.IntN(2)), "<", number(20), inner...)...)...)
	a.forget("f1", "f2", "next", "i")
}

func powers(a *author, p *program) {
	b, e, r, f := a.v("base"), a.v("exp"), a.v("prod"), a.call("pow")
	body := []stmt{&decl{string(r), whole, number(1)}}
	if a.coin(0.5) {
		body = append(body, a.counted("i", number(0), "<", e, &set{r, "*=", b})...)
	} else {
		body = append(body, &while{a.less(e, ">", number(0)), []stmt{&set{r, "=", &bin{"*", r, b}},
			&set{e, "=", &bin{"-", e, number(1)}}}})
	}
	body = append(body, &result{r})
	p.helpers = append(p.helpers, &function{f, []param{{string(b), whole}, {string(e), whole}}, whole, body})
	p.block("powers", a.counted("j", number(0), "<=", number(10),
		&say{[]expr{a.one("2 to the power of ", "2^", "power "), a.v("j"), a.one(" is ", " = "),
			&call{f, []expr{number(2), a.v("j")}}}})...)
	a.forget("base", "exp", "prod", "i", "j")
}

func searching(a *author, p *program) {
	list, key, i, f := a.v("list"), a.v("key"), a.v("i"), a.call("find")
	hit := &bin{"==", &at{list, i}, key}
	var body []stmt
	if a.coin(0.5) {
		body = append(a.counted("i", number(0), "<", &length{list}, &branch{hit, []stmt{&result{i}}, nil}),
			&result{number(-1)})
	} else {
		pos := a.v("pos")
		body = []stmt{&decl{string(pos), whole, number(-1)}}
		body = append(body, a.counted("i", number(0), "<", &length{list}, &branch{hit, []stmt{&set{pos, "=", i}},
			nil})...)
		body = append(body, &result{pos})
	}
	p.helpers = append(p.helpers, &function{f, []param{{string(list), kindList}, {string(key), whole}}, whole, body})
	p.block("searches", &decl{string(list) + "4", kindList, a.data(7, 2, 8, 4)},
		&say{[]expr{a.one("Found at ", "Position: ", "index "), &call{f, []expr{name(string(list) + "4"), number(8)}}}})
	a.forget("i", "key", "pos")
}
