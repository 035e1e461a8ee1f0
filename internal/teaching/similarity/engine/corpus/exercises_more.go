package corpus

import "slices"

// moreExercises are those of the restructured corpus: some with cases, which the first
// corpus has none of.
func moreExercises() []exercise { return append(slices.Clone(exercises), weekdays, change, histogram) }

func weekdays(a *author, p *program) {
	d, out := a.v("day"), a.v("label")
	names := []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	first := a.IntN(2)
	var body []stmt
	c := &cases{on: d, rest: []stmt{&set{out, "=", a.one("unknown", "no such day", "error")}}}
	for i, n := range names {
		c.of = append(c.of, option{number(i + first), []stmt{&set{out, "=", quote(n)}}})
	}
	body = append(body, &decl{string(d), whole, number(1 + a.IntN(7))}, &decl{string(out), text, quote("")})
	if a.coin(0.6) {
		body = append(body, c)
	} else {
		rest := c.rest
		for i := len(c.of) - 1; i >= 0; i-- {
			rest = []stmt{&branch{a.less(d, "==", c.of[i].value), c.of[i].body, rest}}
		}
		body = append(body, rest...)
	}
	p.block("weekday", append(body, &say{[]expr{a.one("Day: ", "Today is ", "It is "), out}})...)
	a.forget("day", "label")
}

func change(a *author, p *program) {
	rest, coin, n := a.v("amount"), a.v("coin"), a.v("count")
	coins := name(a.call("list") + "5")
	i := a.v("i")
	inner := []stmt{&decl{string(coin), whole, &at{coins, i}}, &decl{string(n), whole, &bin{"/", rest, coin}},
		&set{rest, "=", &bin{"%", rest, coin}}}
	if a.coin(0.4) {
		inner = []stmt{&decl{string(coin), whole, &at{coins, i}}, &decl{string(n), whole, number(0)},
			&while{a.less(rest, ">=", coin), []stmt{&set{rest, "-=", coin}, a.add(n, number(1))}}}
	}
	inner = append(inner, &branch{a.less(n, ">", number(0)),
		[]stmt{&say{[]expr{n, a.one(" x ", " coins of ", " times "), coin}}}, nil})
	body := []stmt{&decl{string(rest), whole, number(100 + a.IntN(300))},
		&decl{string(coins), kindList, &items{[]int{100, 50, 20, 10, 5, 2, 1}}}}
	p.block("coins", append(body, a.counted("i", number(0), "<", &length{coins}, inner...)...)...)
	a.forget("amount", "coin", "count", "i")
}

func histogram(a *author, p *program) {
	list, i, even, odd := name(a.call("list")+"6"), a.v("i"), a.v("even"), a.v("odd")
	test := &branch{&bin{"==", &bin{"%", &at{list, i}, number(2)}, number(0)}, []stmt{a.add(even, number(1))},
		[]stmt{a.add(odd, number(1))}}
	if a.coin(0.4) {
		test = &branch{&bin{"!=", &bin{"%", &at{list, i}, number(2)}, number(0)}, []stmt{a.add(odd, number(1))},
			[]stmt{a.add(even, number(1))}}
	}
	body := []stmt{&decl{string(list), kindList, a.data(12, 7, 9, 20, 33)}, &decl{string(even), whole, number(0)},
		&decl{string(odd), whole, number(0)}}
	body = append(body, a.counted("i", number(0), "<", &length{list}, test)...)
	p.block("parity", append(body, &say{[]expr{a.one("Even: ", "even numbers ", "Number of even values: "), even}},
		&say{[]expr{a.one("Odd: ", "odd numbers ", "Number of odd values: "), odd}})...)
	a.forget("i", "even", "odd")
}
