package pdf

import (
	"strings"
	"testing"
)

func mathPage() *pageWriter {
	fs, _ := newFonts(nil)
	s := newPageWriter(fs)
	s.left = 50
	s.newPage()
	return s
}

func TestFormulasThatAreSet(t *testing.T) {
	s := mathPage()
	for _, src := range []string{
		"E = mc^2", `\sqrt{x}`, `\sqrt[3]{x+1}`, `\frac{1}{2}`, `\frac12`, `a_{i}^{2}`, `x'`, `x''_1`, `\sum_{i=1}^n i`,
		`\sum\limits_{i} i`, `\int_0^1 f(x)\,dx`, `\alpha+\beta\le\gamma`, `\left(\frac{a}{b}\right)`, `\left.x\right|`,
		`\text{if } x > 0`, `\mathbb{R}^n`, `\lim_{x \to 0} \frac{\sin x}{x}`, `\binom{n}{k}`, `\hat{x}`,
		`\overline{AB}`,
		`\underline{x}`, `f: A \to B`, `10^{-3}`, `-x`, `|x|`, `\{1, 2, \ldots\}`, `\mathbf{v} \cdot \vec{w}`, `αβγ`,
		`x \in 集`, "",
	} {
		if box, err := s.parseMath(src, 10, true); err != nil || src != "" && box.w <= 0 {
			t.Errorf("%s: %v, %.1f wide", src, err, box.w)
		}
	}
}

// Whatever else a formula holds, it is shown as its source.
func TestFormulasThatAreNot(t *testing.T) {
	s := mathPage()
	for _, src := range []string{
		`\begin{matrix} a \end{matrix}`, `\unheard`, `{`, `}`, `x^`, `x^^2`, `x_1_2`, `\frac{a}`, `\sqrt[3`, `\left( x`,
		`\left`,
		`\right)`, `a & b`, `\text{a$b}`, `\`, "a \x00 b", strings.Repeat("{", 100) + strings.Repeat("}", 100),
		strings.Repeat("x", mathLongest+1), strings.Repeat("x^", 200) + "x",
	} {
		if _, err := s.parseMath(src, 10, true); err == nil {
			t.Errorf("%.60s is set", src)
		}
		if box := s.layoutMath(src, 10, false); box.draw == nil {
			t.Errorf("%.60s cannot be drawn", src)
		}
	}
}

// The parts of a formula keep their order: a numerator stands above the line.
func TestMeasuresOfFormulas(t *testing.T) {
	s := mathPage()
	size := func(src string) mathBox { return s.layoutMath(src, 10, true) }
	x := size("x")
	if f := size(`\frac{x}{x}`); f.up < 1.5*x.up || f.down <= x.down {
		t.Errorf("a fraction is %.1f high and %.1f deep", f.up, f.down)
	}
	if p := size("x^2"); p.up <= x.up || p.w <= x.w {
		t.Errorf("a power is %.1f high and %.1f wide", p.up, p.w)
	}
	if a, b := size(`\sum_{i=1}^{n}`), size(`\sum`); a.up <= b.up || a.down <= b.down {
		t.Error("limits take no room")
	}
	if a, b := size("a+b"), size("ab"); a.w <= b.w+2 {
		t.Error("no blanks around a sign")
	}
}

func TestFormulasInMarkdown(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a $x$ b", "a |x| b"},
		{"a $$x$$ b", "a ;[x]; b"},
		{"$$\nx\n- y\n$$\n\nafter", "[x\n- y];after"},
		{"$$x\n\nnot closed", "[x];not closed"},
		{`\(x\) and \[y\]`, "|x| and ;[y]"},
		{"$5 and $6", "$5 and $6"},
		{"$ x$ and x$ y $", "$ x$ and x$ y $"},
		{`\$x\$`, "$x$"},
		{"`$x$`", "$x$"},
		{"$a_1 * b_2 * c$", "|a_1 * b_2 * c|"},
		{"- $x$", "|x|"},
		{"$$", "[]"},
		{"$x", "$x"},
	} {
		var got []string
		for _, b := range markdownBlocks(c.in) {
			var line strings.Builder
			for _, sp := range b.Spans {
				if sp.Math {
					line.WriteString("|" + sp.Text + "|")
				} else {
					line.WriteString(sp.Text)
				}
			}
			if b.Math {
				got = append(got, "["+line.String()+"]")
			} else {
				got = append(got, line.String())
			}
		}
		if text := strings.Join(got, ";"); text != c.want {
			t.Errorf("%q became %q, want %q", c.in, text, c.want)
		}
	}
}

// What a notebook computes as a formula is set as one.
func TestFormulasInNotebooks(t *testing.T) {
	nb := `{"cells":[{"cell_type":"code","source":"x","outputs":[{"output_type":"execute_result","data":{
		"text/latex":"$\\displaystyle \\frac{x}{2}$","text/plain":"x/2"}}]},
		{"cell_type":"markdown","source":"so $y$"}]}`
	blocks, _, err := readNotebook(&readJob{Name: "a.ipynb", Limits: Limits{}.orDefaults()}, []byte(nb))
	if err != nil || len(blocks) != 3 || !blocks[1].Math || spansText(blocks[1].Spans) != `\displaystyle \frac{x}{2}` ||
		!blocks[2].Spans[1].Math {
		t.Errorf("%v: %+v", err, blocks)
	}
	for in, want := range map[string]bool{"$x$": true, `\[x\]`: true, "x": false, "$x$ and $y$": false, "$$": false,
		"": false} {
		if _, ok := formulaIn(in); ok != want {
			t.Errorf("%q is a formula: %v", in, ok)
		}
	}
}

func FuzzMath(f *testing.F) {
	for _, src := range []string{`\frac{a}{b}_1^2`, `\left(\sqrt[3]{x}\right.`, `\sum\limits_{i}^{`, `\text{小}`,
		`\hat{\vec{x}}'''`} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		drawAll(t, []Block{{Math: true, Spans: plain(src)}, {Spans: []Span{{Text: "a "}, {Text: src, Math: true},
			{Text: " b"}}}})
	})
}
