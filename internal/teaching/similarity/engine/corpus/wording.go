package corpus

import (
	"fmt"
	"slices"
	"strings"
)

// What a program says beside what it does: comments, names, texts.

// What comments are made of: most say what anybody would say.
var (
	noteVerbs = strings.Fields("calculate compute print check find loop get set start update return show store test")
	noteThing = []string{"the result", "all values", "the next number", "the list", "the sum", "if it is valid",
		"the counter", "the first one", "each element", "the answer", "the rest", "what is left", "the limit"}
	noteTails = []string{"", "", "", "", " here", " again", " for later", " so that zero works", " (see lecture 4)",
		" before we go on", ", otherwise it fails", " - this took me ages", " one by one", " like in the tutorial"}
	german = strings.NewReplacer("calculate", "berechne", "compute", "berechne", "print", "drucke", "check", "teste",
		"find", "suche", "loop", "gehe durch", "get", "hole", "set", "setze", "start", "beginne", "update", "erneuere",
		"return", "liefere", "show", "zeige", "store", "speichere", "test", "teste", "the ", "die ", "result",
		"Ergebnis", "values", "Werte", "number", "Zahl", "list", "Liste", "sum", "Summe", "all", "alle", "next",
		"folgende", "element", "Element", "again", "noch einmal", "here", "hier", "answer", "Antwort")
)

// annotate comments a program, now and then.
func (h *hand) annotate(p float64) {
	if h.coin(p) {
		h.p.notes = append(h.p.notes, fmt.Sprintf("%s %d", []string{"Exercise", "Sheet", "Assignment", "Week"}[h.IntN(4)],
			1+h.IntN(12)))
	}
	h.p.bodies(func(body []stmt) []stmt {
		var out []stmt
		for i, s := range body {
			if h.coin(p/4) || i == 0 && h.coin(p/3) {
				out = append(out, &note{h.remark()})
			}
			out = append(out, s)
		}
		return out
	})
}

func (h *hand) remark() string {
	pick := func(from []string) string { return from[h.IntN(len(from))] }
	return pick(noteVerbs) + " " + pick(noteThing) + pick(noteTails)
}

// recomment keeps, drops, translates or replaces the comments of a copy.
func (c *copier) recomment() {
	way := c.IntN(10)
	c.p.rewrite(func(s stmt) []stmt {
		n, ok := s.(*note)
		switch {
		case !ok || way < 2:
		case way < 4 && c.coin(0.5):
		case way < 6:
			n.text = german.Replace(n.text)
		default:
			return nil
		}
		return []stmt{s}
	})
	if way >= 2 {
		c.p.notes = nil
	}
	switch {
	case way < 2: // the comments are kept, and one is put on top
		c.p.notes = append(c.p.notes, c.remark())
	case way >= 8:
		c.annotate(0.5)
	}
}

// themes are words by which names are given; the last are what anybody may say.
var themes = [][]string{
	strings.Fields("apple pear plum cherry grape melon lemon lime fig kiwi mango papaya peach berry olive date quince"),
	strings.Fields("lion tiger zebra otter badger fox wolf hare stoat lynx mole seal walrus heron crane finch robin"),
	strings.Fields("mars venus pluto saturn comet moon sun star orbit nova quasar rocket probe lander dish crater"),
	strings.Fields("goal team coach pitch player match corner keeper league cup referee whistle bench header wing"),
	strings.Fields("wert zahl liste ergebnis summe zaehler feld anzahl groesste kleinste rest teiler grenze start ende"),
	strings.Fields("current temp data output input item entry holder my_value thing element info var1 obj first last " +
		"result count index number total size"),
}

// theme renames everything after one theme.
func (c *copier) theme() {
	words := slices.Clone(themes[c.IntN(len(themes))])
	c.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	to, done := map[string]string{}, map[string]bool{}
	c.p.rename(func(old string) string {
		if done[old] {
			return old
		}
		if _, ok := to[old]; !ok {
			n := len(to)
			to[old] = words[n%len(words)]
			if n >= len(words) {
				second := words[(n+n/len(words))%len(words)]
				to[old] += strings.ToUpper(second[:1]) + second[1:]
			}
			done[to[old]] = true
		}
		return to[old]
	})
}

// reword changes what is printed, a little: the output has to stay right.
func (c *copier) reword(p float64) {
	c.p.exprs(func(e expr) expr {
		q, ok := e.(quote)
		if !ok || !c.coin(p) {
			return e
		}
		said := strings.TrimRight(string(q), ": =")
		switch c.IntN(3) {
		case 0:
			return quote(strings.ToUpper(said) + " = ")
		case 1:
			return quote("The " + strings.ToLower(said) + ": ")
		}
		return quote(said + " -> ")
	})
}
