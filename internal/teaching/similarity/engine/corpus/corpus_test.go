package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSameSeedMakesTheSameCorpus(t *testing.T) {
	for _, o := range []Options{Default, Restructured} {
		a, b := Make(o), Make(o)
		if d := cmp.Diff(a, b); d != "" {
			t.Error(d)
		}
		other := o
		other.Seed++
		if cmp.Equal(a, Make(other)) {
			t.Error("another seed makes the same corpus")
		}
	}
}

// The figures of the documentation are only worth something while the first corpus stays
// what it was.
func TestFirstCorpusStaysWhatItWas(t *testing.T) {
	h := sha256.New()
	for _, o := range []Options{Default, Tiny} {
		fmt.Fprintf(h, "%+v", Make(o))
	}
	if got := hex.EncodeToString(h.Sum(nil))[:16]; got != "c7a98e7ed025a325" {
		t.Errorf("the corpus of seed 1 has changed: %s", got)
	}
}

func TestEveryLevelChangesMoreThanTheOneBefore(t *testing.T) {
	kept := make([]float64, len(Levels)+1)
	for _, c := range Make(Restructured) {
		for _, w := range c.Works {
			if w.Copied < 0 {
				continue
			}
			if !strings.HasPrefix(w.Text, c.Template) || w.Text == c.Works[w.Copied].Text && Level(w.How) > 1 {
				t.Fatalf("%s: a copy of %s lacks the template, or is verbatim", c.Name, w.How)
			}
			kept[Level(w.How)] += linesKept(c.Works[w.Copied].Text[len(c.Template):], w.Text[len(c.Template):])
		}
	}
	for l := 2; l < len(kept); l++ {
		if kept[l] == 0 || kept[l] >= kept[l-1] {
			t.Errorf("%s keeps %.2f lines, the level before %.2f", Levels[l-1], kept[l], kept[l-1])
		}
	}
}

var anyName = regexp.MustCompile(`[A-Za-z_]\w*`)

// linesKept is the part of a work's lines that follow each other in a copy, too: names
// aside, and with them.
func linesKept(work, copied string) float64 {
	kept := 0.0
	for _, shape := range []func(string) string{strings.TrimSpace,
		func(l string) string { return anyName.ReplaceAllString(strings.TrimSpace(l), "x") }} {
		have := map[string]bool{}
		for _, two := range twos(copied, shape) {
			have[two] = true
		}
		all := twos(work, shape)
		same := slices.DeleteFunc(slices.Clone(all), func(two string) bool { return !have[two] })
		kept += float64(len(same)) / float64(len(all))
	}
	return kept / 2
}

// twos gives each line of a text with the one after it.
func twos(text string, shape func(string) string) (out []string) {
	last := ""
	for l := range strings.Lines(text) {
		if now := shape(l); now != "" {
			out = append(out, last+"\n"+now)
			last = now
		}
	}
	return out
}

// What the disguises are made of is in the corpus, in every language.
func TestRestructuredCopiesUseEveryDisguise(t *testing.T) {
	marks := map[string][]string{
		".java": {"do {", "while (true)", "break;", "private static final", " ? ", "for (int item : ", "!(", "switch ("},
		".py":   {"while True:", "break", " if ", "= None", "not (", "for item in"},
		".c":    {"do {", "while (1)", "#define", " ? ", "const int *item", "switch ("},
		".cs":   {"do {", "while (true)", "const int", " ? ", "foreach (int", "switch ("},
		".js":   {"do {", "while (true)", "const ", " ? ", "for (const", "switch ("},
	}
	text := map[string]string{}
	o := Restructured
	o.Classes = 6
	for _, c := range Make(o) {
		for _, w := range c.Works {
			text[c.Language] += w.Text
		}
	}
	for lang, want := range marks {
		for _, m := range want {
			if !strings.Contains(text[lang], m) {
				t.Errorf("no %s has %q", lang, m)
			}
		}
	}
}

// changes are what the levels are made of, each as thorough as can be.
var changes = map[string]func(c *copier){
	"methods extracted":     func(c *copier) { c.extract(1) },
	"methods inlined":       func(c *copier) { c.inline(1) },
	"methods regrouped":     func(c *copier) { c.regroup() },
	"other loops":           func(c *copier) { c.loops(1) },
	"conditions inverted":   func(c *copier) { c.conditions(1) },
	"statements split":      func(c *copier) { c.split(1) },
	"statements joined":     func(c *copier) { c.join(1) },
	"members reordered":     func(c *copier) { c.reorder() },
	"expressions rewritten": func(c *copier) { c.expressions(1) },
	"constants named":       func(c *copier) { c.constants(1) },
	"texts reworded":        func(c *copier) { c.reword(1) },
	"comments":              func(c *copier) { c.recomment() },
	"names by a theme":      func(c *copier) { c.theme() },
}

func printed(lang string, p *program) string {
	return (&printer{lang: lang, indent: " ", notes: func() string { return "" }}).program(p)
}

// Every change makes another text of nearly every work, in every language.
func TestEveryChangeIsMadeInEveryLanguage(t *testing.T) {
	const works = 20
	sheet := make([]int, len(moreExercises()))
	for i := range sheet {
		sheet[i] = i
	}
	for _, lang := range Languages {
		for what, change := range changes {
			other := 0
			for seed := range uint64(works) {
				p := styled(seed, sheet, false)
				before := printed(lang, p.clone())
				change(&copier{hand: &hand{Rand: rand.New(rand.NewPCG(seed, 3)), p: p, n: 40}})
				if printed(lang, p) != before {
					other++
				}
			}
			if other < works/2 {
				t.Errorf("%s in %s: %d of %d works are changed", what, lang, other, works)
			}
		}
	}
}

var aCase = regexp.MustCompile(`case (\d+)|== (\d+)\b|\b(\d+) ==`)

// Loops become methods that call themselves, and cases come in another order.
func TestRecursionAndOtherCasesAreMade(t *testing.T) {
	again, orders := 0, map[string]int{}
	for seed := range uint64(60) {
		p := styled(seed, []int{len(exercises)}, false) // the days of the week
		order := func() string { return fmt.Sprint(aCase.FindAllString(printed(".java", p.clone()), -1)) }
		before := order()
		c := &copier{hand: &hand{Rand: rand.New(rand.NewPCG(seed, 3)), p: p, n: 40 + int(seed)}}
		c.reorder()
		if order() != before {
			orders[fmt.Sprint(len(order()) == len(before))]++
		}
		p = styled(seed, []int{0, 1, 2, 3, 4, 5}, false)
		had := len(p.helpers)
		(&hand{Rand: rand.New(rand.NewPCG(seed, 3)), p: p, n: 40}).loops(1)
		again += len(slices.DeleteFunc(slices.Clone(p.helpers[had:]), func(f *function) bool {
			return !calls(f.body, f.name)
		}))
	}
	if again < 20 || orders["true"] < 40 || orders["false"] > 0 {
		t.Errorf("%d methods call themselves, cases in another order: %v", again, orders)
	}
}

// A change of how a program is written leaves no statement that cannot be printed.
func TestRestructuredProgramsArePrintedWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		all := moreExercises()
		p := styled(r.Uint64(), r.Perm(len(all))[:3], rapid.Bool().Draw(t, "bare"))
		p = (&copier{hand: &hand{Rand: r, p: p, n: 40}}).disguise(rapid.IntRange(1, 6).Draw(t, "level"))
		for _, lang := range Languages {
			pr := &printer{lang: lang, indent: " ", notes: func() string { return "" }}
			got := pr.program(p.clone())
			if strings.Contains(got, "%!") || strings.Contains(got, "()()") || strings.Contains(got, "= ;") ||
				strings.Count(got, "{") != strings.Count(got, "}") {
				t.Fatalf("%s:\n%s", lang, got)
			}
		}
	})
}

func TestCorpusHoldsWhatItPromises(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Make(Default) {
		for i, w := range c.Works {
			seen[w.How] = true
			if !strings.HasPrefix(w.Text, c.Template) || strings.Count(w.Text, "\n") < 40 {
				t.Fatalf("%s: work %d lacks the template, or is tiny", c.Name, i)
			}
			if w.Copied >= 0 && w.How != "verbatim" && w.Text == c.Works[w.Copied].Text {
				t.Errorf("%s: a copy with %s is verbatim", c.Name, w.How)
			}
		}
	}
	for _, how := range Disguises {
		if !seen[how] {
			t.Errorf("no copy with %s", how)
		}
	}
}
